// Stock git as people use it against a daemon: as a process of its own, so that a daemon in this process can answer.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** How git ended. */
export interface GitEnding {
  readonly code: number | null;
  readonly output: string;
  /** What it showed to the person. */
  readonly said: string;
}

/** The environment of a person with a name, and nothing of this machine's own git settings. */
function personEnvironment(name: string): Record<string, string> {
  const kept = Object.fromEntries(Object.entries(process.env).filter(([key]) => !key.startsWith('GIT_'))) as Record<
    string,
    string
  >;
  const person = { NAME: name, EMAIL: `${name.toLowerCase()}@example.invalid` };
  return {
    ...kept,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
    GIT_AUTHOR_NAME: person.NAME,
    GIT_AUTHOR_EMAIL: person.EMAIL,
    GIT_COMMITTER_NAME: person.NAME,
    GIT_COMMITTER_EMAIL: person.EMAIL,
    LC_ALL: 'C',
  };
}

/** Starts git in a directory; `ended` resolves when it is over. */
export function startGitClient(
  directory: string,
  args: readonly string[],
  name = 'Ada',
): { readonly child: ChildProcess; readonly ended: Promise<GitEnding> } {
  const child = spawn('git', [...args], { cwd: directory, env: personEnvironment(name), stdio: 'pipe' });
  const output: Buffer[] = [];
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  const ended = new Promise<GitEnding>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) =>
      resolve({ code, output: Buffer.concat(output).toString('utf8'), said: Buffer.concat(said).toString('utf8') }),
    );
  });
  child.stdin.end();
  return { child, ended };
}

/** A clone of somebody, with the few steps that stories are made of. */
export class GitClone {
  readonly directory: string;
  readonly name: string;

  constructor(directory: string, name: string) {
    this.directory = directory;
    this.name = name;
  }

  /** Clones; throws when git refuses. */
  static async of(url: string, directory: string, name: string, options: readonly string[] = []): Promise<GitClone> {
    mkdirSync(dirname(directory), { recursive: true });
    const clone = new GitClone(directory, name);
    const { code, said } = await startGitClient(dirname(directory), ['clone', '-q', ...options, url, directory], name)
      .ended;
    if (code !== 0) throw new Error(`clone: ${said}`);
    return clone;
  }

  /** Runs git in the clone, whatever it answers. */
  run(...args: readonly string[]): Promise<GitEnding> {
    return startGitClient(this.directory, args, this.name).ended;
  }

  /** Runs git in the clone; gives its trimmed output, or throws with what it said. */
  async git(...args: readonly string[]): Promise<string> {
    const { code, output, said } = await this.run(...args);
    if (code !== 0) throw new Error(`git ${args.join(' ')}: ${said}`);
    return output.trim();
  }

  write(path: string, content: string): void {
    const place = join(this.directory, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
  }

  /** Commits these files. */
  async commit(message: string, files: Readonly<Record<string, string>>): Promise<string> {
    for (const [path, content] of Object.entries(files)) this.write(path, content);
    await this.git('add', '-A');
    await this.git('commit', '-q', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  /** Pushes HEAD as a change. */
  push(...options: readonly string[]): Promise<GitEnding> {
    return this.run('push', ...options, 'origin', 'HEAD:refs/for/main');
  }
}
