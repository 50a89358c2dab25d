// From refusals to what a caller reads: every refusal has its code in the catalogue, and its facts as `value`.
//
//   EE1. The switches are exhaustive: a refusal without an answer does not compile.
//   EE2. `value` and `details` are bounded, whatever was sent.

import { never, type TreePath } from '@firetrident/base';
import type { Refusal } from '@firetrident/core';
import type { ColonyRefusal, EngineRefusal } from '@firetrident/engine';
import { type ErrorCode, type ErrorFacts, errorCatalogue } from '@firetrident/protocol';
import type { DirectoryRefusal } from './colony-directory.ts';

/** Longest text that is given back to a caller as the offending value. */
const valueCharacters = 200;
/** Deepest look into an offending value. */
const valueDepth = 3;
const valueItems = 10;

/** The catalogue's error of this code. `said` overrides the general sentences where something better is known. */
export function errorFacts(
  code: ErrorCode,
  value: unknown = null,
  details: Readonly<Record<string, unknown>> | null = null,
  said: { readonly message?: string; readonly hint?: string } = {},
): ErrorFacts {
  const entry = errorCatalogue[code];
  return {
    code,
    message: said.message ?? entry.message,
    value: boundedValue(value, valueDepth),
    next: entry.next,
    hint: said.hint ?? entry.hint,
    ...(details === null ? {} : { details: boundedValue(details, valueDepth + 1) as Record<string, unknown> }),
  };
}

/** A value small enough to send back (EE2): long text cut, long lists and deep nesting left out. */
export function boundedValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') {
    return value.length <= valueCharacters ? value : `${value.slice(0, valueCharacters).toWellFormed()}…`;
  }
  if (value === null || typeof value !== 'object') return value ?? null;
  if (depth === 0) return '…';
  if (Array.isArray(value)) {
    const shown = value.slice(0, valueItems).map((item) => boundedValue(item, depth - 1));
    return value.length > valueItems ? [...shown, '…'] : shown;
  }
  const fields = Object.entries(value).slice(0, valueItems);
  return Object.fromEntries(
    fields.map(([key, item]) => [key.slice(0, valueCharacters), boundedValue(item, depth - 1)]),
  );
}

/** What a caller reads of a colony's refusal (EE1). */
export function refusalFacts(refusal: ColonyRefusal | DirectoryRefusal): ErrorFacts {
  switch (refusal.code) {
    case 'colony_exists':
    case 'unknown_colony':
      return errorFacts(refusal.code, refusal.id);
    case 'repository_unusable':
      return errorFacts(refusal.code, refusal.source, { problem: refusal.problem }, { hint: refusal.hint });
    case 'storage_unavailable':
      return errorFacts(refusal.code, refusal.problem, null, { hint: refusal.hint });
    case 'unknown_base':
    case 'unknown_commit':
    case 'unknown_path':
    case 'unknown_blob':
    case 'write_basis':
    case 'path_outside':
    case 'path_reserved':
    case 'path_invalid':
    case 'path_case_clash':
    case 'writes_clash':
    case 'read_invalid':
    case 'glob_invalid':
    case 'blob_too_large':
    case 'staging_full':
    case 'unknown_landing':
    case 'not_revertable':
    case 'line_out_of_range':
    case 'colony_closing':
      return engineFacts(refusal);
    default:
      return coreFacts(refusal);
  }
}

/** A path as an error shows it: bytes that are not UTF-8 as replacement characters. */
function shown(path: TreePath): string {
  return path.toWellFormed();
}

function engineFacts(refusal: Exclude<EngineRefusal, { code: 'storage_unavailable' }>): ErrorFacts {
  switch (refusal.code) {
    case 'unknown_base':
      return errorFacts(refusal.code, refusal.base);
    case 'unknown_commit':
      return errorFacts(refusal.code, refusal.commit);
    case 'unknown_path':
      return errorFacts(refusal.code, shown(refusal.path), { commit: refusal.commit });
    case 'unknown_blob':
      return errorFacts(refusal.code, refusal.blob);
    case 'write_basis':
      return errorFacts(refusal.code, shown(refusal.path), { was: refusal.was, base: refusal.base });
    case 'path_outside':
    case 'path_reserved':
    case 'path_invalid':
      return errorFacts(refusal.code, shown(refusal.path));
    case 'path_case_clash':
      return errorFacts(refusal.code, shown(refusal.path), { existing: shown(refusal.existing) });
    case 'writes_clash':
      return errorFacts(refusal.code, shown(refusal.path), { other: shown(refusal.other) });
    case 'read_invalid':
      return errorFacts(refusal.code, shown(refusal.path), { problem: refusal.problem });
    case 'glob_invalid':
      return errorFacts(refusal.code, shown(refusal.glob), { problem: refusal.problem });
    case 'blob_too_large':
      return errorFacts(refusal.code, refusal.bytes, { bound: refusal.bound });
    case 'staging_full':
      return errorFacts(refusal.code, null, { bound: refusal.bound });
    case 'unknown_landing':
      return errorFacts(refusal.code, refusal.landing);
    case 'not_revertable':
      return errorFacts(refusal.code, refusal.landing, { problem: refusal.problem });
    case 'line_out_of_range':
      return errorFacts(refusal.code, refusal.line, { lines: refusal.lines });
    case 'colony_closing':
      return errorFacts(refusal.code);
    default:
      return never(refusal);
  }
}

function coreFacts(refusal: Refusal): ErrorFacts {
  switch (refusal.code) {
    case 'unknown_intent':
    case 'dependency_cycle':
      return errorFacts(refusal.code, refusal.intent);
    case 'unknown_agent':
    case 'agent_stopped':
      return errorFacts(refusal.code, refusal.agent);
    case 'unknown_lease':
    case 'not_your_lease':
      return errorFacts(refusal.code, refusal.lease);
    case 'unknown_proposal':
    case 'not_returned':
    case 'unknown_predecessor':
      return errorFacts(refusal.code, refusal.proposal);
    case 'unknown_attention':
      return errorFacts(refusal.code, refusal.attention);
    case 'unknown_dependency':
      return errorFacts(refusal.code, refusal.dependency);
    case 'stale_epoch':
      return errorFacts(refusal.code, refusal.epoch, { lease: refusal.lease, current: refusal.current });
    case 'intent_not_open':
    case 'intent_not_editable':
      return errorFacts(refusal.code, refusal.intent, { state: refusal.state });
    case 'intent_waits':
      return errorFacts(refusal.code, refusal.intent, { waitingOn: refusal.waitingOn });
    case 'limit_reached':
      return errorFacts(refusal.code, refusal.limit, { bound: refusal.bound });
    case 'proposal_pending':
      return errorFacts(refusal.code, refusal.proposal, { lease: refusal.lease });
    case 'confirm_needs_writes':
      return errorFacts(refusal.code, refusal.proposal, { path: shown(refusal.path) });
    case 'repair_out_of_order':
      return errorFacts(refusal.code, refusal.proposal, { predecessor: refusal.predecessor });
    case 'key_reused':
      return errorFacts(refusal.code, refusal.key, { proposal: refusal.proposal });
    case 'unknown_join_token':
    case 'join_token_spent':
    case 'no_change':
    case 'landing_not_frozen':
      return errorFacts(refusal.code);
    default:
      return never(refusal);
  }
}
