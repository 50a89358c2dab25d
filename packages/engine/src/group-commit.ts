// Group commit: everything that waits while one append is under way goes into the next.
//
// Owns the order of what becomes durable. Knows nothing of what events mean.
//
// Invariants:
//   GC1. One append is in flight at most; appends are in the order of `add`.
//   GC2. A promise of `add` resolves only after its part is durable, and rejects if that is not known.
//   GC3. After a failed append nothing more is appended through this object.

import type { Oid } from '@firetrident/base';
import type { ArchiveRow, Journal } from '@firetrident/journal';

/** One command's share of an append. */
export interface CommitPart {
  readonly events: readonly string[];
  readonly blobs: readonly { readonly oid: Oid; readonly bytes: Uint8Array }[];
  readonly droppedBlobs: readonly Oid[];
  readonly archive: readonly ArchiveRow[];
}

const emptyPart: CommitPart = { events: [], blobs: [], droppedBlobs: [], archive: [] };

function isEmpty(part: CommitPart): boolean {
  return part.events.length + part.blobs.length + part.droppedBlobs.length + part.archive.length === 0;
}

interface Waiting {
  readonly part: CommitPart;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** Appends parts to a journal in groups. */
export class GroupCommit {
  readonly #journal: Journal;
  #sequence: number;
  #durable: number;
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | null = null;
  #failure: unknown = null;

  constructor(journal: Journal) {
    this.#journal = journal;
    this.#sequence = journal.opening.sequence;
    this.#durable = journal.opening.sequence;
  }

  /** Sequence of the last event added, durable or not. */
  get sequence(): number {
    return this.#sequence;
  }

  /** Sequence of the last durable event. */
  get durable(): number {
    return this.#durable;
  }

  /** Queues a part. The sequence of its first event is `sequence + 1` at the time of the call (GC1, GC2). */
  add(part: CommitPart): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure); // (GC3)
    this.#sequence += part.events.length;
    return new Promise((resolve, reject) => {
      this.#waiting.push({ part, resolve, reject });
      this.#flushing ??= this.#flush();
    });
  }

  /** Resolves when everything added so far is durable (GC2). */
  barrier(): Promise<void> {
    if (this.#failure !== null) return Promise.reject(this.#failure);
    return this.#flushing === null ? Promise.resolve() : this.add(emptyPart);
  }

  async #flush(): Promise<void> {
    // One turn of the microtask queue lets commands of the same tick share the append.
    await Promise.resolve();
    while (this.#waiting.length > 0 && this.#failure === null) {
      const group = this.#waiting;
      this.#waiting = [];
      const batch = {
        events: group.flatMap((waiting) => waiting.part.events),
        blobs: group.flatMap((waiting) => waiting.part.blobs),
        droppedBlobs: group.flatMap((waiting) => waiting.part.droppedBlobs),
        archive: group.flatMap((waiting) => waiting.part.archive),
      };
      try {
        if (!isEmpty(batch)) await this.#journal.append(batch, this.#durable);
        this.#durable += batch.events.length;
        for (const waiting of group) waiting.resolve();
      } catch (error) {
        this.#failure = error;
        for (const waiting of [...group, ...this.#waiting]) waiting.reject(error);
        this.#waiting = [];
      }
    }
    this.#flushing = null;
  }
}
