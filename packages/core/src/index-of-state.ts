// Ways to find live things without looking at all of them. Everything here follows from the state.
//
//   IX1. An index made again from the state equals the one that was kept up to date (`describeIndex` in invariants.ts).

import type { AgentId, JoinTokenId } from '@firetrident/base';
import {
  type IntentId,
  type LeaseId,
  normaliseTitle,
  OrderedSet,
  type ProposalId,
  type TreePath,
} from '@firetrident/base';
import type { RegionAdmissions } from './admission.ts';
import { LaneIndex } from './lane-index.ts';
import type { Intent, IntentState, Lease } from './model.ts';
import type { Policy } from './policy.ts';
import { ReservationIndex } from './reservation-index.ts';
import { SigmaIndex } from './sigma-index.ts';
import { TakeIndex } from './take-index.ts';
import { WatchIndex } from './watch-index.ts';

/** A lease by the moment at which something is due for it. */
export interface Due {
  readonly lease: LeaseId;
  readonly at: number;
}

function compareDue(left: Due, right: Due): number {
  return left.at - right.at || (left.lease < right.lease ? -1 : left.lease > right.lease ? 1 : 0);
}

function latestFirst(left: IntentId, right: IntentId): number {
  return left < right ? 1 : left > right ? -1 : 0;
}

function emptyCounts(): Record<IntentState, number> {
  return { open: 0, taken: 0, proposed: 0, landed: 0, closed: 0, blocked: 0, abandoned: 0 };
}

/** Whether a lease can be taken on it, given that its state and dependencies allow it. */
export function isTakeable(intent: Intent): boolean {
  return intent.state === 'open' && intent.waitingOn.length === 0;
}

/** Every index of one state. */
export class ColonyIndex {
  readonly packages: ReadonlySet<TreePath>;
  take: TakeIndex;
  sigma: SigmaIndex = new SigmaIndex();
  lanes: LaneIndex = new LaneIndex();
  readonly watch: WatchIndex = new WatchIndex();
  readonly intentCounts: Record<IntentState, number> = emptyCounts();
  readonly intentKeys: Map<string, IntentId> = new Map();
  /** Keys of intents that left the state a moment ago. */
  readonly recentIntentKeys: Map<string, IntentId> = new Map();
  /** Intents by normalised title, the newest first. */
  readonly titles: Filing = new Map();
  /** Intents by their sorted predicted paths, the newest first; those without paths are not filed. */
  readonly pathSets: Filing = new Map();
  /** Words of intents that were compared lately. A memo: it changes no answer. */
  readonly words: Map<IntentId, ReadonlySet<string>> = new Map();
  /** Intents that wait on this one. */
  readonly dependents: Map<IntentId, Set<IntentId>> = new Map();
  readonly agentTokens: Map<string, AgentId> = new Map();
  readonly joinTokens: Map<string, JoinTokenId> = new Map();
  /** Live and just settled proposals by agent and key. */
  readonly proposalKeys: Map<string, ProposalId> = new Map();
  readonly reservations: ReservationIndex = new ReservationIndex();
  /** Leases whose clock runs, by when it runs out. */
  readonly deadlines: OrderedSet<Due> = new OrderedSet(compareDue);
  /** Leases with claims, by when these were refreshed. */
  readonly refreshed: OrderedSet<Due> = new OrderedSet(compareDue);

  constructor(policy: Policy, packages: readonly TreePath[], admissions: RegionAdmissions) {
    this.packages = new Set(packages);
    this.take = new TakeIndex(policy, this.packages, admissions);
  }

  /** An intent changed from `before` to `after`; null for "not there". */
  intentChanged(before: Intent | null, after: Intent | null, now: number): void {
    if (before !== null) this.intentCounts[before.state] -= 1;
    if (after !== null) this.intentCounts[after.state] += 1;
    this.#fileText(before, after);
    this.#fileDependencies(before, after);
    const wasTakeable = before !== null && isTakeable(before);
    const takeable = after !== null && isTakeable(after);
    const sameOrder =
      before !== null &&
      after !== null &&
      before.priority === after.priority &&
      before.paths === after.paths &&
      before.learnedPaths === after.learnedPaths &&
      before.labels === after.labels;
    if (wasTakeable && takeable && sameOrder) return;
    if (wasTakeable) this.take.remove(before.id);
    if (takeable) this.take.add(after, now);
  }

  /** A lease changed from `before` to `after`; null for "not there". Its claims are told to `take` apart. */
  leaseChanged(before: Lease | null, after: Lease | null): void {
    refile(this.deadlines, before, after, before?.expiresAt ?? null, after?.expiresAt ?? null);
    refile(this.refreshed, before, after, claimedAt(before), claimedAt(after));
  }

  #fileText(before: Intent | null, after: Intent | null): void {
    if (before !== null && (before.title !== after?.title || before.body !== after.body)) this.words.delete(before.id);
    if (before !== null && before.key !== null && after === null) this.intentKeys.delete(before.key);
    if (before === null && after !== null && after.key !== null) this.intentKeys.set(after.key, after.id);
    if (before?.title !== after?.title) {
      if (before !== null) unfile(this.titles, normaliseTitle(before.title), before.id);
      if (after !== null) file(this.titles, normaliseTitle(after.title), after.id);
    }
    if (before?.paths !== after?.paths) {
      if (before !== null && before.paths.length > 0) unfile(this.pathSets, pathSetKey(before.paths), before.id);
      if (after !== null && after.paths.length > 0) file(this.pathSets, pathSetKey(after.paths), after.id);
    }
  }

  #fileDependencies(before: Intent | null, after: Intent | null): void {
    if (before?.waitingOn === after?.waitingOn) return;
    for (const dependency of before?.waitingOn ?? []) {
      const dependents = this.dependents.get(dependency);
      dependents?.delete((before as Intent).id);
      if (dependents?.size === 0) this.dependents.delete(dependency);
    }
    for (const dependency of after?.waitingOn ?? []) {
      const dependents = this.dependents.get(dependency);
      if (dependents === undefined) this.dependents.set(dependency, new Set([(after as Intent).id]));
      else dependents.add((after as Intent).id);
    }
  }
}

/** Keys of lists of paths, kept as long as the list. A memo: it changes no answer. */
const pathSetKeys = new WeakMap<readonly string[], string>();

/** Key of a set of predicted paths, whatever their order. */
export function pathSetKey(paths: readonly string[]): string {
  let key = pathSetKeys.get(paths);
  if (key === undefined) {
    key = JSON.stringify([...paths].sort());
    pathSetKeys.set(paths, key);
  }
  return key;
}

/** When the claims of a lease were refreshed; null when it has none. */
function claimedAt(lease: Lease | null): number | null {
  return lease === null || lease.claims.length === 0 ? null : lease.refreshedAt;
}

/** Moves a lease to another moment; most changes of a lease leave its moments as they are. */
function refile(
  due: OrderedSet<Due>,
  before: Lease | null,
  after: Lease | null,
  wasAt: number | null,
  isAt: number | null,
): void {
  if (wasAt === isAt) return;
  if (before !== null && wasAt !== null) due.delete({ lease: before.id, at: wasAt });
  if (after !== null && isAt !== null) due.add({ lease: after.id, at: isAt });
}

/** Key under which a proposal of an agent is found. */
export function proposalKey(agent: AgentId, key: string): string {
  return `${agent} ${key}`;
}

/** Intents by some text. Most texts have one intent only, and then no set is made for it. */
export type Filing = Map<string, IntentId | OrderedSet<IntentId>>;

/** The intents filed under `key`, the newest first. */
export function filedUnder(filing: Filing, key: string): Iterable<IntentId> {
  const filed = filing.get(key) ?? [];
  return typeof filed === 'string' ? [filed] : filed;
}

function file(filing: Filing, key: string, id: IntentId): void {
  const filed = filing.get(key);
  if (filed === undefined) {
    filing.set(key, id);
  } else if (typeof filed === 'string') {
    const ids = new OrderedSet(latestFirst);
    ids.add(filed);
    ids.add(id);
    filing.set(key, ids);
  } else {
    filed.add(id);
  }
}

function unfile(filing: Filing, key: string, id: IntentId): void {
  const filed = filing.get(key);
  if (filed === id) filing.delete(key);
  if (filed === undefined || typeof filed === 'string') return;
  filed.delete(id);
  if (filed.size === 0) filing.delete(key);
}
