// One run in a process of its own: it is sent a request, tells how far it is, and answers once.
//
//   RP1. A run has a process of its own, so that its memory and its processor time are its own.
//   RP3. When the signal is given, the process is ended.

import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RunAnswers, RunReport, RunRequests } from './run-entry.ts';

/** A run that did not come to its end. */
export class RunFailedError extends Error {
  override readonly name = 'RunFailedError';

  constructor(run: string, reason: string) {
    super(`${run} ended before its time: ${reason}`);
  }
}

const entry = fileURLToPath(new URL('./run-entry.ts', import.meta.url));
/** Error output of a run that is kept for the message, in characters. */
const errorLength = 2_000;

/** Runs a request to its answer (RP1). Rejects with RunFailedError, which calls the run by `name`, also when the signal ended it (RP3). */
export function runInProcess<K extends keyof RunRequests>(
  kind: K,
  request: RunRequests[K],
  name: string,
  signal: AbortSignal,
  heard: (nowMs: number) => void,
): Promise<RunAnswers[K]> {
  return new Promise((resolve, reject) => {
    const child = fork(entry, [], {
      execArgv: ['--disable-warning=ExperimentalWarning'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let answer: RunAnswers[K] | null = null;
    let errors = '';
    const stop = () => child.kill('SIGKILL');
    signal.addEventListener('abort', stop, { once: true });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-errorLength);
    });
    child.on('message', (message) => {
      const report = message as RunReport<K>;
      if (report.kind === 'done') answer = report.answer;
      else heard(report.nowMs);
    });
    child.once('error', reject);
    child.once('close', (code, killed) => {
      signal.removeEventListener('abort', stop);
      if (answer !== null) resolve(answer);
      else reject(new RunFailedError(name, errors.trim() || (killed ?? `exit code ${code}`)));
    });
    child.send({ kind, request });
  });
}

/** Works through `count` jobs, so many at a time, and gives their results in order. The first that fails ends the others (RP3). */
export async function runAll<R>(
  count: number,
  { jobs, signal: outer }: { readonly jobs: number; readonly signal?: AbortSignal },
  run: (index: number, signal: AbortSignal) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = new Array(count);
  const stopping = new AbortController();
  const signal = outer === undefined ? stopping.signal : AbortSignal.any([stopping.signal, outer]);
  let next = 0;
  const work = async () => {
    while (next < count && !signal.aborted) {
      const index = next;
      next += 1;
      results[index] = await run(index, signal);
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(jobs, count) }, work));
  } finally {
    stopping.abort();
  }
  outer?.throwIfAborted();
  return results;
}
