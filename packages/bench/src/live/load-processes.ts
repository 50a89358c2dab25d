// The processes of the load, seen from the one that started them.
//
//   LO1. A process that ends before it was told to ends the run, with what it said last.

import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { LoadMessage, LoadProgress, LoadReport, LoadRequest } from './load-entry.ts';
import type { TallyReport } from './tally.ts';

const entry = fileURLToPath(new URL('./load-entry.ts', import.meta.url));
const nothing: LoadProgress = { calls: 0, errors: 0, taken: 0, landed: 0, agents: 0 };
const errorLength = 2_000;

/** What one process counted, with the processor time that it used. */
export interface LoadResult {
  readonly tally: TallyReport;
  readonly cpuSeconds: number;
}

/** One process of the load. */
class LoadChild {
  readonly done: Promise<LoadResult>;
  /** Resolves when the process can begin. */
  readonly ready: Promise<void>;
  readonly #child: ChildProcess;
  #progress = nothing;

  constructor() {
    const child = fork(entry, [], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    this.#child = child;
    let errors = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-errorLength);
    });
    this.ready = new Promise((resolve) => child.once('message', () => resolve()));
    this.done = new Promise((resolve, reject) => {
      let result: LoadResult | null = null;
      child.on('message', (message) => {
        const report = message as LoadReport;
        if (report.kind === 'progress') this.#progress = report.progress;
        else if (report.kind === 'done') result = { tally: report.tally, cpuSeconds: report.cpuSeconds };
      });
      child.once('error', reject);
      child.once('close', (code, killed) => {
        if (result !== null) resolve(result);
        // (LO1)
        else
          reject(
            new Error(`a process of the load ended before its time: ${errors.trim() || (killed ?? `code ${code}`)}`),
          );
      });
    });
  }

  begin(request: LoadRequest): void {
    this.#send({ kind: 'begin', request });
  }

  get progress(): LoadProgress {
    return this.#progress;
  }

  stop(): void {
    if (this.#child.connected) this.#send({ kind: 'stop' });
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  #send(message: LoadMessage): void {
    this.#child.send(message);
  }
}

/** All processes of a run's load. */
export class LoadProcesses {
  readonly #children: readonly LoadChild[];
  /** Rejects when one of them ended before its time (LO1). */
  readonly done: Promise<LoadResult[]>;

  constructor(count: number) {
    this.#children = Array.from({ length: count }, () => new LoadChild());
    this.done = Promise.all(this.#children.map(({ done }) => done));
    // It is waited for at the end; until then a failure is seen through `failed`.
    this.done.catch((error: unknown) => {
      this.failed = error;
    });
  }

  /** Resolves when all processes can begin; rejects when one of them ended before. */
  async ready(): Promise<void> {
    await Promise.race([Promise.all(this.#children.map(({ ready }) => ready)), this.done]);
  }

  /** Gives each process its part. */
  begin(requestOf: (worker: number) => LoadRequest): void {
    for (const [worker, child] of this.#children.entries()) child.begin(requestOf(worker));
  }

  /** Why a process ended before its time; null while none did. */
  failed: unknown = null;

  get progress(): LoadProgress {
    const sum = (of: (progress: LoadProgress) => number) =>
      this.#children.reduce((all, { progress }) => all + of(progress), 0);
    return {
      calls: sum(({ calls }) => calls),
      errors: sum(({ errors }) => errors),
      taken: sum(({ taken }) => taken),
      landed: sum(({ landed }) => landed),
      agents: sum(({ agents }) => agents),
    };
  }

  stop(): void {
    for (const child of this.#children) child.stop();
  }

  kill(): void {
    for (const child of this.#children) child.kill();
  }
}
