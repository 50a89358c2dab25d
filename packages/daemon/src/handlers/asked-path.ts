// Paths that are only looked at: they must stay inside the tree and be in their one spelling.
//
// Stricter rules, for what may be written, are the core's; a tree can hold names that it would not let in.

import { no, ok, type Result, type TreePath } from '@firetrident/base';
import type { ErrorFacts } from '@firetrident/protocol';
import { errorFacts } from '../errors.ts';

/** Refuses a path that leaves the tree or cannot stand in one. */
export function refusedPath(path: TreePath): ErrorFacts | null {
  const segments = path.split('/');
  if (path.startsWith('/') || segments.includes('..')) return errorFacts('path_outside', path.toWellFormed());
  const isOdd = segments.some((segment) => segment === '' || segment === '.') || path.includes('\0');
  return isOdd ? errorFacts('path_invalid', path.toWellFormed()) : null;
}

/** A folder as callers name it: "" and "." are the root, one slash at the end is allowed. */
export function askedFolder(path: TreePath): Result<TreePath, ErrorFacts> {
  const folder = path === '.' ? '' : path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
  const refused = folder === '' ? null : refusedPath(folder);
  return refused === null ? ok(folder) : no(refused);
}
