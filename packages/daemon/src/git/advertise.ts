// What a pushing client is told first: where trunk stands, and what this side understands.
//
//   AV1. Older commits of trunk are told too, ever fewer the older they are: a client that has not fetched lately then
//        sends its change and not the history below it.
//   AV2. However many ask at once, one git looks.

import type { ServerResponse } from 'node:http';
import { NodeGit } from '@firetrident/adapters';
import type { Colony } from '@firetrident/engine';
import { flushPacket, packet } from './packet-lines.ts';

/** Commits of trunk that are looked at, and those of them that are told one by one. */
const lookedAt = 20_000;
const toldClosely = 32;
/** Beyond those, each told commit is so many times as far from the tip as the one before. */
const spacing = 1.25;

const capabilities = [
  'report-status',
  'report-status-v2',
  'side-band-64k',
  'quiet',
  'atomic',
  'delete-refs',
  'push-options',
  'ofs-delta',
  'object-format=sha1',
  'agent=firetrident',
].join(' ');

/** How long a sample of older commits is told again: what landed since is only not told, and nothing is wrong. */
const sampleMs = 20_000;

/** Older commits of trunk, by repository, each with the time at which looking for them began. */
export type OlderCommits = Map<string, { readonly at: number; readonly commits: Promise<readonly string[]> }>;

/** Answers the first request of a push. `now` in milliseconds of a clock that only moves forward. */
export async function advertisePushing(
  colony: Colony,
  samples: OlderCommits,
  now: number,
  outgoing: ServerResponse,
): Promise<void> {
  const { tip, branch } = colony.state;
  const older = await sampleOf(samples, colony.repository, now, () => olderCommits(colony.repository, tip));
  outgoing.writeHead(200, {
    'content-type': 'application/x-git-receive-pack-advertisement',
    'cache-control': 'no-cache, max-age=0, must-revalidate',
  });
  const lines = [
    packet('# service=git-receive-pack\n'),
    flushPacket,
    packet(`${tip} refs/heads/${branch}\0${capabilities}\n`),
    ...older.map((oid) => packet(`${oid} .have\n`)),
    flushPacket,
  ];
  outgoing.end(Buffer.concat(lines));
}

/** The sample of a repository, looked for when there is none, or none that is fresh (AV2). A failed look is forgotten. */
export function sampleOf(
  samples: OlderCommits,
  repository: string,
  now: number,
  look: () => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const known = samples.get(repository);
  if (known !== undefined && now - known.at < sampleMs) return known.commits;
  const sample = { at: now, commits: look() };
  samples.set(repository, sample);
  sample.commits.catch(() => {
    // Those who asked hear of it by the promise that they were given.
    if (samples.get(repository) === sample) samples.delete(repository);
  });
  return sample.commits;
}

/** A sample of trunk's own commits, the tip included (AV1). */
async function olderCommits(repository: string, tip: string): Promise<string[]> {
  const args = ['--git-dir', repository, 'rev-list', '--first-parent', `--max-count=${lookedAt}`, tip];
  const listed = await new NodeGit().run(args);
  if (listed.code !== 0) return [];
  const commits = Buffer.from(listed.stdout).toString('latin1').trimEnd().split('\n');
  const told: string[] = [];
  for (let place = 0; place < commits.length; place = nextPlace(place)) told.push(commits[place] as string);
  return told;
}

function nextPlace(place: number): number {
  return place < toldClosely ? place + 1 : Math.floor(place * spacing);
}
