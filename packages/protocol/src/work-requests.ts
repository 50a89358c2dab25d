// What an agent sends about its work: take, heartbeat, propose, repair and the ends of a lease.
//
// The same schemas hold for calls over HTTP and for call frames on an agent's socket.

import { z } from 'zod';
import {
  absent,
  base64,
  bodyField,
  epochField,
  exactlyOne,
  globField,
  intentIdField,
  leaseIdField,
  nameField,
  oidField,
  pathBase64Field,
  pathField,
  proposalIdField,
  text,
  titleField,
  toldSources,
  waitMsField,
} from './fields.ts';
import { wireLimits } from './limits.ts';

export const takeRequest = z.strictObject({
  waitMs: waitMsField
    .default(0)
    .describe('How long to wait for work before the answer names a reason to wait; 60 seconds count at most.'),
  paths: z.array(globField).max(wireLimits.paths).default([]).describe('Only intents that touch one of these.'),
  labels: z.array(nameField).max(wireLimits.labels).default([]).describe('Only intents with one of these.'),
  intent: intentIdField.nullable().default(null).describe('Exactly this intent.'),
});

const leaseFields = { lease: leaseIdField, epoch: epochField };

/** A file as the agent saw it. */
const seenFileSchema = z
  .strictObject({
    path: pathField.exactOptional(),
    pathBase64: pathBase64Field.exactOptional(),
    blob: oidField.nullable().describe('The blob that was seen; null when nothing was there.'),
    at: oidField.exactOptional().describe('The commit where it was read; that of the lease when left out.'),
    source: z.enum(toldSources).default('told').describe('How it became known; shown with the landing.'),
  })
  .superRefine((value, context) => exactlyOne(value, ['path', 'pathBase64'], context));

export const heartbeatRequest = z.strictObject({
  ...leaseFields,
  claims: z.array(globField).max(wireLimits.claims).default([]).describe('Paths or globs to mark as worked on.'),
  reads: z
    .array(seenFileSchema)
    .max(wireLimits.reads)
    .default([])
    .describe('What the agent has read: it hears when that changes, and what it proposes rests on it.'),
});

export const releaseRequest = z.strictObject({ ...leaseFields, why: bodyField.nullable().default(null) });

const whyField = bodyField.min(1).refine((value) => value.trim() !== '', 'must not be blank');
export const completeRequest = z.strictObject({ ...leaseFields, why: whyField });
export const failRequest = z.strictObject({ ...leaseFields, why: whyField });

/** One written path: exactly one of `content`, `contentBase64`, `blob` and `delete` says what becomes of it. */
export const writeSchema = z
  .strictObject({
    path: pathField.exactOptional(),
    pathBase64: pathBase64Field.exactOptional(),
    content: text(wireLimits.blobBytes).exactOptional(),
    contentBase64: base64(wireLimits.proposeBytes).exactOptional(),
    blob: oidField.exactOptional(),
    delete: z.literal(true).exactOptional(),
    mode: z.enum(['100644', '100755', '120000']).exactOptional(),
    was: oidField.nullable().exactOptional().describe('The blob that the agent saw there; null when nothing was.'),
  })
  .superRefine((value, context) => {
    exactlyOne(value, ['path', 'pathBase64'], context);
    exactlyOne(value, ['content', 'contentBase64', 'blob', 'delete'], context);
    if (value.delete === true) absent(value, ['mode'], 'a deletion has no mode', context);
  });

const lineField = z.int().min(1).max(100_000_000);

/** One declared read: a file, a listing, a pattern, a symbol or a range of lines. */
export const readSchema = z
  .strictObject({
    path: pathField.exactOptional(),
    pathBase64: pathBase64Field.exactOptional(),
    dir: pathField.exactOptional(),
    dirBase64: pathBase64Field.exactOptional(),
    glob: globField.exactOptional(),
    blob: oidField.nullable().exactOptional().describe('The blob that was seen; null when nothing was there.'),
    symbol: text(wireLimits.nameCharacters).min(1).exactOptional().describe('An exported name of the file.'),
    signature: z.boolean().exactOptional().describe('Only the parameters and the written result type count.'),
    lines: z.tuple([lineField, lineField]).exactOptional().describe('First and last line, counted from 1.'),
    at: oidField.exactOptional().describe('Another trunk commit where it was read.'),
  })
  .superRefine((value, context) => {
    exactlyOne(value, ['path', 'pathBase64', 'dir', 'dirBase64', 'glob'], context);
    const ofFile = value.path !== undefined || value.pathBase64 !== undefined;
    if (!ofFile) absent(value, ['blob', 'symbol', 'lines'], 'belongs to a read of a file', context);
    if (value.symbol !== undefined) absent(value, ['lines', 'blob'], 'cannot stand beside symbol', context);
    if (value.lines !== undefined) absent(value, ['blob'], 'cannot stand beside lines', context);
    if (value.symbol === undefined) absent(value, ['signature'], 'belongs to a symbol', context);
    if (value.lines !== undefined && value.lines[0] > value.lines[1]) {
      context.addIssue({ code: 'custom', path: ['lines'], message: 'the first line must not come after the last' });
    }
  });

const deriveReadsField = z
  .boolean()
  .default(false)
  .describe('The colony adds what the written files import as reads, shaped by its policy.');

const usageField = z
  .strictObject({ tokens: z.int().min(0).max(1_000_000_000_000).describe('Tokens used for this proposal alone.') })
  .exactOptional()
  .describe('What the work cost; booked as waste against whoever makes it come back.');

export const proposeRequest = z.strictObject({
  ...leaseFields,
  base: z
    .union([oidField, z.strictObject({ proposal: proposalIdField })])
    .describe('The trunk commit that the work was made on, or an earlier proposal of the same lease.'),
  title: titleField.nullable().default(null),
  message: bodyField.nullable().default(null),
  key: nameField.nullable().default(null).describe('The same key twice answers with the first proposal.'),
  final: z.boolean().default(true).describe('False keeps the lease for a chain of proposals.'),
  writes: z.array(writeSchema).max(wireLimits.writes),
  reads: z.array(readSchema).max(wireLimits.reads).default([]),
  deriveReads: deriveReadsField,
  usage: usageField,
});

export const repairRequest = z
  .strictObject({
    ...leaseFields,
    proposal: proposalIdField.describe('The proposal that came back.'),
    answer: z.enum(['confirm', 'amend', 'redo']),
    base: oidField.nullable().default(null).describe('Commit of what is sent again; the brief’s trunk by default.'),
    writes: z.array(writeSchema).max(wireLimits.writes).default([]),
    reads: z.array(readSchema).max(wireLimits.reads).default([]),
    deriveReads: deriveReadsField,
    usage: usageField,
    key: nameField.nullable().default(null),
  })
  .superRefine((value, context) => {
    if (value.answer !== 'confirm') return;
    for (const field of ['writes', 'reads'] as const) {
      if (value[field].length > 0) {
        context.addIssue({ code: 'custom', path: [field], message: 'a confirm sends nothing again' });
      }
    }
  });

export type TakeRequest = z.input<typeof takeRequest>;
export type HeartbeatRequest = z.input<typeof heartbeatRequest>;
export type ReleaseRequest = z.input<typeof releaseRequest>;
export type CompleteRequest = z.input<typeof completeRequest>;
export type FailRequest = z.input<typeof failRequest>;
export type WriteRequest = z.input<typeof writeSchema>;
export type ReadRequest = z.input<typeof readSchema>;
export type ProposeRequest = z.input<typeof proposeRequest>;
export type RepairRequest = z.input<typeof repairRequest>;
