// What the daemon answers to those who look: trees, landings, the reasons of lines, preserved work.

import { z } from 'zod';
import {
  agentIdField,
  batchIdField,
  cycleIdField,
  intentIdField,
  landingIdField,
  listedPath,
  namedPath,
  oidField,
  preservedIdField,
  proposalIdField,
  readSources,
  timeField,
} from './fields.ts';

const modeField = z.enum(['100644', '100755', '120000', '160000']);

export const treePage = z.strictObject({
  ...namedPath,
  commit: oidField,
  entries: z.array(
    z.strictObject({
      name: z.string().exactOptional(),
      nameBase64: z.string().exactOptional(),
      kind: z.enum(['file', 'directory']),
      mode: modeField.exactOptional(),
      blob: oidField.exactOptional(),
    }),
  ),
});

/** One row of the landings list. External landings have no proposal, intent or agent. */
export const landingRow = z.strictObject({
  landing: landingIdField,
  commit: oidField,
  proposal: proposalIdField.nullable(),
  intent: intentIdField.nullable(),
  title: z.string().describe('Title of the intent, or the subject of the commit that someone else pushed.'),
  agent: agentIdField.nullable(),
  agentName: z.string(),
  region: z.string(),
  external: z.boolean(),
  at: timeField,
});

export const landingList = z.strictObject({ landings: z.array(landingRow), next: landingIdField.exactOptional() });

const writtenPath = z.strictObject({
  ...namedPath,
  before: oidField.nullable(),
  beforeMode: modeField.nullable(),
  after: oidField.nullable(),
  afterMode: modeField.nullable(),
});

/** A read as a landing records it: what was seen, and at which commit. */
const recordedRead = z.strictObject({
  ...namedPath,
  dir: z.string().exactOptional(),
  dirBase64: z.string().exactOptional(),
  glob: z.string().exactOptional(),
  symbol: z.string().exactOptional(),
  signature: z.boolean().exactOptional(),
  lines: z.tuple([z.int(), z.int()]).exactOptional(),
  at: oidField,
  blob: oidField.nullable().exactOptional().describe('What was seen, for a file or lines of one.'),
  basis: z.string().exactOptional().describe('Hash of what was seen, for every other kind.'),
  source: z
    .enum(readSources)
    .describe(
      'How it became known. declared: in the proposal. served, mcp: the colony served it. told: a program said so in a heartbeat. acp, jsonl: a driver saw it. hook: a hook of the harness saw it. imports: what was written imports it.',
    ),
});

export const landingPage = z.strictObject({
  landing: landingIdField,
  commit: oidField,
  batch: batchIdField.nullable(),
  cycle: cycleIdField.nullable(),
  proposal: proposalIdField.nullable(),
  intent: z.strictObject({ id: intentIdField.nullable(), title: z.string() }),
  agent: z.strictObject({ id: agentIdField.nullable(), name: z.string(), kind: z.string() }),
  region: z.string(),
  base: oidField,
  external: z.strictObject({ from: oidField, commits: z.int() }).nullable(),
  writes: z.array(writtenPath),
  reads: z.array(recordedRead),
  merged: z.array(listedPath),
  unchanged: z.array(listedPath),
  decision: z.strictObject({ by: z.string(), answers: z.array(z.unknown()) }),
  checks: z.array(z.unknown()),
  returns: z.array(z.strictObject({ proposal: proposalIdField, causes: z.array(landingIdField) })),
  waste: z
    .strictObject({ returns: z.int(), wastedMs: z.number(), wastedTokens: z.number() })
    .describe('What this landing made others lose: its part of the work that came back because of it.'),
  at: z.strictObject({ taken: timeField.nullable(), proposed: timeField.nullable(), landed: timeField }),
});

export const revertAnswer = z.strictObject({
  intent: intentIdField,
  proposal: proposalIdField,
});

export const whyPage = z.strictObject({
  ...namedPath,
  line: z.int(),
  text: z.string(),
  commit: oidField,
  summary: z.string(),
  author: z.string(),
  at: timeField,
  landing: landingPage.nullable().describe('Null when the line is older than the colony.'),
});

export const preservedList = z.strictObject({
  preserved: z.array(
    z.strictObject({
      id: preservedIdField,
      ref: z.string(),
      commit: oidField,
      agent: agentIdField,
      intent: intentIdField,
      proposal: proposalIdField.exactOptional(),
      why: z.string(),
      at: timeField,
    }),
  ),
});

export type TreeResponse = z.output<typeof treePage>;
export type LandingRowResponse = z.output<typeof landingRow>;
export type LandingListResponse = z.output<typeof landingList>;
export type LandingResponse = z.output<typeof landingPage>;
export type WhyResponse = z.output<typeof whyPage>;
export type PreservedListResponse = z.output<typeof preservedList>;
