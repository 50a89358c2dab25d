// Waste: the work that came back, booked against the landings that made it come back (R5).
//
// One account per return, kept in the archive under the landings that caused it; the state keeps only the sums.
//
//   WA1. A return is booked in full when it happens, and once more, less what was kept, when its repair comes.

import type { Applying } from './applying.ts';
import type { ReturnedWork } from './archived.ts';
import { causesOf } from './evolve-sigma.ts';
import type { Brief, Proposal, ResolvedWrite } from './model.ts';
import { isSameEntry } from './order-age.ts';
import type { ColonyState } from './state.ts';

/** Work on a proposal that came back, all of it taken to be lost so far (WA1). */
export function bookReturn(applying: Applying, proposal: Proposal, brief: Brief): void {
  book(applying, proposal, brief, 1);
}

/** The repair tells how much of the returned work is done again (WA1). */
export function bookRepair(
  applying: Applying,
  returned: Proposal,
  brief: Brief,
  writes: readonly ResolvedWrite[],
): void {
  book(applying, returned, brief, redoneShare(returned.writes, writes));
}

/**
 * The share of the returned writes that a repair changes, adds or drops, 0 to 1. Nothing written counts as nothing
 * redone.
 */
export function redoneShare(before: readonly ResolvedWrite[], after: readonly ResolvedWrite[]): number {
  const known = new Map(before.map(({ path, after: entry }) => [path, entry]));
  let changed = 0;
  let added = 0;
  for (const { path, after: entry } of after) {
    const old = known.get(path);
    if (old === undefined) added += 1;
    else if (!isSameEntry(old, entry)) changed += 1;
    known.delete(path);
  }
  const all = before.length + added;
  return all === 0 ? 0 : (changed + added + known.size) / all;
}

/** A return joins the sums. */
export function countReturnedWork(state: ColonyState, { workMs, tokens }: Proposal): void {
  const { wastedMs, wastedTokens } = state.totals;
  state.totals = { ...state.totals, wastedMs: wastedMs + workMs, wastedTokens: wastedTokens + tokens };
}

/** What a repair keeps leaves the sums. */
export function countRepairedWork(state: ColonyState, returned: Proposal, writes: readonly ResolvedWrite[]): void {
  const redone = redoneShare(returned.writes, writes);
  const { wastedMs, wastedTokens } = state.totals;
  state.totals = {
    ...state.totals,
    wastedMs: wastedMs - returned.workMs + lostOf(returned.workMs, redone),
    wastedTokens: wastedTokens - returned.tokens + lostOf(returned.tokens, redone),
  };
}

function book(applying: Applying, proposal: Proposal, brief: Brief, redone: number): void {
  const { id, intent, agent, workMs, tokens } = proposal;
  const causes = causesOf(brief);
  const row: ReturnedWork = {
    proposal: id,
    intent,
    agent,
    causes,
    redone,
    wastedMs: lostOf(workMs, redone),
    wastedTokens: lostOf(tokens, redone),
  };
  applying.effect({ kind: 'archive-return', id, row });
}

function lostOf(amount: number, redone: number): number {
  return Math.round(amount * redone);
}
