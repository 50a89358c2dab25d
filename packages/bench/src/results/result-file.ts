// Results of benchmarks as files: which of them a file holds, and whether it holds what is wanted of it.
//
//   RF1. A file that is no result is refused by its name and by what is wrong with it, never left out in silence.
//   RF2. A figure is MEASURED or SIMULATED as its result says.

import type { Calibration } from '../calibrate/fit.ts';
import type { CascadeResult } from '../live/cascade.ts';
import type { LiveScenarioResult } from '../live/expectation.ts';
import type { LiveResult } from '../live/result.ts';
import type { HostileResult } from '../live/run-hostile.ts';
import type { NotesCheck } from '../notes/notes-check.ts';
import type { PeersResult } from '../peers/run-peers.ts';
import type { Provenance } from '../record/provenance.ts';
import type { SimReport } from '../sim/report.ts';
import type { ScenarioReport } from '../sim/run-scenarios.ts';
import { misfit, type Shape } from './shape.ts';

/** Figures of one of the benches that are scripts of a package: the trunk writer, the take. */
export interface ScriptResult {
  readonly figures: 'MEASURED';
  readonly bench: string;
  readonly rows: readonly { readonly name: string; readonly value: number; readonly unit: string }[];
}

/** What can be in a file, by kind. */
export interface Results {
  readonly live: LiveResult;
  readonly peers: PeersResult;
  readonly cascade: CascadeResult;
  readonly 'live-scenario': LiveScenarioResult;
  readonly hostile: HostileResult;
  readonly 'notes-check': NotesCheck;
  readonly sim: SimReport;
  readonly scenarios: { readonly scenarios: readonly ScenarioReport[]; readonly failed: number };
  readonly calibrate: Calibration;
  readonly script: ScriptResult;
}

/** A result with the file that it is in. */
export type ResultFile = {
  readonly [Kind in keyof Results]: {
    readonly kind: Kind;
    readonly file: string;
    readonly result: Results[Kind];
    /** Null when the file does not say where it comes from. */
    readonly provenance: Provenance | null;
  };
}[keyof Results];

/** Why a file is no result. */
export class ResultFileError extends Error {
  override readonly name = 'ResultFileError';
}

const host: Shape = { cpu: 'string', cores: 'number', memoryMiB: 'number', kernel: 'string', node: 'string' };
const spread: Shape = { p50: 'number', p90: 'number', p99: 'number' };
const provenance: Shape = { date: 'string', commit: 'string or null', command: 'string', host };

const live: Shape = {
  figures: 'string',
  scenario: 'string',
  agents: 'number',
  startedAt: 'string',
  countedMs: 'number',
  landedPerMin: 'number',
  timeToLandMs: spread,
  takeMs: spread,
  calls: 'number',
  errors: 'number',
  landed: 'number',
  waitShare: 'number',
  loopShares: { take: 'number', wait: 'number', work: 'number', propose: 'number', land: 'number' },
  trunkCycle: {
    cycleMs: 'number',
    planMs: 'number',
    buildMs: 'number',
    verifyMs: 'number',
    writeMs: 'number',
    refsMs: 'number',
    journalMs: 'number',
    queueWaitMs: 'number',
    proposalsPerCycle: 'number',
  },
  daemon: { rssMiB: 'number', cpuPercent: 'number', eventLoopMsMax: 'number' },
  loadCpuPercent: 'number',
  seconds: [{ second: 'number', landed: 'number', rssMiB: 'number or null', eventLoopMs: 'number or null' }],
  host,
};

const heldExpectation: Shape = { what: 'string', expected: 'string', seen: 'string', holds: 'boolean' };

const shapes: Readonly<Record<keyof Results, Shape>> = {
  live,
  peers: {
    figures: 'string',
    bench: 'string',
    startedAt: 'string',
    plan: { agents: 'number', durationMs: 'number', hotPercent: 'number', checks: 'anything' },
    spawnMs: 'number',
    peers: [
      {
        system: 'string',
        rules: 'string',
        landedPerMin: 'number',
        timeToLandMs: spread,
        conflicts: 'number',
        failed: 'number',
        gitProcesses: 'number',
        checkRuns: 'number',
        ratio: 'number or null',
      },
    ],
    firetrident: 'anything',
    host,
  },
  cascade: {
    figures: 'string',
    startedAt: 'string',
    readers: 'number',
    staleReturns: 'number',
    attributed: 'number',
    sigmaMax: 'number',
    laneDelayMsMax: 'number',
    slowedAfterMs: 'number or null',
    recoveredAfterMs: 'number or null',
    repairsLanded: 'number',
    series: [{ atMs: 'number', sigma: 'number', inhibition: 'number', laneDelayMs: 'number' }],
    host,
  },
  'live-scenario': {
    figures: 'string',
    scenario: 'string',
    story: 'string',
    startedAt: 'string',
    expectations: [heldExpectation],
    measured: 'anything',
    host,
  },
  hostile: {
    figures: 'string',
    counts: { halfOpen: 'number', oversized: 'number', storming: 'number', deaf: 'number' },
    landedPerMin: { before: 'number', beside: 'number', after: 'number' },
    rssMiB: { before: 'number', beside: 'number', after: 'number' },
    fallPercent: 'number',
    expectations: [heldExpectation],
  },
  'notes-check': {
    figures: 'string',
    commits: 'number',
    landingCommits: 'number',
    withoutNote: 'number',
    sampled: 'number',
    wrong: 'number',
    fanOut: 'string',
    fanOutHolds: 'boolean',
  },
  sim: {
    rows: [
      {
        policy: 'string',
        agents: 'number',
        redoPercent: 'number',
        landedPerMin: 'number',
        reworkPercent: 'number',
        idlePercent: 'number',
        timeToLandMs: spread,
        sigmaMean: 'number',
      },
    ],
    assumptions: { figures: 'string', mode: 'string', history: 'string or null', work: 'string', durationMs: 'number' },
  },
  scenarios: {
    scenarios: [
      {
        scenario: 'string',
        agents: 'number',
        seed: 'number',
        story: 'string',
        expectations: [{ name: 'string', value: 'number', sign: 'string', bound: 'number', holds: 'boolean' }],
      },
    ],
    failed: 'number',
  },
  calibrate: {
    costs: {
      cycleMs: 'number',
      proposalMs: 'number',
      crowdMs: 'number',
      cycleSpread: 'number',
      durableShare: 'number',
      coalesceMs: 'number',
      messageMs: 'number',
      answerMs: 'number',
      keepMs: 'number',
    },
    points: [
      {
        agents: 'number',
        runs: 'number',
        use: 'string',
        landedPerMin: 'number',
        simulatedPerMin: 'number',
        landP50Ms: 'number',
        simulatedP50Ms: 'number',
        landedErrorPercent: 'number',
        landErrorPercent: 'number',
        cycleSpread: 'number',
        durableShare: 'number',
      },
    ],
    landedErrorPercent: 'number',
    landErrorPercent: 'number',
  },
  script: { figures: 'string', bench: 'string', rows: [{ name: 'string', value: 'number', unit: 'string' }] },
};

/** Reads the text of a file. Throws a ResultFileError (RF1). */
export function readResult(file: string, text: string): ResultFile {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new ResultFileError(`${file} is not JSON: ${(error as Error).message}`);
  }
  const fields = typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
  const kind = kindOf(fields);
  if (kind === null) throw new ResultFileError(`${file} is no result of a benchmark`);
  const wrong =
    misfit(value, shapes[kind]) ??
    misfit(fields.firetrident ?? null, kind === 'peers' ? liveOrNull(fields) : 'anything');
  if (wrong !== null) throw new ResultFileError(`${file} is a result of ${kind} that cannot be used: ${wrong}`);
  const from = fields.provenance ?? null;
  const unclear = from === null ? null : misfit(from, provenance);
  if (unclear !== null) throw new ResultFileError(`${file} says wrongly where it comes from: ${unclear}`);
  return { kind, file, result: value, provenance: from } as ResultFile;
}

function liveOrNull({ firetrident }: Readonly<Record<string, unknown>>): Shape {
  return firetrident === null ? 'anything' : live;
}

function kindOf(fields: Readonly<Record<string, unknown>>): keyof Results | null {
  if (fields.bench === 'peers' || fields.bench === 'calibrate') return fields.bench;
  if ('trunkCycle' in fields) return 'live';
  if (fields.scenario === 'cascade' || fields.scenario === 'hostile') return fields.scenario;
  if ('story' in fields && 'expectations' in fields) return 'live-scenario';
  if ('landingCommits' in fields) return 'notes-check';
  if ('rows' in fields && 'assumptions' in fields) return 'sim';
  if ('scenarios' in fields) return 'scenarios';
  return typeof fields.bench === 'string' && 'rows' in fields ? 'script' : null;
}

/** Whether the figures of a result were measured or simulated (RF2). */
export function figuresOfKind(kind: keyof Results): 'MEASURED' | 'SIMULATED' {
  return kind === 'sim' || kind === 'scenarios' || kind === 'calibrate' ? 'SIMULATED' : 'MEASURED';
}
