// Every refusal has its answer: code, status, facts; and none of them is longer than a caller can bear.

import { no } from '@firetrident/base';
import type { ColonyRefusal } from '@firetrident/engine';
import { errorBody, errorCatalogue } from '@firetrident/protocol';
import { describe, expect, test } from 'vitest';
import type { DirectoryRefusal } from './colony-directory.ts';
import { boundedValue, errorFacts, refusalFacts } from './errors.ts';

const oid = '0123456789abcdef0123456789abcdef01234567';

type AnyRefusal = ColonyRefusal | DirectoryRefusal;

/** One refusal of each kind; a new kind without one does not compile. */
const refusals: {
  readonly [Code in AnyRefusal['code']]: AnyRefusal & { readonly code: Code };
} = {
  unknown_intent: { code: 'unknown_intent', intent: 'int_1' },
  unknown_agent: { code: 'unknown_agent', agent: 'agt_1' },
  unknown_lease: { code: 'unknown_lease', lease: 'lse_1' },
  unknown_proposal: { code: 'unknown_proposal', proposal: 'prp_1' },
  unknown_attention: { code: 'unknown_attention', attention: 'att_1' },
  unknown_join_token: { code: 'unknown_join_token' },
  join_token_spent: { code: 'join_token_spent' },
  agent_stopped: { code: 'agent_stopped', agent: 'agt_1' },
  not_your_lease: { code: 'not_your_lease', lease: 'lse_1' },
  stale_epoch: { code: 'stale_epoch', lease: 'lse_1', epoch: 1, current: 2 },
  intent_not_open: { code: 'intent_not_open', intent: 'int_1', state: 'taken' },
  intent_waits: { code: 'intent_waits', intent: 'int_1', waitingOn: ['int_2'] },
  intent_not_editable: { code: 'intent_not_editable', intent: 'int_1', state: 'landed' },
  dependency_cycle: { code: 'dependency_cycle', intent: 'int_1' },
  unknown_dependency: { code: 'unknown_dependency', dependency: 'int_9' },
  limit_reached: { code: 'limit_reached', limit: 'agents', bound: 3 },
  proposal_pending: { code: 'proposal_pending', lease: 'lse_1', proposal: 'prp_1' },
  not_returned: { code: 'not_returned', proposal: 'prp_1' },
  confirm_needs_writes: { code: 'confirm_needs_writes', proposal: 'prp_1', path: 'a' },
  repair_out_of_order: { code: 'repair_out_of_order', proposal: 'prp_2', predecessor: 'prp_1' },
  unknown_predecessor: { code: 'unknown_predecessor', proposal: 'prp_1' },
  key_reused: { code: 'key_reused', key: 'k', proposal: 'prp_1' },
  no_change: { code: 'no_change' },
  landing_not_frozen: { code: 'landing_not_frozen' },
  unknown_base: { code: 'unknown_base', base: oid },
  unknown_commit: { code: 'unknown_commit', commit: oid },
  unknown_path: { code: 'unknown_path', path: 'a\udce9', commit: oid },
  unknown_blob: { code: 'unknown_blob', blob: oid },
  write_basis: { code: 'write_basis', path: 'a', was: null, base: oid },
  path_outside: { code: 'path_outside', path: '../a' },
  path_reserved: { code: 'path_reserved', path: '.git/a' },
  path_invalid: { code: 'path_invalid', path: 'a//b' },
  path_case_clash: { code: 'path_case_clash', path: 'A', existing: 'a' },
  writes_clash: { code: 'writes_clash', path: 'a', other: 'a/b' },
  read_invalid: { code: 'read_invalid', path: 'a', problem: 'no such symbol' },
  glob_invalid: { code: 'glob_invalid', glob: '[', problem: 'unfinished' },
  blob_too_large: { code: 'blob_too_large', bytes: 9, bound: 8 },
  staging_full: { code: 'staging_full', bound: 8 },
  unknown_landing: { code: 'unknown_landing', landing: 'lnd_1' },
  not_revertable: { code: 'not_revertable', landing: 'lnd_1', problem: 'external' },
  line_out_of_range: { code: 'line_out_of_range', line: 9, lines: 8 },
  storage_unavailable: { code: 'storage_unavailable', problem: 'disk full', hint: 'make room' },
  colony_closing: { code: 'colony_closing' },
  colony_exists: { code: 'colony_exists', id: 'web' },
  unknown_colony: { code: 'unknown_colony', id: 'web' },
  repository_unusable: { code: 'repository_unusable', source: '/x', problem: 'not a repository', hint: 'name one' },
};

describe('refusals', () => {
  test.each(Object.values(refusals))('[EE1] $code is answered under its own code', (refusal) => {
    const error = refusalFacts(refusal);
    expect(error.code).toBe(refusal.code);
    expect(Object.hasOwn(errorCatalogue, error.code)).toBe(true);
    expect(errorBody.safeParse({ error: JSON.parse(JSON.stringify(error)) }).success).toBe(true);
    expect(JSON.stringify(error).isWellFormed()).toBe(true);
  });

  test('the facts of a refusal are told', () => {
    expect(refusalFacts(refusals.stale_epoch)).toMatchObject({ value: 1, details: { lease: 'lse_1', current: 2 } });
    expect(refusalFacts(refusals.storage_unavailable)).toMatchObject({ value: 'disk full', hint: 'make room' });
    expect(refusalFacts(refusals.path_case_clash)).toMatchObject({ value: 'A', details: { existing: 'a' } });
  });
});

describe('[EE2] offending values', () => {
  test('long text is cut, also in the middle of a character', () => {
    const cut = boundedValue(`${'x'.repeat(199)}😀${'y'.repeat(500)}`, 3) as string;
    expect(cut.length).toBeLessThanOrEqual(202);
    expect(cut.isWellFormed()).toBe(true);
  });

  test('wide and deep values are cut', () => {
    let deep: unknown = 'bottom';
    for (let level = 0; level < 10_000; level += 1) deep = [deep];
    const wide = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`key${index}`, index]));
    expect(JSON.stringify(errorFacts('invalid_request', { deep, wide })).length).toBeLessThan(2_000);
  });

  test('a result that carries an error can be sent as it is', () => {
    expect(JSON.parse(JSON.stringify(no(errorFacts('internal'))))).toMatchObject({ ok: false, error: { value: null } });
  });
});
