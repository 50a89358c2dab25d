// Heads-ups: word to working agents that something which they read or claimed has just changed.
//
//   HE1. One heads-up per lease and cycle, however many landings and paths; what it lists is bounded, what it leaves
//        out is counted.
//   HE2. Whom a landing concerns is found by its paths (WX1, TI3), and told in an order that depends on nothing else.

import { type AgentId, defined, type IntentId, type LandingId, type LeaseId, ok } from '@firetrident/base';
import type { Applying, Decision } from './applying.ts';
import type { CommandOf, HeadsUpsOfLease } from './command.ts';
import type { HeadsUp, LandedWrite, Lease, TouchedPath } from './model.ts';
import { literalPattern } from './pattern.ts';
import type { ColonyState } from './state.ts';
import type { Watcher } from './watch-index.ts';

const landingsAtMost = 16;
const pathsAtMost = 16;

/** A landing as others are told of it. `lease` is whose it is; null for one by somebody else. */
export interface TellingLanding {
  readonly landing: LandingId;
  readonly lease: LeaseId | null;
  readonly intent: { readonly id: IntentId | null; readonly title: string };
  readonly writes: readonly LandedWrite[];
}

/**
 * (N1) Tells every agent at work what these landings changed of what it read or claimed (HE1). Those of `briefed` leases hear
 * it from the brief of their return.
 */
export function tellHeadsUps(
  applying: Applying,
  landings: readonly TellingLanding[],
  briefed: ReadonlySet<LeaseId>,
): void {
  const { state } = applying;
  const told = new Map<LeaseId, { readonly landings: HeadsUp[]; more: number }>();
  for (const landing of landings) {
    for (const [lease, paths] of touchedLeases(state, landing)) {
      if (briefed.has(lease)) continue;
      const heads = told.get(lease) ?? { landings: [], more: 0 };
      told.set(lease, heads);
      if (heads.landings.length === landingsAtMost) {
        heads.more += 1;
        continue;
      }
      const listed = paths.slice(0, pathsAtMost);
      const { landing: id, intent } = landing;
      heads.landings.push({ landing: id, intent, paths: listed, more: paths.length - listed.length });
    }
  }
  // (HE2)
  const inOrder = [...told].sort(([left], [right]) => (left < right ? -1 : 1));
  for (const [lease, heads] of inOrder) {
    const { agent, intent } = defined(state.leases.get(lease), `lease ${lease}`);
    applying.emit({ kind: 'heads-up', lease, agent, intent, trunk: state.tip, ...heads });
  }
}

/** The agent is given what it was not told yet in an answer, and it is not told again (N3). */
export function hear(applying: Applying, command: CommandOf<'hear'>): Decision<'hear'> {
  const headsUps = unheard(applying.state, command.agent);
  if (headsUps.length > 0) applying.emit({ kind: 'heard', agent: command.agent });
  return ok({ headsUps });
}

/** What an agent was not told yet, by lease. */
export function unheard(state: ColonyState, agent: AgentId): readonly HeadsUpsOfLease[] {
  const leases = state.agents.get(agent)?.leases ?? [];
  return leases.flatMap((id) => {
    const { headsUps, unlisted } = defined(state.leases.get(id), `lease ${id}`);
    return headsUps.length === 0 ? [] : [{ lease: id, landings: headsUps, more: unlisted }];
  });
}

/** The leases at work that a landing concerns, with the paths that do. */
function touchedLeases(
  state: ColonyState,
  { lease: own, writes }: TellingLanding,
): ReadonlyMap<LeaseId, readonly TouchedPath[]> {
  const touched = new Map<LeaseId, TouchedPath[]>();
  for (const write of writes) {
    const { path } = write;
    const add = (id: LeaseId, why: TouchedPath['why']): void => {
      const lease = state.leases.get(id);
      if (lease === undefined || id === own || !isAtWork(state, lease)) return;
      const paths = touched.get(id);
      if (paths === undefined) touched.set(id, [{ path, why }]);
      else if (paths[paths.length - 1]?.path !== path) paths.push({ path, why });
    };
    state.index.watch.visit(write, (watcher) => {
      const lease = readerOf(state, watcher, write);
      if (lease !== null) add(lease, 'read');
    });
    state.index.take.visitMarks([literalPattern(path.split('/'))], ({ lease }) => {
      add(lease, 'claimed');
      return true;
    });
  }
  return touched;
}

/** The lease behind a watcher; null when what landed is what was served to it. */
function readerOf(state: ColonyState, watcher: Watcher, { path, after }: LandedWrite): LeaseId | null {
  const lease = state.leases.get(watcher as LeaseId);
  if (lease === undefined) return state.proposals.get(watcher as `prp_${string}`)?.lease ?? null;
  const seen = lease.recorded.get(path);
  return seen !== undefined && seen.blob === (after?.oid ?? null) ? null : lease.id;
}

/** Whether the agent has the move: nothing final of the lease is queued, and it was not stopped (N2). */
function isAtWork(state: ColonyState, lease: Lease): boolean {
  return (lease.state !== 'proposed' || lease.open) && state.agents.get(lease.agent)?.state !== 'stopped';
}
