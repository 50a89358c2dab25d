// The file of packed refs: one line per ref, with a second line that begins with "^" for what a tag stands for.

import { type Oid, utf8, utf8Text } from '@firetrident/base';

interface PackedLine {
  readonly name: string;
  readonly oid: Oid;
}

function parseLine(line: string): PackedLine | null {
  if (line.startsWith('#') || line.startsWith('^') || line.length < 42) return null;
  return { oid: line.slice(0, 40), name: line.slice(41) };
}

function linesOf(file: Uint8Array | null): string[] {
  return file ? utf8Text(file).split('\n') : [];
}

/** The object that a packed ref names, or null. */
export function readPackedRef(file: Uint8Array | null, ref: string): Oid | null {
  for (const line of linesOf(file)) {
    const packed = parseLine(line);
    if (packed?.name === ref) return packed.oid;
  }
  return null;
}

/** Names of the packed refs below a prefix. */
export function listPackedRefs(file: Uint8Array | null, prefix: string): string[] {
  const names: string[] = [];
  for (const line of linesOf(file)) {
    const packed = parseLine(line);
    if (packed?.name.startsWith(prefix)) names.push(packed.name);
  }
  return names;
}

/** The file without one of its refs. */
export function withoutPackedRef(file: Uint8Array, ref: string): Uint8Array {
  let dropping = false;
  const kept = linesOf(file).filter((line) => {
    dropping = line.startsWith('^') ? dropping : parseLine(line)?.name === ref;
    return !dropping;
  });
  return utf8(kept.join('\n'));
}
