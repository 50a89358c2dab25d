// What the agents of one process saw: counted there, summed afterwards.
//
//   TA1. A call fails when it errs, is not answered in time, or is refused without a named wait; named waits are counted
//        apart and never as failures.
//   TA2. What ends outside of the counted span counts in `allCalls`, `allErrors` and `allLanded` only.

import { type DurationCounts, Durations } from './durations.ts';

/** Parts of an agent's loop. */
export const loopParts = ['take', 'wait', 'work', 'propose', 'land'] as const;
export type LoopPart = (typeof loopParts)[number];

/** The tally as it crosses to the process that sums. */
export interface TallyReport {
  readonly calls: number;
  readonly errors: number;
  readonly allCalls: number;
  readonly allErrors: number;
  readonly allLanded: number;
  readonly errorKinds: Readonly<Record<string, number>>;
  readonly allErrorKinds: Readonly<Record<string, number>>;
  readonly waits: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
  readonly polled: number;
  readonly breaks: number;
  readonly partsMs: Readonly<Record<LoopPart, number>>;
  readonly take: DurationCounts;
  readonly land: DurationCounts;
  readonly loop: DurationCounts;
  /** Landings by second since the load began. */
  readonly landedBySecond: readonly number[];
}

/** The span that is counted, in milliseconds of `Date.now()`. */
export interface TallySpan {
  readonly beganAt: number;
  readonly fromAt: number;
  readonly toAt: number;
}

/** Counts what the agents of a process do. */
export class LoadTally {
  readonly #span: TallySpan;
  readonly #errorKinds: Record<string, number> = {};
  readonly #allErrorKinds: Record<string, number> = {};
  readonly #waits: Record<string, number> = {};
  readonly #outcomes: Record<string, number> = {};
  readonly #partsMs: Record<LoopPart, number> = { take: 0, wait: 0, work: 0, propose: 0, land: 0 };
  readonly #take = new Durations();
  readonly #land = new Durations();
  readonly #loop = new Durations();
  readonly #landedBySecond: number[] = [];
  #calls = 0;
  #errors = 0;
  #polled = 0;
  #breaks = 0;
  allCalls = 0;
  allErrors = 0;
  allLanded = 0;
  /** Takes that ended with work, in all of the run. */
  allTaken = 0;

  constructor(span: TallySpan) {
    this.#span = span;
  }

  /** Whether what ends now is counted (TA2). */
  get #counts(): boolean {
    const now = Date.now();
    return now >= this.#span.fromAt && now < this.#span.toAt;
  }

  /** A call ended as it should. */
  called(): void {
    this.allCalls += 1;
    if (this.#counts) this.#calls += 1;
  }

  /** A call failed (TA1). */
  failed(kind: string): void {
    this.allCalls += 1;
    this.allErrors += 1;
    count(this.#allErrorKinds, kind);
    if (!this.#counts) return;
    this.#calls += 1;
    this.#errors += 1;
    count(this.#errorKinds, kind);
  }

  /** A take was answered with a reason to wait. */
  waited(reason: string): void {
    if (this.#counts) count(this.#waits, reason);
  }

  /** Time of one part of a loop. */
  spent(part: LoopPart, durationMs: number): void {
    if (this.#counts) this.#partsMs[part] += durationMs;
  }

  /** A take ended with work, so long after it was asked for or woken. */
  took(durationMs: number): void {
    this.allTaken += 1;
    this.spent('take', durationMs);
    if (this.#counts) this.#take.add(durationMs);
  }

  /** A proposal landed, so long after it was sent; the loop began with its take. */
  landed(landMs: number, loopMs: number): void {
    this.allLanded += 1;
    const second = Math.floor((Date.now() - this.#span.beganAt) / 1_000);
    while (this.#landedBySecond.length <= second) this.#landedBySecond.push(0);
    this.#landedBySecond[second] = (this.#landedBySecond[second] as number) + 1;
    if (!this.#counts) return;
    this.#land.add(landMs);
    this.#loop.add(loopMs);
  }

  /** A proposal came to an outcome. */
  outcome(kind: string): void {
    if (this.#counts) count(this.#outcomes, kind);
  }

  /** An outcome did not come on the socket in time and was asked for. */
  polled(): void {
    if (this.#counts) this.#polled += 1;
  }

  /** A socket broke. */
  broke(): void {
    if (this.#counts) this.#breaks += 1;
  }

  report(): TallyReport {
    return {
      calls: this.#calls,
      errors: this.#errors,
      allCalls: this.allCalls,
      allErrors: this.allErrors,
      allLanded: this.allLanded,
      errorKinds: this.#errorKinds,
      allErrorKinds: this.#allErrorKinds,
      waits: this.#waits,
      outcomes: this.#outcomes,
      polled: this.#polled,
      breaks: this.#breaks,
      partsMs: this.#partsMs,
      take: this.#take.toCounts(),
      land: this.#land.toCounts(),
      loop: this.#loop.toCounts(),
      landedBySecond: this.#landedBySecond,
    };
  }
}

function count(counts: Record<string, number>, key: string): void {
  counts[key] = (counts[key] ?? 0) + 1;
}

/** Sums counts by name. */
export function sumCounts(all: readonly Readonly<Record<string, number>>[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const counts of all) for (const [key, value] of Object.entries(counts)) sum[key] = (sum[key] ?? 0) + value;
  return sum;
}
