// Things filed under the paths and globs that they name, found by any pattern that overlaps with theirs.
//
//   PI1. A search looks only at the folders along the pattern's root and, for a pattern that spans a subtree, at what
//        lies below it: never at the rest of what is filed.
//   PI2. The same thing may be visited more than once when it is filed under several patterns.

import { isFolderName, literalPattern, type Pattern, patternsOverlap, repels } from './pattern.ts';

interface Folder<T> {
  readonly folders: Map<string, Folder<T>>;
  /** Literal paths in this folder, by name. */
  readonly files: Map<string, T[]>;
  /** Globs whose root is this folder, by text. */
  readonly globs: Map<string, { readonly pattern: Pattern; readonly items: T[] }>;
}

function emptyFolder<T>(): Folder<T> {
  return { folders: new Map(), files: new Map(), globs: new Map() };
}

/** Returns false to end the visit. */
export type Visit<T> = (item: T) => boolean;

function visitAll<T>(items: readonly T[] | undefined, visit: Visit<T>): boolean {
  if (items !== undefined) for (const item of items) if (!visit(item)) return false;
  return true;
}

/** Index of items by pattern. Items are told apart by identity. */
export class PatternIndex<T> {
  readonly #top: Folder<T> = emptyFolder();

  add(pattern: Pattern, item: T): void {
    let folder = this.#top;
    for (const name of pattern.root) {
      let below = folder.folders.get(name);
      if (below === undefined) {
        below = emptyFolder();
        folder.folders.set(name, below);
      }
      folder = below;
    }
    if (pattern.literal) {
      const name = pattern.segments[pattern.segments.length - 1] ?? '';
      const items = folder.files.get(name);
      if (items === undefined) folder.files.set(name, [item]);
      else items.push(item);
    } else {
      const glob = folder.globs.get(pattern.text);
      if (glob === undefined) folder.globs.set(pattern.text, { pattern, items: [item] });
      else glob.items.push(item);
    }
  }

  /** Removes one filing of `item` under `pattern`; nothing happens when there is none. */
  remove(pattern: Pattern, item: T): void {
    const way: Folder<T>[] = [this.#top];
    for (const name of pattern.root) {
      const below = way[way.length - 1]?.folders.get(name);
      if (below === undefined) return;
      way.push(below);
    }
    const folder = way[way.length - 1] as Folder<T>;
    const name = pattern.segments[pattern.segments.length - 1] ?? '';
    const items = pattern.literal ? folder.files.get(name) : folder.globs.get(pattern.text)?.items;
    const index = items?.indexOf(item) ?? -1;
    if (items === undefined || index < 0) return;
    const last = items.pop() as T;
    if (index < items.length) items[index] = last;
    if (items.length > 0) return;
    if (pattern.literal) folder.files.delete(name);
    else folder.globs.delete(pattern.text);
    for (let depth = pattern.root.length; depth > 0; depth -= 1) {
      const { folders, files, globs } = way[depth] as Folder<T>;
      if (folders.size + files.size + globs.size > 0) return;
      way[depth - 1]?.folders.delete(pattern.root[depth - 1] as string);
    }
  }

  /** Visits what `pattern` repels (PI1, PI2) until `visit` returns false; says whether it went through. */
  visit(pattern: Pattern, visit: Visit<T>): boolean {
    if (pattern.wide) return this.#visitGlobs(this.#top, pattern, visit);
    let folder = this.#top;
    for (const [depth, name] of pattern.root.entries()) {
      // Wide globs lie in the top folder only, and say nothing about a place (T2c).
      if (depth > 0 && !this.#visitGlobs(folder, pattern, visit)) return false;
      if (isFolderName(name) && !visitAll(folder.files.get(name), visit)) return false;
      const below = folder.folders.get(name);
      if (below === undefined) return true;
      folder = below;
    }
    if (pattern.root.length > 0 && !this.#visitGlobs(folder, pattern, visit)) return false;
    if (!pattern.literal) return this.#visitBelow(folder, pattern, visit);
    const name = pattern.segments[pattern.segments.length - 1] ?? '';
    if (!visitAll(folder.files.get(name), visit)) return false;
    const below = pattern.folder ? folder.folders.get(name) : undefined;
    return below === undefined || this.#visitSubtree(below, pattern, visit);
  }

  #visitGlobs(folder: Folder<T>, pattern: Pattern, visit: Visit<T>): boolean {
    for (const glob of folder.globs.values()) {
      if (repels(pattern, glob.pattern) && !visitAll(glob.items, visit)) return false;
    }
    return true;
  }

  /** Files and folders below the root of a glob; the globs filed at the root itself were visited already. */
  #visitBelow(folder: Folder<T>, pattern: Pattern, visit: Visit<T>, path: readonly string[] = pattern.root): boolean {
    for (const [name, items] of folder.files) {
      if (!pattern.subtree && !patternsOverlap(pattern, literalPattern([...path, name]))) continue;
      if (!visitAll(items, visit)) return false;
    }
    for (const [name, below] of folder.folders) {
      if (!this.#visitGlobs(below, pattern, visit)) return false;
      if (!this.#visitBelow(below, pattern, visit, [...path, name])) return false;
    }
    return true;
  }

  /** Everything below a literal path that stands for a folder. */
  #visitSubtree(folder: Folder<T>, pattern: Pattern, visit: Visit<T>): boolean {
    if (!this.#visitGlobs(folder, pattern, visit)) return false;
    for (const items of folder.files.values()) if (!visitAll(items, visit)) return false;
    for (const below of folder.folders.values()) if (!this.#visitSubtree(below, pattern, visit)) return false;
    return true;
  }
}
