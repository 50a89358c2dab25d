// The simulator's costs fitted to live runs: on every second size, and judged at the others.
//
//   CF1. What a size was fitted on does not judge the fit: by number of agents, the first, third, fifth … are fitted, the rest judge.
//   CF2. Several runs of one size count as one, by their medians.
//   CF3. The search is over six costs, each a positive number of milliseconds. No lane waits for company, as none does in the daemon.
//   CF4. From a grant to its proposal lie two messages, each of which takes a time of its own, and a place in the line of those who were
//        woken together, since the daemon's thread answers one agent after the other. Without both, everybody would propose right
//        before a cycle. The time to land holds the message there and the one back, as the live driver's does.
//   CF5. Between a proposal and its place in the queue it is compared with its base and kept, one after the other with those that
//        come together. Only from there on the simulator knows it, so half of that line is added to the time to land.
//   CF6. How much cycles vary is measured, not fitted: by the landings of single seconds, of the sizes that are fitted and can fill a
//        cycle. The best second is what the colony takes on work for, so varying cycles make longer lines.
//   CF7. How long a commit takes to become durable is measured too, of all sizes that are fitted.

import { RandomStream } from '@firetrident/base';
import { type Costs, liveTasks, runColony, switchesOf, type Workload } from '@firetrident/simulator';

/** The simulator's costs, and two that it has no place for. */
export interface LiveCosts extends Costs {
  /** What the daemon's thread needs for an agent's take and proposal. */
  readonly answerMs: number;
  /** What comparing a proposal with its base and keeping it takes, before it queues. */
  readonly keepMs: number;
}

/** What was measured at one size. */
export interface LivePoint {
  readonly agents: number;
  readonly landedPerMin: number;
  readonly landP50Ms: number;
  /** Open intents that were kept on offer. */
  readonly openIntents: number;
  /** Standard deviation of the logarithm of a cycle's time (CF6). */
  readonly cycleSpread: number;
  /** From a cycle's commit until that is durable, as a share of the cycle before it (CF7). */
  readonly durableShare: number;
  readonly runs: number;
}

/** A size with what the simulator says of it. */
export interface FittedPoint extends LivePoint {
  readonly use: 'fitted' | 'judged';
  readonly simulatedPerMin: number;
  readonly simulatedP50Ms: number;
  /** Simulated by measured, less one, in percent. */
  readonly landedErrorPercent: number;
  readonly landErrorPercent: number;
}

/** Costs with how well they do. */
export interface Calibration {
  readonly costs: LiveCosts;
  readonly points: readonly FittedPoint[];
  /** Median of the errors without their sign, of the sizes that judge. */
  readonly landedErrorPercent: number;
  readonly landErrorPercent: number;
  /** Costs that were tried. */
  readonly tried: number;
}

/** How long each simulated run is. */
const simulated = { durationMs: 5_000, warmupMs: 1_500 };
/** Costs tried unless the simplex has shrunk before. */
const triesAtMost = 120;
const smallEnough = 0.01;

/** Medians by size, in the order of their agents (CF2). */
export function pointsOf(runs: readonly Omit<LivePoint, 'runs'>[]): readonly LivePoint[] {
  const sizes = Map.groupBy(runs, ({ agents }) => agents);
  const points = [...sizes].map(([agents, same]) => ({
    agents,
    landedPerMin: median(same.map(({ landedPerMin }) => landedPerMin)),
    landP50Ms: median(same.map(({ landP50Ms }) => landP50Ms)),
    openIntents: same[0]?.openIntents ?? 0,
    cycleSpread: median(same.map(({ cycleSpread }) => cycleSpread)),
    durableShare: median(same.map(({ durableShare }) => durableShare)),
    runs: same.length,
  }));
  return points.sort((left, right) => left.agents - right.agents);
}

/** What the simulator says of one size. */
export type Simulate = (
  point: LivePoint,
  costs: LiveCosts,
) => { readonly landedPerMin: number; readonly landP50Ms: number };

/** The simulator on the changes of the live driver (CF4). */
export const simulatePoint: Simulate = ({ agents, openIntents }, costs) => {
  const tally = runColony({
    agents,
    seed: 1,
    ...simulated,
    workload: answeringTasks(agents, costs),
    openTasks: openIntents,
    redoShare: 0.1,
    switches: switchesOf.firetrident,
    costs,
  });
  const countedMs = simulated.durationMs - simulated.warmupMs;
  const [landedMs = 0] = tally.timeToLandMs.percentiles([0.5]);
  const keptMs = (lineOf(agents) * costs.keepMs) / 2;
  return { landedPerMin: (tally.landings * 60_000) / countedMs, landP50Ms: landedMs + 2 * costs.messageMs + keptMs };
};

/** Proposals that one cycle takes at most, `proposalsPerCycle` of the usual policy: so many agents are woken together. */
const wokenAtMost = 128;

/** How many stand in line together. */
function lineOf(agents: number): number {
  return Math.min(agents, wokenAtMost);
}

/** The live driver's tasks, whose work is what lies between a grant and the queue (CF4, CF5). */
function answeringTasks(agents: number, { messageMs, answerMs, keepMs }: LiveCosts): Workload {
  const tasks = liveTasks(1, 0);
  // Another stream than those of the tasks and of the writer.
  const draws = new RandomStream(0x165667b1);
  const line = lineOf(agents);
  const messageDrawnMs = () => -messageMs * Math.log(1 - draws.next());
  const next = () => {
    const answeredMs = draws.next() * line * answerMs;
    const keptMs = draws.next() * line * keepMs;
    return { ...tasks.next(), workMs: messageDrawnMs() + messageDrawnMs() + answeredMs + keptMs };
  };
  return { pathCount: tasks.pathCount, next };
}

/** Fits the costs (CF1, CF3). `tried` hears of each attempt. */
export function calibrate(
  points: readonly LivePoint[],
  simulate: Simulate,
  tried: (count: number, error: number) => void = () => undefined,
): Calibration {
  const fitted = points.filter((_, index) => index % 2 === 0);
  const filling = fitted.filter(({ agents }) => agents >= wokenAtMost);
  const measured = {
    cycleSpread: median((filling.length > 0 ? filling : fitted).map((point) => point.cycleSpread)),
    durableShare: median(fitted.map((point) => point.durableShare)),
  };
  let count = 0;
  const errorOf = (logarithms: readonly number[]): number => {
    const costs = costsOf(logarithms, measured);
    const errors = fitted.map((point) => {
      const found = simulate(point, costs);
      return distance(found.landedPerMin, point.landedPerMin) ** 2 + distance(found.landP50Ms, point.landP50Ms) ** 2;
    });
    const error = Math.sqrt(errors.reduce((sum, each) => sum + each, 0) / (2 * fitted.length));
    count += 1;
    tried(count, error);
    return error;
  };
  const best = descend(startOf(fitted).map(Math.log), errorOf);
  const costs = costsOf(best, measured);
  const all = points.map((point, index) =>
    judged(point, index % 2 === 0 ? 'fitted' : 'judged', simulate(point, costs)),
  );
  const judges = all.filter(({ use }) => use === 'judged');
  return {
    costs,
    points: all,
    landedErrorPercent: median(judges.map(({ landedErrorPercent }) => Math.abs(landedErrorPercent))),
    landErrorPercent: median(judges.map(({ landErrorPercent }) => Math.abs(landErrorPercent))),
    tried: count,
  };
}

/**
 * Where the search begins, in its order: a full writer's time for a landing is nearly all its own, and the quickest landing waits for a
 * cycle more than for messages. From far away the search ends before it has arrived, and costs that are far too low take long to
 * simulate. Where nothing landed, nothing is learned.
 */
function startOf(fitted: readonly LivePoint[]): readonly number[] {
  const landing = fitted.filter(({ landedPerMin, landP50Ms }) => landedPerMin > 0 && landP50Ms > 0);
  const perLandingMs = 60_000 / Math.max(60, ...landing.map(({ landedPerMin }) => landedPerMin));
  const quickestMs = Math.min(1_000, ...landing.map(({ landP50Ms }) => landP50Ms));
  return [
    quickestMs / 4, // cycleMs
    perLandingMs * 0.7, // proposalMs
    perLandingMs * 0.002, // crowdMs
    quickestMs / 8, // messageMs
    perLandingMs * 0.3, // answerMs
    perLandingMs * 0.5, // keepMs
  ];
}

function judged(point: LivePoint, use: FittedPoint['use'], found: ReturnType<Simulate>): FittedPoint {
  const error = (simulatedValue: number, measured: number) => 100 * (simulatedValue / measured - 1);
  return {
    ...point,
    use,
    simulatedPerMin: found.landedPerMin,
    simulatedP50Ms: found.landP50Ms,
    landedErrorPercent: error(found.landedPerMin, point.landedPerMin),
    landErrorPercent: error(found.landP50Ms, point.landP50Ms),
  };
}

function costsOf(logarithms: readonly number[], measured: Pick<LiveCosts, 'cycleSpread' | 'durableShare'>): LiveCosts {
  const [cycleMs = 0, proposalMs = 0, crowdMs = 0, messageMs = 0, answerMs = 0, keepMs = 0] = logarithms.map(Math.exp);
  return { cycleMs, proposalMs, crowdMs, ...measured, coalesceMs: 0, messageMs, answerMs, keepMs };
}

/** How far two positive figures are apart: 0.1 is about ten percent. What was not landed at all is far away. */
function distance(one: number, other: number): number {
  return Math.abs(Math.log(Math.max(one, 1e-3) / Math.max(other, 1e-3)));
}

/** The simplex search of Nelder and Mead, with their usual steps: reflect, stretch, shrink towards the best. */
function descend(from: readonly number[], errorOf: (place: readonly number[]) => number): readonly number[] {
  const corner = (place: readonly number[]) => ({ place, error: errorOf(place) });
  const simplex = [
    corner(from),
    ...from.map((_, axis) => corner(from.map((at, each) => (each === axis ? at + 0.7 : at)))),
  ];
  const between = (one: readonly number[], to: readonly number[], share: number) =>
    one.map((at, axis) => at + share * ((to[axis] as number) - at));
  for (let tries = simplex.length; tries < triesAtMost; ) {
    simplex.sort((left, right) => left.error - right.error);
    const [best, worst] = [simplex[0] as Corner, simplex.at(-1) as Corner];
    if (worst.error - best.error < smallEnough / 10 && best.error < smallEnough) break;
    const others = simplex.slice(0, -1);
    const middle = from.map(
      (_, axis) => others.reduce((sum, { place }) => sum + (place[axis] as number), 0) / others.length,
    );
    const reflected = corner(between(worst.place, middle, 2));
    tries += 1;
    const second = others.at(-1) as Corner;
    let found = reflected;
    if (reflected.error < best.error) {
      const stretched = corner(between(worst.place, middle, 3));
      tries += 1;
      if (stretched.error < reflected.error) found = stretched;
    } else if (reflected.error >= second.error) {
      found = corner(between(worst.place, middle, 0.5));
      tries += 1;
    }
    if (found.error < worst.error) {
      simplex[simplex.length - 1] = found;
    } else {
      for (const [index, { place }] of others.entries()) {
        if (index > 0) simplex[index] = corner(between(best.place, place, 0.5));
      }
      simplex[simplex.length - 1] = corner(between(best.place, worst.place, 0.5));
      tries += others.length;
    }
  }
  return (simplex.sort((left, right) => left.error - right.error)[0] as Corner).place;
}

interface Corner {
  readonly place: readonly number[];
  readonly error: number;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const [low = 0, high = 0] = [sorted[middle - 1], sorted[middle]];
  return sorted.length % 2 === 1 ? high : (low + high) / 2;
}
