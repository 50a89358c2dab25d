// The cascade, live: many agents read one file, one landing changes it, everybody comes back, and the region slows until
// that has passed.
//
//   CA1. A return counts as attributed when every read that its brief names is blamed on that one landing.

import type { ProposalStatusResponse, ResponseOf } from '@firetrident/protocol';
import { type BenchHost, benchHost } from './result.ts';
import { type AtWork, onScenarioColony, type ScenarioColony, type ScenarioPlace } from './scenario-colony.ts';

const hotPath = 'src/hot.ts';
const region = 'src';
const lookMs = 500;
/** σ below which a cascade dies out. */
const recoveredBelow = 1;

/** How the cascade is made. */
export interface CascadeOptions extends ScenarioPlace {
  readonly readers: number;
  /** How long the region is watched for its recovery. */
  readonly watchMs: number;
}

/** The region at one moment, in milliseconds since the landing. */
export interface CascadeMoment {
  readonly atMs: number;
  readonly sigma: number;
  readonly inhibition: number;
  readonly laneDelayMs: number;
}

/** What was seen. Times are milliseconds since the one landing. */
export interface CascadeResult {
  readonly figures: 'MEASURED';
  readonly scenario: 'cascade';
  readonly startedAt: string;
  readonly readers: number;
  readonly staleReturns: number;
  /** Of these, blamed on the one landing (CA1). */
  readonly attributed: number;
  readonly sigmaMax: number;
  readonly laneDelayMsMax: number;
  readonly slowedAfterMs: number | null;
  /** When σ was below 1 again; null when that was not seen. */
  readonly recoveredAfterMs: number | null;
  /** Repairs of the returns that landed. */
  readonly repairsLanded: number;
  readonly series: readonly CascadeMoment[];
  readonly host: BenchHost;
}

/** Runs the cascade on a colony of its own, whose daemon is on this machine. Rejects when a call is refused. */
export function runCascade(options: CascadeOptions): Promise<CascadeResult> {
  // The colony begins with the hot file: a landing that brings it would count in σ.
  const files = [{ path: hotPath, content: hotText(1) }];
  return onScenarioColony(options, files, (colony) => new Cascade(colony, options).run());
}

function hotText(version: number): string {
  return `export const hot = ${version};\n`;
}

class Cascade {
  readonly #colony: ScenarioColony;
  readonly #options: CascadeOptions;
  readonly #series: CascadeMoment[] = [];
  #landedAtMs = 0;
  #tellSlowed = (): void => undefined;
  /** Resolves when the region was seen to be slowed. */
  readonly #slowed = new Promise<void>((resolve) => {
    this.#tellSlowed = resolve;
  });

  constructor(colony: ScenarioColony, options: CascadeOptions) {
    this.#colony = colony;
    this.#options = options;
  }

  async run(): Promise<CascadeResult> {
    const startedAt = new Date().toISOString();
    const { readers: count, progress } = this.#options;
    const readers = await Promise.all(Array.from({ length: count }, (_, number) => this.#reader(number)));
    progress?.(`${count} agents have read ${hotPath}`);
    const landing = await this.#land(2);
    this.#landedAtMs = performance.now();
    const watching = this.#watch();
    const returned = await Promise.all(readers.map((reader, number) => this.#propose(reader, number)));
    const stale = returned.filter(({ state }) => state === 'returned');
    progress?.(`${stale.length} proposals came back`);
    // Repairs that land count as landings, which would hide what the one landing did before anybody saw it.
    await Promise.race([this.#slowed, watching]);
    const repaired = await Promise.all(readers.map((reader, number) => this.#confirm(reader, returned[number])));
    await watching;
    const slowed = this.#series.find(({ inhibition }) => inhibition > 1);
    return {
      figures: 'MEASURED',
      scenario: 'cascade',
      startedAt,
      readers: count,
      staleReturns: stale.length,
      attributed: stale.filter((status) => isBlamedOn(status, landing)).length,
      sigmaMax: Math.max(0, ...this.#series.map(({ sigma }) => sigma)),
      laneDelayMsMax: Math.max(0, ...this.#series.map(({ laneDelayMs }) => laneDelayMs)),
      slowedAfterMs: slowed?.atMs ?? null,
      recoveredAfterMs: this.#recoveredAfterMs(slowed ?? null),
      repairsLanded: repaired.filter((state) => state === 'landed').length,
      series: this.#series,
      host: benchHost(),
    };
  }

  /** Lands a version of the hot file and answers the landing. */
  async #land(version: number): Promise<string> {
    const atWork = await this.#atWork(`version ${version} of ${hotPath}`, hotPath);
    const status = await this.#colony.propose(atWork, [{ path: hotPath, content: hotText(version) }]);
    if (status.state !== 'landed' || status.landing === undefined) throw new Error(`the hot file is ${status.state}`);
    return status.landing;
  }

  /** An agent that has read the hot file under its lease, and works on a file of its own. */
  async #reader(number: number): Promise<AtWork> {
    const atWork = await this.#atWork(`reader ${number}`, `src/r${number}.ts`);
    await this.#colony.read(atWork, hotPath);
    return atWork;
  }

  async #atWork(title: string, path: string): Promise<AtWork> {
    return this.#colony.atWork(await this.#colony.agent(title), title, path);
  }

  #propose(reader: AtWork, number: number): Promise<ProposalStatusResponse> {
    const content = `export const reader = ${number};\n`;
    return this.#colony.propose(reader, [{ path: `src/r${number}.ts`, content }]);
  }

  /** Says that the work still holds, and answers what became of it; a lane at 8 s may take its time. */
  async #confirm(reader: AtWork, status: ProposalStatusResponse | undefined): Promise<string> {
    if (status?.state !== 'returned') return status?.state ?? 'unknown';
    return (await this.#colony.confirm(reader, status.proposal)).state;
  }

  /** Looks at the region until it has slowed and recovered, or for as long as was asked. */
  async #watch(): Promise<void> {
    for (;;) {
      const field: ResponseOf<'readField'> = await this.#colony.admin.call('readField', { parts: this.#colony.parts });
      const atMs = Math.round(performance.now() - this.#landedAtMs);
      const row = field.regions.find((each) => each.region === region);
      const { sigma = 0, inhibition = 1, laneDelayMs = 0 } = row ?? {};
      this.#series.push({ atMs, sigma, inhibition, laneDelayMs });
      this.#options.progress?.(`${Math.round(atMs / 1_000)} s: σ ${sigma.toFixed(1)}, a batch in ${laneDelayMs} ms`);
      const slowed = this.#series.find((moment) => moment.inhibition > 1) ?? null;
      if (slowed !== null) this.#tellSlowed();
      if (this.#recoveredAfterMs(slowed) !== null || atMs > this.#options.watchMs) return;
      await new Promise((resolve) => setTimeout(resolve, lookMs));
    }
  }

  #recoveredAfterMs(slowed: CascadeMoment | null): number | null {
    if (slowed === null) return null;
    const recovered = this.#series.find(({ atMs, sigma }) => atMs > slowed.atMs && sigma < recoveredBelow);
    return recovered?.atMs ?? null;
  }
}

/** (CA1) */
function isBlamedOn({ brief }: ProposalStatusResponse, landing: string): boolean {
  return brief !== undefined && brief.reads.length > 0 && brief.reads.every((read) => read.landing === landing);
}
