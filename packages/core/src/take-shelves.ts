// The shelves on which takeable intents stand, and the orders in which they are offered.
//
// It never knows claims or leases themselves: only how many repel a bucket, and how many are in flight.

import { defined, Heap, type IntentId, OrderedSet } from '@firetrident/base';
import type { Region } from './model.ts';
import type { Pattern } from './pattern.ts';

/** An intent that can be taken. Smaller `dueAt` first, then by id (rule T2a). */
export interface Candidate {
  readonly id: IntentId;
  readonly dueAt: number;
  readonly createdAt: number;
  readonly priority: number;
}

/** Takeable intents with the same predicted paths and labels. */
export interface Bucket {
  readonly key: string;
  readonly patterns: readonly Pattern[];
  readonly labels: readonly string[];
  /** Its paths were only learned. */
  readonly learned: boolean;
  readonly region: RegionShelf;
  readonly candidates: OrderedSet<Candidate>;
  /** The first of its candidates, while it stands on its shelves. */
  head: Candidate;
  /** Live marks that repel it (TI2). */
  claims: number;
  /** How much claims disturb it, coarsely: `levelOf` its claims. */
  level: number;
  /** Since when it has been contended without a break, or since one of its intents was last taken meanwhile. */
  since: number;
  /** From when on the age of its head counts: its creation, later when its priority is below 0 (T2g). */
  agesFrom: number;
  /** What claims on it cost when somebody last looked closely; null for unknown (TI5). */
  known: KnownCost | null;
}

/** What all claims on a bucket cost at one moment, and how many meetings with it have ended since (TI5). */
export interface KnownCost {
  readonly cost: number;
  readonly at: number;
  /** When the first of these claims is gone, which it is all at once. */
  readonly goneAt: number;
  ended: number;
}

/** Buckets that share a label or a folder, the next to be offered first. */
export class Shelf {
  readonly key: string;
  readonly free: OrderedSet<Bucket> = new OrderedSet(byHead);
  readonly contended: OrderedSet<Bucket> = new OrderedSet(byHead);

  constructor(key: string) {
    this.key = key;
  }
}

/** The buckets of a region, with its leases in flight. */
export class RegionShelf {
  readonly key: Region;
  /** Free buckets, the next to be offered first. */
  readonly free: OrderedSet<Bucket> = new OrderedSet(byHead);
  /** Contended buckets, the longest contended first. */
  readonly waits: OrderedSet<Bucket> = new OrderedSet(byWait);
  /** The same buckets, the least disturbed first. */
  readonly loads: OrderedSet<Bucket> = new OrderedSet(byLoad);
  /** The same buckets, that with the oldest head first. */
  readonly ages: OrderedSet<Bucket> = new OrderedSet(byAge);
  /** Buckets that exist, placed or not. */
  users = 0;
  inFlight = 0;
  /** Leases that may be in flight (T4). */
  limit: number;
  /** Work of other regions comes first. */
  costly: boolean;

  constructor(key: Region, limit: number, costly: boolean) {
    this.key = key;
    this.limit = limit;
    this.costly = costly;
  }

  /** No lease may begin here, unless it names its intent. */
  get full(): boolean {
    return this.inFlight >= this.limit;
  }
}

/** Ages within one grain count as equal when regions are compared, so that work spreads (rule T2d). */
const ageGrainMs = 60_000;

/** Order of two texts by their code units. */
export function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Order of two candidates: smaller is offered first. */
export function compareCandidates(left: Candidate, right: Candidate): number {
  return left.dueAt - right.dueAt || compareText(left.id, right.id);
}

/** Buckets by the first of their intents. */
export function byHead(left: Bucket, right: Bucket): number {
  return compareCandidates(left.head, right.head);
}

/** Contended buckets, the longest contended first. */
export function byWait(left: Bucket, right: Bucket): number {
  return left.since - right.since || compareText(left.key, right.key);
}

/** A bucket of so many paths counts no further: a meeting costs a repair, however small its share of the work. */
export const pathsAtMost = 10;

/**
 * How much claims disturb a bucket: 0 for not at all, else 1 to 8, one more for each doubling of the claims per path. Coarse, so that
 * a hot file moves the buckets that predict it a few times, not with every claim.
 */
export function levelOf(claims: number, paths: number): number {
  if (claims === 0) return 0;
  const perPath = claims / Math.min(pathsAtMost, Math.max(1, paths));
  return Math.min(8, Math.max(1, 3 + Math.ceil(Math.log2(perPath))));
}

/** Contended buckets, the least disturbed first, then the longest contended. */
export function byLoad(left: Bucket, right: Bucket): number {
  return left.level - right.level || byWait(left, right);
}

/** Contended buckets, that with the oldest head first (T2g). */
export function byAge(left: Bucket, right: Bucket): number {
  return left.agesFrom - right.agesFrom || compareText(left.key, right.key);
}

/** From when on the age of an intent counts: one that may wait starts later (T2a, T2g). */
export function agesFrom({ createdAt, dueAt }: Candidate): number {
  return Math.max(createdAt, dueAt);
}

/** Intents of equal rank are about as urgent: which is offered first may depend on other things (T2d, T3). */
export function rankOf(candidate: Candidate): number {
  return Math.floor(candidate.dueAt / ageGrainMs);
}

/** Regions with free work: by the rank of its first intent, those that waste little before others, the emptier first. */
export function byRank(left: RegionShelf, right: RegionShelf): number {
  const leftHead = defined(left.free.first(), 'a free bucket').head;
  const rightHead = defined(right.free.first(), 'a free bucket').head;
  return (
    rankOf(leftHead) - rankOf(rightHead) ||
    Number(left.costly) - Number(right.costly) ||
    left.inFlight - right.inFlight ||
    compareCandidates(leftHead, rightHead)
  );
}

/** Puts a bucket on the shelves of its region, or takes it off. */
export function shelve(bucket: Bucket, change: 'add' | 'delete'): void {
  const { free, waits, loads, ages } = bucket.region;
  if (bucket.claims === 0) {
    free[change](bucket);
    return;
  }
  waits[change](bucket);
  loads[change](bucket);
  ages[change](bucket);
}

/** Walks the buckets of several sets in the order that all of them have. */
export function* merged(
  sets: Iterable<OrderedSet<Bucket>>,
  compare: (left: Bucket, right: Bucket) => number,
): Iterable<Bucket> {
  const next = new Heap<{ readonly bucket: Bucket; readonly after: Iterator<Bucket> }>((left, right) =>
    compare(left.bucket, right.bucket),
  );
  const follow = (after: Iterator<Bucket>): void => {
    const step = after.next();
    if (step.done !== true) next.push({ bucket: step.value, after });
  };
  for (const set of sets) follow(set[Symbol.iterator]());
  for (let top = next.pop(); top !== undefined; top = next.pop()) {
    yield top.bucket;
    follow(top.after);
  }
}
