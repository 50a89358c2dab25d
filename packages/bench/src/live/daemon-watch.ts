// The daemon's own figures while it is under load: memory, processor time, delays of its event loop, by the second.
//
//   DW1. Memory and delay are the greatest of the counted span, processor time is that of the span.

import type { Client } from '@firetrident/client';

/** Figures of one moment. */
export interface DaemonMoment {
  readonly atMs: number;
  readonly rssMiB: number;
  readonly cpuSeconds: number;
  /** Longest delay of the event loop since the moment before, in milliseconds. */
  readonly eventLoopMs: number;
  /** Share of the time since the moment before that the event loop was busy, 0 to 1. */
  readonly eventLoopBusy: number;
}

/** Figures of the counted span (DW1). */
export interface DaemonFigures {
  readonly rssMiB: number;
  /** Of one core; more than 100 when several threads work. */
  readonly cpuPercent: number;
  readonly eventLoopMsMax: number;
  readonly eventLoopBusyPercent: number;
}

const names = {
  rss: 'firetrident_process_resident_bytes',
  cpu: 'firetrident_process_cpu_seconds_total',
  delay: 'firetrident_event_loop_delay_seconds',
  busy: 'firetrident_event_loop_busy_ratio',
} as const;

/** Reads the daemon's metrics now. `atMs` is told along. */
export async function readMoment(client: Client, token: string, atMs: number): Promise<DaemonMoment> {
  const response = await fetch(`${client.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`the metrics of ${client.url} cannot be read: HTTP ${response.status}`);
  const metric = (name: string): number => {
    const found = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
    if (found === undefined) throw new Error(`the metrics of ${client.url} lack ${name}`);
    return Number(found);
  };
  return {
    atMs,
    rssMiB: metric(names.rss) / 1_048_576,
    cpuSeconds: metric(names.cpu),
    eventLoopMs: metric(names.delay) * 1_000,
    eventLoopBusy: metric(names.busy),
  };
}

/** Sums up the moments of the counted span; the first of them only says where it begins. */
export function daemonFigures(moments: readonly DaemonMoment[]): DaemonFigures {
  const [first, last] = [moments[0], moments.at(-1)];
  if (first === undefined || last === undefined || moments.length < 2) {
    return { rssMiB: last?.rssMiB ?? 0, cpuPercent: 0, eventLoopMsMax: 0, eventLoopBusyPercent: 0 };
  }
  const counted = moments.slice(1);
  const seconds = (last.atMs - first.atMs) / 1_000;
  return {
    rssMiB: Math.max(...counted.map(({ rssMiB }) => rssMiB)),
    cpuPercent: (100 * (last.cpuSeconds - first.cpuSeconds)) / seconds,
    eventLoopMsMax: Math.max(...counted.map(({ eventLoopMs }) => eventLoopMs)),
    eventLoopBusyPercent: (100 * counted.reduce((sum, { eventLoopBusy }) => sum + eventLoopBusy, 0)) / counted.length,
  };
}
