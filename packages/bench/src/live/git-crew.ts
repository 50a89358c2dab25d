// Agents that are nothing but stock git: each clones trunk, commits there, and pushes for it, again and again.
//
//   GA1. Each has a clone and an agent's token of its own. What it knows of the colony it knows from git.
//   GA2. A push has landed when git ends well. One that came back is rebased and pushed again, three times at most.
//   GA3. What ends otherwise has failed, and is named by what git said.
//   GA4. When the run is over, a round under way goes to its end, for half a minute at most, and then clones and agents are gone.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type AgentId, RandomStream } from '@firetrident/base';
import { Client } from '@firetrident/client';
import { Durations, type Percentiles } from './durations.ts';
import { type GitEnd, GitUse } from './git-use.ts';
import type { LivePlan } from './plan.ts';
import { RunEnd } from './run-end.ts';
import type { TallySpan } from './tally.ts';
import { changeText, workTimeMs } from './workload.ts';

/** What the agents work on. */
export interface GitCrewOptions {
  readonly url: string;
  readonly adminToken: string;
  readonly colony: string;
  readonly plan: LivePlan;
  readonly span: TallySpan;
}

/** What was seen of agents that are stock git. Of the counted span, but for clones: those are of the whole run. */
export interface GitFigures {
  readonly agents: number;
  /** Pushes that landed. */
  readonly landed: number;
  readonly landedPerMin: number;
  /** Pushes that came back (GA2). */
  readonly returned: number;
  readonly failed: number;
  readonly failedKinds: Readonly<Record<string, number>>;
  /** Processes of git in the whole run. */
  readonly processes: number;
  readonly cloneMs: Percentiles;
  /** From the push to its end, when it landed; what came back before counts in. */
  readonly pushMs: Percentiles;
  /** From fetching trunk to the landing. */
  readonly roundMs: Percentiles;
}

const repairsAtMost = 3;
/** Pause after a failure. */
const afterFailureMs = 1_000;
const errorLength = 200;
/** What a round under way is given when the run is over. */
const lastRoundMs = 30_000;

/** The agents of one run. */
export class GitCrew {
  readonly #options: GitCrewOptions;
  readonly #admin: Client;
  readonly #git = new GitUse();
  readonly #over = new RunEnd();
  readonly #agents: AgentId[] = [];
  readonly #failedKinds: Record<string, number> = {};
  readonly #clones = new Durations();
  readonly #pushes = new Durations();
  readonly #rounds = new Durations();
  #returned = 0;
  #runs: readonly Promise<void>[] = [];
  #directory: string | null = null;
  #ended: Promise<void> | null = null;

  constructor(options: GitCrewOptions) {
    this.#options = options;
    this.#admin = new Client({ url: options.url, token: options.adminToken });
  }

  /** Begins the agents, evenly over the ramp. */
  async begin(): Promise<void> {
    const { plan, span } = this.#options;
    const directory = await mkdtemp(join(tmpdir(), 'firetrident-bench-git-'));
    this.#directory = directory;
    this.#runs = Array.from({ length: plan.gitAgents }, async (_, number) => {
      await this.#over.pause(span.beganAt + (plan.rampMs * number) / plan.gitAgents - Date.now());
      if (!this.#over.isOver) await this.#run(directory, number);
    });
  }

  /** Ends the agents and removes their clones (GA4). */
  end(): Promise<void> {
    this.#ended ??= this.#end();
    return this.#ended;
  }

  async #end(): Promise<void> {
    this.#over.end();
    const cut = setTimeout(() => this.#git.kill(), lastRoundMs);
    await Promise.all(this.#runs);
    clearTimeout(cut);
    const { colony } = this.#options;
    for (const agent of this.#agents) {
      // An agent that cannot be ended ends with its lease.
      await this.#admin.call('stopAgent', { parts: { colony, agent } }).catch(() => undefined);
    }
    if (this.#directory !== null) await rm(this.#directory, { recursive: true, force: true });
  }

  /** What was seen, of a span of so many milliseconds. */
  figures(countedMs: number): GitFigures {
    const landed = this.#pushes.count;
    return {
      agents: this.#options.plan.gitAgents,
      landed,
      landedPerMin: countedMs === 0 ? 0 : (landed * 60_000) / countedMs,
      returned: this.#returned,
      failed: Object.values(this.#failedKinds).reduce((sum, count) => sum + count, 0),
      failedKinds: { ...this.#failedKinds },
      processes: this.#git.processes,
      cloneMs: this.#clones.percentiles,
      pushMs: this.#pushes.percentiles,
      roundMs: this.#rounds.percentiles,
    };
  }

  get #counts(): boolean {
    const { fromAt, toAt } = this.#options.span;
    const now = Date.now();
    return !this.#over.isOver && now >= fromAt && now < toAt;
  }

  /** Never rejects. */
  async #run(directory: string, number: number): Promise<void> {
    const place = join(directory, String(number));
    const draws = new RandomStream(this.#options.plan.seed + number);
    let clone: GitClone | null = null;
    for (let round = 1; !this.#over.isOver; round += 1) {
      try {
        clone ??= await this.#clone(place, number);
        await this.#round(clone, `bench/git/${number}/${round}.txt`, draws);
      } catch (error) {
        this.#failed(error instanceof Error ? error.message : String(error));
        await this.#over.pause(afterFailureMs);
      }
    }
  }

  /** (GA1) */
  async #clone(place: string, number: number): Promise<GitClone> {
    const { url, colony } = this.#options;
    const body = { name: `bench git ${number}`, kind: 'git' };
    const { agentId, token } = await this.#admin.call('registerAgent', { parts: { colony }, body });
    this.#agents.push(agentId);
    const beganMs = performance.now();
    await rm(place, { recursive: true, force: true });
    const clone = new GitClone(this.#git, place, token);
    await clone.make(new URL(`/git/${colony}`, url).href);
    this.#clones.add(performance.now() - beganMs);
    return clone;
  }

  /** One change, from the newest trunk to its landing. */
  async #round(clone: GitClone, path: string, draws: RandomStream): Promise<void> {
    const beganMs = performance.now();
    await clone.run(['fetch', '-q', 'origin', 'main']);
    await clone.run(['reset', '-q', '--hard', 'FETCH_HEAD']);
    const workMs = workTimeMs(this.#options.plan.workMs, draws);
    if (workMs > 0) await this.#over.pause(workMs);
    await clone.commit(path, changeText(path, 1));
    const pushedMs = performance.now();
    await this.#land(clone);
    if (!this.#counts) return;
    this.#pushes.add(performance.now() - pushedMs);
    this.#rounds.add(performance.now() - beganMs);
  }

  /** (GA2) */
  async #land(clone: GitClone): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const { code, errors } = await clone.push();
      if (code === 0) return;
      const isReturned = errors.includes('(returned:');
      if (isReturned && this.#counts) this.#returned += 1;
      if (!isReturned || attempt === repairsAtMost) throw new Error(reasonOf(errors));
      await clone.run(['fetch', '-q', 'origin', 'main']);
      await clone.rebase('FETCH_HEAD');
    }
  }

  /** (GA3) */
  #failed(kind: string): void {
    if (this.#counts) this.#failedKinds[kind] = (this.#failedKinds[kind] ?? 0) + 1;
  }
}

/** One agent's clone. */
class GitClone {
  readonly #git: GitUse;
  readonly #place: string;
  /** What every command of this agent begins with. */
  readonly #as: readonly string[];

  constructor(git: GitUse, place: string, token: string) {
    this.#git = git;
    this.#place = place;
    this.#as = ['-c', `http.extraHeader=Authorization: Bearer ${token}`];
  }

  async make(address: string): Promise<void> {
    await mkdir(this.#place);
    await this.run(['clone', '-q', address, '.']);
  }

  async commit(path: string, text: string): Promise<void> {
    const file = join(this.#place, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    await this.run(['add', path]);
    await this.run(['commit', '-q', '--no-gpg-sign', '-m', `Add ${path}`]);
  }

  /** Rejects when it stops half-way, and leaves nothing of it. */
  async rebase(onto: string): Promise<void> {
    try {
      await this.run(['rebase', '-q', onto]);
    } catch (error) {
      await this.run(['rebase', '--abort']);
      throw error;
    }
  }

  push(): Promise<GitEnd> {
    return this.#git.end(this.#place, [...this.#as, 'push', 'origin', 'HEAD:refs/for/main']);
  }

  /** Rejects with the reason when git does not end well. */
  async run(args: readonly string[]): Promise<void> {
    const { code, errors } = await this.#git.end(this.#place, [...this.#as, ...args]);
    if (code !== 0) throw new Error(`${args[0]}: ${reasonOf(errors)}`);
  }
}

/** What git said went wrong, without what differs each time. */
function reasonOf(errors: string): string {
  const rejected = /\[remote rejected\][^(]*\(([^:)]*)/.exec(errors)?.[1];
  const said = rejected ?? errors.trim().split('\n').at(-1) ?? '';
  return said.replaceAll(/[0-9]+/g, 'N').slice(0, errorLength);
}
