// Checking a merge that a rule made, without the code that made it.
//
// Invariants:
//   VR1. What is accepted holds both sides' changes and nothing else, by the meaning of the rule, not by its method.

import { utf8Text } from '@firetrident/base';
import type { RuleWitness } from './model.ts';
import { checkImports } from './verify-imports.ts';
import { checkKeys } from './verify-keys.ts';

/** Why the merge is not proved, or null when it is (VR1). */
export function checkRule(
  path: string,
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
  witness: RuleWitness,
  result: Uint8Array,
): string | null {
  switch (witness.rule) {
    case 'append':
      return checkAppended(base, ours, theirs, result);
    case 'keys': {
      const texts = [base, ours, theirs, result].map(utf8Text) as [string, string, string, string];
      return checkKeys(path, texts, witness.arraysAreSets);
    }
    case 'imports':
      return checkImports(path, [base, ours, theirs, result], witness.rest);
  }
}

/** The result is ours and then what theirs has beyond the base, but for a line feed that a last line lacked. */
function checkAppended(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array, result: Uint8Array): string | null {
  const lines = [base, ours, theirs, result].map(linesOf) as [string[], string[], string[], string[]];
  const [before, our, their, all] = lines;
  const keeps = (side: readonly string[]) => before.every((line, index) => side[index] === line);
  if (!keeps(our) || !keeps(their)) return 'a side changed what was there before';
  const wanted = [...our, ...their.slice(before.length)];
  const same = all.length === wanted.length && wanted.every((line, index) => all[index] === line);
  if (!same) return 'it is not the file of trunk with the added lines behind it';
  const last = their.length > before.length ? theirs : ours;
  return isEnded(result) === isEnded(last) ? null : 'its last line ends in another way';
}

function isEnded(text: Uint8Array): boolean {
  return text.length === 0 || text[text.length - 1] === 0x0a;
}

/** Lines without their line feeds; each byte is one character. */
function linesOf(bytes: Uint8Array): string[] {
  const lines: string[] = [];
  let line = '';
  for (const byte of bytes) {
    if (byte === 0x0a) {
      lines.push(line);
      line = '';
    } else line += String.fromCharCode(byte);
  }
  if (line !== '') lines.push(line);
  return lines;
}
