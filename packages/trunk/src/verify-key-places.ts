// YAML and TOML as flat maps from places to values, for checking merges of keys.
//
// Reads with other libraries than those that content merges with, and knows no layout.
//
// Invariants:
//   VP1. Two texts have the same value at a place exactly when they mean the same there: a number is told from a text,
//        and a whole number of TOML from a fraction.

import { CORE_SCHEMA, loadAll, YAMLException } from 'js-yaml';
import { parse, TomlDate, TomlError } from 'smol-toml';

/** How deep values may be nested. */
const depthLimit = 100;

/** What stands at a place that has places below it. */
export const objectMark = 'object';

/** A file as its places, and everything from a `#` to the end of its line, which includes all comments. */
export interface Places {
  readonly places: ReadonlyMap<string, string>;
  readonly tails: readonly string[];
}

/** The places of one document of YAML whose root is a map; null for anything else. An empty text has no keys. */
export function yamlPlaces(text: string): Places | null {
  try {
    const documents = loadAll(text, { schema: CORE_SCHEMA, maxDepth: depthLimit });
    return documents.length > 1 ? null : placesOf(text, documents[0] ?? {});
  } catch (error) {
    if (error instanceof YAMLException) return null;
    throw error;
  }
}

/** The places of a text of TOML; null for anything else. */
export function tomlPlaces(text: string): Places | null {
  try {
    return placesOf(text, parse(text, { integersAsBigInt: true, maxDepth: depthLimit }));
  } catch (error) {
    if (error instanceof TomlError) return null;
    throw error;
  }
}

function placesOf(text: string, root: unknown): Places | null {
  const places = new Map<string, string>();
  walk('', root, places);
  if (places.get('') !== objectMark) return null;
  const tails = text.split('\n').flatMap((line) => (line.includes('#') ? [line.slice(line.indexOf('#')).trim()] : []));
  return { places, tails };
}

function walk(place: string, value: unknown, places: Map<string, string>): void {
  if (!isObject(value)) {
    places.set(place, wholeOf(value));
    return;
  }
  places.set(place, objectMark);
  for (const [key, below] of Object.entries(value)) walk(`${place}/${JSON.stringify(key)}`, below, places);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof TomlDate);
}

/** A value in one spelling (VP1). */
function wholeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(wholeOf).join(',')}]`;
  if (value instanceof TomlDate) return `date ${value.toISOString()}`;
  if (!isObject(value)) return `${typeof value} ${Object.is(value, -0) ? '-0' : JSON.stringify(String(value))}`;
  const members = Object.entries(value).map(([key, below]) => `${JSON.stringify(key)}:${wholeOf(below)}`);
  return `{${members.sort().join(',')}}`;
}

/** Whether each comment of the result stands as often as one side's changes, or both sides' together, make it. */
export function keepTails(base: Places, ours: Places, theirs: Places, result: Places): boolean {
  const count = (side: Places) => {
    const counts = new Map<string, number>();
    for (const tail of side.tails) counts.set(tail, (counts.get(tail) ?? 0) + 1);
    return (tail: string) => counts.get(tail) ?? 0;
  };
  const [before, our, their, all] = [base, ours, theirs, result].map(count) as [Count, Count, Count, Count];
  const tails = new Set([base, ours, theirs, result].flatMap((side) => side.tails));
  return [...tails].every((tail) => {
    const both = our(tail) + their(tail) - before(tail);
    return all(tail) === both || (our(tail) === their(tail) && all(tail) === our(tail));
  });
}

type Count = (tail: string) => number;
