// Choosing the intent that a take gets, from the index (T1, T2), as the agent's thresholds draw it (T3), where there is
// room (T4).
//
//   CH1. A choice examines a bounded number of candidates, however many intents are open.
//   CH2. A contended candidate is looked at closely only when what is known of claims on it leaves open that it may be taken.

import type { AgentId, IntentId, RandomStream } from '@firetrident/base';
import { isOverloaded, whyColonyIsBusy } from './admission.ts';
import { overdueAfterMs } from './life-time.ts';
import type { Agent, Region } from './model.ts';
import { type Pattern, parsePattern, patternsOverlap } from './pattern.ts';
import type { Policy } from './policy.ts';
import { inhibitionOf } from './sigma.ts';
import { stalenessOf } from './staleness.ts';
import type { ColonyState, LiveLease } from './state.ts';
import { goneAt, strengthAt } from './strength.ts';
import {
  type Bucket,
  byLoad,
  type Candidate,
  compareCandidates,
  type KnownCost,
  rankOf,
  type Shelf,
} from './take-shelves.ts';
import { folderShelf, labelShelf } from './take-wishes.ts';
import { acceptance, drawsOf, thresholdOf } from './thresholds.ts';

/** Candidates of one kind that one take examines at most (CH1). */
const looksAtMost = 64;
/** Contended candidates that are looked at because claims disturb them least; the others are those that have waited longest. */
const lightestAtMost = 48;
/** What it costs that an agent at work was served a file that the work will change: chosen, not measured (decision 0018). */
const readerCost = 0.025;
/** Fewer readers than this cost nothing: nearly every file has one. */
const readersFrom = 5;
/** Free candidates of about the same urgency among which an agent draws, and contended ones that it draws at. */
const freeDrawsAtMost = 8;
const contendedDrawsAtMost = 4;
/**
 * Of two changes that meet on one path, the part that is counted to conflict: chosen, not measured. In simulated runs on
 * one history less made more work to do again, and more left agents idle beside work that would have merged (decision 0014).
 */
const conflictsPerMeeting = 0.3;
/** A meeting counts as one on a tenth of the work at least, however many paths the intent has. */
const shareAtLeast = 0.1;
/** What a path that was only learned counts. */
const learnedWeight = 0.5;
/** Sums of many strengths are exact to a far smaller share than this. */
const roundingShare = 1e-9;
/** What urgency gains by a wait of `starveAfterMs`. */
const urgencyByWait = 0.25;

/** What an agent asks to be given: intents with one of the labels, and that predict one of the paths. Empty: any. */
export interface Wish {
  readonly paths: readonly string[];
  readonly labels: readonly string[];
}

/**
 * What keeps an agent from work: there is none; others' claims on all of it; its own thresholds, which refused what is
 * contended (T3); or that every region with free work is full (T4).
 */
export type Obstacle = 'nothing' | 'claims' | 'thresholds' | 'full';

/** What was found: an intent to take, or what keeps the agent from it. */
export type Choice = { readonly intent: IntentId } | { readonly obstacle: Obstacle };

interface Search {
  readonly state: ColonyState;
  readonly now: number;
  /** Whose own claims do not count; null when nobody in particular asks. */
  readonly agent: AgentId | null;
  /** Whether the bucket is one that was asked for. */
  readonly accept: (bucket: Bucket) => boolean;
  /** Whether regions that were looked at are overloaded. */
  readonly overloaded: Map<Region, boolean>;
}

/** A search that has seen nothing yet. */
function searchOf(state: ColonyState, now: number, agent: AgentId | null, accept: Search['accept']): Search {
  return { state, now, agent, accept, overloaded: new Map() };
}

/** A contended bucket with its score. */
interface Scored {
  readonly bucket: Bucket;
  readonly score: number;
}

/** The intent that `agent` would be given now (T2, T3, T4). */
export function choose(state: ColonyState, agent: Agent, wish: Wish, now: number): Choice {
  if (wish.paths.length + wish.labels.length > 0) return chooseBy(state, agent, wish, now);
  const search = searchOf(state, now, agent.id, () => true);
  const { take } = state.index;
  const starving = firstOfStarved(search);
  if (starving !== null) return { intent: starving.id };
  const draws = drawsOf(state, agent, now);
  const free = drawnOf(search, agent, freeOffers(search, agent), draws);
  if (free !== null) return { intent: free.head.id };
  const scored = scoredOf(search, contendedOffers(state));
  const contended = firstDrawn(search, agent, scored, draws);
  if (contended !== null) return { intent: contended.head.id };
  if (take.fullOfWork) return { obstacle: 'full' };
  if (take.size === 0) return { obstacle: 'nothing' };
  return { obstacle: scored.length > 0 ? 'thresholds' : 'claims' };
}

/** Contended buckets to look at: those that claims disturb least, then those that have waited longest (T2b). */
function contendedOffers({ index: { take } }: ColonyState): readonly Bucket[] {
  const offers = take.lightest(lightestAtMost).slice(0, lightestAtMost);
  const last = offers[lightestAtMost - 1];
  if (last === undefined) return offers;
  for (const bucket of take.longest(looksAtMost)) {
    if (offers.length === looksAtMost) break;
    if (byLoad(bucket, last) > 0) offers.push(bucket);
  }
  return offers;
}

/**
 * Free buckets that are about as urgent as the first, one for each region, in the order in which they are offered; what
 * only the agent's own claims touch is free for it.
 */
function* freeOffers(search: Search, agent: Agent): Iterable<Bucket> {
  const { take } = search.state.index;
  const own = ownBucket(search, agent);
  let offered = 0;
  let rank: number | null = null;
  for (const region of take.freeRegions()) {
    const bucket = region.free.first();
    if (bucket === undefined || offered === freeDrawsAtMost) return;
    take.looks += 1;
    if (offered === 0 && own !== null && compareCandidates(own.head, bucket.head) < 0) {
      rank = rankOf(own.head);
      offered += 1;
      yield own;
    }
    if (rank !== null && rankOf(bucket.head) > rank) return;
    rank ??= rankOf(bucket.head);
    offered += 1;
    yield bucket;
  }
  if (offered === 0 && own !== null) yield own;
}

/**
 * The first bucket that the agent's thresholds accept. When they accept none, the one that they would accept most
 * readily: thresholds say which free work an agent takes, never whether it works (T3a).
 */
function drawnOf(search: Search, agent: Agent, offers: Iterable<Bucket>, draws: RandomStream): Bucket | null {
  const { state, now } = search;
  let fallback: Bucket | null = null;
  let readiest = -1;
  for (const bucket of offers) {
    const score = Math.max(0, urgencyOf(state.policy, bucket, now) - disturbance(search, bucket));
    const ready = readiness(search, agent, bucket, score);
    if (draws.next() < ready) return bucket;
    if (ready <= readiest) continue;
    fallback = bucket;
    readiest = ready;
  }
  return fallback;
}

/** The first of the contended buckets with the highest scores that the agent's thresholds accept (T3). */
function firstDrawn(search: Search, agent: Agent, scored: readonly Scored[], draws: RandomStream): Bucket | null {
  for (const { bucket, score } of scored.slice(0, contendedDrawsAtMost)) {
    if (draws.next() < readiness(search, agent, bucket, score)) return bucket;
  }
  return null;
}

/** How readily the agent accepts work of a score: less in a region that is inhibited (T2, T3). */
function readiness(search: Search, agent: Agent, bucket: Bucket, score: number): number {
  if (isStarved(search, bucket)) return 1;
  const { state, now } = search;
  return acceptance(score / inhibitionOf(state, bucket.region.key), thresholdOf(agent, bucket.region.key, now));
}

/** Of what claims have kept waiting for too long the first, then of what is overdue and need not stand back the oldest (T2e, T2g). */
function firstOfStarved(search: Search): Candidate | null {
  const { state, now } = search;
  const { take } = state.index;
  const longSince = now - state.policy.starveAfterMs;
  const overdueSince = now - overdueAfterMs(state.lifeMs);
  return (
    firstStarved(
      search,
      whileTrue(take.longest(looksAtMost), (bucket) => bucket.since <= longSince),
    ) ??
    firstStarved(
      search,
      notOverloaded(
        search,
        whileTrue(take.oldest(looksAtMost), (bucket) => bucket.agesFrom <= overdueSince),
      ),
    )
  );
}

/** What lies in regions that are not overloaded: a long line in one that is must not hide what is overdue elsewhere. */
function* notOverloaded(search: Search, buckets: Iterable<Bucket>): Iterable<Bucket> {
  for (const bucket of buckets) if (!isInOverload(search, bucket)) yield bucket;
}

/** Whether far too much comes back in the bucket's region (T4c); found once for a search. */
function isInOverload({ state, now, overloaded }: Search, { region: { key } }: Bucket): boolean {
  const known = overloaded.get(key);
  if (known !== undefined) return known;
  const found = isOverloaded(state.policy, stalenessOf(state, key, now));
  overloaded.set(key, found);
  return found;
}

function* whileTrue(buckets: Iterable<Bucket>, holds: (bucket: Bucket) => boolean): Iterable<Bucket> {
  for (const bucket of buckets) {
    if (!holds(bucket)) return;
    yield bucket;
  }
}

/** Whether claims have kept the head of a bucket waiting for too long, or it is overdue and need not stand back (T2e, T2g). */
function isStarved(search: Search, bucket: Bucket): boolean {
  const { state, now } = search;
  if (waited(bucket, now) >= state.policy.starveAfterMs) return true;
  if (bucket.claims === 0 || now - bucket.agesFrom < overdueAfterMs(state.lifeMs)) return false;
  return !isInOverload(search, bucket);
}

/** Whether claims that fade, or waits that grow, have made something of the contended takeable for anyone. */
export function anyContendedDue(state: ColonyState, now: number): boolean {
  const search = searchOf(state, now, null, () => true);
  return firstOfStarved(search) !== null || scoredOf(search, contendedOffers(state)).length > 0;
}

/** Whether there is work that time alone may make takeable: contended, or held back while the writer is behind (T6e). */
export function waitsForTime(state: ColonyState, now: number): boolean {
  const { take } = state.index;
  if (take.size === 0) return false;
  if (whyColonyIsBusy(state, now) !== null) return true;
  return take.anyContended;
}

/** As `choose`, for an agent that named paths or labels: from the shelves of these (T1d). */
function chooseBy(state: ColonyState, agent: Agent, wish: Wish, now: number): Choice {
  const patterns = wish.paths.map(parsePattern);
  const accept = (bucket: Bucket): boolean => hasLabel(bucket, wish.labels) && predicts(bucket, patterns);
  const search = searchOf(state, now, agent.id, accept);
  const shelves = wish.paths.length > 0 ? folderShelves(state, patterns) : labelShelves(state, wish.labels);
  const above = bucketsAbove(search, patterns);
  const contended = [above.filter((bucket) => bucket.claims > 0), ...shelves.map((shelf) => shelf.contended)];
  for (const buckets of contended) {
    const starving = firstStarved(search, buckets);
    if (starving !== null) return { intent: starving.id };
  }
  const free = [above.filter((bucket) => bucket.claims === 0), ...shelves.map((shelf) => shelf.free)];
  const own = ownBucket(search, agent);
  const offers = [...free.map((buckets) => firstOf(search, buckets, false)), own].filter((bucket) => bucket !== null);
  offers.sort((left, right) => compareCandidates(left.head, right.head));
  const draws = drawsOf(state, agent, now);
  const urgent = offers.filter((bucket) => rankOf(bucket.head) === rankOf((offers[0] as Bucket).head));
  const found = drawnOf(search, agent, urgent, draws);
  if (found !== null) return { intent: found.head.id };
  const scored = contended.flatMap((buckets) => scoredOf(search, buckets)).sort(byScore);
  const drawn = firstDrawn(search, agent, scored, draws);
  if (drawn !== null) return { intent: drawn.head.id };
  if (free.some((buckets) => firstOf(search, buckets, true) !== null)) return { obstacle: 'full' };
  if (scored.length > 0) return { obstacle: 'thresholds' };
  return { obstacle: contended.some((buckets) => firstOf(search, buckets, true) !== null) ? 'claims' : 'nothing' };
}

function hasLabel(bucket: Bucket, labels: readonly string[]): boolean {
  return labels.length === 0 || labels.some((label) => bucket.labels.includes(label));
}

/** A wide pattern asks for anything that overlaps; one with a root does not ask for work without a place (T2c). */
function predicts(bucket: Bucket, patterns: readonly Pattern[]): boolean {
  if (patterns.length === 0) return true;
  return patterns.some((wanted) =>
    bucket.patterns.some((path) => (wanted.wide || !path.wide) && patternsOverlap(wanted, path)),
  );
}

function folderShelves(state: ColonyState, patterns: readonly Pattern[]): Shelf[] {
  const keys = new Set(patterns.map((pattern) => folderShelf(pattern.root)));
  return [...keys].map((key) => state.index.take.shelf(key)).filter((shelf) => shelf !== undefined);
}

function labelShelves(state: ColonyState, labels: readonly string[]): Shelf[] {
  const keys = new Set(labels.map(labelShelf));
  return [...keys].map((key) => state.index.take.shelf(key)).filter((shelf) => shelf !== undefined);
}

/** Buckets that predict a folder above the wanted paths, or exactly them; the shelves hold only what lies below. */
function bucketsAbove(search: Search, patterns: readonly Pattern[]): Bucket[] {
  const found = new Set<Bucket>();
  let looks = 0;
  for (const pattern of patterns) {
    search.state.index.take.visitBuckets(pattern, (bucket) => {
      looks += 1;
      if (search.accept(bucket)) found.add(bucket);
      return looks < looksAtMost;
    });
  }
  return [...found].sort((left, right) => compareCandidates(left.head, right.head));
}

/** The first bucket that was asked for; with `anywhere`, also in a region that is full. */
function firstOf(search: Search, buckets: Iterable<Bucket>, anywhere: boolean): Bucket | null {
  let looks = 0;
  for (const bucket of buckets) {
    if (looks === looksAtMost) break;
    looks += 1;
    search.state.index.take.looks += 1;
    if ((anywhere || !bucket.region.full) && search.accept(bucket)) return bucket;
  }
  return null;
}

/** The first intent that was kept waiting for too long, or is overdue and need not stand back (T2e, T2g). */
function firstStarved(search: Search, buckets: Iterable<Bucket>): Candidate | null {
  const { state } = search;
  let looks = 0;
  for (const bucket of buckets) {
    if (looks === looksAtMost) break;
    looks += 1;
    state.index.take.looks += 1;
    if (bucket.region.full || !isStarved(search, bucket)) continue;
    if (search.accept(bucket)) return bucket.head;
  }
  return null;
}

/** Contended buckets with a score above 0 where there is room, the highest score first (T2b). */
function scoredOf(search: Search, buckets: Iterable<Bucket>): Scored[] {
  const { state, agent } = search;
  const hasOwn = agent !== null && state.agents.get(agent)?.leases.length !== 0;
  const scored: Scored[] = [];
  let looks = 0;
  for (const bucket of buckets) {
    if (looks === looksAtMost) break;
    looks += 1;
    state.index.take.looks += 1;
    if (bucket.region.full || !search.accept(bucket)) continue;
    const score = hasOwn ? scoreOf(search, bucket) : scoreForAnyone(search, bucket);
    const worth = score > 0 ? score - disturbance(search, bucket) : 0;
    if (worth > 0) scored.push({ bucket, score: worth });
  }
  return scored.sort(byScore);
}

/** Urgency of a contended bucket, less what others' claims on it cost (T2b). */
function scoreOf({ state, agent, now }: Search, bucket: Bucket): number {
  const urgency = urgencyOf(state.policy, bucket, now);
  return urgency - repulsion(state, bucket, agent, now, urgency);
}

/** The same for an agent without claims of its own: 0 where it is known without a close look that it is not above 0 (CH2). */
function scoreForAnyone({ state, now }: Search, bucket: Bucket): number {
  const urgency = urgencyOf(state.policy, bucket, now);
  if (costAtLeast(state.policy, bucket, now) * (1 - roundingShare) >= urgency) return 0;
  const known = costForAnyone(state, bucket, now);
  bucket.known = known;
  return urgency - known.cost;
}

/**
 * What claims cost at least, by what is known (TI5): all of them halve at one rate until the first is gone, and a meeting that
 * ended took no more with it than it costs at full strength.
 */
export function costAtLeast(policy: Policy, { known, patterns }: Bucket, now: number): number {
  if (known === null || now >= known.goneAt) return 0;
  const faded = known.cost * 2 ** (-(now - known.at) / policy.claimHalfLifeMs);
  return faded - known.ended * costPerMeeting(patterns.length);
}

/** What claims cost an agent without any, by a close look. */
function costForAnyone(state: ColonyState, bucket: Bucket, now: number): KnownCost {
  let goneFrom = Number.POSITIVE_INFINITY;
  const seen = (lease: LiveLease): void => {
    goneFrom = Math.min(goneFrom, goneAt(state.policy, lease.refreshedAt) - 1);
  };
  const cost = repulsion(state, bucket, null, now, Number.POSITIVE_INFINITY, seen);
  return { cost, at: now, goneAt: goneFrom, ended: 0 };
}

/** What one meeting of a claim at full strength with one of so many predicted paths costs (T2b). */
function costPerMeeting(paths: number): number {
  return Math.max(shareAtLeast, 1 / Math.max(1, paths)) * conflictsPerMeeting;
}

/** The sort is stable: of equal scores the one that has been contended for longer stays first. */
function byScore(left: Scored, right: Scored): number {
  return right.score - left.score;
}

/** The first of the buckets that only the agent's own claims touch: for this agent they are free. */
function ownBucket(search: Search, agent: Agent): Bucket | null {
  const { state, now } = search;
  const { take } = state.index;
  let found: Bucket | null = null;
  let looks = 0;
  for (const lease of agent.leases) {
    for (const mark of take.marksOf(lease)) {
      take.visitBuckets(mark.pattern, (bucket) => {
        looks += 1;
        take.looks += 1;
        const own =
          !bucket.region.full &&
          search.accept(bucket) &&
          repulsion(state, bucket, agent.id, now, Number.MIN_VALUE) === 0;
        if (own && (found === null || compareCandidates(bucket.head, found.head) < 0)) found = bucket;
        return looks < looksAtMost;
      });
      if (looks >= looksAtMost) return found;
    }
  }
  return found;
}

/** How long the head of a bucket has stood as it stands: free, or kept waiting by claims. */
function waited(bucket: Bucket, now: number): number {
  const since = bucket.claims > 0 ? bucket.since : 0;
  return Math.max(0, now - Math.max(since, bucket.head.createdAt));
}

/** Urgency of an intent, 0.05 to 0.7: by priority, and growing with its wait up to `starveAfterMs` (T2b). */
export function urgencyOf(policy: Policy, bucket: Bucket, now: number): number {
  const priority = Math.min(4, Math.max(-4, bucket.head.priority));
  const share = Math.min(1, waited(bucket, now) / Math.max(1, policy.starveAfterMs));
  return 0.25 + priority * 0.05 + share * urgencyByWait;
}

/**
 * What others' claims on the predicted paths cost: for each path and each mark on it the strength, times the share of one
 * path, times the part of such meetings that is counted to conflict (T2b); half where the path or the claim was only learned
 * (T5c). Counted no further than `enough`.
 */
function repulsion(
  state: ColonyState,
  bucket: Bucket,
  agent: AgentId | null,
  now: number,
  enough: number,
  seen?: (lease: LiveLease) => void,
): number {
  const meeting = costPerMeeting(bucket.patterns.length);
  let sum = 0;
  state.index.take.visitMarks(bucket.patterns, (mark) => {
    const lease = state.leases.get(mark.lease);
    if (lease === undefined || mark.agent === agent) return true;
    const weight = bucket.learned || mark.learned ? learnedWeight : 1;
    sum += weight * meeting * strengthAt(state.policy, lease.refreshedAt, now);
    seen?.(lease);
    return sum < enough;
  });
  return sum;
}

/**
 * What the work would cost others: for each of them that was served a predicted path the same, once there are several (T2f). An
 * agent does not count against itself.
 */
function disturbance({ state, agent }: Search, bucket: Bucket): number {
  const { watch } = state.index;
  const leases = agent === null ? [] : (state.agents.get(agent)?.leases ?? []);
  const own = leases.flatMap((lease) => [lease, ...(state.leases.get(lease)?.proposals ?? [])]);
  let readers = 0;
  for (const { literal, text } of bucket.patterns) {
    if (!literal) continue;
    readers += watch.countAt(text);
    for (const watcher of own) if (watch.watches(text, watcher)) readers -= 1;
  }
  return readers < readersFrom ? 0 : readers * readerCost;
}
