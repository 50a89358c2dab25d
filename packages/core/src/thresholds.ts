// Who takes what, by what went well before (T3): the response thresholds of agents.
//
// An agent remembers a threshold for the few regions that it worked in last. A landing there lowers it, a return
// raises it, and time without work lowers all of them, so that nobody starves.
//
//   TH1. A threshold lies between its lowest and highest value, whatever happened.
//   TH2. An agent remembers a bounded number of regions, the ones used last.
//   TH3. A draw follows from the state's generator, the agent and the time: the same take at the same moment of the
//        same state draws the same.

import { hashText, RandomStream } from '@firetrident/base';
import type { Agent, Region, Threshold } from './model.ts';
import type { ColonyState } from './state.ts';

/** Where an agent that knows nothing of a region stands. */
const initial = 0.05;
const lowest = 0.01;
const highest = 1;
/** What a landing and a return do to a threshold. */
const landingFactor = 0.7;
const returnFactor = 2;
/** Regions that an agent remembers (TH2). */
const regionsAtMost = 8;
/** Time without work in which thresholds fall by half. */
const idleHalfLifeMs = 30_000;

/** The agent's thresholds after a landing or return of its own in a region (TH1, TH2). */
export function adapted(agent: Agent, region: Region, outcome: 'landed' | 'returned'): readonly Threshold[] {
  const known = agent.thresholds.find((one) => one.region === region)?.value ?? initial;
  const moved = known * (outcome === 'landed' ? landingFactor : returnFactor);
  const value = Math.min(highest, Math.max(lowest, moved));
  const others = agent.thresholds.filter((one) => one.region !== region);
  return [{ region, value }, ...others].slice(0, regionsAtMost);
}

/** The agent's threshold for work in a region now. */
export function thresholdOf(agent: Agent, region: Region, now: number): number {
  const known = agent.thresholds.find((one) => one.region === region)?.value ?? initial;
  const idleMs = agent.idleSince === null ? 0 : Math.max(0, now - agent.idleSince);
  return Math.max(lowest, known * 2 ** (-idleMs / idleHalfLifeMs));
}

/** Probability with which work of a score is accepted: s² ÷ (s² + θ²), the response threshold of social insects. */
export function acceptance(score: number, threshold: number): number {
  const squared = score * score;
  return squared === 0 ? 0 : squared / (squared + threshold * threshold);
}

/** The draws of one take (TH3). */
export function drawsOf(state: ColonyState, agent: Agent, now: number): RandomStream {
  return new RandomStream(hashText(`${state.random} ${agent.id} ${now}`));
}
