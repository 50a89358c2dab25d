// Choosing the intent that a take gets, from the index (T1, T2).
//
//   CH1. A choice examines a bounded number of candidates, however many intents are open.

import type { AgentId, IntentId, LeaseId } from '@firetrident/base';
import type { Agent } from './model.ts';
import { type Pattern, parsePattern, patternsOverlap } from './pattern.ts';
import type { Policy } from './policy.ts';
import type { ColonyState } from './state.ts';
import { strengthAt } from './strength.ts';
import { type Bucket, type Candidate, compareCandidates, folderShelf, labelShelf, type Shelf } from './take-index.ts';

/** Candidates of one kind that one take examines at most (CH1). */
const looksAtMost = 64;

/** What an agent asks to be given: intents with one of the labels, and that predict one of the paths. Empty: any. */
export interface Wish {
  readonly paths: readonly string[];
  readonly labels: readonly string[];
}

/** What was found: an intent to take, or whether there is one at all that others' claims keep from it. */
export type Choice = { readonly intent: IntentId } | { readonly contended: boolean };

interface Search {
  readonly state: ColonyState;
  readonly now: number;
  /** Whose own claims do not count; null when nobody in particular asks. */
  readonly agent: AgentId | null;
  readonly accept: (bucket: Bucket) => boolean;
}

/** The intent that `agent` would be given now (T2). */
export function choose(state: ColonyState, agent: Agent, wish: Wish, now: number): Choice {
  if (wish.paths.length + wish.labels.length > 0) return chooseBy(state, agent, wish, now);
  const search: Search = { state, now, agent: agent.id, accept: () => true };
  const { take } = state.index;
  const starving = firstStarved(search, longWaits(take.contended(), state, now));
  if (starving !== null) return { intent: starving.id };
  const free = best(firstOf(search, [take.nextFree()]), ownBuckets(search, agent));
  if (free !== null) return { intent: free.id };
  const contended = bestContended(search, take.contended());
  return contended === null ? { contended: take.size > 0 } : { intent: contended.id };
}

/** Of buckets in order of their wait, those that may have waited too long. */
function* longWaits(buckets: Iterable<Bucket>, state: ColonyState, now: number): Iterable<Bucket> {
  for (const bucket of buckets) {
    if (now - bucket.since < state.policy.starveAfterMs) return;
    yield bucket;
  }
}

/** Whether claims that fade, or waits that grow, have made something of the contended takeable for anyone. */
export function anyContendedDue(state: ColonyState, now: number): boolean {
  return bestContended({ state, now, agent: null, accept: () => true }, state.index.take.contended()) !== null;
}

/** As `choose`, for an agent that named paths or labels: from the shelves of these (T1d). */
function chooseBy(state: ColonyState, agent: Agent, wish: Wish, now: number): Choice {
  const patterns = wish.paths.map(parsePattern);
  const accept = (bucket: Bucket): boolean => hasLabel(bucket, wish.labels) && predicts(bucket, patterns);
  const search: Search = { state, now, agent: agent.id, accept };
  const shelves = wish.paths.length > 0 ? folderShelves(state, patterns) : labelShelves(state, wish.labels);
  const above = bucketsAbove(search, patterns);
  const contended = [above.filter((bucket) => bucket.claims > 0), ...shelves.map((shelf) => shelf.contended)];
  for (const buckets of contended) {
    const starving = firstStarved(search, buckets);
    if (starving !== null) return { intent: starving.id };
  }
  const free = [above.filter((bucket) => bucket.claims === 0), ...shelves.map((shelf) => shelf.free)];
  const found = best(...free.map((buckets) => firstOf(search, buckets)), ownBuckets(search, agent));
  if (found !== null) return { intent: found.id };
  const offered = best(...contended.map((buckets) => bestContended(search, buckets)));
  if (offered !== null) return { intent: offered.id };
  return { contended: contended.some((buckets) => firstOf(search, buckets) !== null) };
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

/** Head of the first acceptable bucket. */
function firstOf(search: Search, buckets: Iterable<Bucket | undefined>): Candidate | null {
  let looks = 0;
  for (const bucket of buckets) {
    if (bucket === undefined || looks === looksAtMost) break;
    looks += 1;
    search.state.index.take.looks += 1;
    if (search.accept(bucket)) return bucket.head;
  }
  return null;
}

/** The first intent that has been kept waiting by claims for longer than `starveAfterMs` (T2e). */
function firstStarved(search: Search, buckets: Iterable<Bucket>): Candidate | null {
  const { state, now } = search;
  let looks = 0;
  for (const bucket of buckets) {
    if (looks === looksAtMost) break;
    looks += 1;
    state.index.take.looks += 1;
    if (waited(bucket, now) >= state.policy.starveAfterMs && search.accept(bucket)) return bucket.head;
  }
  return null;
}

/** The contended intent with the highest score above 0 (T2b). */
function bestContended(search: Search, buckets: Iterable<Bucket>): Candidate | null {
  const { state, now, agent } = search;
  let chosen: Candidate | null = null;
  let chosenScore = 0;
  let looks = 0;
  for (const bucket of buckets) {
    if (looks === looksAtMost) break;
    looks += 1;
    state.index.take.looks += 1;
    if (!search.accept(bucket)) continue;
    const urgency = urgencyOf(state.policy, bucket, now);
    const score = Math.max(0, urgency - repulsion(state, bucket, agent, now, urgency));
    if (score > chosenScore) {
      chosen = bucket.head;
      chosenScore = score;
    }
  }
  return chosen;
}

/** Buckets that only the agent's own claims touch: for this agent they are free. */
function ownBuckets(search: Search, agent: Agent): Candidate | null {
  const { state, now } = search;
  const { take } = state.index;
  let found: Candidate | null = null;
  let looks = 0;
  for (const lease of agent.leases) {
    for (const mark of take.marksOf(lease)) {
      take.visitBuckets(mark.pattern, (bucket) => {
        looks += 1;
        take.looks += 1;
        const own = search.accept(bucket) && repulsion(state, bucket, agent.id, now, 1) === 0;
        if (own) found = best(found, bucket.head);
        return looks < looksAtMost;
      });
      if (looks >= looksAtMost) return found;
    }
  }
  return found;
}

function best(...candidates: (Candidate | null)[]): Candidate | null {
  let chosen: Candidate | null = null;
  for (const candidate of candidates) {
    if (candidate !== null && (chosen === null || compareCandidates(candidate, chosen) < 0)) chosen = candidate;
  }
  return chosen;
}

/** How long the head of a contended bucket has been kept waiting by claims. */
function waited(bucket: Bucket, now: number): number {
  return Math.max(0, now - Math.max(bucket.since, bucket.head.createdAt));
}

/** Urgency of a contended intent, 0.05 to 0.7: by priority, and growing with its wait up to `starveAfterMs` (T2b). */
export function urgencyOf(policy: Policy, bucket: Bucket, now: number): number {
  const priority = Math.min(4, Math.max(-4, bucket.head.priority));
  const share = Math.min(1, waited(bucket, now) / Math.max(1, policy.starveAfterMs));
  return 0.25 + priority * 0.05 + share * 0.25;
}

/** Strength of others' claims on the predicted paths, each lease once; counted no further than `enough` (T2b). */
function repulsion(state: ColonyState, bucket: Bucket, agent: AgentId | null, now: number, enough: number): number {
  const counted = new Set<LeaseId>();
  let sum = 0;
  state.index.take.visitMarks(bucket.patterns, (mark) => {
    const lease = state.leases.get(mark.lease);
    if (lease === undefined || mark.agent === agent || counted.has(mark.lease)) return true;
    counted.add(mark.lease);
    sum += strengthAt(state.policy, lease.refreshedAt, now);
    return sum < enough;
  });
  return sum;
}
