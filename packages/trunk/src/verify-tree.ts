// The verifier's own comparison of two trees, straight from the bytes of tree objects.
//
// Shares nothing with the code that builds trees. Runs of equal entries are passed over byte by byte; every other
// entry is reported, and its place in the order of the new tree is checked.

import { pathText } from '@firetrident/base';
import { hasText, Refused } from './verify-pack.ts';

/** A difference. Ids are offsets into the bytes given; the mode is octal text as stored. */
export interface SeenChange {
  readonly path: string;
  readonly before: SeenEntry | null;
  readonly after: SeenEntry | null;
}

/** An entry as it is stored. `id` is 20 bytes. */
export interface SeenEntry {
  readonly mode: string;
  readonly id: Uint8Array;
}

/** Gives the content of the tree with the id at an offset; throws Refused when there is none. */
type TreeReader = (bytes: Uint8Array, at: number) => Uint8Array;

/** Where the folders of the two trees come from. */
export interface TreeReaders {
  readonly before: TreeReader;
  readonly after: TreeReader;
}

const nothing = new Uint8Array(0);

/** Reports every file that differs between two tree objects' contents. */
export function compareTrees(
  before: Uint8Array,
  after: Uint8Array,
  read: TreeReaders,
  report: (change: SeenChange) => void,
  prefix = '',
): void {
  let old = 0;
  let now = 0;
  let previous = -1;
  let unsure = false;
  while (old < before.length || now < after.length) {
    const run = equalEntries(before, old, after, now);
    if (run.length > 0) {
      if (unsure) checkOrder(after, previous, now, prefix);
      unsure = false;
      previous = now + run.last;
      old += run.length;
      now += run.length;
      continue;
    }
    const order = old >= before.length ? 1 : now >= after.length ? -1 : compareAt(before, old, after, now);
    reportAt(order <= 0 ? before : nothing, old, order >= 0 ? after : nothing, now, read, report, prefix);
    if (order <= 0) old = endOf(before, old);
    if (order < 0) continue;
    if (previous >= 0) checkOrder(after, previous, now, prefix);
    previous = now;
    unsure = true;
    now = endOf(after, now);
  }
}

function reportAt(
  before: Uint8Array,
  old: number,
  after: Uint8Array,
  now: number,
  read: TreeReaders,
  report: (change: SeenChange) => void,
  prefix: string,
): void {
  const bytes = after.length > 0 ? after : before;
  const start = after.length > 0 ? now : old;
  const path = prefix + nameOf(bytes, start);
  if (!isFolder(bytes, start)) {
    report({
      path,
      before: before.length > 0 ? seenEntry(before, old) : null,
      after: after.length > 0 ? seenEntry(after, now) : null,
    });
    return;
  }
  const left = before.length > 0 ? read.before(before, endOf(before, old) - 20) : nothing;
  const right = after.length > 0 ? read.after(after, endOf(after, now) - 20) : nothing;
  if (after.length > 0 && right.length === 0) throw new Refused('wrong-entry', `${path} is an empty folder`, path);
  compareTrees(left, right, read, report, `${path}/`);
}

/** The run of entries from the two offsets that are equal byte by byte: its length, and where its last entry begins. */
function equalEntries(
  left: Uint8Array,
  leftAt: number,
  right: Uint8Array,
  rightAt: number,
): { readonly length: number; readonly last: number } {
  const equal = equalBytes(left, leftAt, right, rightAt);
  let length = 0;
  let last = 0;
  for (let at = 0; ; ) {
    // A mode, a space and a name are at least seven bytes.
    at += 7;
    while (at < equal && left[leftAt + at] !== 0) at += 1;
    // The zero byte after the name, then the id.
    at += 21;
    if (at > equal) return { length, last };
    last = length;
    length = at;
  }
}

/** How many bytes from the two offsets are equal: four at a time, then one by one. */
function equalBytes(left: Uint8Array, leftAt: number, right: Uint8Array, rightAt: number): number {
  const most = Math.min(left.length - leftAt, right.length - rightAt);
  const leftView = new DataView(left.buffer, left.byteOffset + leftAt, most);
  const rightView = new DataView(right.buffer, right.byteOffset + rightAt, most);
  let at = 0;
  while (at + 4 <= most && leftView.getInt32(at) === rightView.getInt32(at)) at += 4;
  while (at < most && left[leftAt + at] === right[rightAt + at]) at += 1;
  return at;
}

function endOf(bytes: Uint8Array, start: number): number {
  const end = bytes.indexOf(0, start) + 21;
  if (end === 20 || end > bytes.length) throw new Refused('object-missing', 'a tree object is malformed');
  return end;
}

function nameOf(bytes: Uint8Array, start: number): string {
  return pathText(bytes.subarray(bytes.indexOf(0x20, start) + 1, bytes.indexOf(0, start)));
}

function seenEntry(bytes: Uint8Array, start: number): SeenEntry {
  const space = bytes.indexOf(0x20, start);
  const end = endOf(bytes, start);
  const plain = hasText(bytes, start, '100644 ');
  const mode = plain ? '100644' : String.fromCharCode(...bytes.subarray(start, space));
  return { mode, id: bytes.subarray(end - 20, end) };
}

/** A folder's mode is 40000, in some old trees 040000; no other mode begins so. */
function isFolder(bytes: Uint8Array, start: number): boolean {
  return bytes[start] === 0x34 || (bytes[start] === 0x30 && bytes[start + 1] === 0x34);
}

/** Order of git: by bytes of the name, a folder's name ending in "/". */
function compareAt(left: Uint8Array, leftStart: number, right: Uint8Array, rightStart: number): number {
  let leftAt = left.indexOf(0x20, leftStart) + 1;
  let rightAt = right.indexOf(0x20, rightStart) + 1;
  for (; left[leftAt] === right[rightAt] && left[leftAt] !== 0; leftAt += 1) rightAt += 1;
  const leftByte = left[leftAt] || (isFolder(left, leftStart) ? 0x2f : 0);
  const rightByte = right[rightAt] || (isFolder(right, rightStart) ? 0x2f : 0);
  return leftByte - rightByte;
}

/** Throws unless the second entry comes after the first and has another name, as folder or as file. */
function checkOrder(bytes: Uint8Array, previous: number, start: number, prefix: string): void {
  if (!hasSameName(bytes, previous, start) && compareAt(bytes, previous, bytes, start) < 0) return;
  const path = prefix + nameOf(bytes, start);
  throw new Refused('wrong-entry', `${path} is not in its place in the tree`, path);
}

function hasSameName(bytes: Uint8Array, left: number, right: number): boolean {
  let leftAt = bytes.indexOf(0x20, left) + 1;
  let rightAt = bytes.indexOf(0x20, right) + 1;
  for (; bytes[leftAt] === bytes[rightAt] && bytes[leftAt] !== 0; leftAt += 1) rightAt += 1;
  return bytes[leftAt] === bytes[rightAt];
}
