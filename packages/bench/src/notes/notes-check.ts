// Whether the notes of a colony hold what they promise, by stock git on a clone: nothing here is of our own git code.
//
//   NC1. Every commit with a trailer `FT-Landing` has a note under `refs/notes/firetrident`, and the note names exactly the
//        landings of the trailers.
//   NC2. Notes lie under two characters of their commit, or under two times two: all of one folder alike, since folders are
//        cut a second time one by one; with 32,000 notes and more all are.

import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { RandomStream } from '@firetrident/base';
import { gitText, landingNotes, notesRef } from './landing-notes.ts';

/** Notes from which one level of folders is too few. */
const oneLevelBound = 32_000;
const outputBytes = 1 << 30;
/** Problems that are named. */
const problemsShown = 10;

/** What to check. */
export interface NotesCheckOptions {
  /** A path or address that stock git can clone. */
  readonly repository: string;
  readonly branch: string;
  /** Notes whose content is looked at. */
  readonly sample: number;
  readonly seed: number;
}

/** How the folders of the notes tree are cut. */
export type FanOut = 'none' | '2' | '2 and 2/2' | '2/2' | 'wrong';

/** What was found. */
export interface NotesCheck {
  readonly figures: 'MEASURED';
  readonly commits: number;
  readonly landingCommits: number;
  readonly notes: number;
  /** Landing commits without a note (NC1). */
  readonly withoutNote: number;
  readonly sampled: number;
  /** Sampled notes that do not name the landings of their commit (NC1). */
  readonly wrong: number;
  readonly fanOut: FanOut;
  /** Whether the fan-out is the one that so many notes need (NC2). */
  readonly fanOutHolds: boolean;
  /** The first problems, in words. */
  readonly problems: readonly string[];
}

/** Clones and checks. Rejects when git fails. */
export async function checkNotes(options: NotesCheckOptions): Promise<NotesCheck> {
  const directory = await mkdtemp(join(tmpdir(), 'firetrident-notes-'));
  try {
    const clone = join(directory, 'clone.git');
    await gitText(directory, [
      'clone',
      '--quiet',
      '--bare',
      '--no-local',
      '--branch',
      options.branch,
      options.repository,
      clone,
    ]);
    const hasNotes = (await gitText(clone, ['ls-remote', 'origin', notesRef])) !== '';
    if (hasNotes) await gitText(clone, ['fetch', '--quiet', 'origin', `+${notesRef}:${notesRef}`]);
    return await checkClone(clone, options);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function checkClone(clone: string, { branch, sample, seed }: NotesCheckOptions): Promise<NotesCheck> {
  const { commits, landings, missing, noteOf, paths } = await landingNotes(clone, branch);
  const problems = missing.map((commit) => `${commit} has no note`);
  const sampled = draw(
    landings.filter(({ commit }) => noteOf.has(commit)),
    sample,
    new RandomStream(seed),
  );
  let wrong = 0;
  const texts = await blobTexts(
    clone,
    sampled.map(({ commit }) => noteOf.get(commit) as string),
  );
  for (const [index, { commit, landings: expected }] of sampled.entries()) {
    const problem = problemOf(texts[index] as string, expected);
    if (problem === null) continue;
    wrong += 1;
    problems.push(`the note of ${commit} ${problem}`);
  }
  const fanOut = fanOutOf(paths);
  return {
    figures: 'MEASURED',
    commits,
    landingCommits: landings.length,
    notes: noteOf.size,
    withoutNote: missing.length,
    sampled: sampled.length,
    wrong,
    fanOut,
    fanOutHolds: fanOut === '2/2' || (fanOut !== 'wrong' && noteOf.size < oneLevelBound),
    problems: problems.slice(0, problemsShown),
  };
}

/** Why a note does not name the landings that its commit's trailers name; null when it does. */
function problemOf(text: string, expected: readonly string[]): string | null {
  try {
    const note = JSON.parse(text) as { landings?: readonly { landing?: unknown }[] };
    const named = (note.landings ?? []).map(({ landing }) => String(landing));
    if (named.sort().join(' ') === [...expected].sort().join(' ')) return null;
    return `names ${named.join(', ') || 'nothing'} instead of ${expected.join(', ')}`;
  } catch (error) {
    return `is not JSON: ${(error as Error).message}`;
  }
}

function fanOutOf(paths: readonly string[]): FanOut {
  const cutsOf = new Map<string, Set<FanOut>>();
  for (const path of paths) {
    const folder = path.slice(0, 3);
    const cuts = cutsOf.get(folder) ?? new Set();
    cuts.add(
      /^[0-9a-f]{2}\/[0-9a-f]{38}$/.test(path) ? '2' : /^([0-9a-f]{2}\/){2}[0-9a-f]{36}$/.test(path) ? '2/2' : 'wrong',
    );
    cutsOf.set(folder, cuts);
  }
  const all = new Set([...cutsOf.values()].flatMap((cuts) => [...cuts]));
  if (all.size === 0) return 'none';
  const isAlike = [...cutsOf.values()].every((cuts) => cuts.size === 1);
  if (all.has('wrong') || !isAlike) return 'wrong';
  return all.size === 2 ? '2 and 2/2' : ([...all][0] as FanOut);
}

/** So many of a list, each at most once. */
function draw<T>(all: readonly T[], count: number, draws: RandomStream): T[] {
  const left = [...all];
  const drawn: T[] = [];
  while (drawn.length < count && left.length > 0) {
    const place = draws.below(left.length);
    drawn.push(left[place] as T);
    left[place] = left.at(-1) as T;
    left.pop();
  }
  return drawn;
}

/** The texts of blobs, in one process of git. */
async function blobTexts(clone: string, blobs: readonly string[]): Promise<string[]> {
  const reading = promisify(execFile)('git', ['cat-file', '--batch'], {
    cwd: clone,
    maxBuffer: outputBytes,
    encoding: 'buffer',
  });
  reading.child.stdin?.end(blobs.map((blob) => `${blob}\n`).join(''));
  let rest = (await reading).stdout;
  return blobs.map(() => {
    const start = rest.indexOf(10) + 1;
    const size = Number(
      rest
        .subarray(0, start - 1)
        .toString()
        .split(' ')[2],
    );
    const text = rest.subarray(start, start + size).toString();
    rest = rest.subarray(start + size + 1);
    return text;
  });
}
