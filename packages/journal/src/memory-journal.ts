// A journal in memory, deterministic: every commit happens in a microtask. For simulations and tests.
// It never knows a clock; a simulation that wants commits to take time passes a pace.
//
//   MJ1. What waits when a commit begins is one group: it becomes durable as a whole or not at all (J1).
//   MJ2. A commit never yields between its check of epoch and sequence and its last change (J3, J4).

import { concatBytes, type Oid } from '@firetrident/base';
import { epochFenced, HandleState, sequenceMismatch } from './handle-state.ts';
import { MemoryStore } from './memory-store.ts';
import type { Journal, JournalBatch, JournalError, JournalEvent, JournalOpening, SnapshotBody } from './port.ts';
import { checkedEvents } from './record.ts';

interface Job {
  /** Null for what is not an append. */
  readonly append: { readonly batch: JournalBatch; readonly expectedSequence: number } | null;
  readonly apply: () => void;
  readonly resolve: () => void;
  readonly reject: (error: JournalError) => void;
}

/** Called before each commit; the commit happens when the promise resolves. */
export type Pace = () => Promise<void>;

const place = 'journal in memory';

/** The journal port in memory. Its store outlives it: `reopen` gives a new owner of the same store. */
export class MemoryJournal implements Journal {
  readonly opening: JournalOpening;
  protected readonly store: MemoryStore;
  protected readonly state: HandleState;
  readonly #pace: Pace;
  #waiting: Job[] = [];
  #committing: readonly Job[] = [];
  #idle: Promise<void> = Promise.resolve();

  /** Opens `store`, raising its epoch. Without `pace` a commit takes one microtask. */
  constructor(store: MemoryStore = new MemoryStore(), pace: Pace = () => Promise.resolve()) {
    store.epoch += 1;
    this.store = store;
    this.#pace = pace;
    this.opening = { sequence: store.records.length, epoch: store.epoch, report: [] };
    this.state = new HandleState(place, store.records.length);
  }

  /** A new owner of the same store; this handle is fenced from now on. */
  reopen(): MemoryJournal {
    return new MemoryJournal(this.store, this.#pace);
  }

  append(batch: JournalBatch, expectedSequence: number): Promise<void> {
    const refusal = this.state.admit(batch, expectedSequence);
    if (refusal !== null) return Promise.reject(refusal);
    return this.#enqueue({ batch, expectedSequence }, () => this.store.apply(batch));
  }

  putSnapshot(sequence: number, body: SnapshotBody): Promise<void> {
    const refusal = this.state.admitSnapshot(sequence);
    if (refusal !== null) return Promise.reject(refusal);
    const keep = (bytes: Uint8Array) => this.#enqueue(null, () => this.store.putSnapshot(sequence, bytes));
    return body instanceof Uint8Array ? keep(body.slice()) : gathered(body).then(keep);
  }

  async events(afterSequence: number, limit: number): Promise<JournalEvent[]> {
    const records = this.#readable().records.slice(afterSequence, afterSequence + limit);
    return checkedEvents(records, afterSequence, place);
  }

  async latestSnapshot(): Promise<{ sequence: number; body: Uint8Array } | null> {
    return this.#readable().latestSnapshot();
  }

  async blob(oid: Oid): Promise<Uint8Array | null> {
    return this.#readable().blob(oid);
  }

  async blobs(): Promise<Oid[]> {
    return this.#readable().blobs();
  }

  async archived(kind: string, id: string): Promise<string | null> {
    return this.#readable().shelf(kind).body(id);
  }

  async archivedByKey(kind: string, key: string): Promise<string | null> {
    return this.#readable().shelf(kind).bodyByKey(key);
  }

  async archivedAllByKey(kind: string, key: string, limit: number): Promise<string[]> {
    return this.#readable().shelf(kind).bodiesByKey(key, limit);
  }

  async archivedPage(
    kind: string,
    options: { beforeId?: string; limit: number },
  ): Promise<{ id: string; body: string }[]> {
    return this.#readable().shelf(kind).page(options.beforeId, options.limit);
  }

  async close(): Promise<void> {
    this.state.close();
    await this.#idle;
  }

  /** Why the group that is about to commit fails, or null. Overridden where faults are simulated. */
  protected faultOf(_appends: number): JournalError | null {
    return null;
  }

  /** Gives up everything that is not durable yet, keeping the group in flight if `keepGroup`, and refuses it with `error`. */
  protected abandon(keepGroup: boolean, error: JournalError): void {
    const group = this.#committing;
    const waiting = this.#waiting;
    this.#committing = [];
    this.#waiting = [];
    if (keepGroup && this.#refusalOf(group) === null) for (const job of group) job.apply();
    for (const job of [...group, ...waiting]) job.reject(error);
  }

  #readable(): MemoryStore {
    const refusal = this.state.refuseRead();
    if (refusal !== null) throw refusal;
    return this.store;
  }

  #enqueue(append: Job['append'], apply: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const first = this.#waiting.push({ append, apply, resolve, reject }) === 1;
      if (first && this.#committing.length === 0) this.#idle = this.#commitAll();
    });
  }

  async #commitAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const group = this.#waiting;
      this.#committing = group;
      this.#waiting = [];
      await this.#pace();
      if (this.#committing !== group) return;
      this.#commit(group);
      this.#committing = [];
    }
  }

  /** Commits a group in one go (MJ1, MJ2). */
  #commit(group: readonly Job[]): void {
    const refusal =
      this.state.refuseCommit() ??
      this.#refusalOf(group) ??
      this.faultOf(group.filter((job) => job.append !== null).length);
    if (refusal !== null) this.state.fail(refusal);
    for (const job of group) {
      if (refusal === null) job.apply();
    }
    for (const job of group) refusal === null ? job.resolve() : job.reject(refusal);
  }

  #refusalOf(group: readonly Job[]): JournalError | null {
    if (this.store.epoch !== this.opening.epoch) return epochFenced(this.opening.epoch, this.store.epoch, place);
    let sequence = this.store.records.length;
    for (const { append } of group) {
      if (append === null) continue;
      if (append.expectedSequence !== sequence) return sequenceMismatch(append.expectedSequence, sequence, place);
      sequence += append.batch.events.length;
    }
    return null;
  }
}

async function gathered(parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const part of parts) all.push(part);
  return concatBytes(all);
}
