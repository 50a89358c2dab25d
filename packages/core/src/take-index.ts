// Open intents in the order in which they are offered, and what live claims say about them.
//
// Intents with the same predicted paths and the same labels wait in one bucket, because everything that a claim does
// to one of them it does to all. Buckets stand on shelves (one per region, label and folder), those that no claim
// touches apart from the contended ones. It never knows leases, agents or states: it is told.
//
//   TI1. A bucket exists exactly while an intent that can be taken waits in it.
//   TI2. `claims` of a bucket is the number of live marks that repel one of its paths, and its level follows from that.
//   TI3. A change of a claim looks only at the buckets that it touches; the head of every shelf is known at once.
//   TI4. Regions that take no more work stand apart: their intents are passed over together, not one by one.
//   TI5. From what is known of a bucket's cost follows what it is at least: each meeting of a mark with one of its paths that
//        ended since is counted, and what began since only adds to it.

import {
  type AgentId,
  assert,
  defined,
  type IntentId,
  type LeaseId,
  OrderedSet,
  type TreePath,
} from '@firetrident/base';
import { type RegionAdmissions, regionLimit } from './admission.ts';
import type { Intent, Region } from './model.ts';
import { type Pattern, patternsOf, repels } from './pattern.ts';
import { PatternIndex } from './pattern-index.ts';
import type { Policy } from './policy.ts';
import { namesPlace, nowhere, regionOfPatterns } from './regions.ts';
import { Fronts } from './take-front.ts';
import {
  agesFrom,
  type Bucket,
  byHead,
  byRank,
  byWait,
  type Candidate,
  compareCandidates,
  compareText,
  levelOf,
  RegionShelf,
  type Shelf,
  shelve,
} from './take-shelves.ts';
import { WishShelves } from './take-wishes.ts';

/** One claim of one lease. */
export interface Mark {
  readonly lease: LeaseId;
  readonly agent: AgentId;
  readonly pattern: Pattern;
  /** It was only learned: it repels at half its strength (T5c). */
  learned: boolean;
}

function compareMarks(left: Mark, right: Mark): number {
  return compareText(left.lease, right.lease) || compareText(left.pattern.text, right.pattern.text);
}

/** Index of what can be taken. All changes are cheap; it holds nothing that cannot be made again from the state. */
export class TakeIndex {
  /** Times that something became takeable or less contended: when it grew, waiting agents have reason to ask. */
  arrivals = 0;
  /** Candidates examined by takes, ever. */
  looks = 0;
  readonly #policy: Policy;
  readonly #packages: ReadonlySet<TreePath>;
  readonly #places: Map<IntentId, { readonly bucket: Bucket; readonly candidate: Candidate }> = new Map();
  readonly #buckets: Map<string, Bucket> = new Map();
  readonly #wishes: WishShelves = new WishShelves(() => this.#buckets.values());
  readonly #regions: Map<Region, RegionShelf> = new Map();
  readonly #admissions: RegionAdmissions;
  /** Regions that take work and have some free. */
  readonly #ranked: OrderedSet<RegionShelf> = new OrderedSet(byRank);
  /** What is contended in regions that take work. */
  readonly #fronts: Fronts = new Fronts();
  /** Regions that are full and have work free (TI4). */
  readonly #full: Set<RegionShelf> = new Set();
  readonly #predictions: PatternIndex<Bucket> = new PatternIndex();
  readonly #marks: PatternIndex<Mark> = new PatternIndex();
  readonly #marksByLease: Map<LeaseId, Mark[]> = new Map();

  constructor(policy: Policy, packages: ReadonlySet<TreePath>, admissions: RegionAdmissions) {
    this.#policy = policy;
    this.#packages = packages;
    this.#admissions = admissions;
  }

  /** Intents that can be taken. */
  get size(): number {
    return this.#places.size;
  }

  has(intent: IntentId): boolean {
    return this.#places.has(intent);
  }

  /** The regions that take work and have some free, the one to be offered next first. */
  freeRegions(): Iterable<RegionShelf> {
    return this.#ranked;
  }

  /** Whether free work waits for room in its region. */
  get fullOfWork(): boolean {
    return this.#full.size > 0;
  }

  /** Whether anything is contended in regions that take work. */
  get anyContended(): boolean {
    return this.#fronts.any;
  }

  /** The first contended buckets of regions that take work, at least so many when there are: the longest contended first (TI4). */
  longest(count: number): readonly Bucket[] {
    return this.#fronts.waits.first(count);
  }

  /** The same, the least disturbed by claims first. */
  lightest(count: number): readonly Bucket[] {
    return this.#fronts.loads.first(count);
  }

  /** The same, that with the oldest head first. */
  oldest(count: number): readonly Bucket[] {
    return this.#fronts.ages.first(count);
  }

  /** Leases in flight in a region. */
  inFlight(region: Region): number {
    return this.#regions.get(region)?.inFlight ?? 0;
  }

  /** Buckets with a label, or in a folder, by the key of their shelf (TW1). */
  shelf(key: string): Shelf | undefined {
    return this.#wishes.get(key);
  }

  /** Keys of the shelves that a bucket stands on. */
  shelvesOf(bucket: Bucket): ReadonlySet<string> {
    return this.#wishes.keysOf(bucket);
  }

  regions(): Iterable<RegionShelf> {
    return this.#regions.values();
  }

  buckets(): Iterable<Bucket> {
    return this.#buckets.values();
  }

  marksOf(lease: LeaseId): readonly Mark[] {
    return this.#marksByLease.get(lease) ?? [];
  }

  /** Visits the live marks that repel one of the bucket's paths; a mark may come more than once. */
  visitMarks(patterns: readonly Pattern[], visit: (mark: Mark) => boolean): void {
    for (const pattern of patterns) if (!this.#marks.visit(pattern, visit)) return;
  }

  /** Visits buckets that a pattern repels; a bucket may come more than once. */
  visitBuckets(pattern: Pattern, visit: (bucket: Bucket) => boolean): void {
    this.#predictions.visit(pattern, visit);
  }

  /** The intent can be taken from now on. */
  add(intent: Intent, now: number): void {
    const key = bucketKey(intent);
    const known = this.#buckets.get(key);
    if (known !== undefined) this.#withdraw(known);
    // One step of priority is worth `starveAfterMs` of age: nothing starves behind a stream of newer work (T2a).
    const step = Math.max(this.#policy.starveAfterMs, 1000);
    const { id, createdAt, priority } = intent;
    const candidate = { id, createdAt, priority, dueAt: createdAt - priority * step };
    const bucket = known ?? this.#openBucket(key, intent, candidate, now);
    bucket.candidates.add(candidate);
    this.#places.set(id, { bucket, candidate });
    this.#place(bucket);
    this.arrivals += 1;
  }

  /** The intent can be taken no more. */
  remove(intent: IntentId): void {
    const place = defined(this.#places.get(intent), 'the place of an intent that can be taken');
    this.#withdraw(place.bucket);
    place.bucket.candidates.delete(place.candidate);
    this.#places.delete(intent); // (TI1)
    if (place.bucket.candidates.size > 0) this.#place(place.bucket);
    else this.#closeBucket(place.bucket);
  }

  /** One of a contended bucket's intents is being taken: the others wait anew (T2e). */
  restartWait(intent: IntentId, now: number): void {
    const bucket = this.#places.get(intent)?.bucket;
    if (bucket !== undefined && bucket.claims > 0) this.#setSince(bucket, now);
  }

  /** A lease marks a path or glob. The same lease marks the same pattern once. */
  mark(lease: LeaseId, agent: AgentId, pattern: Pattern, now: number, learned: boolean): void {
    const mark: Mark = { lease, agent, pattern, learned };
    const marks = this.#marksByLease.get(lease) ?? [];
    const same = marks.find((other) => compareMarks(other, mark) === 0);
    if (same !== undefined) {
      same.learned &&= learned;
      return;
    }
    this.#marksByLease.set(lease, [...marks, mark]);
    this.#marks.add(mark.pattern, mark);
    for (const bucket of this.#touchedBy(mark.pattern).keys()) this.#setClaims(bucket, bucket.claims + 1, now); // (TI2, TI3)
  }

  /** All marks of a lease are gone. */
  unmark(lease: LeaseId, now: number): void {
    for (const mark of this.marksOf(lease)) {
      this.#marks.remove(mark.pattern, mark);
      for (const [bucket, meetings] of this.#touchedBy(mark.pattern)) {
        if (bucket.known !== null) bucket.known.ended += meetings; // (TI5)
        this.#setClaims(bucket, bucket.claims - 1, now);
        this.arrivals += 1;
      }
    }
    this.#marksByLease.delete(lease);
  }

  /** A lease of the region began (+1) or ended (-1). */
  changeInFlight(region: Region, difference: 1 | -1): void {
    this.#changeRegion(this.#regionShelf(region), (shelf) => {
      shelf.inFlight += difference;
      assert(shelf.inFlight >= 0, 'leases in flight are not negative');
    });
  }

  /** The bound of the region changed, or what is thought of its work (T4). */
  regionChanged(region: Region): void {
    const shelf = this.#regions.get(region);
    if (shelf !== undefined) this.#changeRegion(shelf, () => this.#setLimit(shelf));
  }

  /** Since when each contended bucket has been so: the part of the index that the state cannot give back. */
  waits(): [string, number][] {
    const waits = [...this.#buckets.values()].filter((bucket) => bucket.claims > 0).sort(byWait);
    return waits.map((bucket) => [bucket.key, bucket.since]);
  }

  /**
   * Sets the waits of an index made anew, or of one whose clock begins anew; buckets that are not named keep theirs. None may lie
   * after `latest`, and what is known of costs was known by the clock before.
   */
  restoreWaits(waits: Iterable<readonly [string, number]>, latest: number): void {
    for (const bucket of this.#buckets.values()) bucket.known = null;
    for (const [key, since] of waits) {
      const bucket = this.#buckets.get(key);
      if (bucket !== undefined && bucket.claims > 0) this.#setSince(bucket, Math.min(since, latest));
    }
  }

  #setSince(bucket: Bucket, since: number): void {
    this.#changeContended(bucket, 'delete');
    bucket.since = since;
    this.#changeContended(bucket, 'add');
  }

  #changeRegion(shelf: RegionShelf, change: (shelf: RegionShelf) => void): void {
    const wasFull = shelf.full;
    this.#leaveFree(shelf);
    change(shelf);
    this.#enterFree(shelf);
    // The orders of contended buckets know nothing of their region but whether it takes work.
    if (wasFull !== shelf.full && shelf.waits.size > 0) this.#fronts.changeRegion(shelf, shelf.full ? 'delete' : 'add');
    if (wasFull && !shelf.full && shelf.free.size + shelf.waits.size > 0) this.arrivals += 1;
    this.#dropRegion(shelf);
  }

  #setLimit(shelf: RegionShelf): void {
    const admission = this.#admissions.get(shelf.key);
    shelf.limit = shelf.key === nowhere ? Number.POSITIVE_INFINITY : regionLimit(this.#policy, admission);
    shelf.costly = admission?.costly === true;
  }

  /** Takes a region out of those with free work, before anything that orders it there changes. */
  #leaveFree(region: RegionShelf): void {
    if (region.free.size === 0) return;
    if (region.full) this.#full.delete(region);
    else this.#ranked.delete(region);
  }

  /** Puts it back where it belongs now (TI4). */
  #enterFree(region: RegionShelf): void {
    if (region.free.size === 0) return;
    if (region.full) this.#full.add(region);
    else this.#ranked.add(region);
  }

  /** Puts a bucket on the shelves of its region or takes it off, and the region where it stands then. */
  #changeSide(bucket: Bucket, change: 'add' | 'delete'): void {
    if (bucket.claims > 0) this.#changeContended(bucket, change);
    else this.#changeFree(bucket, change);
  }

  #changeFree(bucket: Bucket, change: 'add' | 'delete'): void {
    const { region } = bucket;
    const first = region.free.first();
    // What is first nowhere says nothing about the order of regions.
    const ranks = first === undefined || byHead(bucket, first) <= 0;
    if (ranks) this.#leaveFree(region);
    shelve(bucket, change);
    if (ranks) this.#enterFree(region);
  }

  #changeContended(bucket: Bucket, change: 'add' | 'delete'): void {
    shelve(bucket, change);
    if (!bucket.region.full) this.#fronts.change(bucket, change);
  }

  /** Buckets that a pattern repels, with how many of their paths it meets. */
  #touchedBy(pattern: Pattern): Map<Bucket, number> {
    const touched = new Map<Bucket, number>();
    this.#predictions.visit(pattern, (bucket) => {
      touched.set(bucket, (touched.get(bucket) ?? 0) + 1);
      return true;
    });
    return touched;
  }

  #setClaims(bucket: Bucket, claims: number, now: number): void {
    const level = levelOf(claims, bucket.patterns.length);
    if (bucket.level === level) {
      bucket.claims = claims;
      return;
    }
    const goesOn = bucket.claims > 0 && claims > 0;
    this.#withdraw(bucket);
    bucket.claims = claims;
    bucket.level = level;
    if (!goesOn) bucket.since = now;
    this.#place(bucket);
  }

  #openBucket(key: string, intent: Intent, head: Candidate, now: number): Bucket {
    const patterns = patternsOf(predictedPaths(intent));
    const { regionDepth } = this.#policy;
    const place = namesPlace(patterns)
      ? regionOfPatterns(predictedPaths(intent), regionDepth, this.#packages)
      : nowhere;
    const region = this.#regionShelf(place);
    const labels = [...new Set(intent.labels)];
    const candidates = new OrderedSet<Candidate>(compareCandidates);
    const bucket: Bucket = {
      key,
      patterns,
      labels,
      learned: isLearned(intent),
      region,
      candidates,
      head,
      claims: 0,
      level: 0,
      since: now,
      agesFrom: agesFrom(head),
      known: null,
    };
    const marks = new Set<Mark>();
    this.visitMarks(patterns, (mark) => {
      marks.add(mark);
      return true;
    });
    bucket.claims = marks.size;
    bucket.level = levelOf(marks.size, patterns.length);
    region.users += 1;
    for (const pattern of patterns) this.#predictions.add(pattern, bucket);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #closeBucket(bucket: Bucket): void {
    this.#buckets.delete(bucket.key);
    for (const pattern of bucket.patterns) this.#predictions.remove(pattern, bucket);
    bucket.region.users -= 1;
    this.#dropRegion(bucket.region);
  }

  /** Takes a bucket off its shelves, before anything that orders it changes. */
  #withdraw(bucket: Bucket): void {
    this.#wishes.withdraw(bucket);
    this.#changeSide(bucket, 'delete');
  }

  #place(bucket: Bucket): void {
    bucket.head = defined(bucket.candidates.first(), 'the first intent of a bucket');
    bucket.agesFrom = agesFrom(bucket.head);
    this.#wishes.place(bucket);
    this.#changeSide(bucket, 'add');
  }

  #regionShelf(region: Region): RegionShelf {
    const known = this.#regions.get(region);
    if (known !== undefined) return known;
    const shelf = new RegionShelf(region, Number.POSITIVE_INFINITY, false);
    this.#setLimit(shelf);
    this.#regions.set(region, shelf);
    return shelf;
  }

  #dropRegion(shelf: RegionShelf): void {
    if (shelf.users === 0 && shelf.inFlight === 0) this.#regions.delete(shelf.key);
  }
}

function bucketKey(intent: Intent): string {
  return JSON.stringify([[...predictedPaths(intent)].sort(), [...intent.labels].sort(), isLearned(intent)]);
}

/** The paths that an intent names, or else those that were learned for it (T5a). */
function predictedPaths(intent: Intent): readonly string[] {
  return isLearned(intent) ? intent.learnedPaths : intent.paths;
}

function isLearned(intent: Intent): boolean {
  return intent.paths.length === 0 && intent.learnedPaths.length > 0;
}

/** Whether a bucket predicts something that the pattern repels. */
export function touches(bucket: Bucket, pattern: Pattern): boolean {
  return bucket.patterns.some((predicted) => repels(pattern, predicted));
}
