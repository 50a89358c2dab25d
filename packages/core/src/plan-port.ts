// What planning a cycle asks for and answers: the shapes between the rules and the bytes.
//
// Planning is pure. It sees trees and merges through facts, which a worker takes from git objects and a simulator
// makes up. It never sees bytes.

import type { LandingId, Oid, ProposalId, TreePath } from '@firetrident/base';
import type { Cause, ConflictKind, Entry, Outcome, Proposal, ResolvedRead } from './model.ts';

/** A tree that does not change; `with` gives another. */
export interface PlanTree {
  entry(path: TreePath): Entry | null;
  kind(path: TreePath): 'absent' | 'file' | 'directory';
  /**
   * For a path that is not there: what stands at its first absent level under a name that differs only in case. Null
   * for a path that is there.
   */
  caseClash(path: TreePath): TreePath | null;
  with(changes: readonly { readonly path: TreePath; readonly entry: Entry | null }[]): PlanTree;
}

/** Outcome of a three-way merge of one path. `merged` made a blob of its own, with `proof` for the verifier. */
export type MergeFact =
  | { readonly kind: 'same'; readonly entry: Entry | null }
  | { readonly kind: 'merged'; readonly entry: Entry; readonly proof: unknown }
  | { readonly kind: 'conflict'; readonly conflict: ConflictKind };

/** What a read shows in a tree: whether it differs from its basis, and its basis there. */
export interface Observation {
  readonly stale: boolean;
  readonly now: string | null;
}

/** A landing of this same cycle that may have moved something, newest last. */
export interface CycleLanding {
  readonly proposal: Proposal;
  readonly landing: LandingId;
  readonly title: string;
  readonly paths: readonly TreePath[];
}

/** Everything planning needs that takes bytes or history to know. Answers must be deterministic. */
export interface PlanFacts {
  readonly tip: PlanTree;
  merge(path: TreePath, base: Entry | null, ours: Entry | null, theirs: Entry | null): MergeFact;
  observe(tree: PlanTree, read: ResolvedRead): Observation;
  /** The landing before this cycle that moved the path (or listing, or glob) away from what `read` or `base` saw. */
  causeOfRead(read: ResolvedRead): Cause;
  causeOfWrite(path: TreePath, base: Entry | null): Cause;
  /** Bounded diff, of the part that was read, between what the read saw and the tree. */
  diffOfRead(tree: PlanTree, read: ResolvedRead): string;
  diffOfWrite(path: TreePath, base: Entry | null, tip: Entry | null): string;
  matchesGlob(glob: string, path: TreePath): boolean;
  /** The command by which the policy has the path made anew, or null when it names none. */
  regenerationOf(path: TreePath): string | null;
}

export interface PlanInput {
  /** Queued proposals in order of arrival. */
  readonly proposals: readonly Proposal[];
  /** Titles of their intents, by proposal. */
  readonly titles: ReadonlyMap<ProposalId, string>;
  /** The landing id that each proposal has when it lands. */
  readonly landings: ReadonlyMap<ProposalId, LandingId>;
  /** Proposals of earlier cycles that are still out, or came back: a chain that builds on one of them cannot land. */
  readonly returnedPredecessors: ReadonlySet<ProposalId>;
  /** Whether a written path may land as a merge. */
  readonly strict: (path: TreePath) => boolean;
  /** Proposals that must not land in this cycle, with the reason: what verification stopped in an earlier try. */
  readonly quarantined: ReadonlyMap<ProposalId, string>;
}

/** One landing to build, in order. */
export interface PlannedLanding {
  readonly proposal: ProposalId;
  /** The tree after this landing. */
  readonly tree: PlanTree;
  readonly writes: readonly {
    readonly path: TreePath;
    readonly before: Entry | null;
    readonly after: Entry | null;
    readonly merge: { readonly base: Entry | null; readonly theirs: Entry; readonly proof: unknown } | null;
  }[];
  readonly merged: readonly TreePath[];
  readonly unchanged: readonly TreePath[];
}

/** The plan of a cycle. Briefs name the tree after the last landing; the builder fills in its commit. */
export interface Plan {
  readonly landings: readonly PlannedLanding[];
  readonly others: readonly Exclude<Outcome, { kind: 'landed' }>[];
}

/** The commit that a brief carries until the cycle's tip is known. */
export const pendingTrunk: Oid = '0000000000000000000000000000000000000000';
