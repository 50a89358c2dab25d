// Peer: optimistic landing with claims, as a system of this kind was published: whole files, a short scan, a fixed admission.
//
//   PR1. A take looks at the oldest 200 open tasks, in order. It skips a region in which three agents are at work, and
//        takes the task whose files are claimed least, the oldest among equals: claims repel and do not lock.
//   PR2. A proposal is stale when any file that it read or wrote was written since its base: whole files, without a merge.
//   PR3. A stale proposal is redone in full, on the trunk of now; its claims and its place in the region stay with it.

import { regionOfPaths } from '@firetrident/core';
import type { Tally } from '../measure/tally.ts';
import type { PolicyOptions } from '../policy.ts';
import { type Attempt, type PeerRules, runCrew } from './crew-run.ts';
import { OpenLine } from './open-line.ts';
import { TrunkLog } from './trunk-log.ts';

/** Open tasks that a take looks at, and agents that a region admits (PR1). */
const inSight = 200;
const admitted = 3;
/** Folders that make a region, below the folder of a copy. */
const regionDepth = 2;
const noPackages: ReadonlySet<string> = new Set();

interface Offer extends Attempt {
  readonly region: string;
  base: number;
}

class PublishedRules implements PeerRules<Offer> {
  readonly #log = new TrunkLog();
  readonly #line: OpenLine;
  /** Open tasks in sight, oldest first. */
  readonly #offers: Offer[] = [];
  readonly #claims = new Map<number, number>();
  readonly #atWork = new Map<string, number>();

  constructor(options: PolicyOptions) {
    const sighted = Math.min(inSight, options.openTasks);
    this.#line = new OpenLine(options.workload, Math.max(1, options.openTasks - sighted));
    for (let index = 0; index < sighted; index += 1) this.#offer(0);
  }

  take = (nowMs: number): Offer | null => {
    const index = this.#choice();
    if (index < 0) return null;
    const [offer] = this.#offers.splice(index, 1) as [Offer];
    this.#offer(nowMs);
    this.#count(offer, 1);
    offer.base = this.#log.tip;
    return offer;
  };

  propose = (offer: Offer): number | null => {
    if (this.#isStale(offer)) {
      offer.base = this.#log.tip;
      return offer.task.workMs; // (PR3)
    }
    this.#log.land(offer.task);
    return null;
  };

  landed = (offer: Offer): void => this.#count(offer, -1);

  end = (tally: Tally, durationMs: number): void => {
    for (const { openedAtMs } of this.#offers) tally.waited(durationMs, openedAtMs);
    this.#line.end(durationMs, tally);
  };

  /** The next task comes into sight. */
  #offer(nowMs: number): void {
    const { task, openedAtMs } = this.#line.take(nowMs);
    const paths = task.files.map((file) => file.path);
    this.#offers.push({ task, region: regionOfPaths(paths, regionDepth, noPackages), openedAtMs, base: 0 });
  }

  /** The place of the task to take, -1 when every region is full (PR1). */
  #choice(): number {
    let least = -1;
    let leastClaims = Number.POSITIVE_INFINITY;
    for (const [index, { task, region }] of this.#offers.entries()) {
      if ((this.#atWork.get(region) ?? 0) >= admitted) continue;
      let claims = 0;
      for (const { pathId } of task.files) claims += this.#claims.get(pathId) ?? 0;
      if (claims >= leastClaims) continue;
      least = index;
      leastClaims = claims;
      if (claims === 0) break;
    }
    return least;
  }

  /** An agent begins (1) or ends (−1) work on a task. */
  #count({ task, region }: Offer, change: 1 | -1): void {
    this.#atWork.set(region, (this.#atWork.get(region) ?? 0) + change);
    for (const { pathId } of task.files) this.#claims.set(pathId, (this.#claims.get(pathId) ?? 0) + change);
  }

  #isStale({ task: { files, reads }, base }: Offer): boolean {
    const moved = ({ pathId }: { pathId: number }) => this.#log.fileMoved(pathId, base);
    return files.some(moved) || reads.some(moved); // (PR2)
  }
}

/** The rules of the published system. */
export function runPublishedRules(options: PolicyOptions): Tally {
  return runCrew(options, new PublishedRules(options));
}
