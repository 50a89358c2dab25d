// Taking over a repository as a trunk, by stock git.
//
// Invariants:
//   IM1. The source is only read. Nothing but the one branch is taken: no other branch, no tag, no hook, no
//        configuration.
//   IM2. A target that was not finished is marked, cannot be opened, and can be imported into again.

import { isOid, utf8Text } from '@firetrident/base';
import type { ObjectCodec } from './codec.ts';
import type { Disk } from './disk.ts';
import { TrunkError } from './errors.ts';
import type { GitResult, GitRunner } from './git-runner.ts';
import { TrunkRepository } from './repository.ts';
import { finishLayout, layOut } from './repository-layout.ts';

/** What to import, and where to. */
export interface ImportOptions {
  /** A path on this machine or any address that git fetches from. */
  readonly source: string;
  /** Path of the bare repository to be made; its parent exists. */
  readonly directory: string;
  /** The branch to take; by default the one that the source's HEAD names. */
  readonly branch?: string;
}

/**
 * Makes a bare repository with the history of one branch of another (IM1, IM2). Throws TrunkError: `not-a-repository`
 * (or out of reach), `empty`, `missing-branch`, `unsupported` (SHA-256, shallow), `exists` (the target), `git-failed`.
 */
export async function importRepository(
  git: GitRunner,
  disk: Disk,
  codec: ObjectCodec,
  options: ImportOptions,
): Promise<TrunkRepository> {
  const { source, directory } = options;
  if (source === '' || source.startsWith('-')) {
    throw new TrunkError('not-a-repository', `"${source}" is neither a path nor an address of a repository`);
  }
  const branch = await chooseBranch(git, options);
  layOut(disk, directory, branch);
  const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'];
  const refspec = `+refs/heads/${branch}:refs/heads/${branch}`;
  const fetched = await git.run(['--git-dir', directory, 'fetch', ...quiet, '--', source, refspec]);
  if (/shallow/.test(fetched.stderr) || disk.read(`${directory}/shallow`)) {
    throw new TrunkError('unsupported', `${source} is a shallow clone; import from a complete one`);
  }
  if (fetched.code !== 0) throw failure(`fetching ${branch} from ${source}`, fetched);
  finishLayout(disk, directory);
  const repository = TrunkRepository.open(disk, codec, { directory });
  repository.commitTree(repository.tip());
  return repository;
}

async function chooseBranch(git: GitRunner, { source, branch }: ImportOptions): Promise<string> {
  const listed = await git.run(['ls-remote', '--symref', '--', source, 'HEAD', 'refs/heads/*']);
  if (listed.code !== 0) {
    throw new TrunkError('not-a-repository', `${source} is not a git repository that can be read: ${said(listed)}`);
  }
  const branches: string[] = [];
  let head: string | null = null;
  for (const line of utf8Text(listed.stdout).split('\n')) {
    const [left, name] = line.split('\t');
    if (left === undefined || name === undefined) continue;
    if (name === 'HEAD' && left.startsWith('ref: refs/heads/')) head = left.slice('ref: refs/heads/'.length);
    if (!name.startsWith('refs/heads/')) continue;
    if (!isOid(left)) throw new TrunkError('unsupported', `${source} uses another object format than SHA-1`);
    branches.push(name.slice('refs/heads/'.length));
  }
  if (branches.length === 0) throw new TrunkError('empty', `${source} has no commit on any branch`);
  const chosen = branch ?? head;
  if (chosen !== null && branches.includes(chosen)) return chosen;
  const known = branches.slice(0, 10).join(', ');
  const missing = chosen === null ? 'has no branch checked out' : `has no branch ${chosen}`;
  throw new TrunkError('missing-branch', `${source} ${missing}; it has: ${known}`);
}

function said({ stderr, code }: GitResult): string {
  return stderr.trim().replace(/^fatal: /, '') || `status ${code}`;
}

function failure(what: string, result: GitResult): TrunkError {
  return new TrunkError('git-failed', `${what} failed: ${said(result)}`);
}
