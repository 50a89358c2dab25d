// The scalar fields that requests and responses share.
//
// Never here: conversion to what the core works with; a schema only accepts or refuses.
//
//   FI1. Text that is not well-formed Unicode is refused, so what is stored is exactly what was sent.

import type {
  AgentId,
  AttentionId,
  BatchId,
  CycleId,
  IntentId,
  JoinTokenId,
  LandingId,
  LeaseId,
  PreservedId,
  ProposalId,
} from '@firetrident/base';
import { z } from 'zod';
import { wireLimits } from './limits.ts';

/** Text of at most `characters` UTF-16 units, well-formed (FI1). */
export function text(characters: number) {
  return z
    .string()
    .max(characters)
    .refine((value) => value.isWellFormed(), 'must be well-formed Unicode');
}

const withoutNul = (value: string) => !value.includes('\0');

function hasNoControl(value: string): boolean {
  for (const character of value) {
    const code = character.codePointAt(0) as number;
    if (code < 0x20 || code === 0x7f) return false;
  }
  return true;
}

/** A name that a person or program gives: one line, not blank. */
export const nameField = text(wireLimits.nameCharacters)
  .min(1)
  .refine(hasNoControl, 'must not hold control characters')
  .refine((value) => value.trim() !== '', 'must not be blank');

/** A title: not blank. */
export const titleField = text(wireLimits.titleCharacters)
  .min(1)
  .refine(withoutNul, 'must not hold a NUL character')
  .refine((value) => value.trim() !== '', 'must not be blank');

/** Free text of some length, as Markdown or a message. */
export const bodyField = text(wireLimits.textCharacters).refine(withoutNul, 'must not hold a NUL character');

/** A path of a tree as text. Whether it is a lawful path is answered with a `path_*` code, not here. */
export const pathField = text(wireLimits.pathCharacters).describe('Path of a tree, segments joined by "/".');

/** Bytes in base64 with padding, at most `characters` long as text. One character class, so length costs no stack. */
export function base64(characters: number) {
  return z
    .string()
    .max(characters)
    .refine((value) => value.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(value), 'must be base64 with padding');
}

/** Bytes of a path in base64, for names that are not UTF-8. */
export const pathBase64Field = base64(Math.ceil(wireLimits.pathCharacters / 3) * 4).describe(
  'Bytes of the path in base64, for names that are not UTF-8.',
);

/** A glob over paths. */
export const globField = text(wireLimits.pathCharacters).min(1).refine(withoutNul, 'must not hold a NUL character');

/** Object id of git. */
export const oidField = z
  .string()
  .regex(/^[0-9a-f]{40}$/, 'must be 40 lower-case hexadecimal digits')
  .describe('Object id of git: 40 hexadecimal digits.');

/** How long a caller is ready to wait, in whole milliseconds; the daemon waits less when this is longer than its bound. */
export const waitMsField = z.int().min(0).max(wireLimits.patienceMs);

/** A point in time. */
export const timeField = z.iso.datetime().describe('ISO 8601, UTC.');

/** The colony's own id: what stands in its addresses. */
export const colonyIdField = z
  .string()
  .regex(/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/, 'must be 1 to 64 of a-z, 0-9 and "-", not at either end');

/** Name of a branch, by the rules that git and every file system agree on. */
export const branchField = z
  .string()
  .min(1)
  .max(200)
  .regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*(?:\/[A-Za-z0-9_][A-Za-z0-9_.-]*)*$/, 'must be a plain branch name')
  .refine((value) => !/\.\.|\.lock(\/|$)|\.(\/|$)/.test(value), 'must be a branch name that git accepts');

function idField<Id extends string>(prefix: string): z.ZodType<Id, Id> {
  const schema = z
    .string()
    .regex(new RegExp(`^${prefix}_[0-9A-Za-z]{1,60}$`), `must be an id that begins with ${prefix}_`);
  return schema as unknown as z.ZodType<Id, Id>;
}

export const intentIdField = idField<IntentId>('int');
export const agentIdField = idField<AgentId>('agt');
export const leaseIdField = idField<LeaseId>('lse');
export const proposalIdField = idField<ProposalId>('prp');
export const landingIdField = idField<LandingId>('lnd');
export const batchIdField = idField<BatchId>('bat');
export const cycleIdField = idField<CycleId>('cyc');
export const preservedIdField = idField<PreservedId>('prs');
export const attentionIdField = idField<AttentionId>('att');
export const joinTokenIdField = idField<JoinTokenId>('jtk');

/** Fencing epoch of a lease. */
export const epochField = z.int().min(0);

/** The path of a response: as text, or in base64 when its bytes are not UTF-8. */
export const namedPath = { path: pathField.exactOptional(), pathBase64: pathBase64Field.exactOptional() };

/** A path inside a list of a response. */
export const listedPath = z.union([pathField, z.strictObject({ pathBase64: pathBase64Field })]);

/** Adds an issue unless exactly one of `fields` is present in `value`. */
export function exactlyOne(
  value: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  context: z.RefinementCtx,
) {
  const present = fields.filter((field) => value[field] !== undefined);
  if (present.length === 1) return;
  const field = present[1] ?? fields[0] ?? '';
  const message =
    present.length === 0 ? `one of ${fields.join(', ')} is required` : `cannot stand beside ${present[0]}`;
  context.addIssue({ code: 'custom', path: [field], message });
}

/** Adds an issue for each of `fields` that is present. */
export function absent(
  value: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  message: string,
  context: z.RefinementCtx,
) {
  for (const field of fields) {
    if (value[field] !== undefined) context.addIssue({ code: 'custom', path: [field], message });
  }
}

/** Who may have seen a read, of those who tell of it. */
export const toldSources = ['told', 'acp', 'jsonl', 'hook'] as const;

/** How a read can become known: the closed list, as the wire names them. */
export const readSources = ['served', 'mcp', ...toldSources, 'declared', 'imports'] as const;
