// A runner as a process of its own for kill trials: a fleet that kills itself, or its daemon, with kill -9 at a step that its plan names.
//
// The steps are taken where the product meets the outside, so that it needs no words for them of its own: calls of `fetch`, starts of git and
// of commands, removals of folders. Plan and places come as JSON in the first argument.

import { createRequire, syncBuiltinESMExports } from 'node:module';
import process from 'node:process';

/** What a runner is told. */
export interface TrialPlan {
  readonly url: string;
  readonly token: string;
  readonly colony: string;
  readonly directory: string;
  readonly command: readonly string[];
  readonly agents: number;
  /** The step, as `trialSteps` names it; null for a run to the end. */
  readonly step: string | null;
  /** How often the step is passed before the kill. */
  readonly passes: number;
  /** Who is killed: this process, or the one of this id. */
  readonly victim: number | null;
}

const plan = JSON.parse(process.argv[2] ?? '{}') as TrialPlan;
let passes = plan.passes;
let isOver = false;

/** Says that a step is reached, and kills when it is the one. */
function reach(step: string): void {
  if (step !== plan.step || isOver) return;
  passes -= 1;
  if (passes >= 0) return;
  isOver = true;
  process.stdout.write(`killed ${step}\n`);
  process.kill(plan.victim ?? process.pid, 'SIGKILL');
}

const require = createRequire(import.meta.url);
const children = require('node:child_process') as {
  spawn: (...args: unknown[]) => import('node:child_process').ChildProcess;
};
const files = require('node:fs') as { rmSync: (...args: unknown[]) => void; renameSync: (...args: unknown[]) => void };

const { spawn } = children;
children.spawn = (...args) => {
  const [program, list] = args as [string, string[]];
  const isGit = program === 'git';
  const name = isGit
    ? `git ${list.slice(2).find((word) => !word.startsWith('-') && !word.includes('=')) ?? ''}`
    : 'command';
  const step = program === '/bin/sh' && list.length === 2 ? 'guard' : name;
  reach(`${step}, before`);
  const child = spawn(...args);
  reach(`${step}, during`);
  // The step is over once its end was seen, and before anything is made of it.
  child.once('exit', () => reach(`${step}, after`));
  return child;
};
const { rmSync, renameSync } = files;
files.rmSync = (...args) => {
  const isCheckout = /\/(checkouts|desks)\/[^/]+$/.test(String(args[0]));
  if (isCheckout) reach('remove, before');
  rmSync(...args);
  if (isCheckout) reach('remove, after');
};
files.renameSync = (...args) => {
  renameSync(...args);
  if (/\/run-[^/]+$/.test(String(args[1]))) reach('take over, after');
};
syncBuiltinESMExports();

const { fetch } = globalThis;
globalThis.fetch = async (address, init) => {
  const [, tail = ''] = /\/colonies\/[^/]+\/([^?]*)/.exec(String(address)) ?? [];
  const name = /^agents\/[^/]+\/stop$/.test(tail) ? 'stop' : tail.split('/')[0];
  const call = `${name}`;
  reach(`call ${call}, before`);
  const answer = await fetch(address, init);
  reach(`call ${call}, after`);
  return answer;
};

const { runFleet } = await import('@firetrident/agents');
const { Client } = await import('@firetrident/client');
const { url, token, colony, directory, command, agents } = plan;
try {
  await runFleet({
    client: new Client({ url, token }),
    colony,
    agents,
    command,
    labels: [],
    directory,
    timeoutMs: 60_000,
    maxRepairs: 8,
    headsUp: 'merge',
    spare: 1,
    signal: new AbortController().signal,
    onEvent: (event) => {
      if (event.kind === 'set-aside') process.stdout.write(`set aside ${event.directory}: ${event.why}\n`);
      reach(`event ${event.kind}`);
    },
  });
} catch (error) {
  process.stdout.write(`ended: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
