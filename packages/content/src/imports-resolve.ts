// From the words of an import to a file of the tree.
//
// It never knows package managers, compiler options or paths outside the tree: only relative specifiers are resolved,
// and a bare one is nobody's file.
//
// Invariants:
//   IR1. A resolved path exists in the tree and lies inside it.
//   IR2. The file that is named exactly comes first; then the source that a compiler turns into it; then the endings
//        that may be left out; then the index of a folder.

import { folderOf, nameOf, type TreePath } from '@firetrident/base';

const leftOutEndings = [
  '.ts',
  '.tsx',
  '.mts',
  '.cts',
  '.js',
  '.jsx',
  '.mjs',
  '.cjs',
  '.d.ts',
  '.d.mts',
  '.d.cts',
  '.json',
];

const sourcesOfOutput: readonly (readonly [output: string, sources: readonly string[]])[] = [
  ['.js', ['.ts', '.tsx', '.d.ts']],
  ['.jsx', ['.tsx', '.d.ts']],
  ['.mjs', ['.mts', '.d.mts']],
  ['.cjs', ['.cts', '.d.cts']],
];

/** `relative` seen from the folder `folder`, without "." and ".."; null when it leaves the tree. */
export function joinPath(folder: TreePath, relative: string): TreePath | null {
  const segments = folder === '' ? [] : folder.split('/');
  for (const segment of relative.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (segments.pop() === undefined) return null;
  }
  return segments.join('/');
}

function indexesOf(path: TreePath): readonly TreePath[] {
  return leftOutEndings.map((ending) => joined(path, `index${ending}`));
}

function joined(folder: TreePath, name: string): TreePath {
  return folder === '' ? name : `${folder}/${name}`;
}

function candidatesOf(path: TreePath): readonly TreePath[] {
  const candidates = [path];
  for (const [output, sources] of sourcesOfOutput) {
    if (!path.endsWith(output)) continue;
    const stem = path.slice(0, -output.length);
    candidates.push(...sources.map((ending) => stem + ending));
  }
  candidates.push(...leftOutEndings.map((ending) => path + ending), ...indexesOf(path));
  return candidates;
}

/**
 * The file of the tree that `specifier` names in the file `from` (IR1, IR2). `exists` tells whether a path is a file.
 * A query behind the name (`./icon.svg?raw`) is dropped when no file is called so. Null for bare specifiers, absolute
 * ones, and files that are not in the tree.
 */
export function resolveSpecifier(
  from: TreePath,
  specifier: string,
  exists: (path: TreePath) => boolean,
): TreePath | null {
  const [first] = specifier.split('/');
  if (first !== '.' && first !== '..') return null;
  const path = joinPath(folderOf(from), specifier);
  if (path === null) return null;
  const last = nameOf(specifier);
  const isFolder = last === '' || last === '.' || last === '..';
  const candidates = isFolder ? indexesOf(path) : candidatesOf(path);
  const found = candidates.find((candidate) => exists(candidate));
  if (found !== undefined) return found;
  const query = specifier.indexOf('?');
  return query < 0 ? null : resolveSpecifier(from, specifier.slice(0, query), exists);
}
