// Metrics: one instrument for each entry of the catalogue, filled from the colonies when somebody asks.
//
//   MT1. An entry of the catalogue without an instrument does not exist, and no instrument without an entry.

import { type EventLoopUtilization, performance } from 'node:perf_hooks';
import process from 'node:process';
import { type ColonyState, colonyCounters, disturbedRegions, type Event, laneDelayOf } from '@firetrident/core';
import { type Colony, type CycleFigures, landingStages } from '@firetrident/engine';
import { type MetricEntry, type MetricName, metricCatalogue } from '@firetrident/protocol';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { leaseCounts } from './convert/colony.ts';
import type { RawReply } from './endpoint-types.ts';
import { LoopWatch } from './loop-watch.ts';

/** Regions with metrics of their own. */
const regionsAtMost = 100;
const regionMetrics = ['firetrident_region_sigma', 'firetrident_inhibition', 'firetrident_lane_delay_seconds'] as const;

type Labels = Readonly<Record<string, string>>;

/** How many readers of each kind a colony's live stream has. */
export interface ReaderCounts {
  readonly observers: number;
  readonly agents: number;
}

const outcomes = ['landed', 'unchanged', 'returned', 'rejected', 'superseded'] as const;
const cyclePhases: readonly (readonly [string, keyof CycleFigures])[] = [
  ['plan', 'planMs'],
  ['build', 'buildMs'],
  ['verify', 'verifyMs'],
  ['write', 'writeMs'],
  ['refs', 'refsMs'],
  ['journal', 'journalMs'],
  ['whole', 'cycleMs'],
];

/** The instruments of one daemon. */
export class MetricsDesk {
  readonly #registry = new Registry();
  readonly #instruments: Readonly<Record<MetricName, Counter | Gauge | Histogram>>;
  readonly #colonies: () => readonly Colony[];
  readonly #readers: (colony: string) => ReaderCounts;
  readonly #loop = new LoopWatch();
  readonly #regionsShown = new Map<string, readonly string[]>();
  #cpuSeconds = 0;
  #utilization: EventLoopUtilization = performance.eventLoopUtilization();
  /** What was counted of each colony's verdicts and stages so far, by metric, colony and label. */
  readonly #counted = new Map<string, number>();

  constructor(colonies: () => readonly Colony[], readers: (colony: string) => ReaderCounts) {
    this.#colonies = colonies;
    this.#readers = readers;
    const made = Object.entries(metricCatalogue).map(([name, entry]) => [
      name,
      instrument(name, entry, this.#registry),
    ]);
    this.#instruments = Object.fromEntries(made) as Record<MetricName, Counter | Gauge | Histogram>;
  }

  /** Names of the instruments there are. */
  get names(): readonly string[] {
    return Object.keys(this.#instruments);
  }

  /** One call was answered. */
  answered(endpoint: string, status: number, seconds: number): void {
    this.#count('firetrident_http_requests_total', { endpoint, status: String(status) }, 1);
    (this.#instruments.firetrident_http_request_seconds as Histogram).observe({ endpoint }, seconds);
  }

  /** How many calls are not answered yet. */
  inFlight(calls: number): void {
    this.#set('firetrident_http_in_flight', {}, calls);
  }

  /** How many clones and fetches are served, and how many wait. */
  gitReaders(served: number, waiting: number): void {
    this.#set('firetrident_git_readers', { state: 'served' }, served);
    this.#set('firetrident_git_readers', { state: 'waiting' }, waiting);
  }

  /** A push was answered. */
  pushed(colony: string, outcome: string): void {
    this.#count('firetrident_pushes_total', { colony, outcome }, 1);
  }

  /** Events of a colony became durable. */
  happened(colony: string, events: readonly Event[], lastSequence: number): void {
    const counts = new Map<Event['kind'], number>();
    for (const { kind } of events) counts.set(kind, (counts.get(kind) ?? 0) + 1);
    for (const [kind, count] of counts) {
      this.#count('firetrident_events_total', { colony, event: kind }, count);
      const outcome = outcomes.find((each) => each === kind);
      if (outcome !== undefined) this.#count('firetrident_outcomes_total', { colony, outcome }, count);
    }
    this.#set('firetrident_sequence', { colony }, lastSequence);
  }

  /** Frames went out to readers of a colony's live stream. */
  framesSent(colony: string, frames: number): void {
    this.#count('firetrident_live_frames_total', { colony }, frames);
  }

  /** A connection was cut or refused because it took more than its share. */
  connectionCut(why: 'half-open' | 'openings' | 'unfinished'): void {
    this.#count('firetrident_connections_cut_total', { why }, 1);
  }

  /** A reader was closed for being slow. */
  slowReader(colony: string): void {
    this.#count('firetrident_live_slow_readers_total', { colony }, 1);
  }

  /** The page of the whole daemon, or of one colony. */
  async page(colony: string | null): Promise<RawReply> {
    this.#collectProcess();
    for (const each of this.#colonies()) this.#collectColony(each);
    const text = await this.#registry.metrics();
    const shown = colony === null ? text : linesOfColony(text, colony);
    return { bytes: shown, headers: { 'content-type': this.#registry.contentType } };
  }

  /** Forgets everything about a colony that was deleted. */
  async forget(colony: string): Promise<void> {
    for (const key of this.#counted.keys()) if (key.startsWith(`${colony} `)) this.#counted.delete(key);
    this.#regionsShown.delete(colony);
    for (const [name, entry] of Object.entries<MetricEntry>(metricCatalogue)) {
      if (entry.labels.includes('colony')) await removeColony(this.#instruments[name as MetricName], colony);
    }
  }

  /** Stops measuring. */
  close(): void {
    this.#loop.close();
  }

  #collectProcess(): void {
    const { rss, heapTotal, heapUsed, external } = process.memoryUsage();
    this.#set('firetrident_process_resident_bytes', {}, rss);
    this.#set('firetrident_process_memory_bytes', { part: 'heap' }, heapTotal);
    this.#set('firetrident_process_memory_bytes', { part: 'used' }, heapUsed);
    this.#set('firetrident_process_memory_bytes', { part: 'external' }, external);
    const { user, system } = process.cpuUsage();
    const seconds = (user + system) / 1e6;
    this.#count('firetrident_process_cpu_seconds_total', {}, seconds - this.#cpuSeconds);
    this.#cpuSeconds = seconds;
    const { delayMs, collectingMs, workingMs, notRunMs } = this.#loop.take();
    this.#set('firetrident_event_loop_delay_seconds', {}, delayMs / 1_000);
    this.#set('firetrident_event_loop_longest_seconds', { part: 'collecting' }, collectingMs / 1_000);
    this.#set('firetrident_event_loop_longest_seconds', { part: 'working' }, workingMs / 1_000);
    this.#set('firetrident_event_loop_longest_seconds', { part: 'not run' }, notRunMs / 1_000);
    const utilization = performance.eventLoopUtilization();
    const { utilization: busy } = performance.eventLoopUtilization(utilization, this.#utilization);
    this.#set('firetrident_event_loop_busy_ratio', {}, busy);
    this.#utilization = utilization;
  }

  #collectColony({ id: colony, state, figures, stages }: Colony): void {
    const states = (name: MetricName, counts: Readonly<Record<string, number>>) => {
      for (const [each, count] of Object.entries(counts)) this.#set(name, { colony, state: each }, count);
    };
    const counters = colonyCounters(state);
    states('firetrident_intents', counters.intents);
    states('firetrident_agents', counters.agents);
    states('firetrident_leases', leaseCounts(state));
    this.#set('firetrident_queued_proposals', { colony }, counters.proposals.queued);
    this.#set('firetrident_attention', { colony }, counters.attention);
    this.#set('firetrident_landing_frozen', { colony }, state.freeze === null ? 0 : 1);
    this.#set('firetrident_worked_seconds', { colony }, counters.workedMs / 1_000);
    this.#set('firetrident_wasted_seconds', { colony }, counters.wastedMs / 1_000);
    this.#set('firetrident_wasted_tokens', { colony }, counters.wastedTokens);
    this.#collectSigma(colony, state);
    for (const [phase, field] of cyclePhases) {
      this.#set('firetrident_cycle_seconds', { colony, phase }, figures[field] / 1_000);
    }
    this.#set('firetrident_cycle_proposals', { colony }, figures.proposalsPerCycle);
    const verdicts = 'firetrident_verdicts_total';
    this.#countUpTo(verdicts, colony, { source: 'recalled' }, figures.verdictsRecalled);
    this.#countUpTo(verdicts, colony, { source: 'found' }, figures.verdictsFound);
    for (const stage of landingStages) {
      this.#countUpTo('firetrident_stage_seconds_total', colony, { stage }, stages.spentMs[stage] / 1_000);
    }
    const staged = 'firetrident_staged_proposals_total';
    this.#countUpTo(staged, colony, { until: 'answered' }, stages.answered);
    this.#countUpTo(staged, colony, { until: 'settled' }, stages.settled);
    const readers = this.#readers(colony);
    this.#set('firetrident_live_sockets', { colony, reader: 'observer' }, readers.observers);
    this.#set('firetrident_live_sockets', { colony, reader: 'agent' }, readers.agents);
  }

  /** Regions come and go, so what was shown before is forgotten first (ME1). */
  #collectSigma(colony: string, state: ColonyState): void {
    this.#set('firetrident_sigma', { colony }, state.sigma);
    const shown = this.#regionsShown.get(colony) ?? [];
    const disturbed = disturbedRegions(state, regionsAtMost);
    for (const region of shown) for (const name of regionMetrics) this.#instruments[name].remove({ colony, region });
    for (const { region, sigma, inhibition } of disturbed) {
      this.#set('firetrident_region_sigma', { colony, region }, sigma);
      this.#set('firetrident_inhibition', { colony, region }, inhibition);
      this.#set('firetrident_lane_delay_seconds', { colony, region }, laneDelayOf(inhibition) / 1_000);
    }
    this.#regionsShown.set(
      colony,
      disturbed.map(({ region }) => region),
    );
  }

  /** What a colony counts by itself; its room does anew when it is opened again. */
  #countUpTo(name: MetricName, colony: string, labels: Labels, total: number): void {
    const key = `${colony} ${name} ${Object.values(labels).join()}`;
    this.#count(name, { colony, ...labels }, Math.max(0, total - (this.#counted.get(key) ?? 0)));
    this.#counted.set(key, total);
  }

  #count(name: MetricName, labels: Labels, by: number): void {
    (this.#instruments[name] as Counter).inc(labels, by);
  }

  #set(name: MetricName, labels: Labels, value: number): void {
    (this.#instruments[name] as Gauge).set(labels, value);
  }
}

function instrument(name: string, entry: MetricEntry, registry: Registry): Counter | Gauge | Histogram {
  const options = { name, help: entry.help, labelNames: [...entry.labels], registers: [registry] };
  switch (entry.type) {
    case 'counter':
      return new Counter(options);
    case 'gauge':
      return new Gauge(options);
    case 'histogram':
      return new Histogram({ ...options, buckets: [...(entry.buckets ?? [])] });
  }
}

async function removeColony(instrument: Counter | Gauge | Histogram, colony: string): Promise<void> {
  const { values } = await instrument.get();
  for (const { labels } of values) if (labels.colony === colony) instrument.remove(labels as Labels);
}

/** The lines of one colony, with the comments of the metrics they belong to. Labels never hold quotes or braces. */
function linesOfColony(text: string, colony: string): string {
  const mark = `colony="${colony}"`;
  const kept: string[] = [];
  let comments: string[] = [];
  let inComments = false;
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) {
      if (!inComments) comments = [];
      inComments = true;
      comments.push(line);
      continue;
    }
    inComments = false;
    if (!line.includes(mark)) continue;
    kept.push(...comments, line);
    comments = [];
  }
  return `${kept.join('\n')}\n`;
}
