// Changes of a tree, grouped by folder and made from the leaves up.
//
// Invariants:
//   TR1. Only folders on the way to a change are made anew; a change to what is there already changes nothing.
//   TR2. A folder that loses its last entry disappears, as git knows no empty folders.
//   TR3. No name is ever file and folder at once: such a change is a broken assumption of the caller and crashes.

import { assert, pathBytes } from '@firetrident/base';
import type { Directory, DirectoryLoader } from './directory.ts';
import { type DirectoryEdit, editDirectory } from './directory-edit.ts';
import type { Entry, TreeChange } from './model.ts';

interface Step {
  /** What the file of this name becomes; undefined when no change names it. */
  entry: Entry | null | undefined;
  below: Map<string, Step> | null;
}

/** The root after the changes: the same object when they change nothing (TR1), null when nothing is left. */
export function editTree(
  root: Directory | null,
  changes: Iterable<TreeChange>,
  load: DirectoryLoader,
): Directory | null {
  const steps = new Map<string, Step>();
  for (const change of changes) addSteps(steps, change);
  return editBelow(root, steps, load, '');
}

function addSteps(steps: Map<string, Step>, { path, entry }: TreeChange): void {
  let level = steps;
  for (let from = 0; ; ) {
    const slash = path.indexOf('/', from);
    const name = slash < 0 ? path.slice(from) : path.slice(from, slash);
    assert(name !== '', `"${path}" is a path in a tree`);
    let step = level.get(name);
    if (!step) {
      step = { entry: undefined, below: null };
      level.set(name, step);
    }
    if (slash < 0) {
      step.entry = entry;
      return;
    }
    step.below ??= new Map();
    level = step.below;
    from = slash + 1;
  }
}

function editBelow(
  directory: Directory | null,
  steps: ReadonlyMap<string, Step>,
  load: DirectoryLoader,
  at: string,
): Directory | null {
  const edits: DirectoryEdit[] = [];
  for (const [name, step] of steps) {
    const bytes = pathBytes(name);
    const before = directory?.child(name, bytes, load) ?? null;
    const after = step.below ? editBelow(before, step.below, load, `${at}${name}/`) : before;
    if (after !== before) edits.push({ kind: 'directory', name, bytes, child: after });
    const file = directory?.file(bytes) ?? null;
    const fileAfter = step.entry === undefined ? file : step.entry;
    assert(!(after && fileAfter), `${at}${name} is not both a file and a folder`);
    if (!sameEntry(file, fileAfter)) edits.push({ kind: 'file', name, bytes, entry: fileAfter });
  }
  return edits.length === 0 ? directory : editDirectory(directory, edits);
}

/** Whether two entries are equal in mode and id; null equals null only. */
export function sameEntry(left: Entry | null, right: Entry | null): boolean {
  if (left === null || right === null) return left === right;
  return left.oid === right.oid && left.mode === right.mode;
}
