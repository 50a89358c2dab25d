// Names in one directory that file systems which ignore case cannot tell apart.

import { pathBytes } from '@firetrident/base';
import { type Directory, nameAt, places } from './directory.ts';
import { FoldedNames } from './folded-names.ts';

/**
 * A name in the directory that equals `name` but for case, or null.
 * The index of folded names is kept with the directory and handed on to changed versions of it.
 */
export function clashingName(directory: Directory, name: string): string | null {
  directory.folded ??= indexNames(directory);
  for (const other of directory.folded.alike(name)) {
    if (other === name) continue;
    // The index is a superset: it also remembers names of other versions.
    const bytes = pathBytes(other);
    if (directory.find(bytes, false) || directory.find(bytes, true)) return other;
  }
  return null;
}

function indexNames(directory: Directory): FoldedNames {
  const names = new FoldedNames();
  for (const place of places(directory)) names.add(nameAt(place));
  return names;
}
