// The landings of each region that may still cause returns, with sums that move along with time.
//
// Told by `evolve`, and made again from the state. Where the sums stand is a memo: it changes no answer.
//
//   SX1. The sums over a window cost each landing one step in and one step out, however often they are asked for.

import { assert, defined, type LandingId } from '@firetrident/base';
import type { Region } from './model.ts';

/** A landing that may still cause returns. Its shares grow in place. */
export interface RecentLanding {
  readonly landing: LandingId;
  readonly region: Region;
  readonly at: number;
  /** What it caused of stale returns, in units of `wholeReturn`. */
  shares: number;
  /** The same by the region of the proposals that came back, in the order in which these first did. */
  returned: ReadonlyMap<Region, number>;
}

/** What hardly any landing causes more than. They share it: a busy colony keeps a hundred thousand of them. */
export const nothingReturned: RecentLanding['returned'] = new Map();

/** One return in shares: every number of causes up to 16 divides it, so sums stay whole numbers (S2). */
export const wholeReturn = 720_720;

/** Age from which a landing counts: before, its readers had no time to come back (S1). */
export const countsAfterMs = 5_000;

/** What counts in a window: landings, and their shares of returns in units of `wholeReturn`. */
export interface Counted {
  readonly landings: number;
  readonly shares: number;
}

/** Stale returns per landing of what counts (S1). */
export function ratioOf({ landings, shares }: Counted): number {
  return landings === 0 ? 0 : shares / wholeReturn / landings;
}

/** The recent landings of one region, oldest first. */
export class LandingWindow {
  readonly region: Region;
  /** Shares of all landings that are kept. */
  total = 0;
  #landings: RecentLanding[] = [];
  /** Place of the oldest that is kept. */
  #head = 0;
  // The memo: landings at places from `#from` to before `#to` are those later than `#after`, up to `#until`.
  #from = 0;
  #to = 0;
  #after = Number.NEGATIVE_INFINITY;
  #until = Number.NEGATIVE_INFINITY;
  #shares = 0;

  constructor(region: Region) {
    this.region = region;
  }

  get size(): number {
    return this.#landings.length - this.#head;
  }

  oldest(): RecentLanding | undefined {
    return this.#landings[this.#head];
  }

  *[Symbol.iterator](): IterableIterator<RecentLanding> {
    for (let place = this.#head; place < this.#landings.length; place += 1) yield this.#at(place);
  }

  add(landing: RecentLanding): void {
    this.#landings.push(landing);
    this.total += landing.shares;
    if (landing.at <= this.#until) this.#forgetSums();
  }

  dropOldest(): void {
    const landing = this.#at(this.#head);
    if (this.#from <= this.#head) {
      if (this.#to > this.#head) this.#shares -= landing.shares;
      this.#from = this.#head + 1;
      this.#to = Math.max(this.#to, this.#from);
    }
    this.total -= landing.shares;
    this.#head += 1;
    if (this.#head * 2 > this.#landings.length) this.#compact();
  }

  /** A kept landing caused more returns. */
  addShares(landing: RecentLanding, shares: number, region: Region): void {
    landing.shares += shares;
    landing.returned = new Map(landing.returned).set(region, (landing.returned.get(region) ?? 0) + shares);
    this.total += shares;
    if (landing.at > this.#after && landing.at <= this.#until) this.#shares += shares;
  }

  /** What counts at `now`: landings of the last `windowMs` that are old enough (S1, SX1). */
  counted(now: number, windowMs: number): Counted {
    const after = now - windowMs;
    const until = now - countsAfterMs;
    assert(after < until, 'a window is longer than the age from which a landing counts');
    if (until < this.#until) this.#forgetSums();
    this.#after = after;
    this.#until = until;
    while (this.#to < this.#landings.length && this.#at(this.#to).at <= until) {
      this.#shares += this.#at(this.#to).shares;
      this.#to += 1;
    }
    while (this.#from < this.#to && this.#at(this.#from).at <= after) {
      this.#shares -= this.#at(this.#from).shares;
      this.#from += 1;
    }
    // The window may also have grown.
    while (this.#from > this.#head && this.#at(this.#from - 1).at > after) {
      this.#from -= 1;
      this.#shares += this.#at(this.#from).shares;
    }
    return { landings: this.#to - this.#from, shares: this.#shares };
  }

  #at(place: number): RecentLanding {
    return defined(this.#landings[place], 'a recent landing');
  }

  #forgetSums(): void {
    this.#from = this.#head;
    this.#to = this.#head;
    this.#after = Number.NEGATIVE_INFINITY;
    this.#until = Number.NEGATIVE_INFINITY;
    this.#shares = 0;
  }

  #compact(): void {
    this.#landings = this.#landings.slice(this.#head);
    this.#from -= this.#head;
    this.#to -= this.#head;
    this.#head = 0;
  }
}

/** The windows of all regions. */
export class SigmaIndex {
  readonly #windows: Map<Region, LandingWindow> = new Map();
  /** Regions whose landings caused returns, or whose published figures are not at rest. */
  readonly #live: Set<Region> = new Set();

  /** Whether σ of any region is above 0 or may rise above it without anything happening (S4). */
  get live(): boolean {
    return this.#live.size > 0;
  }

  liveRegions(): Iterable<Region> {
    return this.#live;
  }

  windows(): Iterable<readonly [Region, LandingWindow]> {
    return this.#windows;
  }

  window(region: Region): LandingWindow | undefined {
    return this.#windows.get(region);
  }

  /** The same name, as the one string that everything may share which is kept of a region by the thousand. */
  nameOf(region: Region): Region {
    return this.#windows.get(region)?.region ?? region;
  }

  open(region: Region): LandingWindow {
    const known = this.#windows.get(region);
    if (known !== undefined) return known;
    const window = new LandingWindow(region);
    this.#windows.set(region, window);
    return window;
  }

  /** Files a region under what it is; `atRest` says whether its published figures are those of a quiet region. */
  refile(region: Region, atRest: boolean): void {
    const window = this.#windows.get(region);
    if (window !== undefined && window.size === 0) this.#windows.delete(region);
    if (!atRest || (window !== undefined && window.total > 0)) this.#live.add(region);
    else this.#live.delete(region);
  }
}
