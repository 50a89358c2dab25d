// Real repositories for tests, made by stock git.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Content of a file of a test repository; a bare string has mode 100644. */
export type FileContent = string | { readonly content: string; readonly mode: string };

const identity = {
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.invalid',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.invalid',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
  GIT_CONFIG_NOSYSTEM: '1',
};

/** Runs git in a directory; answers its output, or throws with what it said. */
export function git(directory: string, args: readonly string[], input?: Buffer): string {
  return gitBytes(directory, args, input).toString('utf8');
}

/** Like `git`, with the output as bytes. */
export function gitBytes(directory: string, args: readonly string[], input?: Buffer): Buffer {
  const options = {
    cwd: directory,
    env: { ...process.env, ...identity },
    maxBuffer: 1 << 28,
    stdio: ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'],
  };
  return execFileSync('git', [...args], input === undefined ? options : { ...options, input });
}

/** A directory for one test, removed by `remove`. */
export function temporaryDirectory(prefix: string): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), prefix));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Makes a repository at `directory` with one commit of these files on `main`. */
export function makeRepository(directory: string, files: Readonly<Record<string, FileContent>>): void {
  mkdirSync(directory, { recursive: true });
  git(directory, ['init', '-q', '-b', 'main']);
  for (const [path, file] of Object.entries(files)) {
    const place = join(directory, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, typeof file === 'string' ? file : file.content);
    if (typeof file !== 'string' && file.mode === '100755') chmodSync(place, 0o755);
  }
  git(directory, ['add', '-A']);
  git(directory, ['commit', '-q', '--allow-empty', '-m', 'First']);
}
