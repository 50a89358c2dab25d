// What remains to be done after a cycle was cut off.
//
// The journal holds the intention before the first byte is written, so whatever a kill or a power cut left, the trunk
// ref decides: it has the new tip and the cycle landed, or it has not and nothing did.
//
// Invariants:
//   RC1. Recovery may itself be cut off at any step and be run again.
//   RC2. Locks and files are removed only when they are recognised as ours.
//   RC3. When trunk has landed, the notes ref has the notes too; when it has not, the notes ref is as before.
//   RC4. A cycle is called finished only after its moves are durable.

import type { Oid } from '@firetrident/base';
import type { Disk } from './disk.ts';
import { TrunkError } from './errors.ts';
import type { History } from './history.ts';
import type { CycleIntention, Recovery } from './model.ts';
import { removeUnfinishedPacks } from './pack-file.ts';
import type { RefStore } from './refs.ts';

/** What recovery works on. */
export interface RecoveryContext {
  readonly disk: Disk;
  readonly refs: RefStore;
  readonly history: History;
  readonly packFolder: string;
  readonly trunkRef: string;
  readonly notesRef: string;
}

/** Brings refs and files to one of the two states that an intention allows (RC1 to RC3). */
export function recoverCycle(context: RecoveryContext, intention: CycleIntention): Recovery {
  const { disk, refs, trunkRef, notesRef, packFolder } = context;
  const { oldTip, newTip, oldNotes, newNotes, packName } = intention;
  // What else lies there belongs to others (RC2).
  refs.removeOwnLock(trunkRef, [newTip]);
  refs.removeOwnLock(notesRef, oldNotes === null ? [newNotes] : [newNotes, oldNotes]);
  refs.removeLeftovers();
  removeUnfinishedPacks(disk, packFolder, packName);
  const tip = refs.read(trunkRef);
  if (tip === null) throw new TrunkError('missing-branch', `${trunkRef} is gone`);
  if (tip === newTip || (tip !== oldTip && descends(context, newTip, tip))) {
    if (refs.read(notesRef) === oldNotes) move(context, oldNotes, newNotes);
    // A kill keeps moves that were not synced yet. They are told as landed from now on (RC4).
    for (const ref of [notesRef, trunkRef]) refs.makeDurable(ref);
    return { kind: 'finished', tip };
  }
  if (refs.read(notesRef) === newNotes) move(context, newNotes, oldNotes);
  return { kind: tip === oldTip ? 'rolled-back' : 'foreign', tip };
}

function move({ refs, notesRef }: RecoveryContext, expected: Oid | null, value: Oid | null): void {
  const outcome = refs.compareAndSwap(notesRef, expected, value);
  if (outcome.kind === 'done') return;
  throw new TrunkError('git-failed', `${notesRef} is ${outcome.kind} by another program; stop it and start again`);
}

function descends({ history }: RecoveryContext, ancestor: Oid, tip: Oid): boolean {
  try {
    return history.isAncestor(ancestor, tip) === 'yes';
  } catch (error) {
    // The cycle's own pack may never have been written: then nobody can have built on its tip.
    if (error instanceof TrunkError && error.kind === 'missing-object') return false;
    throw error;
  }
}
