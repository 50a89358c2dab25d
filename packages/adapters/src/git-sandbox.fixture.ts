// A directory of its own for a test with stock git, and git in it.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CycleDeclaration,
  type CycleInput,
  type Person,
  type PreparedCycle,
  type TreeChange,
  TrunkRepository,
} from '@firetrident/trunk';
import { nodeCodec } from './codec.ts';
import { environmentWithoutGit } from './config.ts';
import { NodeDisk } from './disk.ts';

/** Who commits in these tests. */
export const tester: Person = { name: 'Tester', email: 'tester@example.invalid' };
export const startSeconds = 1_700_000_000;

const identity = {
  GIT_AUTHOR_NAME: 'Stock',
  GIT_AUTHOR_EMAIL: 'stock@example.invalid',
  GIT_AUTHOR_DATE: `${startSeconds} +0000`,
  GIT_COMMITTER_NAME: 'Stock',
  GIT_COMMITTER_EMAIL: 'stock@example.invalid',
  GIT_COMMITTER_DATE: `${startSeconds} +0000`,
  GIT_CONFIG_NOSYSTEM: '1',
};

/** A temporary directory that goes away with the sandbox. */
export class GitSandbox {
  readonly directory = mkdtempSync(join(tmpdir(), 'firetrident-git-'));

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  /** Runs git in the sandbox, or in a repository in it when the first argument is `-C` or `--git-dir`. */
  git(args: readonly string[], input: string | Uint8Array = '', environment: Record<string, string> = {}): string {
    return this.gitBytes(args, input, environment).toString('utf8').trimEnd();
  }

  gitBytes(args: readonly string[], input: string | Uint8Array = '', environment: Record<string, string> = {}): Buffer {
    return execFileSync('git', args, {
      cwd: this.directory,
      input,
      env: { ...environmentWithoutGit(), HOME: this.directory, ...identity, ...environment },
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 1 << 28,
    });
  }

  /** Exit status of git. */
  status(args: readonly string[], input = ''): number {
    try {
      this.git(args, input);
      return 0;
    } catch (error) {
      if (error instanceof Error && 'status' in error && typeof error.status === 'number') return error.status;
      throw error;
    }
  }

  /** A new trunk `name` of branch main. */
  trunk(name = 'trunk.git'): TrunkRepository {
    const options = { directory: this.path(name), branch: 'main', committer: tester, timeSeconds: startSeconds };
    return TrunkRepository.create(new NodeDisk(), nodeCodec, options);
  }

  open(name = 'trunk.git'): TrunkRepository {
    return TrunkRepository.open(new NodeDisk(), nodeCodec, { directory: this.path(name) });
  }

  /** Fails unless stock git finds the repository in order. Unreachable objects are in order. */
  fsck(name = 'trunk.git'): void {
    const said = this.git(['--git-dir', name, 'fsck', '--strict', '--no-dangling', '--no-progress']);
    if (said !== '') throw new Error(said);
  }
}

/** A cycle of one commit that writes texts (null deletes) on the trunk's tip. */
export function textCycle(
  repository: TrunkRepository,
  texts: Readonly<Record<string, string | null>>,
): { readonly input: CycleInput; readonly declaration: CycleDeclaration } {
  const parent = repository.tip();
  const notesParent = repository.notesTip();
  const blobs = new Map<string, Uint8Array>();
  const changes = Object.entries(texts).map(([path, text]): TreeChange => {
    if (text === null) return { path, entry: null };
    const bytes = Buffer.from(text);
    const oid = repository.hashBlob(bytes);
    blobs.set(oid, bytes);
    return { path, entry: { mode: '100644', oid } };
  });
  const tree = repository.commitTree(parent).with(changes);
  const note = (commit: string): string => `{"commit":"${commit}"}\n`;
  const commits = [{ tree, message: 'Change\n', author: tester, committer: tester, note }];
  const writes = changes.map((change) => ({ kind: 'proposed', ...change }) as const);
  const input = { parent, notesParent, commits, blobs, timeSeconds: startSeconds + 60 };
  return { input, declaration: { parent, notesParent, commits: [{ writes }] } };
}

/** Lands texts in a cycle of one commit. */
export function landTexts(repository: TrunkRepository, texts: Readonly<Record<string, string | null>>): PreparedCycle {
  const { input, declaration } = textCycle(repository, texts);
  return landCycle(repository, input, declaration);
}

/** Prepares, verifies, writes and moves; throws when any step refuses. */
export function landCycle(
  repository: TrunkRepository,
  input: CycleInput,
  declaration: CycleDeclaration,
): PreparedCycle {
  const prepared = repository.prepare(input);
  const verdict = repository.verify(prepared, declaration);
  if (!verdict.ok) throw new Error(`${verdict.problem}: ${verdict.detail}`);
  repository.writePack(prepared);
  const outcome = repository.moveRefs(prepared);
  if (outcome.kind !== 'done') throw new Error(outcome.kind);
  return prepared;
}
