// Processes of stock git, counted: those that do one thing and end, and those that stay and answer one request after the other.
//
//   GU1. Every process that is started is counted.
//   GU2. A process that stays answers in the order of its requests; when it ends early, everybody who waits hears of it.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { environmentWithoutGit } from '@firetrident/adapters';

const person = ['-c', 'user.name=bench', '-c', 'user.email=bench@firetrident.invalid'];
/** Maintenance is for the time after the run: nobody who is measured pays for it. */
const settings = [...person, '-c', 'gc.auto=0', '-c', 'maintenance.auto=false'];
/** Error output that is kept for a message, in characters. */
const errorLength = 1_000;

/** How a process ended. */
export interface GitEnd {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** Takes one answer off the beginning of what a process said; null when it is not complete yet. */
export type ReadAnswer<T> = (said: Buffer) => { readonly answer: T; readonly length: number } | null;

/** Starts git and counts (GU1). */
export class GitUse {
  #processes = 0;
  readonly #running = new Set<ChildProcessWithoutNullStreams>();

  /** Processes started so far. */
  get processes(): number {
    return this.#processes;
  }

  start(directory: string, args: readonly string[]): ChildProcessWithoutNullStreams {
    this.#processes += 1;
    const child = spawn('git', [...settings, ...args], { cwd: directory, env: environmentWithoutGit() });
    this.#running.add(child);
    child.once('close', () => this.#running.delete(child));
    return child;
  }

  /** Ends every process that runs, however it hangs. */
  kill(): void {
    for (const child of this.#running) child.kill('SIGKILL');
  }

  /** Runs git to its end, whatever the code. */
  async end(directory: string, args: readonly string[], input: string | Buffer = ''): Promise<GitEnd> {
    const child = this.start(directory, args);
    const [output, errors]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (part: Buffer) => output.push(part));
    child.stderr.on('data', (part: Buffer) => errors.push(part));
    // Who ends before reading everything says why on the error output.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code: code ?? -1, output: Buffer.concat(output).toString(), errors: Buffer.concat(errors).toString() };
  }

  /** Runs git and answers what it said. Rejects when it fails. */
  async run(directory: string, args: readonly string[], input: string | Buffer = ''): Promise<string> {
    const { code, output, errors } = await this.end(directory, args, input);
    if (code === 0) return output.trim();
    throw new Error(`git ${args[0] ?? ''} ended with code ${code}: ${errors.trim().slice(-errorLength)}`);
  }
}

interface Waiting {
  /** Looks for its answer in what was said; how much of it that took, or null. */
  readonly take: (said: Buffer) => number | null;
  readonly fail: (error: Error) => void;
}

/** A process of git that stays (GU2). */
export class GitConversation {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: Waiting[] = [];
  #said: Buffer = Buffer.alloc(0);
  #errors = '';
  #ended: Error | null = null;

  constructor(use: GitUse, directory: string, args: readonly string[]) {
    const child = use.start(directory, args);
    this.#child = child;
    child.stdout.on('data', (part: Buffer) => this.#hear(part));
    child.stderr.on('data', (part: Buffer) => {
      this.#errors = (this.#errors + part.toString()).slice(-errorLength);
    });
    child.stdin.on('error', () => undefined);
    child.once('close', (code) => {
      this.#ended = new Error(`git ${args[0] ?? ''} ended with code ${code}: ${this.#errors.trim()}`);
      for (const { fail } of this.#waiting.splice(0)) fail(this.#ended);
    });
  }

  /** Sends a request and answers what the process says to it. */
  ask<T>(request: string, read: ReadAnswer<T>): Promise<T> {
    if (this.#ended !== null) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const take = (said: Buffer) => {
        const found = read(said);
        if (found === null) return null;
        resolve(found.answer);
        return found.length;
      };
      this.#waiting.push({ take, fail: reject });
      this.#child.stdin.write(request);
    });
  }

  /** Says something that has no answer. */
  send(text: string): void {
    this.#child.stdin.write(text);
  }

  /** Lets the process end. */
  async close(): Promise<void> {
    if (this.#ended !== null) return;
    this.#child.stdin.end();
    await once(this.#child, 'close');
  }

  #hear(part: Buffer): void {
    this.#said = this.#said.length === 0 ? part : Buffer.concat([this.#said, part]);
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      const length = first.take(this.#said);
      if (length === null) return;
      this.#said = this.#said.subarray(length);
      this.#waiting.shift();
    }
  }
}

/** An answer of one line. */
export const readLine: ReadAnswer<string> = (said) => {
  const end = said.indexOf(10);
  return end === -1 ? null : { answer: said.subarray(0, end).toString(), length: end + 1 };
};
