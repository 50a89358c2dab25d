// Keeping what lies in a checkout under a ref, before anything is done to its files.
//
// The kept commit's first parent is the commit that the files stood on. Commits and stashes that were made inside are
// further parents, so that one ref keeps all of it.
//
// Invariants:
//   CP1. A capture is whole in the repository of captures before it is answered: its pack first, then its ref.
//   CP2. Files of repositories that were made inside are captured as files.
//   CP3. Whoever asks hears what could not be captured, and leaves the files alone.

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { makeGitDirectory } from './git-directory.ts';
import { GitFailedError, runGit, splitAtZero, tryGit } from './run-git.ts';
import { filesOf, firstLine, gitOn, stageAll, tryGitOn, type WorkTree } from './work-tree.ts';

/** What is kept of a checkout. */
export interface Capture {
  /** Its name, of the form `cap_` and the first digits of its commit. */
  readonly id: string;
  readonly commit: string;
  /** What could not be captured, in words; null when nothing is left out (CP3). */
  readonly missing: string | null;
}

/** Of which checkout, and where to. */
export interface CaptureRequest {
  readonly tree: WorkTree;
  /** The colony's bare repository. */
  readonly repository: string;
  /** The repository of captures; made with the first. */
  readonly captured: string;
  /** The commit that the files stood on; null when the colony does not know it any more. */
  readonly base: string | null;
  /** Intent or agent that the work was for. */
  readonly reason: string;
}

const identity = {
  GIT_AUTHOR_NAME: 'FireTrident',
  GIT_AUTHOR_EMAIL: 'colony@firetrident.invalid',
  GIT_COMMITTER_NAME: 'FireTrident',
  GIT_COMMITTER_EMAIL: 'colony@firetrident.invalid',
};

/** Prefix of the refs of captures. */
export const capturedRefs = 'refs/captured/';

/**
 * Captures what differs from the base, and commits made inside; null when there is neither (CP1). Rejects with
 * `GitFailedError` when nothing could be kept.
 */
export async function captureTree(request: CaptureRequest): Promise<Capture | null> {
  const { tree, base } = request;
  if (base === null) await gitOn(tree, ['read-tree', '--empty']);
  const notStaged = await stageAll(tree);
  const missing = (await stageInner(request, notStaged !== null)) ? null : notStaged;
  const files = firstLine(await gitOn(tree, ['write-tree']));
  const made = await commitsInside(request);
  const before = base === null ? null : firstLine(await gitOn(tree, ['rev-parse', `${base}^{tree}`]));
  if (files === before && made.length === 0 && missing === null) return null;
  makeCapturedRepository(request);
  try {
    return { ...(await keep(request, files, made)), missing };
  } catch (error) {
    // Objects that were made inside may be damaged; the files are kept all the same (CP3).
    if (!(error instanceof GitFailedError) || made.length === 0) throw error;
    return { ...(await keep(request, files, [])), missing: missing ?? `commits made inside: ${error.message}` };
  }
}

/** Objects that were made inside are looked up there too, where that is not the git directory itself. */
function lent({ tree }: CaptureRequest): Readonly<Record<string, string>> {
  const objects = join(tree.directory, '.git/objects');
  return existsSync(objects) ? { GIT_ALTERNATE_OBJECT_DIRECTORIES: objects } : {};
}

/** Makes the commit, copies it into the repository of captures, and names it there (CP1). */
async function keep(request: CaptureRequest, files: string, made: readonly string[]) {
  const { tree, captured, base, reason } = request;
  const parents = [...(base === null ? [] : [base]), ...made].flatMap((parent) => ['-p', parent]);
  const environment = { ...identity, ...lent(request) };
  const message = `Captured: ${reason}`;
  const commit = firstLine(await gitOn(tree, ['commit-tree', files, ...parents, '-m', message], { environment }));
  const id = `cap_${commit.slice(0, 12)}`;
  const input =
    base === null
      ? `${commit}
`
      : `${commit}
^${base}
`;
  const place = join(captured, 'objects/pack/pack');
  await gitOn(tree, ['pack-objects', '-q', '--revs', place], { input, environment });
  await runGit(captured, ['update-ref', `${capturedRefs}${id}`, commit], { environment: { GIT_DIR: captured } });
  return { id, commit };
}

function makeCapturedRepository({ captured, repository }: CaptureRequest): void {
  if (existsSync(join(captured, 'HEAD'))) return;
  mkdirSync(captured, { recursive: true });
  makeGitDirectory(captured, { repository, patterns: null, identity: null, bare: true });
}

/**
 * Puts the files of inner repositories in place of their single entries (CP2). Answers whether that was all that had not
 * been staged.
 */
async function stageInner(request: CaptureRequest, isShort: boolean): Promise<boolean> {
  const { tree, base } = request;
  const listed = await gitOn(tree, [
    'diff',
    '--cached',
    '--raw',
    '-z',
    '--no-renames',
    '--abbrev=40',
    base ?? emptyTree,
  ]);
  const inner: Buffer[] = [];
  const fields = splitAtZero(listed);
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [before, mode] = (fields[index] as Buffer).toString('latin1').split(' ');
    if (mode === '160000' && before !== ':160000') inner.push(fields[index + 1] as Buffer);
  }
  let isAll = true;
  if (isShort) {
    // Repositories without a commit: git takes no entry for them.
    for (const path of splitAtZero(await gitOn(tree, ['ls-files', '-z', '--others', '--exclude-standard']))) {
      const isFolder = path[path.length - 1] === 0x2f;
      if (isFolder) inner.push(path.subarray(0, -1));
      else isAll = false;
    }
    const changed = await gitOn(tree, ['ls-files', '-z', '--modified']);
    if (changed.length > 0) isAll = false;
  }
  for (const path of inner) await stageFiles(tree, path);
  return isAll;
}

/** The id of the tree without entries. */
const emptyTree = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

async function stageFiles(tree: WorkTree, inner: Buffer): Promise<void> {
  const lines: Buffer[] = [Buffer.concat([Buffer.from(`0 ${'0'.repeat(40)}\t`), inner, Buffer.from([0])])];
  for (const { path, mode, link } of filesOf(tree, inner)) {
    const input = link ?? readFileSync(Buffer.concat([Buffer.from(`${tree.directory}/`), path]));
    const blob = firstLine(await gitOn(tree, ['hash-object', '-w', '--stdin', '--no-filters'], { input }));
    lines.push(Buffer.concat([Buffer.from(`${mode} ${blob}\t`), path, Buffer.from([0])]));
  }
  await gitOn(tree, ['update-index', '-z', '--add', '--replace', '--index-info'], { input: Buffer.concat(lines) });
}

/**
 * Commits of branches, of the stash and of HEAD that were made inside the checkout. Read from its files alone: git is never run with
 * settings that an agent may have written.
 */
async function commitsInside(request: CaptureRequest): Promise<string[]> {
  const { tree, base } = request;
  const folder = join(tree.directory, '.git');
  const found = new Set<string>();
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return [];
  for (const file of ['HEAD', 'packed-refs', 'refs/stash', ...filesBelow(folder, 'refs/heads')]) {
    const place = join(folder, file);
    if (!statSync(place, { throwIfNoEntry: false })?.isFile()) continue;
    for (const line of readFileSync(place, 'utf8').split('\n')) {
      const [id = '', name = 'refs/heads/'] = line.split(' ');
      if (/^[0-9a-f]{40}$/.test(id) && /^refs\/(heads\/|stash$)/.test(name) && id !== base) found.add(id);
    }
  }
  const commits: string[] = [];
  for (const id of found) {
    const isNew = !(await isInColony(request, id));
    const type = isNew ? await tryGitOn(tree, ['cat-file', '-t', id], { environment: lent(request) }) : null;
    if (type !== null && firstLine(type.output) === 'commit') commits.push(id);
  }
  return commits;
}

/** Whether the colony's own repository has an object: then it keeps it, and no capture need. */
async function isInColony({ repository }: CaptureRequest, id: string): Promise<boolean> {
  return (await tryGit(repository, ['cat-file', '-e', id], { environment: { GIT_DIR: repository } })).code === 0;
}

function filesBelow(root: string, folder: string): string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name));
}
