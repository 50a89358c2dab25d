// How many proposals wait in each lane, and which lanes rest.
//
//   LX1. A lane rests exactly while its region is inhibited and something waits in it.

import { assert, OrderedSet } from '@firetrident/base';
import type { Region } from './model.ts';

/** A lane that rests because its region is inhibited, and until when. */
export interface RestingLane {
  readonly region: Region;
  readonly until: number;
}

function compareResting(left: RestingLane, right: RestingLane): number {
  return left.until - right.until || (left.region < right.region ? -1 : left.region > right.region ? 1 : 0);
}

/** Index of the queue by lane. */
export class LaneIndex {
  /** Proposals that wait in lanes that do not rest. */
  free = 0;
  readonly #waiting: Map<Region, number> = new Map();
  /** When the lane of each inhibited region may tick. */
  readonly #releases: Map<Region, number> = new Map();
  readonly #resting: OrderedSet<RestingLane> = new OrderedSet(compareResting);

  /** The resting lane that may tick first; it may be due already. */
  firstResting(): RestingLane | undefined {
    return this.#resting.first();
  }

  /** Whether something in this lane has to wait at `now`. */
  isResting(region: Region, now: number): boolean {
    const until = this.#releases.get(region);
    return until !== undefined && until > now;
  }

  waiting(region: Region): number {
    return this.#waiting.get(region) ?? 0;
  }

  /** Every lane with work or inhibition: its proposals, and when it may tick. */
  *[Symbol.iterator](): IterableIterator<readonly [Region, number, number | null]> {
    for (const region of new Set([...this.#waiting.keys(), ...this.#releases.keys()])) {
      yield [region, this.waiting(region), this.#releases.get(region) ?? null];
    }
  }

  /** A proposal joined (+1) or left (-1) the lane. */
  change(region: Region, difference: 1 | -1): void {
    const before = this.waiting(region);
    const after = before + difference;
    assert(after >= 0, 'lanes do not hold less than nothing');
    if (after === 0) this.#waiting.delete(region);
    else this.#waiting.set(region, after);
    const until = this.#releases.get(region);
    if (until === undefined) this.free += difference;
    else if (before === 0) this.#resting.add({ region, until });
    else if (after === 0) this.#resting.delete({ region, until });
  }

  /** The lane may tick at `until`; null when its region is not inhibited (LX1). */
  release(region: Region, until: number | null): void {
    const before = this.#releases.get(region) ?? null;
    if (before === until) return;
    const waiting = this.waiting(region);
    if (before === null) this.free -= waiting;
    else if (waiting > 0) this.#resting.delete({ region, until: before });
    if (until === null) {
      this.#releases.delete(region);
      this.free += waiting;
      return;
    }
    this.#releases.set(region, until);
    if (waiting > 0) this.#resting.add({ region, until });
  }
}
