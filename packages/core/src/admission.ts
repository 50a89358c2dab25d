// How much work a region and the colony take on at once (T4).
//
// A region's bound is searched for as a sender searches for the capacity of a network: it doubles until the first sign
// of overload, and from then on grows by two in the time that as many leases land, and shrinks by a part on each sign.
// It never knows why a return came; it is told σ and waste.
//
//   AD1. A bound never falls below the floor nor rises above the ceiling, so a region with work always has some at work.
//   AD2. A bound grows only while it is used, and shrinks once in the time of one piece of work at most.
//   AD3. What the writer can do is learned from cycles that were full: a cycle that could have taken more shows the load.

import type { WaitReason } from './command.ts';
import type { Region } from './model.ts';
import type { Policy } from './policy.ts';
import type { StalenessRate } from './staleness.ts';
import type { ColonyState } from './state.ts';

/** The bound of one region, searched for. Regions that are not remembered are at the floor. */
export interface RegionAdmission {
  /** Leases that may be in flight; whole ones count. */
  readonly limit: number;
  /** No sign of overload yet: it doubles with the work that lands. */
  readonly searching: boolean;
  /** σ or waste is too high: work of other regions comes first. */
  readonly costly: boolean;
  /** When it last shrank; 0 for never. */
  readonly shrankAt: number;
}

/** What the trunk writer could sustain lately. */
export interface WriterPace {
  /** Proposals per second of the best window of full cycles; null without evidence. */
  readonly perSecond: number | null;
  /** When the last full window ended. */
  readonly at: number;
  /** The window that is being measured. */
  readonly settled: number;
  readonly busyMs: number;
}

/** σ above which a region shrinks. Below 1, each landing makes less than one other stale and cascades die out. */
export const sigmaBound = 0.8;
/** What is left of a bound that shrinks. */
const shrunk = 0.7;
/** With waste over one budget a region is offered last; over this many it stops growing, and shrinks once that is sure. */
const budgetsAtMost = 3;
/** What a bound grows by while as many leases land as it allows, once it has shrunk. */
const grownPerRound = 2;
/** Least time between two shrinks: what the last one did must show first. */
const settleMs = 30_000;
/** A window of the writer's pace: full cycles of this much time together. */
const paceWindowMs = 1_000;
/** Time in which a pace that was not reached again counts half. */
const paceHalfLifeMs = 60_000;
/** Without full cycles for this long, the writer is taken to be able to do more, twice as much after each such time. */
const paceProbeMs = 15_000;
/** Time that proposals may wait for the writer. */
const queueMs = 2_000;
/** Time for which the writer has work in flight beyond what is being worked on. */
const aheadMs = 200;

/** The writer before anything is known of it. */
export const unknownPace: WriterPace = { perSecond: null, at: 0, settled: 0, busyMs: 0 };

/** Leases that may be in flight in a region (AD1). */
export function regionLimit(policy: Policy, admission: RegionAdmission | undefined): number {
  if (policy.admission === 'open') return Number.POSITIVE_INFINITY;
  const { floor, ceiling } = policy.admission;
  const limit = Math.max(floor, Math.floor(admission?.limit ?? floor));
  return ceiling === null ? limit : Math.min(Math.max(ceiling, floor), limit);
}

/** A landing of the region: its bound may grow (AD1, AD2). `inFlight` counts the lease that landed. */
export function afterLanding(
  policy: Policy,
  before: RegionAdmission | undefined,
  inFlight: number,
  rate: StalenessRate,
): RegionAdmission | undefined {
  if (policy.admission === 'open') return before;
  const { floor, ceiling, wasteBudget } = policy.admission;
  const { limit, searching, shrankAt } = before ?? { limit: floor, searching: true, shrankAt: 0 };
  const costly = isOver(rate, wasteBudget, 1);
  if (isOver(rate, budgetsAtMost * wasteBudget, 1) || inFlight * 2 < limit) {
    return before === undefined && !costly ? undefined : { limit, searching, costly, shrankAt };
  }
  const grown = Math.max(limit, floor) + (searching ? 1 : Math.min(1, grownPerRound / Math.max(1, limit)));
  const bounded = Math.min(ceiling === null ? grown : Math.max(ceiling, floor), grown);
  return { limit: bounded, searching, costly, shrankAt };
}

/** A return in the region, or waste booked there: its bound may shrink (AD1, AD2). */
export function afterWaste(
  policy: Policy,
  before: RegionAdmission | undefined,
  inFlight: number,
  rate: StalenessRate,
  at: number,
): RegionAdmission | undefined {
  if (policy.admission === 'open') return before;
  const { floor, wasteBudget } = policy.admission;
  const { limit, searching, shrankAt } = before ?? { limit: floor, searching: true, shrankAt: 0 };
  const costly = isOver(rate, wasteBudget, 1);
  if (!isOverloaded(policy, rate) || at - shrankAt < Math.max(settleMs, rate.workMs)) {
    return before === undefined && !costly ? undefined : { limit, searching, costly, shrankAt };
  }
  const used = Math.min(limit, Math.max(inFlight, floor));
  return { limit: Math.max(floor, used * shrunk), searching: false, costly, shrankAt: at };
}

/** Whether what goes stale in a region is far more than it may be, and hardly by chance: σ alone where no budget bounds waste (T4c, T2g). */
export function isOverloaded({ admission }: Policy, rate: StalenessRate): boolean {
  const wasteAtMost = admission === 'open' ? Number.POSITIVE_INFINITY : budgetsAtMost * admission.wasteBudget;
  return isOver(rate, wasteAtMost, sureShare(rate));
}

/** Whether so much of a measured rate is more than it may be. */
function isOver(rate: StalenessRate, wasteAtMost: number, share: number): boolean {
  return rate.sigma * share >= sigmaBound || rate.waste * share >= wasteAtMost;
}

/**
 * The share of a rate that is hardly chance: two standard errors of a count of returns, 2 √n, are taken off. A bound that
 * shrinks by chance leaves agents idle and saves nothing.
 */
function sureShare(rate: StalenessRate): number {
  return Math.max(0, 1 - 2 / Math.sqrt(Math.max(1, rate.returns)));
}

/** A cycle ended that settled so many proposals in so many milliseconds; `full` when more would have waited (AD3). */
export function afterCycle(
  before: WriterPace,
  settled: number,
  elapsedMs: number,
  full: boolean,
  at: number,
): WriterPace {
  if (!full) return before.settled === 0 ? before : { ...before, settled: 0, busyMs: 0 };
  const total = before.settled + settled;
  const busyMs = before.busyMs + elapsedMs;
  if (busyMs < paceWindowMs) return { ...before, settled: total, busyMs };
  const measured = (total * 1000) / busyMs;
  const faded = before.perSecond === null ? 0 : before.perSecond * 2 ** (-(at - before.at) / paceHalfLifeMs);
  return { perSecond: Math.max(measured, faded), at, settled: 0, busyMs: 0 };
}

/** Proposals per second that the writer can be given; unlimited without evidence. */
export function sustainablePerSecond(pace: WriterPace, now: number): number {
  if (pace.perSecond === null) return Number.POSITIVE_INFINITY;
  return pace.perSecond * 2 ** (Math.max(0, now - pace.at - paceProbeMs) / paceProbeMs);
}

/** Proposals that may be queued: what the writer does in two seconds, and one full cycle at least (T4d). */
export function queueLimit(policy: Policy, pace: WriterPace, now: number): number {
  if (policy.admission === 'open') return Number.POSITIVE_INFINITY;
  return Math.max(policy.limits.proposalsPerCycle, (sustainablePerSecond(pace, now) * queueMs) / 1000);
}

/** Leases that may be in flight in the colony: what the writer lands in the time of one piece of work (T4d). */
export function colonyLimit(policy: Policy, pace: WriterPace, workMs: number, now: number): number {
  if (policy.admission === 'open') return Number.POSITIVE_INFINITY;
  const perSecond = sustainablePerSecond(pace, now);
  return Math.max(policy.limits.proposalsPerCycle, (perSecond * (workMs + aheadMs)) / 1000);
}

/** Regions by name with their bounds, as the state keeps them. */
export type RegionAdmissions = ReadonlyMap<Region, RegionAdmission>;

/** Why the colony as a whole takes on nothing more now; null when it does (T4d). */
export function whyColonyIsBusy(state: ColonyState, now: number): WaitReason | null {
  const { policy, pace, queue, cycleOrder, leases } = state;
  if (queue.length + cycleOrder.length >= queueLimit(policy, pace, now)) {
    return 'colony busy: as many proposals wait as trunk can land in two seconds';
  }
  if (leases.size >= colonyLimit(policy, pace, state.workMs ?? 0, now)) {
    return 'colony busy: as many agents are at work as trunk can land for';
  }
  return null;
}
