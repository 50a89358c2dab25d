// Making a changed directory from another one: only the pieces that a change touches are copied.

import { Directory, nameAt, type Piece, pieceEntries, pieceOf } from './directory.ts';
import type { Entry } from './model.ts';
import { oidLength, writeOid } from './oid-bytes.ts';
import { pieceBytes } from './piece-bytes.ts';
import { compareEntry, compareNames, entryEnd, isDirectoryAt } from './tree-entry.ts';

/** A piece with more entries than this is cut in two. */
const pieceEntriesMax = 20;

/** One entry to put in place or take away. */
export type DirectoryEdit =
  | { readonly kind: 'file'; readonly name: string; readonly bytes: Uint8Array; readonly entry: Entry | null }
  | { readonly kind: 'directory'; readonly name: string; readonly bytes: Uint8Array; readonly child: Directory | null };

function removes(edit: DirectoryEdit): boolean {
  return edit.kind === 'file' ? edit.entry === null : edit.child === null;
}

function compareEdits(left: DirectoryEdit, right: DirectoryEdit): number {
  return compareNames(left.bytes, left.kind === 'directory', right.bytes, right.kind === 'directory');
}

/** The directory with the edits made, each of which names another entry; null when nothing is left. */
export function editDirectory(directory: Directory | null, edits: readonly DirectoryEdit[]): Directory | null {
  const sorted = edits.length > 1 ? [...edits].sort(compareEdits) : edits;
  const pieces: Piece[] = [];
  const old = directory?.pieces ?? [];
  let copied = 0;
  for (let index = 0; index < sorted.length; ) {
    const first = sorted[index] as DirectoryEdit;
    const target = directory ? directory.pieceFor(first.bytes, first.kind === 'directory') : 0;
    const group = index;
    const next = old[target + 1];
    index += 1;
    while (index < sorted.length && (!next || !reaches(next, sorted[index] as DirectoryEdit))) index += 1;
    for (; copied < target; copied += 1) pieces.push(old[copied] as Piece);
    pushRebuilt(pieces, old[target] ?? null, sorted.slice(group, index));
    copied = target + 1;
  }
  for (; copied < old.length; copied += 1) pieces.push(old[copied] as Piece);
  if (pieces.length === 0) return null;
  const edited = new Directory(pieces, null, false);
  edited.origin = directory?.stored ? directory : (directory?.origin ?? null);
  inheritFolded(directory, edited, sorted);
  return edited;
}

function reaches(piece: Piece, edit: DirectoryEdit): boolean {
  return compareEntry(piece.bytes, 0, edit.bytes, edit.kind === 'directory') <= 0;
}

function inheritFolded(from: Directory | null, to: Directory, edits: readonly DirectoryEdit[]): void {
  const folded = from?.folded;
  if (!folded || folded.size > to.count * 2 + 64) return;
  for (const edit of edits) {
    if (!removes(edit)) folded.add(edit.name);
  }
  to.folded = folded;
}

/** A stretch of the old bytes that stays, or an edit that puts something. */
type Part = { readonly from: number; readonly to: number } | DirectoryEdit;

function pushRebuilt(pieces: Piece[], old: Piece | null, edits: readonly DirectoryEdit[]): void {
  const source = old?.bytes ?? new Uint8Array(0);
  const parts: Part[] = [];
  let count = old?.count ?? 0;
  let length = source.length;
  let kept = 0;
  let at = 0;
  for (const edit of edits) {
    let order = 1;
    while (at < source.length) {
      order = compareEntry(source, at, edit.bytes, edit.kind === 'directory');
      if (order >= 0) break;
      at = entryEnd(source, at);
    }
    if (at > kept) parts.push({ from: kept, to: at });
    if (at < source.length && order === 0) {
      const end = entryEnd(source, at);
      length -= end - at;
      count -= 1;
      at = end;
    }
    kept = at;
    if (removes(edit)) continue;
    parts.push(edit);
    length += modeLength(edit) + 1 + edit.bytes.length + 1 + oidLength;
    count += 1;
  }
  if (count === 0) return;
  if (source.length > kept) parts.push({ from: kept, to: source.length });
  const piece = assemble(old, parts, length, count);
  const made = count <= pieceEntriesMax ? [piece] : splitPiece(piece);
  keepChildren(old, edits, made);
  pieces.push(...made);
}

/** Hands the subdirectories in memory on to the pieces that name them now. */
function keepChildren(old: Piece | null, edits: readonly DirectoryEdit[], made: readonly Piece[]): void {
  const children = new Map(old?.children);
  for (const edit of edits) {
    if (edit.kind !== 'directory') continue;
    if (edit.child) children.set(edit.name, edit.child);
    else children.delete(edit.name);
  }
  if (children.size === 0) return;
  const [only] = made;
  if (only && made.length === 1) {
    only.children = children;
    return;
  }
  for (const piece of made) {
    for (let start = 0; start < piece.bytes.length; start = entryEnd(piece.bytes, start)) {
      if (!isDirectoryAt(piece.bytes, start)) continue;
      const name = nameAt({ piece, start });
      const child = children.get(name);
      if (!child) continue;
      piece.children ??= new Map();
      piece.children.set(name, child);
    }
  }
}

function modeLength(edit: DirectoryEdit): number {
  return edit.kind === 'file' ? 6 : 5;
}

function assemble(old: Piece | null, parts: readonly Part[], length: number, count: number): Piece {
  const bytes = pieceBytes(length);
  const pending: { offset: number; child: Directory }[] = [];
  let at = 0;
  for (const part of parts) {
    if ('from' in part) {
      const { from, to } = part;
      bytes.set((old as Piece).bytes.subarray(from, to), at);
      for (const item of (old as Piece).pending) {
        if (item.offset >= from && item.offset < to)
          pending.push({ offset: item.offset - from + at, child: item.child });
      }
      at += to - from;
      continue;
    }
    const mode = part.kind === 'file' ? (part.entry as Entry).mode : '40000';
    for (let index = 0; index < mode.length; index += 1) bytes[at + index] = mode.charCodeAt(index);
    bytes[at + mode.length] = 0x20;
    bytes.set(part.bytes, at + mode.length + 1);
    at += mode.length + 1 + part.bytes.length + 1;
    if (part.kind === 'file') writeOid((part.entry as Entry).oid, bytes, at);
    else {
      const child = part.child as Directory;
      if (child.id) bytes.set(child.id, at);
      else pending.push({ offset: at, child });
    }
    at += oidLength;
  }
  return pieceOf(bytes, count, null, pending);
}

function splitPiece(whole: Piece): Piece[] {
  const pieces: Piece[] = [];
  const parts = Math.ceil(whole.count / pieceEntries);
  const share = Math.ceil(whole.count / parts);
  let from = 0;
  let count = 0;
  for (let at = 0; at < whole.bytes.length; ) {
    at = entryEnd(whole.bytes, at);
    count += 1;
    if (count < share && at < whole.bytes.length) continue;
    const pending = whole.pending
      .filter(({ offset }) => offset >= from && offset < at)
      .map(({ offset, child }) => ({ offset: offset - from, child }));
    pieces.push(pieceOf(whole.bytes.slice(from, at), count, null, pending));
    from = at;
    count = 0;
  }
  return pieces;
}
