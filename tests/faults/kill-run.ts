// kill -9 again and again under load, with everything acknowledged written down outside.

import { RandomStream } from '@firetrident/base';
import { Client } from '@firetrident/client';
import { startDaemonProcess } from './daemon-process.ts';
import { violations } from './kill-check.ts';
import { Load } from './load.ts';

export interface KillRunOptions {
  readonly data: string;
  readonly seed: number;
  readonly agents: number;
  /** Stops after so many kills, and not before so many met a cycle or a queue. */
  readonly kills: number;
  readonly busyKills: number;
  readonly onKill?: (kills: number, busy: number, acknowledged: number) => void;
}

export interface KillRunReport {
  readonly kills: number;
  /** Kills that found a cycle or a queue under way, by what the next start recovered. */
  readonly busyKills: number;
  readonly acknowledged: number;
  readonly landed: number;
  readonly violations: readonly string[];
}

/** Longest time that a daemon serves before it is killed, or goes on after it acknowledged a proposal, milliseconds. */
const longestLifeMs = 700;
/** Proposals that are acknowledged in a life, at most, before its last moments begin. */
const mostAcknowledged = 8;
/** Of so many lives one may end before it acknowledged anything. */
const livesPerEarlyKill = 4;
/** Runs that never meet enough work end here. */
const killsPerBusyKill = 4;

export async function killRun(options: KillRunOptions): Promise<KillRunReport> {
  const random = new RandomStream(options.seed);
  const load = new Load(options.agents, options.seed);
  let daemon = await startDaemonProcess(options.data);
  await load.found(daemon.url, daemon.adminToken);
  let kills = 0;
  let busy = 0;
  while ((kills < options.kills || busy < options.busyKills) && kills < options.kills * killsPerBusyKill) {
    load.run(daemon.url);
    if (random.below(livesPerEarlyKill) > 0) await load.untilAcknowledged(1 + random.below(mostAcknowledged));
    await new Promise((resolve) => setTimeout(resolve, 20 + random.below(longestLifeMs)));
    await daemon.kill();
    await load.halt();
    kills += 1;
    daemon = await startDaemonProcess(options.data);
    if (daemon.recovered.some((colony) => colony.cycle || colony.queued > 0)) busy += 1;
    options.onKill?.(kills, busy, load.acknowledged.size);
  }
  await load.settle(daemon.url);
  const found = await violations(new Client({ url: daemon.url, token: daemon.adminToken }), load.acknowledged);
  const landed = [...load.acknowledged.values()].filter((record) => record.outcome?.state === 'landed').length;
  await daemon.stop();
  return { kills, busyKills: busy, acknowledged: load.acknowledged.size, landed, violations: found };
}
