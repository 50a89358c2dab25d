// What a caller may send about colonies, intents and agents. Every object is strict: an unknown field is an error.

import { z } from 'zod';
import {
  bodyField,
  branchField,
  colonyIdField,
  exactlyOne,
  globField,
  intentIdField,
  landingIdField,
  nameField,
  oidField,
  text,
  timeField,
  titleField,
} from './fields.ts';
import { readGitAddress } from './git-address.ts';
import { wireLimits } from './limits.ts';
import { policySchema } from './policy.ts';

const labelsField = z.array(nameField).max(wireLimits.labels);
const pathsField = z.array(globField).max(wireLimits.paths);
const priorityField = z.number().min(-1_000_000).max(1_000_000);

/** Refused when nobody could tell where its password ends, so that none is ever shown. */
const addressField = text(2_000)
  .min(1)
  .superRefine((value, context) => {
    const read = readGitAddress(value);
    if (!read.ok) context.addIssue({ code: 'custom', message: read.error });
  });

/** Where the first commits of a colony come from. */
const repositorySource = z
  .strictObject({
    path: text(wireLimits.pathCharacters)
      .min(1)
      .exactOptional()
      .describe('Directory of a repository on the daemon’s machine.'),
    url: addressField.exactOptional().describe('Address that git can clone.'),
  })
  .superRefine((value, context) => exactlyOne(value, ['path', 'url'], context));

export const createColonyRequest = z
  .strictObject({
    id: colonyIdField.exactOptional(),
    repo: repositorySource.exactOptional(),
    branch: branchField.exactOptional(),
    empty: z.boolean().exactOptional(),
    spec: text(wireLimits.specCharacters).exactOptional().describe('A Markdown backlog that becomes intents.'),
    policy: policySchema.exactOptional(),
  })
  .superRefine((value, context) => {
    if (value.repo !== undefined && value.empty === true) {
      context.addIssue({ code: 'custom', path: ['empty'], message: 'cannot stand beside repo' });
    }
  });

export const deleteColonyRequest = z.strictObject({
  confirm: text(wireLimits.nameCharacters).describe('The id of the colony, once more.'),
});

export const setUpstreamRequest = z.strictObject({
  url: addressField
    .regex(/^[^-]/, 'must be an address or a path')
    .describe('Address or path that git can fetch from and push to. A password in it is kept, and never shown.'),
  mode: z
    .enum(['mirror', 'upstream'])
    .default('mirror')
    .describe('mirror: landings are pushed after they landed. upstream: nothing lands before it stands there.'),
  branch: branchField.exactOptional().describe('The branch there; the name of trunk unless said otherwise.'),
  pushesPerMinute: z.int().min(1).max(600).default(6),
});

export const changeUpstreamRequest = z.strictObject({
  paused: z
    .boolean()
    .describe('true: nothing is fetched or pushed; in the mode upstream nothing lands either. false: it goes on.'),
});

export const setTrunkRequest = z.strictObject({ paused: z.boolean() });

const intentDraft = z.strictObject({
  title: titleField,
  body: bodyField.default(''),
  paths: pathsField.default([]).describe('Globs that the work will probably touch.'),
  priority: priorityField.default(0).describe('Higher is offered first.'),
  after: z
    .array(intentIdField)
    .max(wireLimits.dependenciesPerIntent)
    .default([])
    .describe('Intents that must end first.'),
  parent: intentIdField.nullable().default(null),
  labels: labelsField.default([]),
  key: nameField.nullable().default(null).describe('The same key twice gives the same intent.'),
});

export const createIntentsRequest = z.strictObject({
  intents: z.array(intentDraft).min(1).max(wireLimits.intentsPerCall),
});

export const editIntentRequest = z
  .strictObject({
    title: titleField.exactOptional(),
    body: bodyField.exactOptional(),
    paths: pathsField.exactOptional(),
    priority: priorityField.exactOptional(),
    labels: labelsField.exactOptional(),
    state: z.enum(['abandoned', 'open']).exactOptional(),
  })
  .refine((value) => Object.keys(value).length > 0, 'must name at least one field to change');

export const registerAgentRequest = z.strictObject({
  name: nameField,
  kind: nameField.default('agent').describe('What runs it, such as claude-code or command.'),
  labels: labelsField.default([]).describe('What it is good for; shown with the agent.'),
  workspace: z.enum(['ref', 'fork', 'checkout']).default('ref'),
});

export const createJoinTokenRequest = z.strictObject({
  agents: z.int().min(1).max(wireLimits.agentsPerJoinToken).describe('How many agents may register with it.'),
  expiresAt: timeField.nullable().default(null),
});

export const createTicketRequest = z.strictObject({ colony: colonyIdField });

export const resolveAttentionRequest = z.strictObject({});
export const emptyRequest = z.strictObject({});

/** A whole number in an address. */
function integerQuery(low: number, high: number) {
  return z
    .string()
    .regex(/^-?[0-9]{1,15}$/, 'must be a whole number')
    .refine((value) => Number(value) >= low && Number(value) <= high, `must lie between ${low} and ${high}`);
}

const limitQuery = integerQuery(1, wireLimits.pageRows).exactOptional();

export const noQuery = z.strictObject({});

export const listIntentsQuery = z.strictObject({
  state: z.enum(['open', 'taken', 'proposed', 'landed', 'closed', 'blocked', 'abandoned']).exactOptional(),
  limit: limitQuery,
  after: intentIdField.exactOptional(),
});

export const listLandingsQuery = z.strictObject({ limit: limitQuery, after: landingIdField.exactOptional() });

export const waitQuery = z.strictObject({
  waitMs: integerQuery(0, wireLimits.patienceMs)
    .exactOptional()
    .describe('How long to wait for the outcome; 60 seconds count at most.'),
});

export const lookQuery = z.strictObject({
  at: oidField.exactOptional().describe('Commit to look at.'),
  lease: z
    .string()
    .max(64)
    .exactOptional()
    .describe('Lease under which the read counts; an agent’s newest one by default.'),
});

export const whyQuery = z.strictObject({
  path: text(wireLimits.pathCharacters).exactOptional(),
  pathBase64: z.string().max(8_192).exactOptional(),
  line: integerQuery(1, 100_000_000),
});

export const liveQuery = z.strictObject({
  after: integerQuery(0, Number.MAX_SAFE_INTEGER).exactOptional().describe('Sequence after which frames are replayed.'),
  ticket: text(200).exactOptional().describe('A ticket, for browsers, which cannot send a token.'),
});
