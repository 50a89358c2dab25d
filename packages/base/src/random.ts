// A seeded generator of random numbers whose whole state is one 32-bit number, so it can be journalled.

/** State of the generator: an unsigned 32-bit integer. */
export type RandomState = number;

/** Draws one number in [0, 1) and the state that follows. Algorithm: mulberry32. */
export function drawRandom(state: RandomState): { value: number; state: RandomState } {
  const next = (state + 0x6d2b79f5) >>> 0;
  let mixed = Math.imul(next ^ (next >>> 15), next | 1);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
  return { value: ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296, state: next };
}

/** A seed from a text: equal texts, equal seeds. Algorithm: 32-bit FNV-1a over UTF-16 code units. */
export function hashText(text: string): RandomState {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

/** A stream of draws for callers that own their generator: simulators, tests, workloads. */
export class RandomStream {
  #state: RandomState;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** A number in [0, 1). */
  next(): number {
    const { value, state } = drawRandom(this.#state);
    this.#state = state;
    return value;
  }

  /** An integer in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.next() * bound);
  }

  /** One element of a list that is not empty. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }
}
