// Durations counted in buckets whose width is a part of their value: bounded memory, and sums of many are exact.
//
//   DU1. A percentile is off by half of one bucket at most: 1 % of its value.

/** Ratio of a bucket's upper bound to its lower one. */
const growth = 1.02;
const shortestMs = 0.01;
const buckets = 1_100;
const logGrowth = Math.log(growth);

/** Percentiles in milliseconds. */
export interface Percentiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
}

/** Counts of durations, as they cross from process to process. */
export interface DurationCounts {
  readonly counts: readonly number[];
  readonly sumMs: number;
  readonly longestMs: number;
}

/** Gathers durations. */
export class Durations {
  readonly #counts = new Float64Array(buckets);
  #count = 0;
  #sumMs = 0;
  #longestMs = 0;

  get count(): number {
    return this.#count;
  }

  get sumMs(): number {
    return this.#sumMs;
  }

  get longestMs(): number {
    return this.#longestMs;
  }

  add(durationMs: number): void {
    const bucket = durationMs <= shortestMs ? 0 : Math.floor(Math.log(durationMs / shortestMs) / logGrowth);
    const index = Math.min(buckets - 1, bucket);
    this.#counts[index] = (this.#counts[index] as number) + 1;
    this.#count += 1;
    this.#sumMs += durationMs;
    this.#longestMs = Math.max(this.#longestMs, durationMs);
  }

  /** Adds what was counted elsewhere. */
  addAll({ counts, sumMs, longestMs }: DurationCounts): void {
    counts.forEach((count, index) => {
      this.#counts[index] = (this.#counts[index] as number) + count;
      this.#count += count;
    });
    this.#sumMs += sumMs;
    this.#longestMs = Math.max(this.#longestMs, longestMs);
  }

  toCounts(): DurationCounts {
    return { counts: [...this.#counts], sumMs: this.#sumMs, longestMs: this.#longestMs };
  }

  /** The duration that a share of all did not exceed (DU1); 0 when there is none. */
  percentile(share: number): number {
    const wanted = share * this.#count;
    let seen = 0;
    for (let index = 0; index < buckets; index += 1) {
      seen += this.#counts[index] as number;
      if (seen > 0 && seen >= wanted) return Math.min(this.#longestMs, shortestMs * growth ** (index + 0.5));
    }
    return 0;
  }

  get percentiles(): Percentiles {
    return { p50: this.percentile(0.5), p90: this.percentile(0.9), p99: this.percentile(0.99) };
  }
}
