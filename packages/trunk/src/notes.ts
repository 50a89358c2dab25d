// Where notes lie in the notes tree.
//
// A note's path is the id of its commit, cut after the first two digits; a folder that would grow past its limit is
// moved to a second cut of two digits. git reads any mixture of such folders.
//
// Invariants:
//   NT1. No folder of the first cut holds more notes than the limit: with 96 notes in each of 256 folders the move is
//        over before 24,576 notes, short of the 32,000 at which one cut gets slow.
//   NT2. A note that was there stays, with the same content.

import type { Oid } from '@firetrident/base';
import type { Entry, TreeChange } from './model.ts';
import type { Tree } from './tree.ts';

/** Notes that a folder of the first cut may hold. */
export const notesPerFolderMax = 96;

/** A note to be added: the commit it is for and the blob of its text. */
export interface NoteEntry {
  readonly commit: Oid;
  readonly blob: Oid;
}

const hexName = /^[0-9a-f]+$/;

function noteOf(blob: Oid): Entry {
  return { mode: '100644', oid: blob };
}

/** The notes tree with the notes added (NT1, NT2). */
export function addNotes(notes: Tree, added: readonly NoteEntry[], perFolderMax = notesPerFolderMax): Tree {
  const byFolder = new Map<string, NoteEntry[]>();
  for (const note of added) {
    const folder = note.commit.slice(0, 2);
    const list = byFolder.get(folder);
    if (list) list.push(note);
    else byFolder.set(folder, [note]);
  }
  const changes: TreeChange[] = [];
  for (const [folder, list] of byFolder) addToFolder(notes, folder, list, perFolderMax, changes);
  return notes.with(changes);
}

function addToFolder(
  notes: Tree,
  folder: string,
  added: readonly NoteEntry[],
  perFolderMax: number,
  changes: TreeChange[],
): void {
  const { files, folders } = notes.countOf(folder);
  const cutTwice = folders > 0 || files + added.length > perFolderMax;
  if (cutTwice && files > 0) {
    for (const item of notes.list(folder) ?? []) {
      if (item.kind !== 'file' || item.name.length !== 38 || !hexName.test(item.name)) continue;
      changes.push({ path: `${folder}/${item.name}`, entry: null });
      changes.push({ path: `${folder}/${item.name.slice(0, 2)}/${item.name.slice(2)}`, entry: item.entry });
    }
  }
  for (const { commit, blob } of added) {
    const rest = commit.slice(2);
    const path = cutTwice ? `${folder}/${rest.slice(0, 2)}/${rest.slice(2)}` : `${folder}/${rest}`;
    changes.push({ path, entry: noteOf(blob) });
  }
}

/** The blob of a commit's note wherever git would find it, or null. */
export function findNote(notes: Tree, commit: Oid): Oid | null {
  for (const cuts of [1, 2, 0, 3, 4]) {
    let path = '';
    for (let cut = 0; cut < cuts; cut += 1) path += `${commit.slice(cut * 2, cut * 2 + 2)}/`;
    const entry = notes.entry(path + commit.slice(cuts * 2));
    if (entry) return entry.oid;
  }
  return null;
}
