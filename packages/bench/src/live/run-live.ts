// A live run: a colony, its supply of intents, the processes of the load, and the daemon watched meanwhile.
//
//   RL1. More than 30 % failures in 5 seconds end the run: what would be measured then is the failing.
//   RL2. What the run made is taken away again, also when it fails: the colony, the processes, its own daemon.

import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@firetrident/client';
import type { RequestOf } from '@firetrident/protocol';
import { type DaemonMoment, readMoment } from './daemon-watch.ts';
import { GitCrew } from './git-crew.ts';
import { IntentSupply } from './intent-supply.ts';
import type { LoadProgress } from './load-entry.ts';
import { LoadProcesses } from './load-processes.ts';
import type { LiveTarget } from './own-daemon.ts';
import { countedSpan, type LivePlan } from './plan.ts';
import { type LiveRecord, type LiveResult, liveResult, type MinuteLook } from './result.ts';

/** How a live run is made and watched. */
export interface LiveOptions {
  readonly target: LiveTarget;
  /** Id of the colony that is made for the run. */
  readonly colony: string;
  readonly policy?: RequestOf<'createColony'>['policy'];
  /** Whether the colony stays when the run is over. */
  readonly keep: boolean;
  readonly signal?: AbortSignal;
  /** Begins what goes on beside the load once the colony is there, and answers how it is ended. */
  readonly beside?: () => Promise<() => Promise<void>>;
  /** Hears how the run goes, four times a second. */
  readonly progress?: (elapsedMs: number, progress: LoadProgress) => void;
}

const lookMs = 250;
const watchMs = 1_000;
const minuteMs = 60_000;
/** How long before the end of a minute it is looked at, so that the last one is within the run. */
const minuteLookMs = 1_000;
const guardMs = 5_000;
const guardShare = 0.3;
/** Calls below which the guard says nothing. */
const guardCalls = 20;
/** From the word to begin to the moment in which the load begins. */
const beginMs = 250;

interface Edge {
  readonly commit: string;
}

/** One run under way. */
class LiveRun {
  readonly #plan: LivePlan;
  readonly #options: LiveOptions;
  readonly #client: Client;
  readonly #moments: DaemonMoment[] = [];
  readonly #seen: { readonly atMs: number; readonly calls: number; readonly errors: number }[] = [];
  readonly #looks: MinuteLook[] = [];
  #beganAt = 0;
  #problem: unknown = null;

  constructor(plan: LivePlan, options: LiveOptions) {
    this.#plan = plan;
    this.#options = options;
    this.#client = new Client({ url: options.target.url, token: options.target.adminToken });
  }

  async run(): Promise<LiveResult> {
    const { colony, keep, policy } = this.#options;
    const made = { id: colony, empty: true as const, ...(policy === undefined ? {} : { policy }) };
    await this.#client.call('createColony', { body: made });
    let endBeside: (() => Promise<void>) | null = null;
    try {
      endBeside = (await this.#options.beside?.()) ?? null;
      return liveResult(await this.#load());
    } finally {
      await endBeside?.();
      // (RL2)
      if (!keep) await this.#client.call('deleteColony', { parts: { colony }, body: { confirm: colony } });
    }
  }

  async #load(): Promise<LiveRecord> {
    const plan = this.#plan;
    const { colony, target } = this.#options;
    const supply = new IntentSupply(this.#client, colony, plan);
    await supply.fill(0);
    const processes = new LoadProcesses(plan.workers);
    let crew: GitCrew | null = null;
    try {
      await processes.ready();
      this.#beganAt = Date.now() + beginMs;
      const startedAt = new Date(this.#beganAt);
      const { fromMs, toMs } = countedSpan(plan);
      const span = { beganAt: this.#beganAt, fromAt: this.#beganAt + fromMs, toAt: this.#beganAt + toMs };
      processes.begin((worker) => ({ plan, url: target.url, adminToken: target.adminToken, colony, worker, span }));
      if (plan.gitAgents > 0) {
        crew = new GitCrew({ url: target.url, adminToken: target.adminToken, colony, plan, span });
        await crew.begin();
      }
      const watching = Promise.all([this.#watch(), this.#watchMinutes()]);
      const from = this.#edgeAt(fromMs);
      const stoppedEarly = await this.#untilOver(processes, supply);
      const endedMs = this.#elapsedMs;
      const to = await this.#edge();
      const { cycle } = await this.#client.call('readColony', { parts: { colony } });
      processes.stop();
      const [loads] = await Promise.all([processes.done, crew?.end()]);
      await watching;
      if (this.#problem !== null) throw this.#problem;
      const edge = endedMs >= fromMs ? await from : null;
      const commits = edge === null ? null : await this.#commitsBetween(edge, to);
      const { scenario } = scenarioOf(plan);
      return {
        scenario,
        plan,
        startedAt,
        endedMs,
        stoppedEarly,
        loads,
        moments: this.#moments,
        cycle,
        commits,
        looks: this.#looks,
        crew,
      };
    } finally {
      processes.kill();
      await crew?.end();
    }
  }

  get #elapsedMs(): number {
    return Date.now() - this.#beganAt;
  }

  get #isOver(): boolean {
    return this.#elapsedMs >= this.#plan.durationMs || this.#options.signal?.aborted === true || this.#problem !== null;
  }

  /** Keeps the supply up and guards until the time is over; whether the run was stopped before (RL1). */
  async #untilOver(processes: LoadProcesses, supply: IntentSupply): Promise<boolean> {
    while (!this.#isOver) {
      await pause(lookMs);
      if (processes.failed !== null) throw processes.failed;
      const { progress } = processes;
      this.#options.progress?.(this.#elapsedMs, progress);
      supply.fill(progress.taken).catch((error: unknown) => this.#fail(error));
      if (this.#isFailing(progress)) return true;
    }
    return this.#options.signal?.aborted === true;
  }

  #isFailing({ calls, errors }: LoadProgress): boolean {
    const atMs = this.#elapsedMs;
    this.#seen.push({ atMs, calls, errors });
    while (this.#seen.length > 1 && (this.#seen[1] as { atMs: number }).atMs <= atMs - guardMs) this.#seen.shift();
    const first = this.#seen[0];
    if (first === undefined || calls - first.calls < guardCalls) return false;
    return errors - first.errors > guardShare * (calls - first.calls);
  }

  /** Reads the daemon's figures every second until the run is over. */
  async #watch(): Promise<void> {
    for (let next = 0; !this.#isOver; next += watchMs) {
      await pause(Math.max(0, next - this.#elapsedMs));
      try {
        const { adminToken } = this.#options.target;
        this.#moments.push(await readMoment(this.#client, adminToken, this.#options.colony, this.#elapsedMs));
      } catch (error) {
        this.#fail(error);
      }
    }
  }

  /** Looks at the cycles and the packs at the end of each minute. */
  async #watchMinutes(): Promise<void> {
    for (let minute = 0; (minute + 1) * minuteMs <= this.#plan.durationMs; minute += 1) {
      await this.#pauseUntil((minute + 1) * minuteMs - minuteLookMs);
      if (this.#isOver) return;
      try {
        const { cycle, repository } = await this.#client.call('readColony', {
          parts: { colony: this.#options.colony },
        });
        this.#looks.push({ minute, cycleMsP50: cycle.cycleMsP50, packs: await packsOf(repository) });
      } catch (error) {
        this.#fail(error);
      }
    }
  }

  /** Waits for a moment of the run, or for its end. */
  async #pauseUntil(atMs: number): Promise<void> {
    while (!this.#isOver && this.#elapsedMs < atMs) await pause(Math.min(lookMs, atMs - this.#elapsedMs));
  }

  #fail(error: unknown): void {
    this.#problem ??= error;
  }

  async #edgeAt(atMs: number): Promise<Edge | null> {
    await this.#pauseUntil(atMs);
    // Without the first edge the commits between are not known; the run itself does not need them.
    return this.#edge().catch(() => null);
  }

  async #edge(): Promise<Edge> {
    const { trunk } = await this.#client.call('readColony', { parts: { colony: this.#options.colony } });
    return { commit: trunk.commit };
  }

  /** Commits from one tip of trunk to another, by stock git; null where the repository is not on this machine. */
  async #commitsBetween(from: Edge, to: Edge): Promise<number | null> {
    const { repository } = await this.#client.call('readColony', { parts: { colony: this.#options.colony } });
    try {
      const counting = ['-C', repository, 'rev-list', '--count', `${from.commit}..${to.commit}`];
      const { stdout } = await promisify(execFile)('git', counting);
      return Number(stdout.trim());
    } catch {
      // A daemon elsewhere: its repository cannot be asked from here.
      return null;
    }
  }
}

/** Runs a plan against a daemon. Rejects when the load or the daemon fails; the target is left running. */
export function runLive(plan: LivePlan, options: LiveOptions): Promise<LiveResult> {
  return new LiveRun(plan, options).run();
}

function scenarioOf({ hotPercent, soak, workMs, gitAgents }: LivePlan): { scenario: string } {
  const parts = [
    soak ? 'soak' : 'adding',
    ...(hotPercent > 0 ? [`hot ${hotPercent} %`] : []),
    ...(workMs > 0 ? [`work ${workMs} ms`] : []),
    ...(gitAgents > 0 ? [`${gitAgents} with git`] : []),
  ];
  return { scenario: parts.join(', ') };
}

/** How many packs a repository has; null when it is not on this machine. */
async function packsOf(repository: string): Promise<number | null> {
  try {
    const names = await readdir(join(repository, 'objects', 'pack'));
    return names.filter((name) => name.endsWith('.pack')).length;
  } catch {
    // A daemon elsewhere.
    return null;
  }
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
