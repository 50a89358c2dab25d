// What stock git says about a colony's repository. Each check answers what it found; none of them changes anything.

import { type GitEnd, runGit, tryGit } from '@firetrident/agents';

/** What git fsck found: nothing, or its words. */
export interface FsckAnswer {
  readonly ok: boolean;
  readonly said: string;
}

/** `git fsck`: of the connections only, or of every object by the strict rules. */
export async function fsck(repository: string, full: boolean): Promise<FsckAnswer> {
  const mode = full ? ['--strict', '--full'] : ['--connectivity-only'];
  const end: GitEnd = await tryGit(repository, ['fsck', ...mode, '--no-dangling', '--no-progress']);
  const said = `${end.output.toString('utf8')}${end.errors}`.trim();
  return { ok: end.code === 0, said };
}

/** Landings on a branch, and how their notes lie. */
export interface NotesAnswer {
  /** Commits on the branch that name a landing. */
  readonly landings: number;
  /** Those without a note. */
  readonly missing: readonly string[];
  readonly notes: number;
  /** Notes in the fullest folder of the notes tree. */
  readonly fullestFolder: number;
}

/** Compares the landing commits of a branch with the notes. */
export async function checkNotes(repository: string, branch: string): Promise<NotesAnswer> {
  const { landingNotes } = await import('@firetrident/bench');
  const { landings, missing, noteOf, paths } = await landingNotes(repository, branch);
  const perFolder = new Map<string, number>();
  for (const path of paths) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    perFolder.set(folder, (perFolder.get(folder) ?? 0) + 1);
  }
  return {
    landings: landings.length,
    missing,
    notes: noteOf.size,
    fullestFolder: Math.max(0, ...perFolder.values()),
  };
}

/** Packs and loose objects of a repository. */
export async function countObjects(repository: string): Promise<{ readonly packs: number; readonly loose: number }> {
  const counted = await lines(repository, ['count-objects', '-v']);
  const numberOf = (name: string) =>
    Number(counted.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? Number.NaN);
  return { packs: numberOf('packs'), loose: numberOf('count') };
}

/** The branch that a bare repository's HEAD names. */
export async function headBranch(repository: string): Promise<string> {
  return (await runGit(repository, ['symbolic-ref', '--short', 'HEAD'])).toString('utf8').trim();
}

async function lines(repository: string, args: readonly string[]): Promise<string[]> {
  return (await runGit(repository, args)).toString('utf8').split('\n').filter(Boolean);
}
