// A journal in memory that fails on demand: power cuts and a full disk, drawn from a seed so that a run can be repeated.
//
//   FM1. A power cut keeps or loses the group in flight as a whole; what waited behind it is lost. Nothing that was
//        acknowledged is lost.
//   FM2. An append that fails leaves nothing behind, and neither does any other of its group (J1).

import { RandomStream } from '@firetrident/base';
import { MemoryJournal, type Pace } from './memory-journal.ts';
import type { MemoryStore } from './memory-store.ts';
import { JournalError } from './port.ts';

/** What shall go wrong. */
export interface JournalFaults {
  /** Decides whether a power cut keeps the group in flight. */
  readonly seed: number;
  /** The append of this handle, counted from 1, at which the disk is full. Never when absent. */
  readonly fullAtAppend?: number;
  /** How long commits take; one microtask when absent. */
  readonly pace?: Pace;
}

const place = 'simulated journal';

/** The simulated journal of fault tests. */
export class FaultyMemoryJournal extends MemoryJournal {
  readonly #faults: JournalFaults;
  readonly #random: RandomStream;
  #appends = 0;

  constructor(faults: JournalFaults, store?: MemoryStore) {
    super(store, faults.pace);
    this.#faults = faults;
    this.#random = new RandomStream(faults.seed + this.opening.epoch);
  }

  /** Cuts the power now (FM1): this handle is closed, and whoever still waits on it is refused as `closed`. */
  powerCut(): void {
    this.state.close();
    const error = new JournalError('closed', 'The power was cut.', place, 'Reopen the journal.');
    this.abandon(this.#random.next() < 0.5, error);
  }

  /** A fresh handle on what survived. `fullAtAppend` counts anew; without it there is room again. */
  override reopen(fullAtAppend?: number): FaultyMemoryJournal {
    const { seed, pace } = this.#faults;
    const faults = { seed, ...(pace && { pace }), ...(fullAtAppend !== undefined && { fullAtAppend }) };
    return new FaultyMemoryJournal(faults, this.store);
  }

  protected override faultOf(appends: number): JournalError | null {
    const { fullAtAppend } = this.#faults;
    this.#appends += appends;
    if (fullAtAppend === undefined || this.#appends < fullAtAppend) return null;
    return new JournalError('full', 'The disk is full.', place, 'Make room, then open the journal again.');
  }
}
