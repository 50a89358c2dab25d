// The tools of the Model Context Protocol: what an agent's harness shows to its model, one closed table.
//
// A tool's arguments and answers are those of the endpoint behind it, so that HTTP and MCP never say different things.
//
//   MC1. Every annotation is set: what a client assumes without one would be wrong here.
//   MC2. Every answer, errors included, has the form that the tool publishes, and carries the notices.
//   MC3. Every answer says in `next` what to do with it, so that a model goes on without other instructions.

import { z } from 'zod';
import {
  absent,
  agentIdField,
  exactlyOne,
  intentIdField,
  namedPath,
  oidField,
  pathField,
  proposalIdField,
} from './fields.ts';
import { wireLimits } from './limits.ts';
import { treePage, whyPage } from './looking-responses.ts';
import { createIntentsRequest } from './requests.ts';
import * as responses from './responses.ts';
import * as work from './work-requests.ts';

/** What a tool does to the world, as clients ask before they call it (MC1). */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** One tool. `input` is what a model sends; `output` is what it gets when nothing was refused. */
export interface McpTool {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodType;
  readonly output: z.ZodObject;
  readonly annotations: ToolAnnotations;
}

const looks = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false } as const;
const changes = { ...looks, readOnlyHint: false, idempotentHint: false } as const;

/** (MC3) */
const next = z.string().describe('What to do now.');
const notices = z
  .array(responses.noticeSchema)
  .describe('What landed under your work since your last answer; each is given once.');
const frame = { next, notices };

/** How long a call waits unless it says so: less than any harness gives a tool. */
const waits = {
  take: 20_000,
  outcome: 30_000,
} as const;

function waitField(otherwise: number, meaning: string) {
  const bound = wireLimits.waitMs / 1_000;
  return z
    .int()
    .min(0)
    .max(wireLimits.patienceMs)
    .default(otherwise)
    .describe(`${meaning} ${bound} seconds count at most.`);
}

const { paths, labels, intent } = work.takeRequest.shape;
const outcomeWait = waitField(waits.outcome, 'How long to wait for the outcome, in milliseconds.');

const editSchema = z.strictObject({
  old: z.string().min(1).max(wireLimits.textCharacters).describe('Text that occurs exactly once in the file.'),
  replacement: z.string().max(wireLimits.blobBytes).describe('What stands there instead.'),
});

/** A write as over HTTP, or a file changed in some places: `edits` saves sending all of it. */
export const toolWrite = z
  .strictObject({
    path: pathField,
    content: work.writeSchema.shape.content.describe('The whole new text of the file.'),
    contentBase64: work.writeSchema.shape.contentBase64.describe('The same for bytes that are not text.'),
    edits: z
      .array(editSchema)
      .min(1)
      .max(wireLimits.paths)
      .exactOptional()
      .describe('Changes to the file as it is at the base, made one after the other.'),
    delete: work.writeSchema.shape.delete.describe('True deletes the file.'),
    mode: work.writeSchema.shape.mode.describe('100755 for a program; the mode at the base by default.'),
  })
  .superRefine((value, context) => {
    exactlyOne(value, ['content', 'contentBase64', 'edits', 'delete'], context);
    if (value.delete === true) absent(value, ['mode'], 'a deletion has no mode', context);
  });

/** A written path over MCP. */
export type ToolWrite = z.output<typeof toolWrite>;

const writesField = z
  .array(toolWrite)
  .max(wireLimits.writes)
  .describe('Each written path once, with exactly one of content, contentBase64, edits and delete.');
const readsField = z
  .array(work.readSchema)
  .max(wireLimits.reads)
  .default([])
  .describe('What else the change depends on. Files that the tool read has served count already.');

const proposeFields = work.proposeRequest.shape;
const repairFields = work.repairRequest.shape;
const lease = proposeFields.lease.describe('Id of the lease that take gave.');
const epoch = proposeFields.epoch.describe('Epoch of that lease.');
const draft = createIntentsRequest.shape.intents.element.shape;

const deriveReads = proposeFields.deriveReads.default(true);

const statusOutput = z.strictObject({
  ...frame,
  colony: z.strictObject({
    id: z.string(),
    branch: z.string(),
    trunk: oidField.describe('The newest commit of trunk.'),
    paused: z.boolean().describe('Whether landing stands still; proposals queue meanwhile.'),
    takeable: z.int().describe('Open intents that wait for no other.'),
    queued: z.int().describe('Proposals that have no outcome yet.'),
    landings: z.int(),
    sigma: z.number().describe('Stale returns per landing; above 1 the colony slows down.'),
  }),
  agent: agentIdField,
  leases: z
    .array(
      z.strictObject({
        lease: responses.takeGranted.shape.lease.shape.id,
        epoch: responses.takeGranted.shape.lease.shape.epoch,
        expiresAt: z.iso.datetime().nullable().describe('Null while a proposal of it is queued.'),
        base: oidField,
        intent: z.strictObject({ id: intentIdField, title: z.string(), body: z.string(), paths: z.array(z.string()) }),
        proposals: z.array(z.strictObject({ proposal: proposalIdField, state: z.enum(['queued', 'returned']) })),
      }),
    )
    .describe('Your work, the oldest first.'),
  proposal: responses.proposalStatus.omit({ notices: true }).exactOptional(),
});

const proposalOutput = z.strictObject({ ...responses.proposalStatus.shape, ...frame });
const region = responses.fieldPage.shape.regions.element;

/** Every tool, in the order of their names: clients show them so, and a stable order keeps prompts cached. */
export const mcpTools = {
  add_intent: {
    title: 'Add work',
    description:
      'Adds one intent to the backlog: work that you found and will not do under your present lease. The same key twice gives the same intent; near duplicates are named.',
    input: z.strictObject(draft),
    output: z.strictObject({
      ...frame,
      intent: intentIdField,
      state: responses.intentStateField,
      duplicateOf: z.array(intentIdField).describe('Intents that ask for nearly the same.'),
    }),
    annotations: changes,
  },
  field: {
    title: 'Who works where',
    description:
      'Shows the busiest regions and the paths that agents have marked, so that you can keep away from others.',
    input: z.strictObject({
      limit: z.int().min(1).max(wireLimits.pageRows).default(20).describe('Most rows of each list.'),
    }),
    output: z.strictObject({
      ...frame,
      sigma: z.number(),
      regions: z.array(region),
      paths: responses.fieldPage.shape.paths,
      more: z.strictObject({ regions: z.int(), paths: z.int() }).describe('Rows that are not shown.'),
    }),
    annotations: looks,
  },
  propose: {
    title: 'Propose a change',
    description:
      'Hands in your change: every path that you wrote, made against the base of your lease. It is merged with what others landed meanwhile, and lands on trunk; or it comes back with a brief that says exactly what moved, and you call repair.',
    input: z.strictObject({
      lease,
      epoch,
      base: proposeFields.base.describe('base.commit of your take; or an earlier proposal of the same lease.'),
      title: proposeFields.title,
      message: proposeFields.message,
      key: proposeFields.key,
      final: proposeFields.final,
      writes: writesField,
      reads: readsField,
      deriveReads,
      usage: proposeFields.usage,
      waitMs: outcomeWait,
    }),
    output: proposalOutput,
    annotations: changes,
  },
  read: {
    title: 'Read a file or folder',
    description:
      'Reads a file, or lists a folder, at the base of your newest lease. What you read counts as what your change depends on, so read here what matters to it.',
    input: z.strictObject({
      path: pathField.describe('Path from the root of the tree; "" is the root.'),
      at: oidField.nullable().default(null).describe('Another commit, such as the trunk of a brief.'),
      lease: lease.nullable().default(null).describe('Lease under which it counts; your newest one by default.'),
      lines: z
        .tuple([z.int().min(1), z.int().min(1)])
        .nullable()
        .default(null)
        .describe('Only these lines, first and last, counted from 1.'),
    }),
    output: z.strictObject({
      ...frame,
      ...namedPath,
      commit: oidField,
      blob: oidField.exactOptional(),
      mode: z.string().exactOptional(),
      bytes: z.int().exactOptional().describe('Size of the whole file.'),
      lines: z.tuple([z.int(), z.int()]).exactOptional().describe('First and last line that is shown.'),
      totalLines: z.int().exactOptional(),
      content: z.string().exactOptional(),
      contentBase64: z.string().exactOptional().describe('Bytes of a file that is not text.'),
      entries: treePage.shape.entries.exactOptional().describe('What lies in a folder.'),
    }),
    annotations: looks,
  },
  release: {
    title: 'End a lease without a change',
    description:
      'Ends your lease: released gives the intent back to others, completed says that nothing needs to change, failed gives it back with one more attempt counted. A why is needed for the last two.',
    input: z.strictObject({
      lease,
      epoch,
      ended: z.enum(['released', 'completed', 'failed']).default('released'),
      why: work.releaseRequest.shape.why.describe('One sentence for whoever looks at the intent later.'),
    }),
    output: z.strictObject({ ...responses.leaseEnded.shape, ...frame }),
    annotations: { ...changes, destructiveHint: true },
  },
  repair: {
    title: 'Repair what came back',
    description:
      'Answers a returned proposal on the same lease. confirm: what moved does not matter (reads only). amend: sends again only the conflicting writes. redo: sends the whole change again. What is sent again stands on the trunk that the brief names.',
    input: z.strictObject({
      lease,
      epoch,
      proposal: repairFields.proposal,
      answer: repairFields.answer,
      base: repairFields.base,
      key: repairFields.key,
      writes: writesField.default([]),
      reads: readsField,
      deriveReads,
      usage: repairFields.usage,
      waitMs: outcomeWait,
    }),
    output: proposalOutput,
    annotations: changes,
  },
  status: {
    title: 'Where things stand',
    description:
      'Shows your leases with their intents and proposals, and the colony at a glance. With a proposal it waits for that one’s outcome. Call it when you have lost track.',
    input: z.strictObject({
      proposal: proposalIdField.nullable().default(null).describe('A proposal to ask about.'),
      waitMs: waitField(0, 'With a proposal: how long to wait for its outcome, in milliseconds.'),
    }),
    output: statusOutput,
    annotations: looks,
  },
  take: {
    title: 'Take work',
    description:
      'Takes one intent and gives you a lease on it: what to do, and the commit to work from. When there is nothing for you, it names the reason to wait.',
    input: z.strictObject({
      paths,
      labels,
      intent,
      waitMs: waitField(waits.take, 'How long to wait for work, in milliseconds.'),
    }),
    output: z.strictObject({
      ...frame,
      ...responses.takeGranted.partial().shape,
      wait: responses.takeWait.shape.wait.exactOptional(),
      notices,
    }),
    annotations: changes,
  },
  why: {
    title: 'Why a line is so',
    description:
      'Says why a line of trunk is the way it is: the commit, the intent, who made it, and what it stood on.',
    input: z.strictObject({ path: pathField, line: z.int().min(1).max(100_000_000) }),
    output: z.strictObject({ ...whyPage.shape, ...frame }),
    annotations: looks,
  },
} as const satisfies Record<string, McpTool>;

export type McpToolName = keyof typeof mcpTools;

/** The arguments of a tool with defaults filled in. */
export type ToolInput<Name extends McpToolName> = z.output<(typeof mcpTools)[Name]['input']>;

/** What a tool answers when nothing was refused, before the notices are added. */
export type ToolOutput<Name extends McpToolName> = Omit<z.output<(typeof mcpTools)[Name]['output']>, 'notices'>;

/** What a refused tool call answers (MC2). */
export const toolError = z.strictObject({ error: responses.errorBody.shape.error, notices });

/** A JSON schema as it is published. */
export type PublishedSchema = Readonly<Record<string, unknown>> & { readonly type: 'object' };

/** The schemas of a tool as clients get them; an answer is either the tool's own, or an error. */
export function publishedSchemas(tool: McpTool): { readonly input: PublishedSchema; readonly output: PublishedSchema } {
  const input = z.toJSONSchema(tool.input, { io: 'input' });
  const output = z.toJSONSchema(z.union([tool.output, toolError]), { io: 'output' });
  return { input: { ...input, type: 'object' }, output: { ...output, type: 'object' } };
}
