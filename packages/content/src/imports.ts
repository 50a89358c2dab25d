// The files of the tree that a written file depends on, read off its imports.
//
// It never knows what those files hold, nor packages outside the tree. It is a courtesy to agents that declare no reads
// of their own: what it cannot see (names computed at run time, plugins, resources) it does not invent.
//
// Invariants:
//   IM1. Every path named exists in the tree, is named once, and is not the file itself.
//   IM2. `symbols` is null as soon as any import of the file takes all of it, or names in it cannot be told apart.

import { comparePaths, type TreePath } from '@firetrident/base';
import { pythonImports } from './imports-python.ts';
import { resolveSpecifier } from './imports-resolve.ts';
import type { ModuleImport, Parser } from './parser.ts';
import { wholeModule } from './symbols.ts';

/** One file that a written file imports. */
export interface ImportedRead {
  readonly path: TreePath;
  /** The exported names taken from it, in order, each once; null when the whole file counts. */
  readonly symbols: readonly string[] | null;
}

function namesOf(imported: ModuleImport, path: TreePath, parser: Parser): readonly string[] | null {
  if (imported.names.length === 0 || imported.names.includes(wholeModule)) return null;
  return parser.knows(path) ? imported.names : null;
}

function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

/**
 * What `text`, written at `path`, imports from the tree (IM1, IM2), in order of paths. `exists` tells whether a path is
 * a file of the tree in which the text stands. Languages: those of `parser`, and Python, whose names are not told apart.
 * A text that does not parse, and any other language, has no imports.
 */
export function readsOfImports(
  path: TreePath,
  text: string,
  exists: (path: TreePath) => boolean,
  parser: Parser,
): readonly ImportedRead[] {
  if (path.endsWith('.py') || path.endsWith('.pyi')) {
    return pythonImports(path, text, exists).map((imported) => ({ path: imported, symbols: null }));
  }
  const module = parser.parse(path, text);
  if (module === null || !module.ok) return [];
  const symbolsByPath = new Map<TreePath, Set<string> | null>();
  for (const imported of module.imports) {
    const target = resolveSpecifier(path, imported.specifier, exists);
    if (target === null || target === path) continue;
    const names = namesOf(imported, target, parser);
    const known = symbolsByPath.get(target);
    if (names === null || known === null) symbolsByPath.set(target, null);
    else symbolsByPath.set(target, new Set([...(known ?? []), ...names]));
  }
  return [...symbolsByPath]
    .map(([target, symbols]) => ({ path: target, symbols: symbols === null ? null : [...symbols].sort(compareText) }))
    .sort((left, right) => comparePaths(left.path, right.path));
}
