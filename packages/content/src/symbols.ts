// What a reader of an exported name depends on: the slice of the module that declares it.
//
// It never knows a syntax tree, a blob or a commit: modules come from a function that the caller gives, and texts go
// back to the caller, who hashes them. A slice covers the declarations of the name alone. Functions and values of the
// same module that a declaration uses are no part of it, and neither are later assignments (`let x; x = 2`,
// `View.title = '…'`): who depends on those reads the file, or names them as well.
//
// Invariants:
//   SY1. Comments, blanks and line breaks never change a slice.
//   SY2. Another token in any declaration of the name gives another slice.
//   SY3. What cannot be resolved for sure is null, and counts as the whole file.
//   SY4. Resolution ends: every name of a module is looked at once, and depth and number of modules have limits.

import type { TreePath } from '@firetrident/base';
import { resolveSpecifier } from './imports-resolve.ts';
import type { ModuleExport, ParsedModule } from './parser.ts';

/** How much of a declaration counts. */
export interface SliceOptions {
  /** Only name, type parameters, parameters and result type of a function or method whose result type is written. */
  readonly signature: boolean;
}

/** How many modules one name may be handed through. */
export const symbolDepthLimit = 32;
/** How many names in modules one resolution looks at, over all `export *`. */
export const symbolVisitLimit = 512;

/** The name of a whole module, as in `import * as shapes`. */
export const wholeModule = '*';

type Module = Extract<ParsedModule, { ok: true }>;
type Declared = Extract<ModuleExport, { kind: 'declared' }>;

function declaredOnly(entries: readonly ModuleExport[]): readonly Declared[] | null {
  const declared: Declared[] = [];
  for (const entry of entries) {
    if (entry.kind !== 'declared') return null;
    declared.push(entry);
  }
  return declared;
}

function sliceText(declared: Declared, options: SliceOptions): string {
  const texts = declared.declarations.map((each) =>
    options.signature ? (each.signature ?? each.tokens) : each.tokens,
  );
  return `${declared.typeOnly ? 'type\n' : ''}${texts.join('\n')}`;
}

/**
 * The canonical text of what `module` itself declares under the exported `name` (SY1, SY2), to be hashed by the caller.
 * `*` gives the tokens of the whole module. Null when the module did not parse, does not export the name, or hands it
 * on from elsewhere (SY3); `symbolSliceAcross` follows the latter.
 */
export function symbolSlice(module: ParsedModule, name: string, options: SliceOptions): string | null {
  if (!module.ok) return null;
  if (name === wholeModule) return module.tokens;
  const declared = declaredOnly(module.exports.get(name) ?? []);
  if (declared === null || declared.length === 0) return null;
  return declared.map((entry) => sliceText(entry, options)).join('\n');
}

/** Where an exported name is declared. */
export interface ResolvedSymbol {
  readonly path: TreePath;
  /** The name over there; `*` when the name stands for all of that module. */
  readonly name: string;
  /** Handed on by `export type` somewhere on the way. */
  readonly typeOnly: boolean;
  readonly module: Module;
}

interface Search {
  readonly load: (path: TreePath) => ParsedModule | null;
  readonly exists: (path: TreePath) => boolean;
  /** Answers by path and name; a name that is still being looked at counts as not found, which ends cycles (SY4). */
  readonly seen: Map<string, ResolvedSymbol | null>;
}

function follow(search: Search, from: TreePath, specifier: string, name: string, depth: number): ResolvedSymbol | null {
  const path = resolveSpecifier(from, specifier, search.exists);
  return path === null ? null : find(search, path, name, depth + 1);
}

function asType(resolved: ResolvedSymbol | null, typeOnly: boolean): ResolvedSymbol | null {
  return resolved === null || !typeOnly || resolved.typeOnly ? resolved : { ...resolved, typeOnly };
}

function findThroughStars(
  search: Search,
  path: TreePath,
  module: Module,
  name: string,
  depth: number,
): ResolvedSymbol | null {
  // A default is never handed on by a star.
  if (name === 'default') return null;
  let found: ResolvedSymbol | null = null;
  for (const star of module.stars) {
    const next = asType(follow(search, path, star.specifier, name, depth), star.typeOnly);
    if (next === null) continue;
    // Two stars that bring different things under one name bring neither.
    if (found !== null && (found.path !== next.path || found.name !== next.name)) return null;
    found = found ?? next;
  }
  return found;
}

function findIn(search: Search, path: TreePath, module: Module, name: string, depth: number): ResolvedSymbol | null {
  if (name === wholeModule) return { path, name, typeOnly: false, module };
  const entries = module.exports.get(name);
  if (entries === undefined) return findThroughStars(search, path, module, name, depth);
  if (declaredOnly(entries) !== null) return { path, name, typeOnly: false, module };
  const only = entries.length === 1 ? entries[0] : undefined;
  if (only === undefined || only.kind === 'declared') return null;
  return asType(follow(search, path, only.specifier, only.imported, depth), only.typeOnly);
}

function find(search: Search, path: TreePath, name: string, depth: number): ResolvedSymbol | null {
  const key = `${path}\0${name}`;
  const known = search.seen.get(key);
  if (known !== undefined) return known;
  if (depth > symbolDepthLimit || search.seen.size >= symbolVisitLimit) return null;
  search.seen.set(key, null);
  const module = search.load(path);
  const resolved = module?.ok ? findIn(search, path, module, name, depth) : null;
  search.seen.set(key, resolved);
  return resolved;
}

/**
 * Finds where the exported `name` of the module at `path` is declared, through re-exports and imports that are exported
 * again. Only relative specifiers are followed. `load` gives the module at a path, null when there is none or its
 * language is not known; `exists` tells whether a file is in the tree. Null when the name cannot be resolved (SY3, SY4).
 */
export function resolveSymbol(
  path: TreePath,
  name: string,
  load: (path: TreePath) => ParsedModule | null,
  exists: (path: TreePath) => boolean,
): ResolvedSymbol | null {
  return find({ load, exists, seen: new Map() }, path, name, 0);
}

/** `symbolSlice` of the place that `resolveSymbol` finds. Null counts as the whole file at `path`. */
export function symbolSliceAcross(
  path: TreePath,
  name: string,
  options: SliceOptions,
  load: (path: TreePath) => ParsedModule | null,
  exists: (path: TreePath) => boolean,
): string | null {
  const resolved = resolveSymbol(path, name, load, exists);
  if (resolved === null) return null;
  const slice = symbolSlice(resolved.module, resolved.name, options);
  return slice !== null && resolved.typeOnly ? `type\n${slice}` : slice;
}
