// Merging files whose changes commute by a rule, where the three-way merge of lines found a conflict.
//
// A rule is named by the colony's policy for a glob; which one applies to a path is not known here. Pure functions on
// bytes: base, ours, theirs, and the merged bytes with what the verifier needs to check them by means of its own.
//
// Invariants:
//   MR1. A rule answers only when it keeps both sides' changes whole; in any doubt the conflict stands.
//   MR2. Which side is "ours" decides about order and layout only, never about what is in the result.
//   MR3. What equals base gives way to the other side, exactly as in a three-way merge.

import { never, sameBytes, type TreePath, utf8, utf8Text } from '@firetrident/base';
import { isBinary } from './lines.ts';
import type { MergeWitness } from './merge.ts';
import { mergeAppended } from './merge-append.ts';
import { mergeImports } from './merge-imports.ts';
import { mergeTomlKeys, mergeYamlKeys } from './merge-key-runs.ts';
import { mergeKeys } from './merge-keys.ts';

/**
 * `append`: both sides added lines at the end. `keys`: an object of JSON, comments allowed, or a map of YAML or TOML,
 * whose keys were changed apart; with `keys:sets` arrays of plain values in JSON are sets too. `imports`: lines that
 * import names, in TypeScript, JavaScript and Python.
 */
export type MergeRule = 'append' | 'keys' | 'keys:sets' | 'imports';

/** What the check of a merge by a rule has to know. `rest` is the merge of all lines that the rule does not touch. */
export type RuleWitness =
  | { readonly rule: 'append' }
  | { readonly rule: 'keys'; readonly arraysAreSets: boolean }
  | { readonly rule: 'imports'; readonly rest: MergeWitness };

/** The merged bytes with their witness. */
export interface RuleMerge {
  readonly bytes: Uint8Array;
  readonly witness: RuleWitness;
}

/** Merges by a rule; null when the rule does not cover what both sides did (MR1, MR2). An absent base is empty. */
export function mergeByRule(
  rule: MergeRule,
  path: TreePath,
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
): RuleMerge | null {
  const sides = [base, ours, theirs];
  if (sides.some((side) => isBinary(side))) return null;
  if (rule === 'append') {
    const bytes = mergeAppended(base, ours, theirs);
    return bytes === null ? null : { bytes, witness: { rule } };
  }
  const texts = sides.map(utf8Text) as [string, string, string];
  // What is no text in this encoding would come out changed.
  if (!texts.every((text, index) => sameBytes(utf8(text), sides[index] as Uint8Array))) return null;
  switch (rule) {
    case 'keys':
    case 'keys:sets': {
      const arraysAreSets = rule === 'keys:sets';
      const text = mergeKeysOf(path, texts, arraysAreSets);
      return text === null ? null : { bytes: utf8(text), witness: { rule: 'keys', arraysAreSets } };
    }
    case 'imports': {
      const merged = mergeImports(path, ...texts);
      return merged === null ? null : { bytes: utf8(merged.text), witness: { rule, rest: merged.rest } };
    }
    default:
      return never(rule);
  }
}

/** By the ending of the name, and as JSON without a known one. Only arrays of JSON can be sets. */
function mergeKeysOf(path: TreePath, texts: [string, string, string], arraysAreSets: boolean): string | null {
  if (/\.ya?ml$/i.test(path)) return arraysAreSets ? null : mergeYamlKeys(...texts);
  if (/\.toml$/i.test(path)) return arraysAreSets ? null : mergeTomlKeys(...texts);
  return mergeKeys(...texts, arraysAreSets);
}
