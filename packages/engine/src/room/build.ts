// From a plan to commits: which landings share a commit, what each says, and what the verifier is told.
//
// Invariants:
//   BU1. Landings keep the plan's order. A commit holds several only by policy, of one batch, side by side in the
//        order, and never two that write the same path.
//   BU2. What the verifier is told comes from the plan, not from the builder.

import { defined, type Oid, type ProposalId, type TreePath } from '@firetrident/base';
import type { Outcome, Plan, PlannedLanding } from '@firetrident/core';
import type { CycleCommit, CycleDeclaration, DeclaredWrite, Tree } from '@firetrident/trunk';
import type { CycleEntry, CycleRequest } from '../trunk-service.ts';
import type { MergeProof } from './facts.ts';
import { commitMessage, type LandingText, lineageNote } from './lineage.ts';

/** A commit to make, with the landings in it. */
export interface CommitGroup {
  readonly landings: readonly PlannedLanding[];
  readonly entries: readonly CycleEntry[];
}

/** Which landings share a commit (BU1). */
export function groupLandings(plan: Plan, request: CycleRequest): CommitGroup[] {
  const entryOf = new Map(request.entries.map((entry) => [entry.proposal.id, entry]));
  const groups: { landings: PlannedLanding[]; entries: CycleEntry[]; paths: Set<TreePath> }[] = [];
  for (const landing of plan.landings) {
    const entry = defined(entryOf.get(landing.proposal), `entry of ${landing.proposal}`);
    const last = groups[groups.length - 1];
    const joins =
      request.policy.landing.commits === 'batch' &&
      last?.entries[0]?.batch === entry.batch &&
      !landing.writes.some((write) => last.paths.has(write.path));
    const group = joins && last !== undefined ? last : { landings: [], entries: [], paths: new Set<TreePath>() };
    if (group !== last) groups.push(group);
    group.landings.push(landing);
    group.entries.push(entry);
    for (const write of landing.writes) group.paths.add(write.path);
  }
  return groups;
}

/** The commit of a group, for the trunk writer. */
export function cycleCommit(group: CommitGroup, request: CycleRequest): CycleCommit {
  const texts = group.landings.map((landing, index) => landingText(landing, group.entries[index] as CycleEntry));
  const { agent } = group.entries[0] as CycleEntry;
  const timeSeconds = Math.floor(request.now / 1_000);
  return {
    tree: (group.landings[group.landings.length - 1] as PlannedLanding).tree as Tree,
    message: commitMessage(texts),
    author: { name: agent.name, email: `${agent.id}@agents.firetrident.invalid`, timeSeconds },
    committer: { name: `FireTrident ${request.colony}`, email: 'colony@firetrident.invalid', timeSeconds },
    note: () => lineageNote(texts, request.cycle, request.now),
  };
}

function landingText(landing: PlannedLanding, entry: CycleEntry): LandingText {
  return {
    entry,
    writes: landing.writes.map((write) => ({
      path: write.path,
      before: write.before?.oid ?? null,
      after: write.after?.oid ?? null,
    })),
    merged: landing.merged,
  };
}

/** What the cycle may and must change (BU2). */
export function declaration(groups: readonly CommitGroup[], parent: Oid, notesParent: Oid | null): CycleDeclaration {
  return {
    parent,
    notesParent,
    commits: groups.map((group) => ({
      writes: group.landings.flatMap((landing) => landing.writes.map(declaredWrite)),
    })),
  };
}

function declaredWrite(write: PlannedLanding['writes'][number]): DeclaredWrite {
  const { path, before, after, merge } = write;
  if (merge === null || before === null || after === null) return { kind: 'proposed', path, entry: after };
  const { witness } = merge.proof as MergeProof;
  return { kind: 'merged', path, base: merge.base, ours: before, theirs: merge.theirs, witness, mode: after.mode };
}

/** The outcomes of a built plan, in landing order, then the rest. */
export function outcomesOf(plan: Plan, groups: readonly CommitGroup[], commits: readonly Oid[], tip: Oid): Outcome[] {
  const landed: Outcome[] = groups.flatMap((group, index) =>
    group.landings.map((landing, position) => {
      const entry = group.entries[position] as CycleEntry;
      return {
        kind: 'landed' as const,
        proposal: landing.proposal,
        landing: entry.landing,
        batch: entry.batch,
        commit: commits[index] as Oid,
        writes: landing.writes.map(({ path, before, after }) => ({ path, before, after })),
        merged: landing.merged,
        unchanged: landing.unchanged,
      };
    }),
  );
  const others = plan.others.map((outcome) =>
    outcome.kind === 'returned' ? { ...outcome, brief: { ...outcome.brief, trunk: tip } } : outcome,
  );
  return [...landed, ...others];
}

/** Proposals in a commit that verification stopped. */
export function proposalsOf(group: CommitGroup): ProposalId[] {
  return group.landings.map((landing) => landing.proposal);
}
