// What every implementation decides about an append before it touches storage: closed, failed, out of order or admitted.
// It never knows how a batch is stored.
//
//   HS1. Admitted batches have adjoining sequences: each starts where the one admitted before it ends (J3).
//   HS2. After a failure nothing is admitted any more, and the answer names the first failure (J5).

import { assert } from '@firetrident/base';
import { type JournalBatch, JournalError } from './port.ts';
import { assertStorable } from './record.ts';

/** The life of one journal handle: open, then perhaps failed, then closed. */
export class HandleState {
  readonly path: string;
  #admittedSequence: number;
  #failure: JournalError | null = null;
  #closed = false;

  /** `sequence` is that of the last event at opening; `path` names the journal in refusals. */
  constructor(path: string, sequence: number) {
    this.path = path;
    this.#admittedSequence = sequence;
  }

  /** Whether the handle was closed. */
  get closed(): boolean {
    return this.#closed;
  }

  /** Closes the handle: from now on everything is refused as `closed`. */
  close(): void {
    this.#closed = true;
  }

  /** Notes the failure of a commit; only the first is kept. */
  fail(error: JournalError): void {
    this.#failure ??= error;
  }

  /** Refuses a read on a closed handle. */
  refuseRead(): JournalError | null {
    if (!this.#closed) return null;
    return new JournalError('closed', 'This journal handle is closed.', this.path, 'Open the journal again.');
  }

  /** Refuses a write on a closed or failed handle. */
  refuseWrite(): JournalError | null {
    return this.refuseRead() ?? this.refuseCommit();
  }

  /** Refuses a commit on a failed handle (HS2). What was admitted before the handle was closed is still committed. */
  refuseCommit(): JournalError | null {
    if (this.#failure === null) return null;
    const { kind, message, hint } = this.#failure;
    return new JournalError(kind, `The journal stopped at an earlier failure: ${message}`, this.path, hint);
  }

  /** Admits a snapshot of the state after event `sequence` (null), or says why not. */
  admitSnapshot(sequence: number): JournalError | null {
    assert(sequence <= this.#admittedSequence, `a snapshot of event ${sequence} comes after that event`);
    return this.refuseWrite();
  }

  /** Admits a batch (null), or says why not. */
  admit(batch: JournalBatch, expectedSequence: number): JournalError | null {
    const refusal = this.refuseWrite();
    if (refusal !== null) return refusal;
    assertStorable(batch);
    // (HS1)
    if (expectedSequence !== this.#admittedSequence) {
      return sequenceMismatch(expectedSequence, this.#admittedSequence, this.path);
    }
    this.#admittedSequence += batch.events.length;
    return null;
  }
}

/** The refusal of an append that expected another last sequence than there is (J3). */
export function sequenceMismatch(expected: number, actual: number, path: string): JournalError {
  const message = `The append expected event ${expected} to be the last, but the last is ${actual}.`;
  return new JournalError('fenced', message, path, 'Read the journal again from there and decide anew.');
}

/** The refusal of a handle whose epoch is no longer the newest (J4). */
export function epochFenced(held: number, current: number, path: string): JournalError {
  const message = `Another owner opened this journal: its epoch is ${current}, ours is ${held}.`;
  return new JournalError('fenced', message, path, 'Stop this process; the other one owns the colony now.');
}
