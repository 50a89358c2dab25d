// Building a landing cycle: commits, their new trees, blobs and notes, as one pack in memory.
//
// It never knows the disk or the refs: nothing it makes is visible before someone writes the pack and moves the refs.
//
// Invariants:
//   CY1. Only what is new is put together and hashed: folders that the repository has are not walked.
//   CY2. A folder counts as stored only after the cycle that wrote it has landed, so a cycle that is given up and
//        built again loses nothing.

import { assert, type Oid } from '@firetrident/base';
import type { ObjectCodec } from './codec.ts';
import { type CommitParts, commitText } from './commit-codec.ts';
import { copyContent, type Directory } from './directory.ts';
import { directoryChecksum, directoryHasher } from './directory-hash.ts';
import type { CommitNode } from './history.ts';
import type { CycleInput, Person, PreparedCycle } from './model.ts';
import { addNotes, type NoteEntry } from './notes.ts';
import { ObjectScratch } from './object-scratch.ts';
import { oidBytes, oidText } from './oid-bytes.ts';
import { type FinishedPack, PackWriter, packTypes } from './pack-write.ts';
import type { Tree } from './tree.ts';

/** A commit in a pack that is being built. */
export interface BuiltCommit extends CommitNode {
  readonly text: string;
}

/** What a pack brings that is worth keeping in memory once it has landed (CY2). */
export interface PackContents {
  readonly directories: readonly Directory[];
  readonly commits: readonly BuiltCommit[];
}

/** A pack being built, with the folders in it. */
export class CycleBuilder {
  readonly #scratch: ObjectScratch;
  readonly #pack: PackWriter;
  readonly #hash: (directory: Directory) => Uint8Array;
  #written: Directory[] = [];
  #commits: BuiltCommit[] = [];
  #number = 0;

  constructor(codec: ObjectCodec) {
    this.#scratch = new ObjectScratch(codec);
    this.#pack = new PackWriter(codec);
    this.#hash = directoryHasher(this.#scratch);
  }

  /** Starts over with an empty pack. */
  begin(): void {
    this.#number += 1;
    this.#pack.begin();
  }

  addBlobs(blobs: ReadonlyMap<Oid, Uint8Array>): void {
    for (const [oid, bytes] of blobs) this.#pack.add(packTypes.blob, oidBytes(oid), bytes);
  }

  addTree(tree: Tree): Oid {
    this.#addDirectory(tree.root);
    return tree.oid;
  }

  /** Adds an object whose content is text. */
  addText(type: 'blob' | 'commit', text: string): Oid {
    const content = this.#scratch.encode(text);
    const id = this.#scratch.hash(type, content.length);
    this.#pack.add(packTypes[type], id, content);
    return oidText(id);
  }

  /** Adds a commit. */
  addCommit(parts: CommitParts): Oid {
    const text = commitText(parts);
    const oid = this.addText('commit', text);
    const timeSeconds = parts.committer.timeSeconds ?? parts.timeSeconds;
    this.#commits.push({ oid, parents: parts.parents, timeSeconds, text });
    return oid;
  }

  /** Completes the pack. */
  finish(): { readonly pack: FinishedPack; readonly contents: PackContents } {
    const contents = { directories: this.#written, commits: this.#commits };
    this.#written = [];
    this.#commits = [];
    return { pack: this.#pack.finish(), contents };
  }

  #addDirectory(directory: Directory): void {
    // Nothing below is new either (CY1).
    if (directory.stored || directory.cycle === this.#number) return;
    for (const piece of directory.pieces) {
      if (!piece.children) continue;
      for (const child of piece.children.values()) if (!child.stored) this.#addDirectory(child);
    }
    const id = directory.id;
    // Everything below has its id by now, so hashing leaves this folder's own content in the scratch buffer.
    if (id) copyContent(directory, this.#scratch.content(directory.length), 0);
    const content = this.#scratch.content(directory.length);
    this.#pack.add(packTypes.tree, id ?? directory.seal(this.#hash), content, directoryChecksum(directory));
    directory.cycle = this.#number;
    this.#written.push(directory);
  }
}

/** Builds the cycle; `notes` is the tree at its notes parent. */
export function buildCycle(
  builder: CycleBuilder,
  input: CycleInput,
  notes: Tree,
): { readonly prepared: PreparedCycle; readonly contents: PackContents; readonly notesTree: Tree } {
  assert(input.commits.length > 0, 'a cycle has a commit');
  builder.begin();
  const { timeSeconds } = input;
  const commits: Oid[] = [];
  const added: NoteEntry[] = [];
  let parent = input.parent;
  let committer: Person = { name: '', email: '' };
  for (const commit of input.commits) {
    const tree = builder.addTree(commit.tree);
    const parents = [parent];
    parent = builder.addCommit({ ...commit, tree, parents, timeSeconds });
    commits.push(parent);
    added.push({ commit: parent, blob: builder.addText('blob', commit.note(parent)) });
    committer = commit.committer;
  }
  builder.addBlobs(input.blobs);
  const notesTree = addNotes(notes, added);
  const notesParents = input.notesParent === null ? [] : [input.notesParent];
  const message = added.length === 1 ? 'Note of 1 landing\n' : `Notes of ${added.length} landings\n`;
  const author = committer;
  const tree = builder.addTree(notesTree);
  const notesTip = builder.addCommit({ tree, parents: notesParents, author, committer, message, timeSeconds });
  const { pack, contents } = builder.finish();
  const prepared: PreparedCycle = {
    packName: pack.name,
    pack: pack.pack,
    index: pack.index,
    objectCount: pack.objectCount,
    commits,
    tip: parent,
    notesTip,
    oldTip: input.parent,
    oldNotes: input.notesParent,
  };
  return { prepared, contents, notesTree };
}
