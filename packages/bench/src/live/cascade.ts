// The cascade, live: many agents read one file, one landing changes it, everybody comes back, and the region slows until
// that has passed.
//
//   CA1. A return counts as attributed when every read that its brief names is blamed on that one landing.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@firetrident/client';
import type { ProposalStatusResponse, ResponseOf, TakeGrantedResponse } from '@firetrident/protocol';
import type { LiveTarget } from './own-daemon.ts';
import { type BenchHost, benchHost } from './result.ts';

const hotPath = 'src/hot.ts';
const region = 'src';
const outcomeMs = 60_000;
const lookMs = 500;
/** σ below which a cascade dies out. */
const recoveredBelow = 1;

/** How the cascade is made. */
export interface CascadeOptions {
  readonly target: LiveTarget;
  readonly colony: string;
  readonly readers: number;
  /** How long the region is watched for its recovery. */
  readonly watchMs: number;
  readonly keep: boolean;
  readonly progress?: (text: string) => void;
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

/** An agent with its lease. */
interface AtWork {
  readonly client: Client;
  readonly granted: TakeGrantedResponse;
}

/** Runs the cascade on a colony of its own, whose daemon is on this machine. Rejects when a call is refused. */
export async function runCascade(options: CascadeOptions): Promise<CascadeResult> {
  const admin = new Client({ url: options.target.url, token: options.target.adminToken });
  const { colony, keep } = options;
  const origin = await mkdtemp(join(tmpdir(), 'firetrident-cascade-'));
  try {
    await makeOrigin(origin);
    await admin.call('createColony', { body: { id: colony, repo: { path: origin } } });
  } finally {
    await rm(origin, { recursive: true, force: true });
  }
  try {
    return await new Cascade(admin, options).run();
  } finally {
    if (!keep) await admin.call('deleteColony', { parts: { colony }, body: { confirm: colony } });
  }
}

/** A repository that holds the hot file already: a landing of its own would count in σ. */
async function makeOrigin(directory: string): Promise<void> {
  const file = join(directory, hotPath);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, 'export const hot = 1;\n');
  const person = ['-c', 'user.name=bench', '-c', 'user.email=bench@firetrident.invalid'];
  for (const args of [
    ['init', '--quiet', '-b', 'main'],
    ['add', '.'],
    [...person, 'commit', '--quiet', '-m', 'the hot file'],
  ])
    await promisify(execFile)('git', args, { cwd: directory });
}

class Cascade {
  readonly #admin: Client;
  readonly #options: CascadeOptions;
  readonly #parts: { readonly colony: string };
  readonly #series: CascadeMoment[] = [];
  #landedAtMs = 0;
  #tellSlowed = (): void => undefined;
  /** Resolves when the region was seen to be slowed. */
  readonly #slowed = new Promise<void>((resolve) => {
    this.#tellSlowed = resolve;
  });

  constructor(admin: Client, options: CascadeOptions) {
    this.#admin = admin;
    this.#options = options;
    this.#parts = { colony: options.colony };
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
    const { client, granted } = await this.#atWork(`version ${version} of ${hotPath}`, hotPath);
    const status = await this.#send(client, granted, hotPath, `export const hot = ${version};\n`);
    if (status.state !== 'landed' || status.landing === undefined) throw new Error(`the hot file is ${status.state}`);
    return status.landing;
  }

  /** An agent that has read the hot file under its lease, and works on a file of its own. */
  async #reader(number: number): Promise<AtWork> {
    const atWork = await this.#atWork(`reader ${number}`, `src/r${number}.ts`);
    await atWork.client.file(this.#options.colony, hotPath);
    return atWork;
  }

  async #atWork(title: string, path: string): Promise<AtWork> {
    const parts = this.#parts;
    const created = await this.#admin.call('createIntents', { parts, body: { intents: [{ title, paths: [path] }] } });
    const intent = created.intents[0]?.id;
    if (intent === undefined) throw new Error('an intent was made without an id');
    const { token } = await this.#admin.call('registerAgent', { parts, body: { name: title, kind: 'bench' } });
    const client = new Client({ url: this.#admin.url, token });
    const granted = await client.call('take', { parts, body: { intent } });
    if ('wait' in granted) throw new Error(`a named take waits: ${granted.wait.reason}`);
    return { client, granted };
  }

  #propose({ client, granted }: AtWork, number: number): Promise<ProposalStatusResponse> {
    return this.#send(client, granted, `src/r${number}.ts`, `export const reader = ${number};\n`);
  }

  #send(client: Client, granted: TakeGrantedResponse, path: string, content: string): Promise<ProposalStatusResponse> {
    const { lease, base } = granted;
    const body = { lease: lease.id, epoch: lease.epoch, base: base.commit, writes: [{ path, content }] };
    return client.call('propose', { parts: this.#parts, query: { waitMs: outcomeMs }, body });
  }

  /** Says that the work still holds, and answers what became of it; a lane at 8 s may take its time. */
  async #confirm({ client, granted }: AtWork, status: ProposalStatusResponse | undefined): Promise<string> {
    if (status?.state !== 'returned') return status?.state ?? 'unknown';
    const { id: lease, epoch } = granted.lease;
    const body = { lease, epoch, proposal: status.proposal, answer: 'confirm' as const };
    const repaired = await client.call('repair', { parts: this.#parts, query: { waitMs: outcomeMs }, body });
    return repaired.state;
  }

  /** Looks at the region until it has slowed and recovered, or for as long as was asked. */
  async #watch(): Promise<void> {
    for (;;) {
      const field: ResponseOf<'readField'> = await this.#admin.call('readField', { parts: this.#parts });
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
