// Paths of a tree as text that loses nothing.
//
// git stores names as bytes. A path here is a string in which each byte that is not part of valid UTF-8 stands as
// one lone surrogate U+DC80..U+DCFF (byte 0x80..0xFF). Ordinary paths look ordinary; every byte string round-trips.
//
// Invariants:
//   PA1. pathText and pathBytes are inverse of each other on every byte string.

import { hexText, utf8 } from './bytes.ts';

/** A path below the root of a tree: segments joined by "/", never absolute. */
export type TreePath = string;

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

// Nearly all paths are ASCII and short, and short loops beat the platform's coders on them by far.

function asciiText(bytes: Uint8Array): string | null {
  let text = '';
  for (let index = 0; index < bytes.length; index += 1) {
    const byte = bytes[index] as number;
    if (byte >= 0x80) return null;
    text += String.fromCharCode(byte);
  }
  return text;
}

function asciiBytes(text: string): Uint8Array | null {
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code >= 0x80) return null;
    bytes[index] = code;
  }
  return bytes;
}

function sequenceLength(lead: number): number {
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) return 3;
  if (lead >= 0xf0 && lead <= 0xf4) return 4;
  return 0;
}

function decodeStrict(bytes: Uint8Array): string | null {
  try {
    return strict.decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
}

/** Text of a path's bytes (PA1). */
export function pathText(bytes: Uint8Array): TreePath {
  const ascii = asciiText(bytes);
  if (ascii !== null) return ascii;
  const whole = decodeStrict(bytes);
  if (whole !== null) return whole;
  let text = '';
  for (let index = 0; index < bytes.length; ) {
    const byte = bytes[index] as number;
    const length = byte < 0x80 ? 1 : sequenceLength(byte);
    const piece = length > 0 ? decodeStrict(bytes.subarray(index, index + length)) : null;
    if (piece !== null && index + length <= bytes.length) {
      text += piece;
      index += length;
    } else {
      text += String.fromCharCode(0xdc00 + byte);
      index += 1;
    }
  }
  return text;
}

/** Bytes of a path's text (PA1). */
export function pathBytes(path: TreePath): Uint8Array {
  const ascii = asciiBytes(path);
  if (ascii !== null) return ascii;
  if (path.isWellFormed()) return utf8(path);
  const bytes: number[] = [];
  for (const character of path) {
    const code = character.codePointAt(0) as number;
    if (code >= 0xdc80 && code <= 0xdcff) bytes.push(code - 0xdc00);
    else bytes.push(...utf8(character));
  }
  return Uint8Array.from(bytes);
}

/** Whether the path's bytes are valid UTF-8. */
export function isTextPath(path: TreePath): boolean {
  return path.isWellFormed();
}

/** The folder of a path: "" for a file in the root. */
export function folderOf(path: TreePath): TreePath {
  const slash = path.lastIndexOf('/');
  return slash < 0 ? '' : path.slice(0, slash);
}

/** The last segment of a path. */
export function nameOf(path: TreePath): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Orders paths by their bytes, as git orders an index. */
export function comparePaths(left: TreePath, right: TreePath): number {
  if (left === right) return 0;
  const leftHex = hexText(pathBytes(left));
  const rightHex = hexText(pathBytes(right));
  return leftHex < rightHex ? -1 : 1;
}
