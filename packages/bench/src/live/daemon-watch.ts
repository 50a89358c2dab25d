// The daemon's own figures while it is under load: memory, processor time, delays of its event loop, by the second.
//
//   DW1. Memory and delay are the greatest of the counted span, processor time is that of the span.
//   DW2. The parts of the longest delay are those of that delay, not the longest of each part.

import type { Client } from '@firetrident/client';

/** What held the event loop up, in milliseconds: collections of garbage, other work, a machine that did not run it. */
export interface DelayParts {
  readonly collectingMs: number;
  readonly workingMs: number;
  readonly notRunMs: number;
}

/** Memory of the daemon's main thread, in MiB. */
export interface MemoryParts {
  readonly heapMiB: number;
  readonly usedMiB: number;
  readonly externalMiB: number;
}

/** Sums of one colony by stage, in milliseconds times proposals. */
export interface StageSums {
  readonly spentMs: Readonly<Record<string, number>>;
  readonly answered: number;
  readonly settled: number;
}

/** Figures of one moment. */
export interface DaemonMoment {
  readonly atMs: number;
  readonly rssMiB: number;
  readonly cpuSeconds: number;
  /** Longest delay of the event loop since the moment before, in milliseconds, and what held it up. */
  readonly eventLoopMs: number;
  readonly delay: DelayParts;
  readonly memory: MemoryParts;
  /** Time of proposals so far, in milliseconds by stage, and how many went through the stages. */
  readonly stages: StageSums;
  /** Share of the time since the moment before that the event loop was busy, 0 to 1. */
  readonly eventLoopBusy: number;
}

/** Figures of the counted span (DW1). */
export interface DaemonFigures {
  readonly rssMiB: number;
  /** Of one core; more than 100 when several threads work. */
  readonly cpuPercent: number;
  readonly eventLoopMsMax: number;
  /** What the longest delay was made of (DW2). */
  readonly longestDelay: DelayParts;
  readonly eventLoopBusyPercent: number;
  /** Memory of the main thread when the process was largest. */
  readonly memory: MemoryParts;
}

const names = {
  rss: 'firetrident_process_resident_bytes',
  cpu: 'firetrident_process_cpu_seconds_total',
  delay: 'firetrident_event_loop_delay_seconds',
  busy: 'firetrident_event_loop_busy_ratio',
  longest: 'firetrident_event_loop_longest_seconds',
  memory: 'firetrident_process_memory_bytes',
  stage: 'firetrident_stage_seconds_total',
  staged: 'firetrident_staged_proposals_total',
} as const;

const bytesPerMiB = 1_048_576;
/** The stages of a landing as the metrics name them, in order: the first three until its proposal is answered. */
export const answeredStages = ['resolve', 'decide', 'keep'] as const;
export const settledStages = ['queue', 'plan', 'build', 'verify', 'write', 'refs', 'journal', 'news'] as const;

/** Reads the daemon's metrics now, with the stages of one colony. `atMs` is told along. */
export async function readMoment(client: Client, token: string, colony: string, atMs: number): Promise<DaemonMoment> {
  const response = await fetch(`${client.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  const text = await response.text();
  if (!response.ok) throw new Error(`the metrics of ${client.url} cannot be read: HTTP ${response.status}`);
  const lines = new Map(text.split('\n').map((line) => [line.slice(0, line.lastIndexOf(' ')), line] as const));
  const metric = (name: string): number => {
    const line = lines.get(name);
    if (line === undefined) throw new Error(`the metrics of ${client.url} lack ${name}`);
    return Number(line.slice(name.length + 1));
  };
  const ofPart = (name: string, part: string) => metric(`${name}{part="${part}"}`);
  const spent = (stage: string) => [stage, metric(`${names.stage}{colony="${colony}",stage="${stage}"}`) * 1_000];
  return {
    atMs,
    rssMiB: metric(names.rss) / bytesPerMiB,
    cpuSeconds: metric(names.cpu),
    eventLoopMs: metric(names.delay) * 1_000,
    delay: {
      collectingMs: ofPart(names.longest, 'collecting') * 1_000,
      workingMs: ofPart(names.longest, 'working') * 1_000,
      notRunMs: ofPart(names.longest, 'not run') * 1_000,
    },
    memory: {
      heapMiB: ofPart(names.memory, 'heap') / bytesPerMiB,
      usedMiB: ofPart(names.memory, 'used') / bytesPerMiB,
      externalMiB: ofPart(names.memory, 'external') / bytesPerMiB,
    },
    stages: {
      spentMs: Object.fromEntries([...answeredStages, ...settledStages].map(spent)),
      answered: metric(`${names.staged}{colony="${colony}",until="answered"}`),
      settled: metric(`${names.staged}{colony="${colony}",until="settled"}`),
    },
    eventLoopBusy: metric(names.busy),
  };
}

const noDelay: DelayParts = { collectingMs: 0, workingMs: 0, notRunMs: 0 };
const noMemory: MemoryParts = { heapMiB: 0, usedMiB: 0, externalMiB: 0 };

/** Sums up the moments of the counted span; the first of them only says where it begins. */
export function daemonFigures(moments: readonly DaemonMoment[]): DaemonFigures {
  const [first, ...counted] = moments;
  const last = counted.at(-1);
  const greatest = (of: (moment: DaemonMoment) => number) =>
    counted.reduce<DaemonMoment | undefined>((most, each) => (most && of(most) >= of(each) ? most : each), undefined);
  const largest = greatest(({ rssMiB }) => rssMiB) ?? first;
  const slowest = greatest(({ eventLoopMs }) => eventLoopMs);
  const seconds = first === undefined || last === undefined ? 0 : (last.atMs - first.atMs) / 1_000;
  const used = first === undefined || last === undefined ? 0 : last.cpuSeconds - first.cpuSeconds;
  return {
    rssMiB: largest?.rssMiB ?? 0,
    cpuPercent: seconds === 0 ? 0 : (100 * used) / seconds,
    eventLoopMsMax: slowest?.eventLoopMs ?? 0,
    longestDelay: slowest?.delay ?? noDelay,
    eventLoopBusyPercent:
      (100 * counted.reduce((sum, { eventLoopBusy }) => sum + eventLoopBusy, 0)) / Math.max(1, counted.length),
    memory: largest?.memory ?? noMemory,
  };
}

/** Mean milliseconds of a landing by stage, between the first and the last of the moments; null when none went through. */
export function stageMeans(moments: readonly DaemonMoment[]): Readonly<Record<string, number>> | null {
  const [first, last] = [moments[0]?.stages, moments.at(-1)?.stages];
  if (first === undefined || last === undefined) return null;
  const [answered, settled] = [last.answered - first.answered, last.settled - first.settled];
  if (answered === 0 || settled === 0) return null;
  const mean = (count: number) => (stage: string) =>
    [stage, ((last.spentMs[stage] ?? 0) - (first.spentMs[stage] ?? 0)) / count] as const;
  return Object.fromEntries([...answeredStages.map(mean(answered)), ...settledStages.map(mean(settled))]);
}
