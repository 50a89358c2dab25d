// Which paths differ between two trees.

import { assert, comparePaths } from '@firetrident/base';
import { childAt, type Directory, type DirectoryLoader, nameAt, type Place, places } from './directory.ts';
import type { PathChange } from './model.ts';
import { oidLength } from './oid-bytes.ts';
import { compareEntry, entryAt, entryEnd, isDirectoryAt, nameEnd, nameStart } from './tree-entry.ts';

/** Paths whose entry differs, in path order. Both directories are sealed. Equal subtrees are not entered. */
export function diffDirectories(before: Directory, after: Directory, load: DirectoryLoader): PathChange[] {
  const changes: PathChange[] = [];
  walk(before, after, '', load, changes);
  return changes.sort((left, right) => comparePaths(left.path, right.path));
}

function walk(
  before: Directory | null,
  after: Directory | null,
  prefix: string,
  load: DirectoryLoader,
  changes: PathChange[],
): void {
  const left = before ? places(before) : [][Symbol.iterator]();
  const right = after ? places(after) : [][Symbol.iterator]();
  let old = left.next();
  let current = right.next();
  while (!old.done || !current.done) {
    const order = old.done ? 1 : current.done ? -1 : comparePlaces(old.value, current.value);
    const removed = order <= 0 && !old.done ? old.value : null;
    const added = order >= 0 && !current.done ? current.value : null;
    visit(removed, added, prefix, load, changes);
    if (order <= 0) old = left.next();
    if (order >= 0) current = right.next();
  }
}

function comparePlaces(left: Place, right: Place): number {
  const from = nameStart(right.piece.bytes, right.start);
  const name = right.piece.bytes.subarray(from, nameEnd(right.piece.bytes, from));
  return compareEntry(left.piece.bytes, left.start, name, isDirectoryAt(right.piece.bytes, right.start));
}

/** Two places of the same name and kind, or one of them. */
function visit(
  old: Place | null,
  current: Place | null,
  prefix: string,
  load: DirectoryLoader,
  changes: PathChange[],
): void {
  if (old && current && sameBytesAt(old, current)) return;
  const place = current ?? old;
  assert(place, 'one side has the entry');
  const name = nameAt(place);
  const path = `${prefix}${name}`;
  if (isDirectoryAt(place.piece.bytes, place.start)) {
    const before = old && childAt(old, name, load);
    const after = current && childAt(current, name, load);
    walk(before, after, `${path}/`, load, changes);
    return;
  }
  const before = old && entryAt(old.piece.bytes, old.start);
  const after = current && entryAt(current.piece.bytes, current.start);
  changes.push({ path, before, after });
}

function sameBytesAt(left: Place, right: Place): boolean {
  if (left.piece === right.piece && left.start === right.start) return true;
  const length = entryEnd(left.piece.bytes, left.start) - left.start;
  if (entryEnd(right.piece.bytes, right.start) - right.start !== length) return false;
  for (let index = 0; index < length; index += 1) {
    if (left.piece.bytes[left.start + index] !== right.piece.bytes[right.start + index]) return false;
  }
  return length > oidLength;
}
