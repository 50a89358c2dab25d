// What a run of a policy counts while simulated time passes.
//
//   TA1. Only what happens after the warm-up counts; a span is counted by its part after the warm-up and before the end.
//   TA2. Rework is working time that was redone or thrown away, repairs included, and is part of all working time.
//   TA3. A task that is still open at the end has waited as long as it was open: what is never taken cannot hide.

import { Samples } from './samples.ts';

/** The window that is counted and the number of agents in it. */
export type TallyOptions = {
  readonly agents: number;
  readonly durationMs: number;
  readonly warmupMs: number;
};

/** Counters of one run. All times are simulated milliseconds. */
export class Tally {
  readonly agents: number;
  readonly warmupMs: number;
  readonly durationMs: number;
  /** Tasks that landed. */
  landings = 0;
  /** Working time of all agents, rework included. */
  workMs = 0;
  /** The part of it that was redone or thrown away (TA2). */
  redoneMs = 0;
  /** Time in which an agent had nothing to work on, or waited for an answer. */
  idleMs = 0;
  /** Messages between agents and the coordinator, both ways. */
  messages = 0;
  /** Proposals that came back. */
  returns = 0;
  /** Steps that the simulation took, from its very beginning. */
  events = 0;
  /** From the first proposal of a task to its landing. */
  readonly timeToLandMs = new Samples();
  /** From the opening of a task to its first take (TA3). */
  readonly waitMs = new Samples();
  #sigmaSum = 0;
  #sigmaWeight = 0;

  constructor(options: TallyOptions) {
    this.agents = options.agents;
    this.durationMs = options.durationMs;
    this.warmupMs = options.warmupMs;
  }

  /** Whether what happens at this time counts (TA1). */
  counts(atMs: number): boolean {
    return atMs >= this.warmupMs && atMs < this.durationMs;
  }

  /** Books a span in which an agent worked; `redone` says whether this work was done before or came to nothing. */
  work(fromMs: number, toMs: number, redone: boolean): void {
    const span = this.#counted(fromMs, toMs);
    this.workMs += span;
    if (redone) this.redoneMs += span;
  }

  /** Books work that was done already as thrown away: the span was booked before, as work. */
  discard(fromMs: number, toMs: number): void {
    this.redoneMs += this.#counted(fromMs, toMs);
  }

  /** Books a span in which an agent did not work. */
  idle(fromMs: number, toMs: number): void {
    this.idleMs += this.#counted(fromMs, toMs);
  }

  /** A task landed. */
  landed(atMs: number, firstProposedAtMs: number): void {
    if (!this.counts(atMs)) return;
    this.landings += 1;
    this.timeToLandMs.add(atMs - firstProposedAtMs);
  }

  /** A task was taken, or is still open at the end of the run (TA3). */
  waited(atMs: number, openedAtMs: number): void {
    if (atMs >= this.warmupMs) this.waitMs.add(atMs - openedAtMs);
  }

  /** A proposal came back. */
  returned(atMs: number): void {
    if (this.counts(atMs)) this.returns += 1;
  }

  /** Messages that went at this time. */
  messaged(atMs: number, count: number): void {
    if (this.counts(atMs)) this.messages += count;
  }

  /** A reading of σ with its weight: the seconds or the landings that it stands for. */
  sigma(atMs: number, value: number, weight: number): void {
    if (!this.counts(atMs)) return;
    this.#sigmaSum += value * weight;
    this.#sigmaWeight += weight;
  }

  /** Mean of the readings of σ; returns per landing where a policy measures none. */
  get sigmaMean(): number {
    if (this.#sigmaWeight > 0) return this.#sigmaSum / this.#sigmaWeight;
    return this.landings === 0 ? 0 : this.returns / this.landings;
  }

  #counted(fromMs: number, toMs: number): number {
    return Math.max(0, Math.min(toMs, this.durationMs) - Math.max(fromMs, this.warmupMs));
  }
}
