// The first buckets of an order that many shelves share, kept at hand.
//
// A take looks at a few of the first contended buckets, and most takes move none of these. So the first ones are kept as a
// list, and the shelves are merged again only when too many of them have left.
//
//   TF1. What is kept are the first buckets of the order without a gap: whatever is not kept comes after all that is.

import type { OrderedSet } from '@firetrident/base';
import { type Bucket, byAge, byLoad, byWait, merged, type RegionShelf } from './take-shelves.ts';

/** Buckets that are kept. More of them are gathered less often, and cost more to move. */
const keptAtMost = 256;

/** The first of all buckets that stand in an order. It is told of each that comes or leaves. */
export class Front {
  readonly #compare: (left: Bucket, right: Bucket) => number;
  readonly #all: () => Iterable<Bucket>;
  #kept: Bucket[] = [];
  /** Nothing stands in the order but what is kept. */
  #complete = true;

  /** `all` walks everything that stands in the order of `compare`. */
  constructor(compare: (left: Bucket, right: Bucket) => number, all: () => Iterable<Bucket>) {
    this.#compare = compare;
    this.#all = all;
  }

  /** What is kept now. */
  get kept(): readonly Bucket[] {
    return this.#kept;
  }

  /** The first `count` buckets, or all when there are fewer; more may follow them. */
  first(count: number): readonly Bucket[] {
    if (this.#kept.length < count && !this.#complete) this.#gather();
    return this.#kept;
  }

  /** A bucket stands in the order from now on. */
  add(bucket: Bucket): void {
    const kept = this.#kept;
    const place = this.#placeOf(bucket);
    if (place === kept.length && !this.#complete) return; // (TF1)
    kept.splice(place, 0, bucket);
    if (kept.length <= keptAtMost) return;
    kept.pop();
    this.#complete = false;
  }

  /** A bucket stands in the order no more. What orders it must not have changed yet. */
  delete(bucket: Bucket): void {
    const place = this.#placeOf(bucket);
    if (this.#kept[place] === bucket) this.#kept.splice(place, 1);
  }

  /** Buckets stand in the order from now on; they are walked in its order. */
  addAll(buckets: Iterable<Bucket>): void {
    for (const bucket of buckets) {
      const last = this.#kept[this.#kept.length - 1];
      this.add(bucket);
      if (!this.#complete && (last === undefined || this.#compare(bucket, last) > 0)) return;
    }
  }

  /** Buckets stand in the order no more. */
  deleteAll(leaves: (bucket: Bucket) => boolean): void {
    this.#kept = this.#kept.filter((bucket) => !leaves(bucket));
  }

  #gather(): void {
    this.#kept = [];
    this.#complete = true;
    for (const bucket of this.#all()) {
      if (this.#kept.length === keptAtMost) {
        this.#complete = false;
        return;
      }
      this.#kept.push(bucket);
    }
  }

  #placeOf(bucket: Bucket): number {
    const kept = this.#kept;
    let low = 0;
    let high = kept.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#compare(kept[middle] as Bucket, bucket) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

type Order = 'waits' | 'loads' | 'ages';
const orders = ['waits', 'loads', 'ages'] as const satisfies readonly Order[];

/** The fronts of the orders of contended buckets, over all regions that take work. */
export class Fronts {
  /** Regions that take work and have some contended. */
  readonly #regions: Set<RegionShelf> = new Set();
  /** The longest contended first. */
  readonly waits: Front = new Front(byWait, () => this.#merged('waits', byWait));
  /** The least disturbed first. */
  readonly loads: Front = new Front(byLoad, () => this.#merged('loads', byLoad));
  /** That with the oldest head first. */
  readonly ages: Front = new Front(byAge, () => this.#merged('ages', byAge));

  /** Whether any bucket stands in them. */
  get any(): boolean {
    return this.#regions.size > 0;
  }

  /** A bucket was put on the contended shelves of a region that takes work, or taken off. */
  change(bucket: Bucket, change: 'add' | 'delete'): void {
    const { region } = bucket;
    if (region.waits.size === 0) this.#regions.delete(region);
    else this.#regions.add(region);
    for (const order of orders) this[order][change](bucket);
  }

  /** A region with contended buckets takes work from now on, or no more. */
  changeRegion(region: RegionShelf, change: 'add' | 'delete'): void {
    this.#regions[change](region);
    for (const order of orders) {
      if (change === 'add') this[order].addAll(region[order]);
      else this[order].deleteAll((bucket) => bucket.region === region);
    }
  }

  *#merged(order: Order, compare: (left: Bucket, right: Bucket) => number): Iterable<Bucket> {
    yield* merged(setsOf(this.#regions, order), compare);
  }
}

function* setsOf(regions: Iterable<RegionShelf>, order: Order): Iterable<OrderedSet<Bucket>> {
  for (const region of regions) yield region[order];
}
