// Kill trials: kill -9 of a daemon, a runner or an agent at a step of an intent's life, again and again, and what is left judged each
// time.
//
// After each kill, every file that an agent had written is on trunk, under a preserved or captured ref, or in a checkout that the next start
// looks into; no process is left; and every lease is of an agent that the next start stops. After some trials a
// runner works the backlog off undisturbed; then every file is under a ref and every intent has ended or waits for a person.

import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RandomStream } from '@firetrident/base';
import { Client } from '@firetrident/client';
import { makeRepository } from '../support/git-repository.ts';
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts';
import { keepings, leftProcesses, ownerless, writtenFiles } from './trial-place.ts';
import type { TrialPlan } from './trial-runner.ts';
import { type TrialStep, trialSteps } from './trial-steps.ts';

const runnerProgram = fileURLToPath(new URL('./trial-runner.ts', import.meta.url));
const agentProgram = fileURLToPath(new URL('./trial-agent.sh', import.meta.url));
const colony = 'trials';
/** Agents of a runner. */
const agents = 2;
/** Trials between two undisturbed runs. */
const trialsPerSettling = 20;
/** Longest time that processes have to end after a kill, and proposals to land that were acknowledged before it. */
const endingMs = 20_000;
/** Longest time that a runner gets. */
const runMs = 120_000;

export interface TrialOptions {
  readonly data: string;
  readonly seed: number;
  /** Kills; those at steps that did not come are not counted. */
  readonly trials: number;
  readonly steps?: readonly TrialStep[];
  readonly onTrial?: (done: number, report: TrialReport) => void;
}

/** What the trials came to. */
export interface TrialReport {
  /** Kills by victim and step. */
  readonly kills: Map<string, number>;
  /** Runs in which the step did not come, by victim and step. */
  readonly missed: Map<string, number>;
  /** Files that agents had written, by where they are kept. */
  readonly kept: Map<string, number>;
  /** Intents at the end, by state. */
  readonly intents: Map<string, number>;
  readonly violations: string[];
}

/** Runs the trials on a data directory of their own. */
export async function killTrials(options: TrialOptions): Promise<TrialReport> {
  const trials = new Trials(options);
  await trials.begin();
  try {
    await trials.run();
  } finally {
    await trials.end();
  }
  return trials.report;
}

class Trials {
  readonly report: TrialReport = {
    kills: new Map(),
    missed: new Map(),
    kept: new Map(),
    intents: new Map(),
    violations: [],
  };
  readonly #options: TrialOptions;
  readonly #random: RandomStream;
  readonly #marker: string;
  readonly #ledger: string;
  readonly #data: string;
  readonly #fleets: string;
  #daemon!: DaemonProcess;
  #client!: Client;
  #trunk = '';
  #intents = 0;
  #agentKills = 0;

  constructor(options: TrialOptions) {
    this.#options = options;
    this.#random = new RandomStream(options.seed);
    this.#marker = `trial-of-${process.pid}-${options.seed}`;
    this.#ledger = join(options.data, 'ledger');
    this.#data = join(options.data, 'data');
    this.#fleets = join(options.data, 'fleets');
  }

  async begin(): Promise<void> {
    mkdirSync(this.#ledger, { recursive: true });
    mkdirSync(this.#fleets, { recursive: true });
    const source = join(this.#options.data, 'source');
    makeRepository(source, { 'same.txt': 'first\n', 'docs/a.md': '# A\n', 'src/b.ts': 'export const b = 1;\n' });
    await this.#startDaemon();
    const policy = { maxAttempts: 3, leaseMs: 60_000 };
    const made = await this.#client.call('createColony', { body: { id: colony, repo: { path: source }, policy } });
    this.#trunk = made.repository;
  }

  async run(): Promise<void> {
    const { trials, steps = trialSteps, onTrial } = this.#options;
    let done = 0;
    for (let round = 0; done < trials; round += 1) {
      const step = steps[round % steps.length] as TrialStep;
      done += await this.#trial(step);
      if (round % trialsPerSettling === trialsPerSettling - 1) await this.#settle();
      onTrial?.(done, this.report);
      if (round > trials * 4) break;
    }
    await this.#settle();
    for (const keeping of keepings(writtenFiles(this.#ledger), this.#places).values()) count(this.report.kept, keeping);
    const { intents } = await this.#client.call('readColony', { parts: { colony } });
    for (const [state, number] of Object.entries(intents)) if (number > 0) this.report.intents.set(state, number);
  }

  async end(): Promise<void> {
    const code = await this.#daemon.stop();
    if (code !== 0) this.#violation(`the daemon ended with ${code}`);
  }

  /** One run with one kill; answers how many kills there were. */
  async #trial(step: TrialStep): Promise<number> {
    const name = `${step.victim}: ${step.step}`;
    await this.#addWork(step);
    const isAgent = step.victim === 'agent';
    const said = await this.#runFleet(isAgent ? null : step);
    if (step.victim === 'daemon') await this.#restartWhenDead();
    const kills = isAgent ? this.#newAgentKills() : said.includes('killed ') ? 1 : 0;
    if (kills === 0) count(this.report.missed, name);
    else count(this.report.kills, name, kills);
    await this.#judge(name);
    return kills;
  }

  /** A runner works the backlog off: then every file is under a ref, and every intent has ended or waits for a person. */
  async #settle(): Promise<void> {
    const said = await this.#runFleet(null);
    if (said.includes('ended: ')) this.#violation(`an undisturbed run failed: ${said}`);
    const { intents } = await this.#client.call('readColony', { parts: { colony } });
    for (const state of ['open', 'taken', 'proposed'])
      if ((intents[state] ?? 0) > 0) this.#violation(`${intents[state]} intents are ${state} after an undisturbed run`);
    for (const [token, keeping] of keepings(writtenFiles(this.#ledger), this.#places))
      if (keeping === 'checkout' || keeping === 'lost')
        this.#violation(`${token} is ${keeping} after an undisturbed run`);
    this.#newAgentKills();
    await this.#judge('undisturbed');
  }

  async #judge(name: string): Promise<void> {
    const until = performance.now() + endingMs;
    const lost = () => [...keepings(writtenFiles(this.#ledger), this.#places)].filter(([, where]) => where === 'lost');
    // What a daemon had acknowledged before it was killed lands by itself after its next start.
    while (lost().length > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 100));
    for (const [token] of lost()) this.#violation(`${name}: ${token} is lost`);
    for (const problem of await ownerless(this.#client, colony, this.#fleets)) this.#violation(`${name}: ${problem}`);
    let left = leftProcesses(this.#marker, this.#fleets);
    while (left.length > 0 && performance.now() < until) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      left = leftProcesses(this.#marker, this.#fleets);
    }
    for (const one of left) this.#violation(`${name}: process ${one} is left`);
  }

  /** Intents for a step: before everything that is there already. */
  async #addWork({ kind }: TrialStep): Promise<void> {
    // Two that write the same line meet, so that one comes back.
    const intents = [kind, kind === 'same' ? kind : 'plain'].map((word) => {
      this.#intents += 1;
      return { title: `${word} ${this.#intents}`, priority: this.#intents };
    });
    await this.#client.call('createIntents', { parts: { colony }, body: { intents } });
  }

  /** Runs a fleet until it ends, however; answers what it said. */
  async #runFleet(step: TrialStep | null): Promise<string> {
    const plan: TrialPlan = {
      url: this.#daemon.url,
      token: this.#daemon.adminToken,
      colony,
      directory: this.#fleets,
      command: ['sh', agentProgram, this.#ledger, this.#marker],
      agents,
      step: step?.step ?? null,
      passes: this.#random.below(2),
      victim: step?.victim === 'daemon' ? this.#daemon.processId : null,
    };
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', runnerProgram, JSON.stringify(plan)],
      {
        stdio: ['ignore', 'pipe', 'pipe'],
        // Nothing of it may lie in the folder whose processes are counted.
        cwd: '/',
      },
    );
    let said = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text;
      });
    const timer = setTimeout(() => {
      this.#violation(`a runner did not end: ${step?.victim}: ${step?.step}: ${said}`);
      child.kill('SIGKILL');
    }, runMs);
    await new Promise((resolve) => child.once('exit', resolve));
    clearTimeout(timer);
    return said;
  }

  async #restartWhenDead(): Promise<void> {
    const isDead = await Promise.race([
      this.#daemon.ended.then(() => true),
      new Promise<false>((resolve) => setTimeout(() => resolve(false), 200)),
    ]);
    if (isDead) await this.#startDaemon();
  }

  async #startDaemon(): Promise<void> {
    this.#daemon = await startDaemonProcess(this.#data);
    this.#client = new Client({ url: this.#daemon.url, token: this.#daemon.adminToken });
  }

  /** Agents that killed themselves since this was asked last. */
  #newAgentKills(): number {
    const kinds = new Set(trialSteps.filter(({ victim }) => victim === 'agent').map(({ kind }) => kind));
    const all = writtenFiles(this.#ledger).filter(({ kind }) => kinds.has(kind)).length;
    const fresh = all - this.#agentKills;
    this.#agentKills = all;
    return fresh;
  }

  get #places() {
    return { trunk: this.#trunk, fleets: this.#fleets };
  }

  #violation(text: string): void {
    this.report.violations.push(text);
    writeFileSync(join(this.#options.data, 'violations.txt'), this.report.violations.join('\n'));
  }
}

function count(counts: Map<string, number>, name: string, number = 1): void {
  counts.set(name, (counts.get(name) ?? 0) + number);
}
