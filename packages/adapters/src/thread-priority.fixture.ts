// A process whose threads step back, and that tells where they stand. One of its own: who has stepped back cannot step forward again.

import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { isMainThread, parentPort, Worker } from 'node:worker_threads';
import { behindMain, stepRuntimeBack, stepThreadBack } from './thread-priority.ts';

/** Niceness is the 17th field behind the name, which stands in brackets and may hold anything. */
function nicenessIn(folder: string): number {
  return Number(readFileSync(`${folder}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[16]);
}

if (isMainThread) {
  stepRuntimeBack(behindMain.runtime);
  // A second daemon in one process changes nothing.
  stepRuntimeBack(behindMain.runtime);
  const threads = readdirSync('/proc/self/task').map((thread) => `/proc/self/task/${thread}`);
  const helpers = threads.filter((thread) => readFileSync(`${thread}/comm`, 'utf8').trim() === 'V8Worker');
  new Worker(new URL(import.meta.url)).once('message', (trunk) => {
    const main = nicenessIn(`/proc/self/task/${process.pid}`);
    process.stdout.write(JSON.stringify({ main, trunk, runtime: [...new Set(helpers.map(nicenessIn))] }));
  });
} else {
  stepThreadBack(behindMain.trunk);
  parentPort?.postMessage(nicenessIn('/proc/thread-self'));
}
