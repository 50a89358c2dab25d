// What others pushed to an upstream comes onto trunk.
//
//   TN1. Trunk's own commits stay, each of them on the chain of first parents: what is not simply their continuation
//        comes in as one merge commit.
//   TN2. Trunk is moved by compare-and-swap only: a landing that is faster wins, and the taking in begins anew.
//   TN3. What git cannot merge is not merged.

import type { Oid } from '@firetrident/base';
import type { GitCalls } from './git-calls.ts';

/** What became of it. `paths` are those that git cannot merge. */
export type TakenIn =
  | { readonly kind: 'done'; readonly tip: Oid }
  | { readonly kind: 'outrun' }
  | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/** The two trunks. */
export interface TheirTrunk {
  readonly ours: Oid;
  readonly theirs: Oid;
  /** Theirs descends from ours. */
  readonly isBehind: boolean;
  /** Whoever pushes there continues trunk: then nothing is merged. */
  readonly isLinear: boolean;
}

/** Moves trunk on to a commit that descends from it. */
export async function moveTrunk(git: GitCalls, branch: string, from: Oid, to: Oid): Promise<TakenIn> {
  const moved = await git.move(`refs/heads/${branch}`, to, from);
  return moved.code === 0 ? { kind: 'done', tip: to } : { kind: 'outrun' }; // (TN2)
}

/** Brings `theirs`, which trunk does not have, onto trunk at `ours`. */
export async function takeIn(
  git: GitCalls,
  branch: string,
  { ours, theirs, isBehind, isLinear }: TheirTrunk,
): Promise<TakenIn> {
  // (TN1)
  if (isBehind && (isLinear || (await continues(git, ours, theirs)))) return moveTrunk(git, branch, ours, theirs);
  const tree = isBehind ? await treeOf(git, theirs) : await mergedTree(git, ours, theirs);
  if (typeof tree !== 'string') return tree;
  const subject = (await git.run('log', '-1', '--no-show-signature', '--format=%s', theirs)).output;
  const message = `Merge upstream: ${subject}\n\nWhat others pushed to the upstream of this colony, up to ${theirs}.\n`;
  const made = await git.run('commit-tree', tree, '-p', ours, '-p', theirs, '-m', message);
  if (made.code !== 0) throw new Error(`the merge could not be written: ${made.problem}`);
  return moveTrunk(git, branch, ours, made.output);
}

/** Whether `ours` is on the chain of first parents of `theirs`. */
async function continues(git: GitCalls, ours: Oid, theirs: Oid): Promise<boolean> {
  const chain = await git.run('log', '--first-parent', '--no-show-signature', '--format=%P', theirs, '--not', ours);
  return chain.output.split('\n').at(-1)?.split(' ')[0] === ours;
}

async function treeOf(git: GitCalls, commit: Oid): Promise<Oid> {
  return (await git.run('rev-parse', `${commit}^{tree}`)).output;
}

async function mergedTree(
  git: GitCalls,
  ours: Oid,
  theirs: Oid,
): Promise<Oid | Extract<TakenIn, { kind: 'conflict' }>> {
  const merged = await git.run('merge-tree', '--write-tree', '--name-only', '--no-messages', ours, theirs);
  const [tree, ...paths] = merged.output.split('\n');
  if (merged.code === 0) return tree as Oid;
  if (merged.code !== 1) throw new Error(`the trunks could not be merged: ${merged.problem}`);
  return { kind: 'conflict', paths }; // (TN3)
}

/**
 * Whether trunk says nothing that the upstream does not say too: it is a merge of it that changes nothing there. Such a
 * merge waits for the next landing, or two colonies would answer one another's merges for ever.
 */
export async function addsNothing(git: GitCalls, ours: Oid, theirs: Oid): Promise<boolean> {
  const listed = await git.run('rev-parse', `${ours}^{tree}`, `${theirs}^{tree}`, `${ours}^2`);
  const [ourTree, theirTree, second] = listed.output.split('\n');
  return listed.code === 0 && ourTree === theirTree && second === theirs;
}
