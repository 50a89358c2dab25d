// Systems one after the other on the same machine, and how many times each of the others this one lands.
//
//   RU1. Every figure is MEASURED in the same run on the same machine. Ratios are to the figure of the same run.
//   RU2. With checks this system has no row: it lands first and has no checks before it, so that a row would compare less work.

import { GitUse } from '../live/git-use.ts';
import type { LiveTarget } from '../live/own-daemon.ts';
import type { LiveResult } from '../live/result.ts';
import { type BenchHost, benchHost } from '../live/result.ts';
import { runOurs } from './our-run.ts';
import { type PeerFigures, runPeer } from './peer-run.ts';
import type { LivePeer, PeerSystem, PeersPlan } from './plan.ts';

/** What each peer does, in one sentence. */
export const peerRules: Readonly<Record<LivePeer, string>> = {
  'locks-fifo':
    'exclusive locks on files, taken before the change; merged one by one in order of arrival, a push each; checked by the agent before the merge',
  'fifo-batch': 'what waits is merged in one batch, checked once and pushed once; a batch that fails is halved',
  speculative:
    'each change is merged on all ahead of it and checked at once; trunk moves over what passed, inside the repository, without a push',
  'rebase-push':
    'each agent fetches, rebases and pushes, again and again until it is first; checked once, before the first push',
};

/** One row of a comparison. */
export interface PeerRow extends PeerFigures {
  readonly system: LivePeer;
  readonly rules: string;
  /** Landings of this system for one of the peer's; null where there is no row of this system (RU2), or the peer landed nothing. */
  readonly ratio: number | null;
}

/** A comparison. */
export interface PeersResult {
  readonly figures: 'MEASURED';
  readonly bench: 'peers';
  readonly startedAt: string;
  readonly plan: PeersPlan;
  /** Median time of a process of git that does nothing. */
  readonly spawnMs: number;
  readonly peers: readonly PeerRow[];
  /** The live run beside them; null where it was left out (RU2). */
  readonly firetrident: LiveResult | null;
  readonly host: BenchHost;
}

/** How a comparison is watched. */
export interface PeersOptions {
  /** Starts the daemon for the row of this system. */
  readonly target: () => Promise<LiveTarget>;
  readonly signal?: AbortSignal;
  readonly progress?: (system: PeerSystem) => void;
}

/** Runs a comparison, one system after the other. Rejects with the first that fails. */
export async function runPeers(plan: PeersPlan, options: PeersOptions): Promise<PeersResult> {
  const startedAt = new Date().toISOString();
  const spawnMs = await spawnTime();
  let firetrident: LiveResult | null = null;
  const found: { system: LivePeer; figures: PeerFigures }[] = [];
  for (const system of plan.systems) {
    options.progress?.(system);
    if (system !== 'firetrident') found.push({ system, figures: await runPeer(system, plan, options.signal) });
    else if (plan.checks === null) firetrident = await ours(plan, options);
  }
  const peers = found.map(({ system, figures }) => ({
    system,
    rules: peerRules[system],
    ...figures,
    ratio: firetrident === null || figures.landed === 0 ? null : firetrident.landedPerMin / figures.landedPerMin,
  }));
  return { figures: 'MEASURED', bench: 'peers', startedAt, plan, spawnMs, peers, firetrident, host: benchHost() };
}

async function ours(plan: PeersPlan, { target: start, signal }: PeersOptions): Promise<LiveResult> {
  const target = await start();
  try {
    return await runOurs(plan, target, signal === undefined ? {} : { signal });
  } finally {
    await target.stop();
  }
}

async function spawnTime(): Promise<number> {
  const use = new GitUse();
  const times: number[] = [];
  for (let each = 0; each < 9; each += 1) {
    const beganMs = performance.now();
    await use.run('.', ['--version']);
    times.push(performance.now() - beganMs);
  }
  return times.sort((left, right) => left - right)[4] as number;
}
