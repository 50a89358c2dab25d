// What holds of every state between two commands. Tests and simulators check it after every step.
//
// It shares no code with the rules that uphold it, apart from reading the state.

import type { IntentId, ProposalId } from '@firetrident/base';
import { costAtLeast } from './choose.ts';
import { ColonyIndex, type Filing, filedUnder } from './index-of-state.ts';
import { parsePattern, repels } from './pattern.ts';
import { rebuildIndex } from './rebuild.ts';
import type { ColonyState } from './state.ts';
import type { TakeIndex } from './take-index.ts';
import { type Bucket, byAge, byLoad, byWait, levelOf } from './take-shelves.ts';

/** Broken invariants of a state, one sentence each; empty when all hold. Costs about the square of its size. */
export function checkInvariants(state: ColonyState): readonly string[] {
  const problems: string[] = [];
  const check = (holds: boolean, problem: string): void => {
    if (!holds) problems.push(problem);
  };
  check(state.settling.size === 0, '[ST2] a cycle is half committed');
  checkIntents(state, check);
  checkLeases(state, check);
  checkProposals(state, check);
  checkReservations(state, check);
  checkAgents(state, check);
  checkLimits(state, check);
  checkClaims(state, check);
  checkFronts(state, check);
  checkKnownCosts(state, check);
  checkIndex(state, check);
  return problems;
}

type Check = (holds: boolean, problem: string) => void;

function checkIntents(state: ColonyState, check: Check): void {
  for (const intent of state.intents.values()) {
    const { id, lease, waitingOn } = intent;
    const held = intent.state === 'taken' || intent.state === 'proposed';
    check(held === (lease !== null), `[IN1] ${id} is ${intent.state} and has ${lease ?? 'no lease'}`);
    check(intent.state !== 'landed' && intent.state !== 'closed', `[IN2] ${id} is over and live`);
    check(lease === null || state.leases.get(lease)?.intent === id, `[IN1] ${id} and its lease name each other`);
    check(
      waitingOn.every((other) => intent.after.includes(other) && state.intents.has(other)),
      `[IN3] ${id} waits only on live dependencies`,
    );
    check(!reaches(state, id, id), `[IN4] ${id} does not wait on itself`);
    const takeable = intent.state === 'open' && waitingOn.length === 0;
    check(state.index.take.has(id) === takeable, `[IN5] ${id} is offered exactly when it can be taken`);
  }
}

function reaches(state: ColonyState, from: IntentId, target: IntentId): boolean {
  const seen = new Set<IntentId>();
  const open = [...(state.intents.get(from)?.waitingOn ?? [])];
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (id === target) return true;
    if (seen.has(id)) continue;
    seen.add(id);
    open.push(...(state.intents.get(id)?.waitingOn ?? []));
  }
  return false;
}

function checkLeases(state: ColonyState, check: Check): void {
  for (const lease of state.leases.values()) {
    const { id, proposals } = lease;
    const states = proposals.map((proposal) => state.proposals.get(proposal)?.state);
    const expected = states.includes('queued') ? 'proposed' : states.includes('returned') ? 'returned' : 'working';
    check(lease.state === expected, `[IN6] ${id} is ${lease.state}, its proposals say ${expected}`);
    check(
      (lease.expiresAt === null) === (expected === 'proposed'),
      `[IN7] the clock of ${id} stands while queued only`,
    );
    check(expected !== 'returned' || lease.windowEndsAt !== null, `[IN7] ${id} has a window while a return is out`);
    const intent = state.intents.get(lease.intent);
    check(intent?.lease === id && intent.epoch === lease.epoch, `[IN8] ${id} is the latest lease of its intent`);
    const intentState = expected === 'proposed' ? 'proposed' : 'taken';
    check(intent?.state === intentState, `[IN6] the intent of ${id} is ${intentState}`);
    const finals = proposals.filter((proposal) => state.proposals.get(proposal)?.final);
    check(finals.length <= 1, `[IN9] ${id} has one final proposal at most`);
    check(
      finals.length === 0 || proposals[proposals.length - 1] === finals[0],
      `[IN9] the final proposal of ${id} is its last`,
    );
    check(!state.settledLeases.has(id) && !state.lostLeases.has(id), `[IN10] ${id} is live and over`);
    const owner = state.agents.get(lease.agent);
    check(owner?.leases.includes(id) === true, `[IN11] ${id} is listed by its agent`);
    check(
      owner?.state !== 'stopped' || expected === 'proposed',
      `[IN11] a stopped agent holds ${id} for its queue only`,
    );
    check(owner?.state !== 'stopped' || lease.claims.length === 0, `[IN11] a stopped agent claims nothing`);
  }
}

function checkProposals(state: ColonyState, check: Check): void {
  const held = [...state.reservations.values()].flatMap((reservation) => reservation.held);
  const waiting = [...state.cycleOrder, ...state.queue, ...held];
  check(new Set(waiting).size === waiting.length, '[IN12] a proposal is queued twice');
  const queued = new Set<ProposalId>(waiting);
  for (const proposal of state.proposals.values()) {
    const { id } = proposal;
    check(queued.delete(id) === (proposal.state === 'queued'), `[IN12] ${id} is ${proposal.state} and in line or not`);
    check(
      (proposal.brief !== null) === (proposal.state === 'returned'),
      `[IN13] ${id} has a brief when it is returned`,
    );
    const listed = state.leases.get(proposal.lease)?.proposals.includes(id) === true;
    check(listed, `[IN14] ${id} is listed by its live lease`);
    check(!state.recentProposals.has(id), `[IN15] ${id} has an outcome and is live`);
  }
  check(queued.size === 0, '[IN12] what is in line is live');
  const inBatches = state.cycle?.batches.flatMap((batch) => batch.proposals) ?? [];
  check(
    JSON.stringify([...inBatches].sort()) === JSON.stringify([...state.cycleOrder].sort()),
    '[IN16] the batches of the cycle hold its proposals',
  );
  check(state.together >= 0 && state.together <= state.queue.length, '[IN17] what must land together is in line');
}

function checkReservations(state: ColonyState, check: Check): void {
  const reservations = [...state.reservations.values()];
  const lanes = new Set(reservations.map(({ region }) => region));
  check(lanes.size === reservations.length, '[IN21] a lane has one reservation');
  for (const { lease, proposal, since, until, held } of reservations) {
    const subject = state.proposals.get(proposal);
    check(subject?.lease === lease && state.leases.has(lease), `[IN21] ${proposal} is live and of ${lease}`);
    check(until >= since, `[IN21] the reservation of ${lease} ends after it began`);
    for (const id of held) {
      check(state.proposals.get(id)?.lease !== lease, `[IN21] ${lease} does not hold back ${id}, its own`);
    }
  }
}

function checkAgents(state: ColonyState, check: Check): void {
  for (const agent of state.agents.values()) {
    const { id, leases } = agent;
    check(
      leases.every((lease) => state.leases.get(lease)?.agent === id),
      `[IN11] ${id} lists its own live leases`,
    );
    check(
      (agent.state === 'idle') === (leases.length === 0) || agent.state === 'stopped',
      `[IN18] ${id} is idle or not`,
    );
    check(agent.state !== 'stopped' || leases.length > 0, `[IN18] ${id} stopped, holds nothing and is live`);
    check(!state.stoppedAgents.has(id), `[IN18] ${id} is live and gone`);
  }
  for (const token of state.joinTokens.values()) check(token.remaining >= 0, `[IN19] ${token.id} is not overspent`);
}

function checkLimits(state: ColonyState, check: Check): void {
  const { limits } = state.policy;
  check(state.agents.size <= limits.agents, '[IN20] agents within the limit');
  check(state.intents.size <= limits.liveIntents, '[IN20] intents within the limit');
  const held = [...state.reservations.values()].reduce((sum, reservation) => sum + reservation.held.length, 0);
  check(state.queue.length + held + state.cycleOrder.length <= limits.queuedProposals, '[IN20] queue within the limit');
  for (const agent of state.agents.values()) {
    check(agent.leases.length <= limits.leasesPerAgent, `[IN20] leases of ${agent.id} within the limit`);
  }
  for (const lease of state.leases.values()) {
    check(lease.proposals.length <= limits.chainLength, `[IN20] chain of ${lease.id} within the limit`);
    check(lease.claims.length <= limits.claimsPerLease, `[IN20] claims of ${lease.id} within the limit`);
    check(lease.recorded.size <= limits.recordedReadsPerLease, `[IN20] reads of ${lease.id} within the limit`);
  }
}

/** Counts the claims on every bucket by looking at all of them. */
function checkClaims(state: ColonyState, check: Check): void {
  const marks = [...state.leases.values()].flatMap((lease) => {
    const texts = new Map(lease.claims.map(parsePattern).map((pattern) => [pattern.text, pattern]));
    return [...texts.values()];
  });
  for (const bucket of state.index.take.buckets()) {
    const count = marks.filter((mark) => bucket.patterns.some((pattern) => repels(mark, pattern))).length;
    check(bucket.claims === count, `[TI2] ${bucket.key} counts ${bucket.claims} of ${count} claims`);
    check(bucket.candidates.size > 0, `[TI1] ${bucket.key} is empty`);
    const { free, waits, loads, ages, key } = bucket.region;
    check(
      bucket.level === levelOf(count, bucket.patterns.length),
      `[TI2] ${bucket.key} stands at level ${bucket.level}`,
    );
    check(free.has(bucket) === (count === 0), `[TI3] ${bucket.key} stands free in ${key} or not`);
    check(waits.has(bucket) === count > 0, `[TI3] ${bucket.key} stands contended in ${key} or not`);
    check(loads.has(bucket) === count > 0, `[TI3] ${bucket.key} stands by its load in ${key} or not`);
    check(ages.has(bucket) === count > 0, `[TI3] ${bucket.key} stands by its age in ${key} or not`);
    for (const shelfKey of state.index.take.shelvesOf(bucket)) {
      const shelf = state.index.take.shelf(shelfKey);
      check(shelf?.free.has(bucket) === (count === 0), `[TI3] ${bucket.key} stands free on ${shelfKey} or not`);
      check(shelf?.contended.has(bucket) === count > 0, `[TI3] ${bucket.key} stands contended on ${shelfKey} or not`);
    }
  }
}

/** Adds up what every claim on a bucket costs, where something is known of it: from the moment of the look until the first claim is gone. */
function checkKnownCosts({ index: { take }, leases, policy }: ColonyState, check: Check): void {
  for (const bucket of take.buckets()) {
    const { known, patterns, learned, key } = bucket;
    if (known === null) continue;
    for (const now of [known.at, Math.max(known.at, known.goneAt - 1)]) {
      let exact = 0;
      for (const { claims, learnedClaims, refreshedAt } of leases.values()) {
        const strength = 2 ** (-Math.max(0, now - refreshedAt) / policy.claimHalfLifeMs);
        for (const claim of new Set(claims)) {
          const meetings = patterns.filter((path) => repels(parsePattern(claim), path)).length;
          const weight = learned || learnedClaims.includes(claim) ? 0.5 : 1;
          exact += (0.3 * weight * strength * meetings) / Math.min(10, Math.max(1, patterns.length));
        }
      }
      const least = costAtLeast(policy, bucket, now);
      check(
        least <= exact + 1e-9,
        `[TI5] claims on ${key} cost ${exact} at ${now}, and at least ${least} by what is known`,
      );
    }
  }
}

/** Sorts all contended buckets of regions that take work, and compares what is kept of each order. */
function checkFronts({ index: { take } }: ColonyState, check: Check): void {
  const open = [...take.buckets()].filter((bucket) => bucket.claims > 0 && !bucket.region.full);
  check(take.anyContended === open.length > 0, '[TF1] whether anything is contended');
  const wanted = 3;
  const fronts = [
    ['longest', take.longest(wanted), open.toSorted(byWait)],
    ['lightest', take.lightest(wanted), open.toSorted(byLoad)],
    ['oldest', take.oldest(wanted), open.toSorted(byAge)],
  ] as const;
  for (const [name, kept, sorted] of fronts) {
    check(kept.length >= Math.min(wanted, sorted.length), `[TF1] the ${name} are at hand`);
    check(
      kept.every((bucket, place) => bucket === sorted[place]),
      `[TF1] the ${name} are the first without a gap`,
    );
  }
}

function checkIndex(state: ColonyState, check: Check): void {
  const copy: ColonyState = { ...state, index: new ColonyIndex(state.policy, state.packages, state.admissions) };
  rebuildIndex(copy, state.index.take.waits(), Number.MAX_SAFE_INTEGER);
  const kept = describeIndex(state.index);
  const again = describeIndex(copy.index);
  check(kept === again, `[IX1] the index is as one made again:\n${kept}\n${again}`);
}

/** The whole content of an index as text, in a fixed order. */
export function describeIndex(index: ColonyIndex): string {
  const filed = (filing: Filing) => sorted([...filing.keys()].map((key) => [key, ...filedUnder(filing, key)]));
  const sets = (map: ReadonlyMap<string, Iterable<string>>) =>
    sorted([...map].map(([key, set]) => [key, ...[...set].sort()]));
  return JSON.stringify({
    take: describeTake(index.take),
    counts: index.intentCounts,
    keys: sorted([...index.intentKeys]),
    recentKeys: sorted([...index.recentIntentKeys]),
    titles: filed(index.titles),
    pathSets: filed(index.pathSets),
    dependents: sets(index.dependents),
    agents: sorted([...index.agentTokens]),
    joinTokens: sorted([...index.joinTokens]),
    proposals: sorted([...index.proposalKeys]),
    deadlines: [...index.deadlines],
    refreshed: [...index.refreshed],
    reservations: index.reservations.describe(),
    landings: sorted(
      [...index.sigma.windows()].map(([region, window]) => [
        region,
        window.total,
        [...window].map(({ landing }) => landing),
      ]),
    ),
    liveRegions: [...index.sigma.liveRegions()].sort(),
    watch: index.watch.describe(),
    lanes: [index.lanes.free, index.lanes.firstResting() ?? null, sorted([...index.lanes])],
  });
}

function describeTake(take: TakeIndex) {
  const keys = (buckets: Iterable<Bucket>) => [...buckets].map((bucket) => bucket.key);
  const shelf = (key: string) => {
    const known = take.shelf(key);
    return [key, keys(known?.free ?? []), keys(known?.contended ?? [])];
  };
  const buckets = [...take.buckets()].map((bucket) => {
    return [bucket.key, bucket.claims, [...bucket.candidates], [...take.shelvesOf(bucket)].map(shelf)];
  });
  const regions = [...take.regions()].map(({ key, users, free, waits, loads, ages, inFlight, limit, costly }) => {
    return [key, users, keys(free), keys(waits), keys(loads), keys(ages), inFlight, limit, costly];
  });
  return {
    buckets: sorted(buckets),
    regions: sorted(regions),
    waits: take.waits(),
    next: [...take.freeRegions()].map(({ key }) => key),
    fullOfWork: take.fullOfWork,
  };
}

function sorted(rows: readonly unknown[]): readonly string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
