// What the landings of a cycle have touched so far: which of them moved a read or a written path.
//
// Compares trees by entry and kind, never by content; so a landing that touched what was read need not have made the
// read stale, but a landing that made it stale is always found; for a read that follows names into other files, by
// looking again at the trees between the landings.
//
// Invariants:
//   PT1. Answers name the last landing that touched the thing, leaving aside landings of the asking proposal's chain.

import { folderOf, type ProposalId, type TreePath } from '@firetrident/base';
import type { LandedWrite, ResolvedRead } from './model.ts';
import type { CycleLanding, PlanFacts, PlanTree } from './plan-port.ts';

/** Proposals whose landings are no cause: the parts of a chain that the asking proposal builds on. */
export type OwnChain = ReadonlySet<ProposalId>;

interface GlobProgress {
  checked: number;
  readonly landings: CycleLanding[];
}

/** Grows with each landing. Cost: the changed paths and the folders above those that were created or deleted. */
export class LandingTouches {
  readonly #matchesGlob: PlanFacts['matchesGlob'];
  readonly #byPath = new Map<TreePath, CycleLanding[]>();
  readonly #byListing = new Map<TreePath, CycleLanding[]>();
  readonly #belowFolder = new Map<TreePath, CycleLanding[]>();
  readonly #members: { readonly path: TreePath; readonly landing: CycleLanding }[] = [];
  readonly #steps: { readonly landing: CycleLanding; readonly before: PlanTree; readonly after: PlanTree }[] = [];
  readonly #byGlob = new Map<string, GlobProgress>();

  constructor(matchesGlob: PlanFacts['matchesGlob']) {
    this.#matchesGlob = matchesGlob;
  }

  /** Records a landing that made `after` of `before`. */
  add(landing: CycleLanding, writes: readonly LandedWrite[], before: PlanTree, after: PlanTree): void {
    this.#steps.push({ landing, before, after });
    for (const write of writes) {
      note(this.#byPath, write.path, landing);
      if (write.before?.mode === write.after?.mode) continue;
      note(this.#byListing, folderOf(write.path), landing);
      if ((write.before === null) === (write.after === null)) continue;
      this.#members.push({ path: write.path, landing });
      for (let folder = folderOf(write.path); folder !== ''; folder = folderOf(folder)) {
        note(this.#belowFolder, folder, landing);
        if (before.kind(folder) !== after.kind(folder)) note(this.#byListing, folderOf(folder), landing);
      }
    }
  }

  /** The last landing that touched what the read names, outside the reader's own chain (PT1). */
  ofRead(read: ResolvedRead, own: OwnChain): CycleLanding | null {
    switch (read.kind) {
      case 'file':
      case 'symbol':
      case 'lines':
        return lastForeign(this.#byPath.get(read.path), own);
      case 'dir':
        return lastForeign(this.#byListing.get(read.path), own);
      case 'glob':
        return lastForeign(this.#landingsOfGlob(read.glob), own);
    }
  }

  /** The last landing around which the read showed something else, whatever it touched (PT1). */
  aroundWhich(own: OwnChain, shows: (tree: PlanTree) => string | null): CycleLanding | null {
    const step = this.#steps.findLast(
      ({ landing, before, after }) => !own.has(landing.proposal.id) && shows(before) !== shows(after),
    );
    return step?.landing ?? null;
  }

  /** The last landing that touched the path, or created or deleted something below it (PT1). */
  ofPath(path: TreePath, own: OwnChain): CycleLanding | null {
    return lastForeign(this.#byPath.get(path), own) ?? lastForeign(this.#belowFolder.get(path), own);
  }

  #landingsOfGlob(glob: string): readonly CycleLanding[] {
    let progress = this.#byGlob.get(glob);
    if (progress === undefined) {
      progress = { checked: 0, landings: [] };
      this.#byGlob.set(glob, progress);
    }
    for (; progress.checked < this.#members.length; progress.checked += 1) {
      const member = this.#members[progress.checked];
      if (member !== undefined && this.#matchesGlob(glob, member.path)) progress.landings.push(member.landing);
    }
    return progress.landings;
  }
}

function note<K>(index: Map<K, CycleLanding[]>, key: K, landing: CycleLanding): void {
  const landings = index.get(key);
  if (landings === undefined) index.set(key, [landing]);
  else if (landings[landings.length - 1] !== landing) landings.push(landing);
}

function lastForeign(landings: readonly CycleLanding[] | undefined, own: OwnChain): CycleLanding | null {
  return landings?.findLast((landing) => !own.has(landing.proposal.id)) ?? null;
}
