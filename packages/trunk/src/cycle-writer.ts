// Putting a prepared cycle on disk and moving the refs to it.
//
// Where the disk can work by itself, the pack is begun as soon as it is built and goes on while the cycle is verified
// and journalled: nothing refers to it, so that a pack that turns out unwanted is only taken away again.
//
// Invariants:
//   CW1. What was begun is waited for before its pack counts as written, before it is taken away, and before another
//        cycle is begun.
//   CW2. Notes move first, trunk is the commit point, and both locks are held and compared before either moves.
//   CW3. What a ref was keeps its staged name until the ref has moved, so that the move frees no file: that takes a file
//        system longer than all else about it. It is taken away while the cycle's end is journalled.

import { beginSteps, type Disk, DiskError, type DiskStep } from './disk.ts';
import type { PreparedCycle, RefOutcome } from './model.ts';
import { beginPackFiles, removePack } from './pack-file.ts';
import type { RefStore, StagedRef } from './refs.ts';

/** Where cycles are written. */
export interface CyclePlace {
  readonly disk: Disk;
  readonly refs: RefStore;
  readonly packFolder: string;
  readonly notesRef: string;
  readonly trunkRef: string;
}

interface StagedRefs {
  readonly notes: StagedRef;
  readonly trunk: StagedRef;
}

interface BegunCycle {
  readonly prepared: PreparedCycle;
  readonly staged: StagedRefs;
  /** Waits, and answers the path of the pack. */
  readonly finish: () => string;
}

/** Writes cycles one after another. */
export class CycleWriter {
  readonly #place: CyclePlace;
  readonly #staged = new WeakMap<PreparedCycle, StagedRefs>();
  #begun: BegunCycle | null = null;
  /** Second names of what the refs are now, and of what they were before (CW3). */
  #current: readonly StagedRef[] = [];
  #replaced: readonly StagedRef[] = [];
  #tidying: (() => void) | null = null;

  constructor(place: CyclePlace) {
    this.#place = place;
  }

  /** Takes away everything that earlier cycles left. */
  clear(): void {
    this.#awaitTidying();
    this.#place.refs.discard([...this.#replaced, ...this.#current]);
    this.#replaced = [];
    this.#current = [];
  }

  /** Begins to write the cycle, where the disk can. Failures are told by `write`. */
  begin(prepared: PreparedCycle): void {
    this.abandon();
    this.#awaitTidying();
    if (!this.#place.disk.begin) return;
    try {
      this.#begin(prepared);
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
    }
  }

  /** Makes the cycle's pack durable, and beside it the new values of the refs. Answers the pack's path without ending. */
  write(prepared: PreparedCycle): string {
    let begun = this.#begun;
    if (begun?.prepared !== prepared) {
      this.abandon();
      begun = this.#begin(prepared);
    }
    this.#begun = null;
    const path = begun.finish();
    this.#staged.set(prepared, begun.staged);
    return path;
  }

  /** Moves the notes ref and then trunk, durably (CW2). On any other outcome than `done` neither has moved. */
  move(prepared: PreparedCycle): RefOutcome {
    const { refs } = this.#place;
    const { notes, trunk } = this.#staged.get(prepared) ?? this.#stageDurably(prepared);
    this.#staged.delete(prepared);
    let outcome = refs.lock(notes, prepared.oldNotes);
    if (outcome.kind === 'done') {
      outcome = refs.lock(trunk, prepared.oldTip);
      if (outcome.kind !== 'done') refs.unlock(notes.ref);
    }
    if (outcome.kind !== 'done') {
      refs.discard([notes, trunk]);
      return outcome;
    }
    refs.move(notes);
    refs.move(trunk);
    this.#replaced = [...this.#replaced, ...this.#current];
    this.#current = [notes, trunk];
    refs.settle([notes, trunk]);
    this.#tidy();
    return outcome;
  }

  /** Takes away what was begun for a cycle that was given up (CW1). */
  abandon(): void {
    const begun = this.#begun;
    if (!begun) return;
    this.#begun = null;
    const { disk, refs, packFolder } = this.#place;
    try {
      begun.finish();
      refs.discard([begun.staged.notes, begun.staged.trunk]);
    } catch (error) {
      // What stays after a failure of the disk is removed at the next start.
      if (!(error instanceof DiskError)) throw error;
    }
    removePack(disk, packFolder, begun.prepared.packName);
  }

  #begin(prepared: PreparedCycle): BegunCycle {
    const { disk, refs, packFolder, notesRef, trunkRef } = this.#place;
    const notes = refs.stageLater(notesRef, prepared.notesTip);
    const trunk = refs.stageLater(trunkRef, prepared.tip);
    const finish = beginPackFiles(disk, packFolder, prepared, [notes, trunk]);
    this.#begun = { prepared, staged: { notes, trunk }, finish };
    return this.#begun;
  }

  /** Begins to take away the second names of what the refs were (CW3). */
  #tidy(): void {
    this.#awaitTidying();
    const steps = this.#replaced.map(({ path }): DiskStep => ({ kind: 'remove', path }));
    this.#replaced = [];
    if (steps.length > 0) this.#tidying = beginSteps(this.#place.disk, steps);
  }

  #awaitTidying(): void {
    const wait = this.#tidying;
    this.#tidying = null;
    try {
      wait?.();
    } catch (error) {
      // What stays is removed at the next start.
      if (!(error instanceof DiskError)) throw error;
    }
  }

  /** For a cycle whose refs did not move at the first attempt. */
  #stageDurably({ notesTip, tip }: PreparedCycle): StagedRefs {
    const { refs, notesRef, trunkRef } = this.#place;
    const staged = { notes: refs.stage(notesRef, notesTip), trunk: refs.stage(trunkRef, tip) };
    refs.sync([staged.notes, staged.trunk]);
    return staged;
  }
}
