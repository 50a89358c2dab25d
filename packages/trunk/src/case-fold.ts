// Names that file systems which ignore case cannot tell apart.
//
// Simple case folding, one character for one: the capital letter's small letter. No normalisation of accents.

import { pathBytes } from '@firetrident/base';
import { type Directory, nameAt, places } from './directory.ts';

const plain = /^[ -~]*$/;

/** The form in which names that differ only in case are equal. */
export function foldName(name: string): string {
  if (plain.test(name)) return name.toLowerCase();
  let folded = '';
  for (const character of name) {
    const upper = character.toUpperCase();
    // A character whose capital is several (as German sharp s) has no simple form.
    folded += upper.length === character.length ? upper.toLowerCase() : character;
  }
  return folded;
}

/**
 * A name in the directory that equals `name` but for case, or null.
 * The index of folded names is kept with the directory and handed on to changed versions of it.
 */
export function clashingName(directory: Directory, name: string): string | null {
  directory.folded ??= indexNames(directory);
  for (const other of directory.folded.get(foldName(name)) ?? []) {
    if (other === name) continue;
    // The index is a superset: it also remembers names of other versions.
    const bytes = pathBytes(other);
    if (directory.find(bytes, false) || directory.find(bytes, true)) return other;
  }
  return null;
}

function indexNames(directory: Directory): Map<string, string[]> {
  const index = new Map<string, string[]>();
  for (const place of places(directory)) {
    const name = nameAt(place);
    const key = foldName(name);
    const names = index.get(key);
    if (names) names.push(name);
    else index.set(key, [name]);
  }
  return index;
}
