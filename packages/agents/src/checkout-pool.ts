// Checkouts that are ready before anybody asks: made, reset and set up while agents work.
//
// Invariants:
//   PL1. A checkout belongs to one worker at a time, from the answer of `acquire` until it is given back.
//   PL2. What comes back is captured before it is reset or removed; where that fails, its files are set aside and no longer used.
//   PL3. Never are there more checkouts than the limit, and nobody waits for one that cannot come.
//   PL4. After `close` nothing of the pool is under way.

import type { Capture } from './capture.ts';
import type { Checkout } from './checkout.ts';
import { CheckoutLimitError, type CheckoutLimits, checkFreeSpace, usedBytes } from './checkout-limits.ts';

/** What a worker needs of its checkout. */
export interface CheckoutRequest {
  /** The commit to stand on. */
  readonly commit: string;
  /** For what: the name under which what is left is captured. */
  readonly reason: string;
  /** Who works in it: the name for commits made inside. */
  readonly identity: string;
  /** Patterns of the files to show; all when null. */
  readonly patterns: readonly string[] | null;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
}

/** What a pool works with. */
export interface PoolSettings {
  /** Folder in which the checkouts lie, for free space and use. */
  readonly directory: string;
  /** The checkout number `number` of the pool, not made yet. */
  readonly make: (number: number) => Checkout;
  /** Workers, each with one checkout at most. */
  readonly workers: number;
  /** Checkouts that wait ready beside those in use, as far as the limit goes. */
  readonly spare: number;
  /** Checkouts that are made or reset at once. */
  readonly parallel: number;
  readonly limits: CheckoutLimits;
  /** Bytes that a checkout is expected to take. */
  readonly expectedBytes: number;
  /** The commit to make the first ones at. */
  readonly commit: string;
  /** Runs in a checkout once it is in order; what it rejects with is left for the worker to meet. */
  readonly setUp: (checkout: Checkout) => Promise<unknown>;
  /** Something was captured. */
  readonly onCapture: (capture: Capture, reason: string) => void;
  /** Files stay where they are, because they cannot be captured in full, or not be reset. */
  readonly onSetAside: (directory: string, why: string) => void;
}

interface Waiting {
  readonly give: (checkout: Checkout) => void;
  readonly refuse: (error: unknown) => void;
}

/** The checkouts of one fleet. */
export class CheckoutPool {
  readonly #settings: PoolSettings;
  readonly #ready: Checkout[] = [];
  readonly #waiting: Waiting[] = [];
  /** What is to be made or reset, in order. */
  readonly #jobs: (() => Promise<void>)[] = [];
  readonly #running = new Set<Promise<void>>();
  readonly #all = new Set<Checkout>();
  #made = 0;
  #commit: string;
  #isClosed = false;
  #isEmptying = false;
  #problem: unknown = null;

  constructor(settings: PoolSettings) {
    this.#settings = settings;
    this.#commit = settings.commit;
  }

  /** Checkouts that wait ready, and all that there are. */
  get counts(): { readonly ready: number; readonly all: number } {
    return { ready: this.#ready.length, all: this.#all.size };
  }

  /** Takes in a checkout that a fleet before left; what lies there has been captured. */
  adopt(checkout: Checkout): void {
    this.#all.add(checkout);
    this.#enqueue(() => this.#reset(checkout));
  }

  /** Makes checkouts in the background until so many are ready or in use, as far as limits go. */
  warm(wanted: number): void {
    const most = Math.min(wanted, this.#settings.limits.checkouts);
    while (this.#all.size < most && this.#mayMake()) this.#make();
  }

  /**
   * A checkout that stands on the commit, with a repository inside for its worker. Rejects with what went wrong when none can be had (PL3),
   * and with the signal's reason when that aborts first.
   */
  async acquire(request: CheckoutRequest): Promise<Checkout> {
    const { commit, reason, identity, patterns, signal } = request;
    this.#commit = commit;
    const checkout = await this.#next(request);
    try {
      signal.throwIfAborted();
      await checkout.shift(commit, reason, patterns);
      checkout.openFront(identity);
      checkout.begin(reason);
      return checkout;
    } catch (error) {
      this.giveBack(checkout);
      throw error;
    } finally {
      this.warm(Math.min(this.#inUse + this.#settings.spare, this.#settings.workers + this.#settings.spare));
    }
  }

  /** The worker is done with a checkout: what it left is captured, and the files are reset, in the background (PL2). */
  giveBack(checkout: Checkout): void {
    this.#enqueue(() => this.#reset(checkout));
  }

  /** Waits until everything that was given back is in order. */
  async settled(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running);
  }

  /**
   * Ends the pool, once every worker has given back what it had (PL4). Ready checkouts stay for the next fleet when `keep` is
   * set, and are removed otherwise.
   */
  async close(keep: boolean): Promise<void> {
    this.#isClosed = true;
    this.#isEmptying = !keep;
    await this.settled();
    if (keep) return;
    for (const checkout of this.#ready) checkout.remove();
  }

  get #inUse(): number {
    return this.#all.size - this.#ready.length;
  }

  async #next({ commit, signal }: CheckoutRequest): Promise<Checkout> {
    const standing = this.#ready.findIndex((one) => one.base === commit);
    const [ready] = this.#ready.splice(Math.max(0, standing), 1);
    if (ready !== undefined) return ready;
    if (this.#jobs.length + this.#running.size < this.#waiting.length + 1 && this.#mayMake()) this.#make();
    // (PL3) With no checkout at all, none will ever come back.
    if (this.#all.size === 0)
      throw this.#problem ?? new CheckoutLimitError('--max-checkouts', this.#settings.limits.checkouts, 1);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(signal.reason);
      };
      const settle = <T>(then: (value: T) => void) => {
        return (value: T) => {
          signal.removeEventListener('abort', leave);
          then(value);
        };
      };
      const waiting: Waiting = { give: settle(resolve), refuse: settle(reject) };
      this.#waiting.push(waiting);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    });
  }

  #mayMake(): boolean {
    const { limits, directory, expectedBytes } = this.#settings;
    if (this.#isClosed || this.#all.size >= limits.checkouts) return false;
    this.#problem = checkFreeSpace(directory, expectedBytes);
    return this.#problem === null;
  }

  #make(): void {
    this.#made += 1;
    const checkout = this.#settings.make(this.#made);
    this.#all.add(checkout);
    this.#enqueue(() => this.#reset(checkout, true));
  }

  #enqueue(job: () => Promise<void>): void {
    this.#jobs.push(job);
    this.#startJobs();
  }

  #startJobs(): void {
    while (this.#running.size < this.#settings.parallel) {
      const job = this.#jobs.shift();
      if (job === undefined) return;
      const running = job().finally(() => {
        this.#running.delete(running);
        this.#startJobs();
      });
      this.#running.add(running);
    }
  }

  /** Captures what lies in a checkout, brings it in order, and gives it to whoever waits longest. Never rejects (PL2). */
  async #reset(checkout: Checkout, isFresh = false): Promise<void> {
    const { setUp, onCapture, onSetAside } = this.#settings;
    const reason = checkout.work ?? 'checkout';
    try {
      checkout.prepare();
      const capture = await checkout.secure(reason);
      if (capture !== null) onCapture(capture, reason);
      if (this.#isEmptying || (this.#waiting.length === 0 && !(await this.#isWithinDisk()))) {
        this.#all.delete(checkout);
        checkout.remove();
        return;
      }
      await checkout.moveTo(this.#commit, reason);
      // What setup met now, its worker meets again, and tells.
      await setUp(checkout).catch(() => undefined);
      this.#offer(checkout);
    } catch (error) {
      this.#all.delete(checkout);
      onSetAside(checkout.place.directory, error instanceof Error ? error.message : String(error));
      // One that somebody had worked in may be at fault itself; where a fresh one fails, the next would too.
      if (this.#waiting.length > 0 && !isFresh && this.#mayMake()) this.#make();
      else if (this.#all.size === 0) for (const { refuse } of this.#waiting.splice(0)) refuse(error); // (PL3)
    }
  }

  #offer(checkout: Checkout): void {
    const first = this.#waiting.shift();
    if (first === undefined) this.#ready.push(checkout);
    else first.give(checkout);
  }

  async #isWithinDisk(): Promise<boolean> {
    const { directory, limits } = this.#settings;
    return limits.diskBytes === null || (await usedBytes(directory)) <= limits.diskBytes;
  }
}
