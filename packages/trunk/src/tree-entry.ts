// The entries of a tree object in their raw form: mode in octal, a space, the name, a zero byte, 20 bytes of id.
//
// Everything here works on offsets into bytes, so that walking a tree makes no objects.
//
// Invariants:
//   TE1. Order is git's: by the bytes of the names, a directory's name counting as if it ended in "/".

import type { Entry, Mode } from './model.ts';
import { oidLength, oidText } from './oid-bytes.ts';

const space = 0x20;
const slash = 0x2f;

/** Offset of the name of the entry at `start`. */
export function nameStart(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] !== space) at += 1;
  return at + 1;
}

/** Offset of the zero byte after the name that begins at `start`. */
export function nameEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (bytes[at] !== 0) at += 1;
  return at;
}

/** Offset behind the entry at `start`. */
export function entryEnd(bytes: Uint8Array, start: number): number {
  // No mode is shorter than five digits, and neither mode nor name holds a zero byte.
  return nameEnd(bytes, start + 5) + 1 + oidLength;
}

/** Whether the entry at `start` is a directory. Old tools wrote its mode with a leading zero. */
export function isDirectoryAt(bytes: Uint8Array, start: number): boolean {
  const first = bytes[start];
  return first === 0x34 || (first === 0x30 && bytes[start + 1] === 0x34);
}

/** The entry at `start` as a landing would write it: modes that git no longer makes read as the nearest one it does. */
export function entryAt(bytes: Uint8Array, start: number): Entry {
  let mode = 0;
  let at = start;
  for (; bytes[at] !== space; at += 1) mode = mode * 8 + ((bytes[at] as number) - 0x30);
  return { mode: plainMode(mode), oid: oidText(bytes, nameEnd(bytes, at) + 1) };
}

function plainMode(mode: number): Mode {
  switch (mode & 0o170000) {
    case 0o120000:
      return '120000';
    case 0o160000:
      return '160000';
    default:
      return (mode & 0o100) === 0 ? '100644' : '100755';
  }
}

/** Compares the entry at `start` with a name in git's order (TE1): negative when the entry comes first. */
export function compareEntry(bytes: Uint8Array, start: number, name: Uint8Array, isDirectory: boolean): number {
  let at = nameStart(bytes, start);
  for (let index = 0; index < name.length; index += 1, at += 1) {
    const difference = (bytes[at] as number) - (name[index] as number);
    if (difference === 0) continue;
    // The entry's name ends here: its directory's slash is what has to be compared.
    if (bytes[at] === 0 && isDirectoryAt(bytes, start)) return slash - (name[index] as number);
    return difference;
  }
  const last = bytes[at] as number;
  const entryNext = last === 0 && isDirectoryAt(bytes, start) ? slash : last;
  return entryNext - (isDirectory ? slash : 0);
}

/** Compares two names in git's order (TE1). */
export function compareNames(
  left: Uint8Array,
  leftIsDirectory: boolean,
  right: Uint8Array,
  rightIsDirectory: boolean,
): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index += 1) {
    const difference = (left[index] as number) - (right[index] as number);
    if (difference !== 0) return difference;
  }
  const leftNext = left[shared] ?? (leftIsDirectory ? slash : 0);
  const rightNext = right[shared] ?? (rightIsDirectory ? slash : 0);
  return leftNext - rightNext;
}
