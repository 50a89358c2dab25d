// One directory of a tree in memory: its entries as raw bytes in short pieces, shared between versions.
//
// A change copies the pieces that it touches and shares the rest, so a directory of thousands of files costs little
// to change, and its bytes are only put together when they are hashed or written.
//
// It never knows paths, nor where objects come from: the loader is passed in.
//
// Invariants:
//   DR1. A directory never changes its meaning. What changes in place is only: subdirectories that get loaded, ids of
//        new subdirectories that get known, and caches.
//   DR2. Entries that no change named keep their bytes: names and modes of any kind survive.
//   DR3. A piece may carry a placeholder instead of the id of a new subdirectory (`pending`); sealing fills it in.
//        Versions that share the piece share the subdirectory, so filling it in is right for all of them.

import { assert, pathText } from '@firetrident/base';
import { TrunkError } from './errors.ts';
import type { FoldedNames } from './folded-names.ts';
import type { Entry } from './model.ts';
import { oidLength, oidText } from './oid-bytes.ts';
import { compareEntry, entryAt, entryEnd, isDirectoryAt, nameEnd, nameStart } from './tree-entry.ts';

/** Entries of a piece when a directory is cut into pieces. */
export const pieceEntries = 12;

const nothingPending: Piece['pending'] = [];

/** A run of entries. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly count: number;
  /** Subdirectories of this piece that are in memory, by name. */
  children: Map<string, Directory> | null;
  /** New subdirectories whose ids are not yet in the bytes, with the offsets where they belong (DR3). */
  pending: readonly { readonly offset: number; readonly child: Directory }[];
  /** Sums for the checksum of zlib, modulo 65521; negative until they are computed. */
  sum: number;
  weightedSum: number;
}

/** Gives the directory whose tree object has these 20 bytes as id. */
export type DirectoryLoader = (oid: Uint8Array) => Directory;

/** Hashes a tree object's content, given as a directory. */
export type DirectoryHasher = (directory: Directory) => Uint8Array;

/** An entry of a walk. `start` is its offset in the piece. */
export interface Place {
  readonly piece: Piece;
  readonly start: number;
}

/** A directory (DR1). */
export class Directory {
  readonly pieces: readonly Piece[];
  readonly count: number;
  /** Length of the tree object's content. */
  readonly length: number;
  /** Whether the tree object and all below it are known to be in the repository. */
  stored: boolean;
  /** Number of the cycle that last put this directory into its pack. */
  cycle = 0;
  /** The stored directory that this one was made from by changes; null once it is stored itself. */
  origin: Directory | null = null;
  /** Names by their case-folded form, a superset of what is here; null until asked for. */
  folded: FoldedNames | null = null;
  #id: Uint8Array | null;

  constructor(pieces: readonly Piece[], id: Uint8Array | null, stored: boolean) {
    this.pieces = pieces;
    this.#id = id;
    this.stored = stored;
    let count = 0;
    let length = 0;
    for (const piece of pieces) {
      count += piece.count;
      length += piece.bytes.length;
    }
    this.count = count;
    this.length = length;
  }

  /** The 20 bytes of the id, or null while the directory is not sealed. */
  get id(): Uint8Array | null {
    return this.#id;
  }

  /** Computes the ids of this directory and of everything new below it (DR3). */
  seal(hash: DirectoryHasher): Uint8Array {
    if (this.#id) return this.#id;
    for (const piece of this.pieces) {
      if (piece.pending.length === 0) continue;
      for (const { offset, child } of piece.pending) piece.bytes.set(child.seal(hash), offset);
      piece.pending = nothingPending;
    }
    this.#id = hash(this);
    return this.#id;
  }

  /** Where the entry with this name and kind is, or null. */
  find(name: Uint8Array, isDirectory: boolean): Place | null {
    const piece = this.pieces[this.pieceFor(name, isDirectory)];
    if (!piece) return null;
    const { bytes } = piece;
    for (let start = 0; start < bytes.length; start = entryEnd(bytes, start)) {
      const order = compareEntry(bytes, start, name, isDirectory);
      if (order === 0) return { piece, start };
      if (order > 0) return null;
    }
    return null;
  }

  /** The file, symbolic link or submodule with this name, or null. */
  file(name: Uint8Array): Entry | null {
    const place = this.find(name, false);
    return place ? entryAt(place.piece.bytes, place.start) : null;
  }

  /** The subdirectory with this name, or null. */
  child(name: string, nameBytes: Uint8Array, load: DirectoryLoader): Directory | null {
    const place = this.find(nameBytes, true);
    return place ? childAt(place, name, load) : null;
  }

  /** Index of the only piece that can hold the entry: the last one that does not begin after it. */
  pieceFor(name: Uint8Array, isDirectory: boolean): number {
    let low = 0;
    let high = this.pieces.length;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (compareEntry((this.pieces[middle] as Piece).bytes, 0, name, isDirectory) <= 0) low = middle;
      else high = middle;
    }
    return low;
  }
}

/** The subdirectory at a place that is one. */
export function childAt(place: Place, name: string, load: DirectoryLoader): Directory {
  const { piece, start } = place;
  const known = piece.children?.get(name);
  if (known) return known;
  const at = entryEnd(piece.bytes, start) - oidLength;
  const child = load(piece.bytes.subarray(at, at + oidLength));
  piece.children ??= new Map();
  piece.children.set(name, child);
  return child;
}

/** Name of the entry at a place. */
export function nameAt({ piece, start }: Place): string {
  const from = nameStart(piece.bytes, start);
  return pathText(piece.bytes.subarray(from, nameEnd(piece.bytes, from)));
}

/** Walks all entries in order. */
export function* places(directory: Directory): Generator<Place> {
  for (const piece of directory.pieces) {
    for (let start = 0; start < piece.bytes.length; start = entryEnd(piece.bytes, start)) yield { piece, start };
  }
}

/** A piece without caches. */
export function pieceOf(
  bytes: Uint8Array,
  count: number,
  children: Map<string, Directory> | null,
  pending: Piece['pending'],
): Piece {
  return { bytes, count, children, pending, sum: -1, weightedSum: -1 };
}

/** The directory with no entry. */
export function emptyDirectory(): Directory {
  return new Directory([], null, false);
}

/** Reads a tree object's content. Throws `corrupt` when it is malformed or not in git's order. */
export function parseDirectory(content: Uint8Array, id: Uint8Array): Directory {
  const pieces: Piece[] = [];
  let pieceStart = 0;
  let count = 0;
  let previous = -1;
  for (let start = 0; start < content.length; ) {
    const end = checkedEntryEnd(content, start, id);
    if (previous >= 0 && !inOrder(content, previous, start)) throw malformed(id, 'its entries are not in order');
    count += 1;
    if (count === pieceEntries || end === content.length) {
      pieces.push(pieceOf(content.subarray(pieceStart, end), count, null, []));
      pieceStart = end;
      count = 0;
    }
    previous = start;
    start = end;
  }
  return new Directory(pieces, id, true);
}

function inOrder(content: Uint8Array, previous: number, start: number): boolean {
  const from = nameStart(content, start);
  const name = content.subarray(from, nameEnd(content, from));
  return compareEntry(content, previous, name, isDirectoryAt(content, start)) < 0;
}

function checkedEntryEnd(content: Uint8Array, start: number, id: Uint8Array): number {
  let at = start;
  while (at - start < 7 && (content[at] ?? 0) >= 0x30 && (content[at] as number) <= 0x37) at += 1;
  const named = at - start >= 5 && content[at] === 0x20 && (content[at + 1] ?? 0) !== 0;
  const zero = named ? content.indexOf(0, at + 1) : -1;
  if (zero < 0 || zero + 1 + oidLength > content.length) throw malformed(id, `it is malformed at byte ${start}`);
  return zero + 1 + oidLength;
}

function malformed(id: Uint8Array, why: string): TrunkError {
  return new TrunkError('corrupt', `tree ${oidText(id)} cannot be used: ${why}`);
}

/** Copies a sealed directory's content to `target` at `offset`. */
export function copyContent(directory: Directory, target: Uint8Array, offset: number): void {
  let at = offset;
  for (const { bytes, pending } of directory.pieces) {
    assert(pending.length === 0, 'a directory is sealed before its content is used');
    target.set(bytes, at);
    at += bytes.length;
  }
}
