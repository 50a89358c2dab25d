// One peer under its agents: as many loops as there are agents, each with one change at a time.
//
//   PR1. What counts ends within the counted span, and a change counts from its first submission to its landing, returns included.
//   PR2. After the run stock git counts the commits on trunk: as many as agents heard of, or the run is void.

import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { never, RandomStream } from '@firetrident/base';
import { Durations, type Percentiles } from '../live/durations.ts';
import { GitUse } from '../live/git-use.ts';
import { changeText, workTimeMs } from '../live/workload.ts';
import { BatchPeer } from './batch-peer.ts';
import { ChainPeer } from './chain-peer.ts';
import { Checks } from './checks.ts';
import { type IntentBoard, LockedBoard, OrderedBoard } from './intent-board.ts';
import { LocksPeer } from './locks-peer.ts';
import { workloadOf } from './our-run.ts';
import type { Peer, PeerOutcome, PeerSurroundings } from './peer.ts';
import { type LivePeer, type PeersPlan, warmUpMs } from './plan.ts';
import { RebasePeer } from './rebase-peer.ts';

/** What one peer did. Counts are of the counted span unless they say otherwise. */
export interface PeerFigures {
  readonly landedPerMin: number;
  /** From the first submission to trunk, checks and returns included; waiting for a lock comes before. */
  readonly timeToLandMs: Percentiles;
  readonly landed: number;
  /** Changes that came back and were submitted again: for a conflict, and for a failed check. */
  readonly conflicts: number;
  readonly failed: number;
  /** Pushes that somebody else was faster than, over the whole run; null where nobody else pushes. */
  readonly rejectedPushes: number | null;
  readonly totalLanded: number;
  /** Processes of git and checks over the whole run. */
  readonly gitProcesses: number;
  readonly gitProcessesPerLanding: number;
  readonly checkRuns: number;
  readonly countedMs: number;
}

class PeerRun {
  readonly #plan: PeersPlan;
  readonly #peer: Peer;
  readonly #board: IntentBoard;
  readonly #checks: Checks;
  readonly #land = new Durations();
  /** Draws work times alone: changes are the same whatever work takes. */
  readonly #draws: RandomStream;
  readonly #outcomes = { conflict: 0, failed: 0 };
  readonly #beganMs = performance.now();
  #totalLanded = 0;
  #isOver = false;
  #fail: (error: unknown) => void = () => undefined;
  readonly #failed = new Promise<never>((_, reject) => {
    this.#fail = reject;
  });

  constructor(plan: PeersPlan, peer: Peer, board: IntentBoard, checks: Checks) {
    this.#plan = plan;
    this.#draws = new RandomStream(plan.seed + 1);
    this.#peer = peer;
    this.#board = board;
    this.#checks = checks;
  }

  get totalLanded(): number {
    return this.#totalLanded;
  }

  get retries(): { readonly conflicts: number; readonly failed: number } {
    return { conflicts: this.#outcomes.conflict, failed: this.#outcomes.failed };
  }

  get land(): Durations {
    return this.#land;
  }

  /** Lets the agents go round for the time of the plan. Rejects with the first failure of any of them. */
  async run(signal: AbortSignal | undefined): Promise<void> {
    for (let agent = 0; agent < this.#plan.agents; agent += 1) this.#agent().catch(this.#fail);
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, this.#plan.durationMs);
    const stop = () => this.#fail(signal?.reason);
    signal?.addEventListener('abort', stop, { once: true });
    try {
      await Promise.race([promise, this.#failed]);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', stop);
      this.#isOver = true;
    }
  }

  async #agent(): Promise<void> {
    while (!this.#isOver) {
      const intent = await this.#board.take();
      let beganMs: number | null = null;
      let isWorking = true;
      let broken = this.#checks.drawBroken();
      for (let attempt = 1; ; attempt += 1) {
        const [path] = intent.paths;
        const change = { title: intent.title, path, text: changeText(intent.title, attempt) };
        const base = this.#peer.tip;
        if (isWorking) await this.#work();
        if (this.#isOver) return;
        beganMs ??= performance.now();
        const outcome = await this.#peer.land({ base, change, broken });
        // (PR1) What the run's end cut off is nobody's return.
        this.#count(outcome, beganMs);
        if (outcome === 'landed') break;
        isWorking = outcome === 'conflict';
        if (outcome === 'failed') broken = false;
      }
      this.#board.done(intent);
    }
  }

  async #work(): Promise<void> {
    const workMs = workTimeMs(this.#plan.workMs, this.#draws);
    if (workMs > 0) await new Promise((resolve) => setTimeout(resolve, workMs).unref());
  }

  #count(outcome: PeerOutcome, beganMs: number): void {
    const nowMs = performance.now();
    const counts = !this.#isOver && nowMs - this.#beganMs >= warmUpMs(this.#plan);
    if (outcome === 'landed') {
      this.#totalLanded += 1;
      if (counts) this.#land.add(nowMs - beganMs);
    } else if (counts) {
      this.#outcomes[outcome] += 1;
    }
  }
}

/** Runs one peer in a directory of its own, which goes with it. Rejects when git or the peer fails. */
export async function runPeer(name: LivePeer, plan: PeersPlan, signal?: AbortSignal): Promise<PeerFigures> {
  const directory = await mkdtemp(join(tmpdir(), `firetrident-${name}-`));
  const use = new GitUse();
  try {
    const { trunk, root } = await makeTrunk(use, directory);
    const before = use.processes;
    const checks = new Checks(plan.checks, plan.seed);
    const surroundings = { plan, use, checks, trunk, root, directory };
    const peer = await openPeer(name, surroundings);
    const locks = name === 'locks-fifo';
    const run = new PeerRun(plan, peer, new (locks ? LockedBoard : OrderedBoard)(workloadOf(plan)), checks);
    try {
      await run.run(signal);
    } finally {
      await peer.stop();
    }
    const gitProcesses = use.processes - before;
    await requireTrunk(use, trunk, run.totalLanded);
    const countedMs = plan.durationMs - warmUpMs(plan);
    return {
      landedPerMin: (run.land.count * 60_000) / countedMs,
      timeToLandMs: run.land.percentiles,
      landed: run.land.count,
      ...run.retries,
      rejectedPushes: peer instanceof RebasePeer ? peer.rejected : null,
      totalLanded: run.totalLanded,
      gitProcesses,
      gitProcessesPerLanding: run.totalLanded === 0 ? 0 : gitProcesses / run.totalLanded,
      checkRuns: checks.runs,
      countedMs,
    };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

function openPeer(name: LivePeer, surroundings: PeerSurroundings): Promise<Peer> {
  switch (name) {
    case 'locks-fifo':
      return LocksPeer.open(surroundings);
    case 'fifo-batch':
      return BatchPeer.open(surroundings);
    case 'speculative':
      return ChainPeer.open(surroundings);
    case 'rebase-push':
      return RebasePeer.open(surroundings);
    default:
      return never(name);
  }
}

/** A bare repository with one empty commit on main, which never stops for maintenance. */
async function makeTrunk(use: GitUse, directory: string): Promise<{ trunk: string; root: string }> {
  const trunk = join(directory, 'trunk.git');
  await mkdir(trunk);
  await use.run(trunk, ['init', '--quiet', '--bare', '-b', 'main']);
  await use.run(trunk, ['config', 'receive.autogc', 'false']);
  const tree = await use.run(trunk, ['mktree']);
  const root = await use.run(trunk, ['commit-tree', tree, '-m', 'the beginning']);
  await use.run(trunk, ['update-ref', 'refs/heads/main', root]);
  return { trunk, root };
}

/** (PR2) */
async function requireTrunk(use: GitUse, trunk: string, landed: number): Promise<void> {
  const counted = Number(await use.run(trunk, ['rev-list', '--count', 'refs/heads/main'])) - 1;
  if (counted !== landed) throw new Error(`agents heard of ${landed} landings, and trunk has ${counted}`);
}
