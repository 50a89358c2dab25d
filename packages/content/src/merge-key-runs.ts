// Files of YAML and TOML whose keys were changed apart: merged by the runs of lines that their keys have.
//
// Invariants:
//   MR4. The result is read again: its keys and values are those that the merge decided on, its comments those of both
//        sides. In any doubt nothing is merged.

import { hashTails, KeyConflict, type KeyRegion, mergeRegions, regionKey, writeRegion } from './key-runs.ts';
import { readTomlRuns, type TomlRuns } from './toml-runs.ts';
import { readYamlRuns } from './yaml-runs.ts';

/** Characters up to which a file is read at all: readers that keep places need many times as much memory. */
const textLimit = 1_048_576;

/** The merged text of YAML; null where keys conflict or a text is not of the kind that can be cut. */
export function mergeYamlKeys(base: string, ours: string, theirs: string): string | null {
  const regions = readAll([base, ours, theirs], readYamlRuns);
  if (regions === null) return null;
  const merged = mergeOrNull(...regions);
  // A map that loses its last key is another value than the empty map that both sides mean.
  if (merged === null || hasEmpty(merged)) return null;
  const text = writeRegion(merged);
  const again = readYamlRuns(text);
  return again !== null && isProven(merged, again, [base, ours, theirs], text) ? text : null;
}

/** The merged text of TOML; null where keys conflict, arrays of tables changed on both sides, or a text cannot be cut. */
export function mergeTomlKeys(base: string, ours: string, theirs: string): string | null {
  const files = readAll([base, ours, theirs], readTomlRuns);
  if (files === null) return null;
  const [before, our, their] = files;
  const isSettled = our.arrays === their.arrays || our.arrays === before.arrays || their.arrays === before.arrays;
  const merged = isSettled && !hasTurned(files) ? mergeOrNull(before.region, our.region, their.region) : null;
  if (merged === null) return null;
  const text = writeRegion(merged);
  const again = readTomlRuns(text);
  if (again === null || !isProven(merged, again.region, [base, ours, theirs], text)) return null;
  return haveTables(before, our, their, again) ? text : null;
}

/** Whether a key has a value of its own in one text and is a table in another: their runs have nothing to do with one another. */
function hasTurned(files: readonly TomlRuns[]): boolean {
  return files.some(({ values }) => files.some(({ tables }) => [...tables].some((path) => values.has(path))));
}

function readAll<T>(texts: readonly [string, string, string], read: (text: string) => T | null): [T, T, T] | null {
  if (texts.some((text) => text.length > textLimit)) return null;
  const found = texts.map(read);
  return found.every((each) => each !== null) ? (found as [T, T, T]) : null;
}

function mergeOrNull(base: KeyRegion, ours: KeyRegion, theirs: KeyRegion): KeyRegion | null {
  try {
    return mergeRegions(base, ours, theirs);
  } catch (error) {
    if (error instanceof KeyConflict) return null;
    throw error;
  }
}

function hasEmpty(region: KeyRegion): boolean {
  return region.entries.length === 0 || region.entries.some((entry) => entry.region !== null && hasEmpty(entry.region));
}

/** (MR4) */
function isProven(
  merged: KeyRegion,
  again: KeyRegion,
  sides: readonly [string, string, string],
  text: string,
): boolean {
  if (regionKey(merged) !== regionKey(again)) return false;
  const [before, our, their, all] = [...sides, text].map(counts) as [Counts, Counts, Counts, Counts];
  const tails = new Set([...before.keys(), ...our.keys(), ...their.keys(), ...all.keys()]);
  return [...tails].every((tail) => {
    const [had, has, gets] = [before, our, their].map((each) => each.get(tail) ?? 0) as [number, number, number];
    const is = all.get(tail) ?? 0;
    return is === has + gets - had || (has === gets && is === has);
  });
}

type Counts = ReadonlyMap<string, number>;

function counts(text: string): Counts {
  const found = new Map<string, number>();
  for (const tail of hashTails(text)) found.set(tail, (found.get(tail) ?? 0) + 1);
  return found;
}

/** Whether tables came and went as in a three-way merge, also those without a header. */
function haveTables(base: TomlRuns, ours: TomlRuns, theirs: TomlRuns, all: TomlRuns): boolean {
  const paths = new Set([base, ours, theirs, all].flatMap(({ tables }) => [...tables]));
  return [...paths].every((path) => {
    const [had, has, gets] = [base, ours, theirs].map(({ tables }) => tables.has(path));
    return all.tables.has(path) === (has === had ? gets : has);
  });
}
