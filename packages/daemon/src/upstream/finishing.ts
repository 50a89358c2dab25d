// A cycle that the upstream has is finished here: notes and trunk move to where it wanted them.
//
//   FN1. Notes move before trunk.
//   FN2. What someone else put on trunk here meanwhile keeps a ref, since the upstream decides what trunk is.
//   FN3. Notes that someone else wrote are not written over: a person puts them back.

import type { Oid } from '@firetrident/base';
import type { RefMove } from '@firetrident/core';
import type { MoveAnswer } from '@firetrident/engine';
import type { GitAnswer, GitCalls } from './git-calls.ts';
import type { LocalRefs } from './remote.ts';

/** What became of it. `displaced` tells a person what stood on trunk instead, or is null. */
export type FinishedHere =
  | { readonly kind: 'done'; readonly displaced: string | null }
  | { readonly kind: 'held'; readonly problem: string };

const notesRef = 'refs/notes/firetrident';

/** A ref that does not stand any more where a cycle found it. */
export type StaleRef = Extract<MoveAnswer, { kind: 'stale' }>;

/** The ref that somebody moved since a cycle was planned, trunk before notes; null when both stand. */
export function staleRef(branch: string, { trunk, notes }: LocalRefs, { oldTip, oldNotes }: RefMove): StaleRef | null {
  if (trunk !== oldTip) return { kind: 'stale', ref: `refs/heads/${branch}`, found: trunk };
  return notes === oldNotes ? null : { kind: 'stale', ref: notesRef, found: notes ?? '' };
}

/** Moves the refs of the repository here; it can be called again after any of its answers. */
export async function finishHere(git: GitCalls, branch: string, refs: RefMove): Promise<FinishedHere> {
  const { oldNotes, newNotes, newTip } = refs;
  const trunkRef = `refs/heads/${branch}`;
  const notes = await commitAt(git, notesRef);
  // (FN3)
  if (notes !== newNotes && notes !== oldNotes) return held(notesMoved(notes, oldNotes));
  // (FN1)
  if (newNotes !== null && notes !== newNotes) {
    const moved = await git.move(notesRef, newNotes, oldNotes ?? '');
    if (moved.code !== 0) return held(refHeld(notesRef, moved));
  }
  const trunk = await commitAt(git, trunkRef);
  if (trunk === null) return held(`${trunkRef} is gone`);
  if (trunk === newTip || (await git.run('merge-base', '--is-ancestor', newTip, trunk)).code === 0) return done(null);
  const displaced = trunk === refs.oldTip ? null : await keep(git, trunk);
  const moved = await git.move(trunkRef, newTip, trunk);
  if (moved.code !== 0) return held(refHeld(trunkRef, moved));
  return done(displaced === null ? null : displacedText(trunkRef, trunk, displaced));
}

/** (FN2) */
async function keep(git: GitCalls, commit: Oid): Promise<string> {
  const ref = `refs/firetrident/displaced/${commit}`;
  const kept = await git.move(ref, commit, '');
  if (kept.code === 0 || (await commitAt(git, ref)) === commit) return ref;
  throw new Error(`${commit} could not be kept: ${kept.problem}`);
}

async function commitAt(git: GitCalls, ref: string): Promise<Oid | null> {
  const found = await git.run('for-each-ref', '--format=%(objectname)', ref);
  return found.output === '' ? null : (found.output as Oid);
}

function done(displaced: string | null): FinishedHere {
  return { kind: 'done', displaced };
}

function held(problem: string): FinishedHere {
  return { kind: 'held', problem };
}

function refHeld(ref: string, { problem }: GitAnswer): string {
  const said = problem.split('\n')[0] ?? '';
  return `the upstream has a cycle that cannot be finished here: ${said}. If nothing works on the repository, remove ${ref}.lock from it`;
}

function notesMoved(found: Oid | null, wanted: Oid | null): string {
  const back = wanted === null ? `git update-ref -d ${notesRef}` : `git update-ref ${notesRef} ${wanted}`;
  return `${notesRef} belongs to the colony, and someone moved it to ${found ?? 'nothing'} while the upstream took a cycle. Landing goes on after: ${back}`;
}

function displacedText(trunkRef: string, trunk: Oid, ref: string): string {
  return `someone moved ${trunkRef} here to ${trunk} while the upstream took a cycle. The upstream decides: trunk is what it has, and ${ref} keeps the other. Push that to the upstream if it is wanted`;
}
