// What must hold after any number of kills: nothing acknowledged lost, nothing landed twice, trunk and notes agree.

import type { Client } from '@firetrident/client';
import { git } from '../support/git-repository.ts';
import { type Acknowledged, loadColony } from './load.ts';

/** Every violation found, as sentences; none is what a test expects. */
export async function violations(client: Client, acknowledged: ReadonlyMap<string, Acknowledged>): Promise<string[]> {
  const { repository } = await client.call('readColony', { parts: { colony: loadColony } });
  const found: string[] = [];
  const commitsOf = landingCommits(repository);
  for (const record of acknowledged.values())
    found.push(...(await recordViolations(client, repository, record, commitsOf)));
  for (const [proposal, commits] of commitsOf)
    if (commits.length > 1) found.push(`${proposal} landed ${commits.length} times`);
  found.push(...noteViolations(repository, commitsOf));
  try {
    git(repository, ['fsck', '--strict', '--no-dangling']);
  } catch (error) {
    found.push(`git fsck --strict: ${String(error)}`);
  }
  return found;
}

/** Commits on trunk by the proposal that their trailers name. */
function landingCommits(repository: string): Map<string, string[]> {
  const lines = git(repository, [
    'log',
    '--format=%H %(trailers:key=FT-Proposal,valueonly,separator=%x2C)',
    'main',
  ]).split('\n');
  const commits = new Map<string, string[]>();
  for (const line of lines) {
    const [commit, proposals] = line.split(' ');
    if (commit === undefined || proposals === undefined || proposals === '') continue;
    for (const proposal of proposals.split(',')) commits.set(proposal, [...(commits.get(proposal) ?? []), commit]);
  }
  return commits;
}

async function recordViolations(
  client: Client,
  repository: string,
  record: Acknowledged,
  commitsOf: ReadonlyMap<string, readonly string[]>,
): Promise<string[]> {
  const { proposal, path, content, outcome } = record;
  const status = await client.call('readProposal', { parts: { colony: loadColony, proposal } });
  if (outcome === null) return [`${proposal} was acknowledged and has no outcome`];
  if (status.state !== outcome.state) return [`${proposal} was told ${outcome.state} and is now ${status.state}`];
  const commits = commitsOf.get(proposal) ?? [];
  if (outcome.state !== 'landed')
    return commits.length === 0 ? [] : [`${proposal} is ${outcome.state} and stands on trunk`];
  if (commits.length !== 1 || commits[0] !== outcome.commit)
    return [`${proposal} was told ${outcome.commit}, trunk has ${commits.join()}`];
  const stands = git(repository, ['show', `${outcome.commit}:${path}`]);
  return stands === content ? [] : [`${proposal} landed with another content at ${path}`];
}

/** Each landing commit has a note that names its landing, and each note belongs to a landing commit. */
function noteViolations(repository: string, commitsOf: ReadonlyMap<string, readonly string[]>): string[] {
  if (commitsOf.size === 0) return [];
  const noted = new Map(
    git(repository, ['notes', '--ref', 'firetrident', 'list'])
      .trim()
      .split('\n')
      .map((line) => line.split(' ').reverse() as [string, string]),
  );
  const found: string[] = [];
  const landed = new Set([...commitsOf.values()].flat());
  for (const commit of landed) {
    const blob = noted.get(commit);
    if (blob === undefined) found.push(`commit ${commit} has no note`);
  }
  for (const commit of noted.keys())
    if (!landed.has(commit)) found.push(`a note names ${commit}, which is no landing on trunk`);
  const notes = git(repository, ['cat-file', '--batch'], Buffer.from([...noted.values()].join('\n')));
  for (const [proposal] of commitsOf)
    if (!notes.includes(`"proposal":"${proposal}"`)) found.push(`no note names ${proposal}`);
  return found;
}
