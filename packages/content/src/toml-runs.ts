// TOML as runs of lines: keys of the root, and tables with their keys.
//
// Invariants:
//   TR1. Each table with a header is one run of the root, named by its full path; an element of an array of tables is
//        a run that is not looked into.
//   TR2. What is nested deeper than whoever checks the merge reads is not cut at all.

import { type AST, ParseError, parseTOML } from 'toml-eslint-parser';
import { cutRegion, type FoundKey, type KeyRegion } from './key-runs.ts';

/** How deep values may be nested, tables included: no deeper than whoever checks the merge reads. */
const depthLimit = 40;

class TooDeep extends Error {}

/** A file of TOML: its runs, and what has to be settled for the file as a whole. */
export interface TomlRuns {
  readonly region: KeyRegion;
  /** The elements of all arrays of tables, as one value. */
  readonly arrays: string;
  /** Paths of all tables, also of those that are there only because of what they hold. */
  readonly tables: ReadonlySet<string>;
  /** Paths of all keys with a value of their own. */
  readonly values: ReadonlySet<string>;
}

/** The paths of a file while it is read. */
interface Paths {
  readonly tables: Set<string>;
  readonly values: Set<string>;
}

/** Cuts a text into runs; null when it is no TOML, or keys share lines. */
export function readTomlRuns(text: string): TomlRuns | null {
  try {
    const { body } = parseTOML(text, { tomlVersion: '1.0' }).body[0];
    const paths: Paths = { tables: new Set(), values: new Set() };
    const arrays: string[] = [];
    const keys = body.map((part) =>
      part.type === 'TOMLTable' ? tableOf(part, paths, arrays) : keyOf(part, [], paths),
    );
    const from = startOf(text, keys[0]?.start ?? 0);
    const region = cutRegion(text, from, text.length, keys);
    if (region === null) return null;
    return { region: { ...region, head: text.slice(0, from) }, arrays: arrays.join(','), ...paths };
  } catch (error) {
    // The library descends by recursion: what is nested too deep for it is refused.
    if (error instanceof ParseError || error instanceof TooDeep || error instanceof RangeError) return null;
    throw error;
  }
}

/** Behind what a blank line sets apart from the first key: that is about the file. */
function startOf(text: string, firstKey: number): number {
  const blank = [...text.slice(0, firstKey).matchAll(/^[ \t\r]*\n/gm)].at(-1);
  return blank === undefined ? 0 : blank.index + blank[0].length;
}

function tableOf(table: AST.TOMLTable, paths: Paths, arrays: string[]): FoundKey {
  const path = table.resolvedKey;
  // Keys of the root come first, by the alphabet too: behind a header they would be another table's.
  const id = `1${JSON.stringify(path)}`;
  if (path.length > depthLimit) throw new TooDeep(); // (TR2)
  const [start, end] = [table.range[0], table.body.at(-1)?.range[1] ?? table.range[1]];
  addTables(paths.tables, path, true);
  const keys = table.body.map((key) => keyOf(key, path, paths));
  const keyEnd = table.key.range[1];
  if (table.kind === 'standard' && path.every((part) => typeof part === 'string')) {
    return { id, start, end, value: '', below: { keyEnd, keys } };
  }
  const value = `${id}{${keys
    .map((key) => `${key.id}:${key.value}`)
    .sort()
    .join(',')}}`;
  arrays.push(value);
  return { id, start, end, value, below: null };
}

function keyOf(pair: AST.TOMLKeyValue, above: readonly (string | number)[], paths: Paths): FoundKey {
  const path = namesOf(pair.key);
  addTables(paths.tables, [...above, ...path], false);
  paths.values.add(JSON.stringify([...above, ...path]));
  const [start, end] = pair.range;
  return { id: `0${JSON.stringify(path)}`, start, end, value: keyText(pair.value, path.length), below: null };
}

function namesOf(key: AST.TOMLKey): string[] {
  return key.keys.map((part) => (part.type === 'TOMLBare' ? part.name : part.value));
}

function addTables(tables: Set<string>, path: readonly (string | number)[], isTable: boolean): void {
  for (let length = 1; length < path.length + (isTable ? 1 : 0); length += 1) {
    tables.add(JSON.stringify(path.slice(0, length)));
  }
}

/** A text that equal values share; numbers and dates count as they are written. */
function keyText(node: AST.TOMLContentNode, depth: number): string {
  if (depth > depthLimit) throw new TooDeep(); // (TR2)
  switch (node.type) {
    case 'TOMLArray':
      return `[${node.elements.map((element) => keyText(element, depth + 1)).join(',')}]`;
    case 'TOMLInlineTable': {
      const members = node.body.map((pair) => {
        const names = namesOf(pair.key);
        return `${JSON.stringify(names)}:${keyText(pair.value, depth + names.length)}`;
      });
      return `{${members.sort().join(',')}}`;
    }
    default: {
      if ('number' in node) return JSON.stringify([node.kind, node.number]);
      return JSON.stringify([node.kind, 'datetime' in node ? node.datetime : node.value]);
    }
  }
}
