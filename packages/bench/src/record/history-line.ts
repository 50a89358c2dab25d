// One line of the history of benchmarks: what a result measured, small enough to be kept for ever.
//
//   HL1. A line says MEASURED or SIMULATED, when, on which commit, on which machine and by which command.
//   HL2. Figures are numbers by name, units last; nothing is in a line that is not in its result.

import type { GitFigures } from '../live/git-crew.ts';
import { figuresOfKind, type ResultFile } from '../results/result-file.ts';
import { misfit, type Shape } from '../results/shape.ts';
import type { Provenance } from './provenance.ts';

/** A line (HL1). */
export interface HistoryLine extends Provenance {
  readonly kind: 'MEASURED' | 'SIMULATED';
  readonly bench: string;
  readonly figures: Readonly<Record<string, number>>;
}

/** A line that is not one, or a result that cannot become one. */
export class HistoryLineError extends Error {
  override readonly name = 'HistoryLineError';
}

/** The line of a result. Throws a HistoryLineError when the result does not say where it comes from. */
export function historyLineOf(each: ResultFile): HistoryLine {
  const { provenance, file, kind } = each;
  if (provenance === null) throw new HistoryLineError(`${file} does not say where it comes from`);
  const { date, commit, command, host } = provenance;
  const bench = each.kind === 'script' ? each.result.bench : kind;
  return { date, commit, kind: figuresOfKind(kind), bench, command, host, figures: figuresOf(each) };
}

/** Reads a line. Throws a HistoryLineError that says what is wrong. */
export function parseHistoryLine(text: string): HistoryLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new HistoryLineError(`a line is not JSON: ${(error as Error).message}`);
  }
  const wrong = misfit(value, shape);
  if (wrong !== null) throw new HistoryLineError(`a line cannot be used: ${wrong}`);
  const line = value as HistoryLine;
  if (line.kind !== 'MEASURED' && line.kind !== 'SIMULATED')
    throw new HistoryLineError('kind is MEASURED or SIMULATED');
  if (Number.isNaN(Date.parse(line.date))) throw new HistoryLineError(`${line.date} is no date`);
  const stray = Object.entries(line.figures).find(([, figure]) => typeof figure !== 'number');
  if (stray !== undefined || Object.keys(line.figures).length === 0)
    throw new HistoryLineError('figures are numbers by name');
  return line;
}

const shape: Shape = {
  date: 'string',
  commit: 'string or null',
  kind: 'string',
  bench: 'string',
  command: 'string',
  host: { cpu: 'string', cores: 'number', memoryMiB: 'number', kernel: 'string', node: 'string' },
  figures: 'anything',
};

/** The figures of a result that are worth comparing (HL2). */
function figuresOf(each: ResultFile): Record<string, number> {
  switch (each.kind) {
    case 'live':
      return liveFigures(each.result);
    case 'peers':
      return peerFigures(each.result);
    case 'cascade': {
      const { readers, attributed, sigmaMax, laneDelayMsMax, recoveredAfterMs, repairsLanded } = each.result;
      const recovered = recoveredAfterMs === null ? {} : { recoveredAfterMs };
      return { readers, attributed, sigmaMax, laneDelayMsMax, ...recovered, repairsLanded };
    }
    case 'live-scenario': {
      const { expectations, measured } = each.result;
      const failed = expectations.filter(({ holds }) => !holds).length;
      const shown = Object.entries(measured).map(([name, value]) => [
        `${each.result.scenario}.${name}`,
        rounded(value),
      ]);
      return { expectations: expectations.length, failed, ...Object.fromEntries(shown) };
    }
    case 'hostile': {
      const { landedPerMin, rssMiB, fallPercent } = each.result;
      const figures = {
        before: landedPerMin.before,
        beside: landedPerMin.beside,
        fallPercent,
        rssMiBBeside: rssMiB.beside,
      };
      return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, rounded(value)]));
    }
    case 'notes-check': {
      const { landingCommits, withoutNote, sampled, wrong } = each.result;
      return { landingCommits, withoutNote, sampled, wrong };
    }
    case 'sim':
      return Object.fromEntries(
        each.result.rows.flatMap(({ policy, agents, redoPercent, landedPerMin, reworkPercent }) => {
          const row = `${policy}.${agents}.${redoPercent}`;
          return [
            [`${row}.landedPerMin`, rounded(landedPerMin)],
            [`${row}.reworkPercent`, rounded(reworkPercent)],
          ];
        }),
      );
    case 'scenarios': {
      const expectations = each.result.scenarios.flatMap((story) => story.expectations).length;
      return { stories: each.result.scenarios.length, expectations, failed: each.result.failed };
    }
    case 'calibrate': {
      const { costs, landedErrorPercent, landErrorPercent } = each.result;
      const { cycleMs, proposalMs, crowdMs, cycleSpread, durableShare, messageMs, answerMs, keepMs } = costs;
      // Thousandths of a millisecond would round away.
      const crowdMicroseconds = crowdMs * 1_000;
      const fitted = { cycleMs, proposalMs, crowdMicroseconds, cycleSpread, durableShare, messageMs, answerMs, keepMs };
      const all = { ...fitted, landedErrorPercent, landErrorPercent };
      return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, rounded(value)]));
    }
    case 'script':
      return Object.fromEntries(each.result.rows.map(({ name, value, unit }) => [`${name}, ${unit}`, rounded(value)]));
  }
}

function liveFigures(result: Extract<ResultFile, { kind: 'live' }>['result']): Record<string, number> {
  const {
    agents,
    landedPerMin,
    timeToLandMs: land,
    takeMs: take,
    calls,
    errors,
    waitShare,
    daemon,
    trunkCycle,
  } = result;
  const figures = {
    agents,
    landedPerMin,
    landP50Ms: land.p50,
    landP99Ms: land.p99,
    takeP50Ms: take.p50,
    takeP99Ms: take.p99,
    calls,
    errors,
    waitSharePercent: 100 * waitShare,
    daemonRssMiB: daemon.rssMiB,
    daemonCpuPercent: daemon.cpuPercent,
    eventLoopMsMax: daemon.eventLoopMsMax,
    cycleMs: trunkCycle.cycleMs,
    proposalsPerCycle: trunkCycle.proposalsPerCycle,
    // Results from before there were agents with git do not tell of them.
    ...gitFigures(result.git ?? null),
  };
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, rounded(value)]));
}

function gitFigures(git: GitFigures | null): Record<string, number> {
  if (git === null) return {};
  const { agents, landedPerMin, failed, pushMs } = git;
  return {
    gitAgents: agents,
    gitLandedPerMin: landedPerMin,
    gitFailed: failed,
    gitPushP50Ms: pushMs.p50,
    gitPushP99Ms: pushMs.p99,
  };
}

function peerFigures(result: Extract<ResultFile, { kind: 'peers' }>['result']): Record<string, number> {
  const { plan, spawnMs, peers, firetrident } = result;
  const rows = peers.flatMap(({ system, landedPerMin, timeToLandMs, ratio }) => [
    [`${system}.landedPerMin`, landedPerMin] as const,
    [`${system}.landP50Ms`, timeToLandMs.p50] as const,
    ...(ratio === null ? [] : [[`${system}.ratio`, ratio] as const]),
  ]);
  const ours = firetrident === null ? [] : [['firetrident.landedPerMin', firetrident.landedPerMin] as const];
  const all = [['agents', plan.agents] as const, ['spawnMs', spawnMs] as const, ...ours, ...rows];
  return Object.fromEntries(all.map(([name, value]) => [name, rounded(value)]));
}

/** Four digits are more than any run repeats. */
function rounded(value: number): number {
  return Number(value.toPrecision(4));
}
