// A real repository for tests, made commit by commit.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { environmentWithoutGit } from '@firetrident/adapters';

const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid', '-c', 'commit.gpgsign=false'];

/** A repository with a checkout. */
export class GitPlace {
  readonly directory = mkdtempSync(join(tmpdir(), 'firetrident-history-'));

  constructor() {
    this.git('init', '--quiet', '--initial-branch=main');
  }

  git(...args: string[]): string {
    const environment = { ...environmentWithoutGit(), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
    const options = { cwd: this.directory, env: environment, encoding: 'utf8' as const };
    return execFileSync('git', [...identity, ...args], options).trim();
  }

  /** Writes files (null deletes one) and commits all of it; gives the commit. */
  commit(files: Readonly<Record<string, string | Uint8Array | null>>): string {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.directory, path);
      mkdirSync(dirname(file), { recursive: true });
      if (content === null) rmSync(file);
      else writeFileSync(file, content);
    }
    this.git('add', '--all');
    this.git('commit', '--quiet', '--allow-empty', '--message', 'change');
    return this.git('rev-parse', 'HEAD');
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
