// What is reserved, found by the paths that somebody else writes.
//
// Sees paths and globs only. Whether a symbol really comes from the file that a read names, or a merge would have been
// clean, is not asked: what could move something reserved is taken to move it.
//
// Invariants:
//   RX1. Equals one made again from the reservations and their proposals.
//   RX2. Doubt holds back: a write that may move a reserved listing or glob counts as moving it.

import { folderOf, type LeaseId, OrderedSet, type ProposalId, type TreePath } from '@firetrident/base';
import type { Proposal, Region, Reservation, ResolvedWrite } from './model.ts';
import { isSameEntry } from './order-age.ts';
import { type Pattern, parsePattern, patternsOverlap } from './pattern.ts';

interface ReservationDue {
  readonly lease: LeaseId;
  readonly at: number;
}

/** The reservations of a colony by path, folder, glob and end. Asking costs the written paths and the folders above. */
export class ReservationIndex {
  readonly #byPath = new Map<TreePath, Set<LeaseId>>();
  readonly #byListing = new Map<TreePath, Set<LeaseId>>();
  readonly #globs = new Map<LeaseId, readonly Pattern[]>();
  /** Reservations by their end. */
  readonly due: OrderedSet<ReservationDue> = new OrderedSet(compareDue);
  /** Lanes with a reservation, and the lease that has it. */
  readonly lanes: Map<Region, LeaseId> = new Map();
  /** What is held back, with the lease that it waits for. */
  readonly heldBy: Map<ProposalId, LeaseId> = new Map();

  /** A reservation begins, with what its proposal writes and reads. */
  add(reservation: Reservation, proposal: Proposal): void {
    const { lease, region, until, held } = reservation;
    this.lanes.set(region, lease);
    for (const { path } of proposal.writes) file(this.#byPath, path, lease);
    const globs: Pattern[] = [];
    for (const read of proposal.reads) {
      if (read.kind === 'glob') globs.push(parsePattern(read.glob));
      else file(read.kind === 'dir' ? this.#byListing : this.#byPath, read.path, lease);
    }
    if (globs.length > 0) this.#globs.set(lease, globs);
    for (const id of held) this.heldBy.set(id, lease);
    this.due.add({ lease, at: until });
  }

  /** The reservation is over, or is about another proposal from now on. */
  remove(reservation: Reservation, proposal: Proposal): void {
    const { lease, region, until, held } = reservation;
    this.lanes.delete(region);
    for (const { path } of proposal.writes) unfile(this.#byPath, path, lease);
    for (const read of proposal.reads) {
      if (read.kind !== 'glob') unfile(read.kind === 'dir' ? this.#byListing : this.#byPath, read.path, lease);
    }
    this.#globs.delete(lease);
    for (const id of held) this.heldBy.delete(id);
    this.due.delete({ lease, at: until });
  }

  /** Leases with a reservation that these writes may break (RX2). */
  touchedBy(writes: readonly ResolvedWrite[]): ReadonlySet<LeaseId> {
    const touched = new Set<LeaseId>();
    const addAll = (leases: Iterable<LeaseId> | undefined) => {
      for (const lease of leases ?? []) touched.add(lease);
    };
    for (const { path, base, after } of writes) {
      if (isSameEntry(base, after)) continue;
      addAll(this.#byPath.get(path));
      if (base?.mode === after?.mode) continue;
      // A file that comes or goes may bring its folders along, or take them.
      for (let folder = folderOf(path); ; folder = folderOf(folder)) {
        addAll(this.#byListing.get(folder));
        if (folder === '') break;
      }
      const pattern = parsePattern(path);
      for (const [lease, globs] of this.#globs) {
        if (globs.some((glob) => patternsOverlap(glob, pattern))) touched.add(lease);
      }
    }
    return touched;
  }

  /** The whole content in a fixed order, to compare two indexes. */
  describe(): unknown {
    const sets = (map: ReadonlyMap<string, ReadonlySet<LeaseId>>) =>
      [...map].map(([key, leases]) => JSON.stringify([key, ...[...leases].sort()])).sort();
    return {
      paths: sets(this.#byPath),
      listings: sets(this.#byListing),
      globs: [...this.#globs].map(([lease, globs]) => `${lease} ${globs.map(({ text }) => text)}`).sort(),
      due: [...this.due],
      lanes: [...this.lanes].map(([region, lease]) => `${lease} ${region}`).sort(),
      held: [...this.heldBy].map(([id, lease]) => `${id} ${lease}`).sort(),
    };
  }
}

function compareDue(left: ReservationDue, right: ReservationDue): number {
  return left.at - right.at || (left.lease < right.lease ? -1 : left.lease > right.lease ? 1 : 0);
}

function file(map: Map<TreePath, Set<LeaseId>>, key: TreePath, lease: LeaseId): void {
  const leases = map.get(key);
  if (leases === undefined) map.set(key, new Set([lease]));
  else leases.add(lease);
}

function unfile(map: Map<TreePath, Set<LeaseId>>, key: TreePath, lease: LeaseId): void {
  const leases = map.get(key);
  leases?.delete(lease);
  if (leases?.size === 0) map.delete(key);
}
