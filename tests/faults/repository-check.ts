// What stock git says of a repository after faults: every landing once and with its content, notes and trunk agree.

import { git, gitBytes } from '../support/git-repository.ts';

/** A proposal and how it ended, as those outside remember it. */
export interface Ending {
  readonly proposal: string;
  readonly state: string;
  /** The landing's commit; null unless it landed. */
  readonly commit: string | null;
  readonly path: string;
  readonly content: string;
}

/** Every violation found, as sentences; none is what a test expects. `refs` are where they must point. */
export function repositoryViolations(
  repository: string,
  endings: readonly Ending[],
  refs: readonly { readonly ref: string; readonly commit: string }[] = [],
): string[] {
  const commitsOf = landingCommits(repository);
  const landed = endings.filter(({ state }) => state === 'landed');
  const noted = notesByCommit(repository);
  const pairs = [...commitsOf].flatMap(([proposal, commits]) => commits.map((commit) => ({ proposal, commit })));
  const found = objects(repository, [
    ...landed.map(({ commit, path }) => `${commit}:${path}`),
    ...pairs.map(({ commit }) => noted.get(commit) ?? 'no-note'),
    ...refs.map(({ ref }) => ref),
  ]);
  const notes = found.slice(landed.length, landed.length + pairs.length);
  return [
    ...endings.flatMap((ending) => endingViolations(ending, commitsOf.get(ending.proposal) ?? [])),
    ...landed.flatMap(({ proposal, path, content }, index) =>
      found[index]?.text === content ? [] : [`${proposal} landed with another content at ${path}`],
    ),
    ...[...commitsOf].flatMap(([proposal, { length }]) => (length > 1 ? [`${proposal} landed ${length} times`] : [])),
    ...pairs.flatMap(({ proposal, commit }, index) =>
      notes[index]?.text.includes(`"proposal":"${proposal}"`) === true
        ? []
        : [`the note of ${commit} does not name ${proposal}`],
    ),
    ...strayNotes(noted, commitsOf),
    ...refs.flatMap(({ ref, commit }, index) =>
      found[landed.length + pairs.length + index]?.oid === commit ? [] : [`${ref} is not at ${commit}`],
    ),
    ...fsckViolations(repository),
  ];
}

/** Commits on trunk by the proposal that their trailers name. */
export function landingCommits(repository: string): Map<string, string[]> {
  const format = '--format=%H %(trailers:key=FT-Proposal,valueonly,separator=%x2C)';
  const commits = new Map<string, string[]>();
  for (const line of git(repository, ['log', format, 'refs/heads/main']).split('\n')) {
    const [commit, proposals] = line.split(' ');
    if (commit === undefined || proposals === undefined || proposals === '') continue;
    for (const proposal of proposals.split(',')) commits.set(proposal, [...(commits.get(proposal) ?? []), commit]);
  }
  return commits;
}

/** What `git fsck --strict` objects to. */
export function fsckViolations(repository: string): string[] {
  try {
    git(repository, ['fsck', '--strict', '--no-dangling']);
    return [];
  } catch (error) {
    return [`git fsck --strict: ${String(error)}`];
  }
}

function endingViolations({ proposal, state, commit }: Ending, commits: readonly string[]): string[] {
  if (state !== 'landed') return commits.length === 0 ? [] : [`${proposal} is ${state} and stands on trunk`];
  if (commits.length === 1 && commits[0] === commit) return [];
  return [`${proposal} was told ${commit}, trunk has ${commits.join() || 'nothing'}`];
}

function notesByCommit(repository: string): Map<string, string> {
  const lines = git(repository, ['notes', '--ref', 'firetrident', 'list']).trim().split('\n');
  return new Map(lines.filter((line) => line !== '').map((line) => line.split(' ').reverse() as [string, string]));
}

/** Notes that belong to no landing commit. */
function strayNotes(noted: ReadonlyMap<string, string>, commitsOf: ReadonlyMap<string, readonly string[]>): string[] {
  const landed = new Set([...commitsOf.values()].flat());
  return [...noted.keys()].flatMap((commit) =>
    landed.has(commit) ? [] : [`a note names ${commit}, which is no landing on trunk`],
  );
}

/** Objects by any name that git takes; null for what is not there. */
function objects(
  repository: string,
  names: readonly string[],
): ({ readonly oid: string; readonly text: string } | null)[] {
  const bytes = gitBytes(repository, ['cat-file', '--batch'], Buffer.from(names.map((name) => `${name}\n`).join('')));
  let at = 0;
  return names.map(() => {
    const end = bytes.indexOf(10, at);
    const head = bytes.toString('utf8', at, end).split(' ');
    at = end + 1;
    if (head.at(-1) === 'missing') return null;
    const size = Number(head[2]);
    const text = bytes.toString('utf8', at, at + size);
    at += size + 1;
    return { oid: head[0] as string, text };
  });
}
