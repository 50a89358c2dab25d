// YAML as runs of lines: block maps whose keys have lines of their own.
//
// Invariants:
//   YR1. Only what stands for itself is read: one document without directives, anchors, aliases and tags, whose keys
//        are plain values that differ also as texts, nested no deeper than `depthLimit`.

import { isMap, isScalar, isSeq, type Pair, parseDocument, type YAMLMap } from 'yaml';
import { cutRegion, type FoundKey, type KeyRegion } from './key-runs.ts';

/** How deep values may be nested: no deeper than whoever checks the merge reads. */
const depthLimit = 90;

class Unread extends Error {}

/** Cuts a text into runs; null when it is no YAML, or none of the kind that can be cut (YR1). */
export function readYamlRuns(text: string): KeyRegion | null {
  if (/^%/m.test(text)) return null;
  try {
    const document = parseDocument(text, { logLevel: 'error' });
    if (document.errors.length > 0 || document.warnings.length > 0) return null;
    const root: unknown = document.contents;
    // Nothing but comments: a map that has no keys yet.
    if (root === null || (isScalar(root) && root.source === '' && !root.anchor && !root.tag)) {
      return { head: '', entries: [], tail: text, indent: '' };
    }
    if (!isMap(root) || root.flow) return null;
    const keys = keysOf(root, 1);
    const from = startOf(text, keys[0]?.start ?? 0);
    const region = cutRegion(text, from, text.length, keys);
    return region === null ? null : { ...region, head: text.slice(0, from) };
  } catch (error) {
    // The library descends by recursion: what is nested too deep for it is refused.
    if (error instanceof Unread || error instanceof RangeError) return null;
    throw error;
  }
}

/** Behind the marker of the document and what a blank line sets apart from the first key: that is about the file. */
function startOf(text: string, firstKey: number): number {
  const before = text.slice(0, text.lastIndexOf('\n', firstKey - 1) + 1);
  const marker = [...before.matchAll(/^---.*\n/gm)].at(-1);
  const blank = [...before.matchAll(/^[ \t\r]*\n/gm)].at(-1);
  return Math.max(...[marker, blank].map((found) => (found === undefined ? 0 : found.index + found[0].length)));
}

function keysOf(map: YAMLMap, depth: number): FoundKey[] {
  const ids = new Set<string>();
  return map.items.map((item) => {
    const found = keyOf(item as Pair, depth);
    if (ids.has(found.id)) throw new Unread();
    ids.add(found.id);
    return found;
  });
}

function keyOf({ key, value }: Pair, depth: number): FoundKey {
  if (!isScalar(key) || !key.range) throw new Unread();
  const [start, keyEnd] = key.range;
  // A number as a key is another key than its text, to some readers.
  const [id, name, text] = [idOf(key), keyText(key, 0), keyText(value, depth)];
  if (!isMap(value) || value.flow || value.items.length === 0) {
    return { id, start, end: endOf(value, keyEnd), value: name + text, below: null };
  }
  const keys = keysOf(value, depth + 1);
  return { id, start, end: keys.at(-1)?.end ?? keyEnd, value: name, below: { keyEnd, keys } };
}

/** Where a value ends: what the library counts as the end of a block may lie on a later line. */
function endOf(node: unknown, fallback: number): number {
  const range = (node as { range?: readonly number[] | null } | null)?.range;
  const [start, end] = range ?? [];
  if (start === undefined || end === undefined || start >= end) return fallback;
  if (isSeq(node) && !node.flow) return endOf(node.items.at(-1), end);
  if (!isMap(node) || node.flow) return end;
  const last = node.items.at(-1) as Pair | undefined;
  return last === undefined ? end : endOf(last.value, isScalar(last.key) ? (last.key.range?.[1] ?? end) : end);
}

/** The name of a key: two keys with one text are not told apart by every reader of YAML. */
function idOf(key: unknown): string {
  keyText(key, 0);
  return String((key as { value: unknown }).value);
}

/** A text that equal values share; plain values count as they are written. */
function keyText(node: unknown, depth: number): string {
  if (depth > depthLimit) throw new Unread();
  if (node === null || node === undefined) return 'null';
  if ((node as { anchor?: string }).anchor || (node as { tag?: string }).tag) throw new Unread();
  if (isScalar(node)) return JSON.stringify([node.type ?? '', node.source ?? '', String(node.value)]);
  if (isSeq(node)) return `[${node.items.map((item) => keyText(item, depth + 1)).join(',')}]`;
  if (!isMap(node)) throw new Unread();
  const members = node.items.map((item) => {
    const { key, value } = item as Pair;
    if (!isScalar(key)) throw new Unread();
    return `${JSON.stringify(idOf(key))}:${keyText(value, depth + 1)}`;
  });
  return `{${members.sort().join(',')}}`;
}
