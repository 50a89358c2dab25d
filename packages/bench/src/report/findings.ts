// What the results of a report say in sentences: each computed from a result, and each with its run.
//
//   FG1. A sentence is about figures of the report and nothing else; what was asked for and missed is said as plainly as what was reached.

import { timeText, wholeText } from '../charts/markup.ts';
import type { LiveResult } from '../live/result.ts';
import type { ResultFile } from '../results/result-file.ts';
import { found, runName } from './sources.ts';

/** What is asked of live runs, from which number of agents on to which. */
const goals = [
  { from: 1_000, to: 9_999, what: '30,000 landings/min', misses: (run: LiveResult) => run.landedPerMin < 30_000 },
  { from: 1_000, to: 4_999, what: 'p50 of 500 ms to land', misses: (run: LiveResult) => run.timeToLandMs.p50 > 500 },
  { from: 1_000, to: 4_999, what: 'p99 of 2 s to land', misses: (run: LiveResult) => run.timeToLandMs.p99 > 2_000 },
  { from: 1_000, to: 9_999, what: 'p50 of 100 ms to take', misses: (run: LiveResult) => run.takeMs.p50 > 100 },
  { from: 1_000, to: 9_999, what: 'p99 of 1 s to take', misses: (run: LiveResult) => run.takeMs.p99 > 1_000 },
  { from: 1, to: 9_999, what: '400 MiB of memory', misses: (run: LiveResult) => run.daemon.rssMiB > 400 },
  { from: 1, to: Number.POSITIVE_INFINITY, what: 'no failed call', misses: (run: LiveResult) => run.errors > 0 },
  {
    from: 1,
    to: Number.POSITIVE_INFINITY,
    what: 'no stall of the daemon above 50 ms',
    misses: (run: LiveResult) => run.daemon.eventLoopMsMax > 50,
  },
] as const;

/** The sentences (FG1). */
export function findingsOf(files: readonly ResultFile[]): readonly string[] {
  return [
    ...found(files, 'live').flatMap(liveFindings),
    ...found(files, 'peers').flatMap(peerFindings),
    ...found(files, 'sim').flatMap(simFindings),
    ...otherFindings(files),
  ];
}

function liveFindings(run: Extract<ResultFile, { kind: 'live' }>): readonly string[] {
  const { result } = run;
  const { timeToLandMs: land, takeMs: take, daemon } = result;
  const figures = `${wholeText(result.landedPerMin)} landings/min, time to land p50 ${timeText(land.p50)} and p99 ${timeText(land.p99)}, ${result.errors} of ${wholeText(result.calls)} calls failed, take with work p50 ${timeText(take.p50)} and p99 ${timeText(take.p99)}`;
  const memory = `${daemon.rssMiB.toFixed(0)} MiB, longest stall ${timeText(daemon.eventLoopMsMax)}`;
  const asked = goals.filter(({ from, to }) => result.agents >= from && result.agents <= to);
  const missed = asked.flatMap(({ what, misses }) => (misses(result) ? [what] : []));
  const verdict = missed.length === 0 ? 'It reached what was asked.' : `It missed: ${missed.join('; ')}.`;
  const hasWork = result.scenario !== 'adding';
  return [
    `MEASURED (${runName(run)}): ${wholeText(result.agents)} agents${hasWork ? ` (${result.scenario})` : ''}: ${figures}, ${memory}.${hasWork ? '' : ` ${verdict}`}`,
  ];
}

function peerFindings(run: Extract<ResultFile, { kind: 'peers' }>): readonly string[] {
  const { peers, firetrident, plan } = run.result;
  const best = [...peers].sort((left, right) => right.landedPerMin - left.landedPerMin)[0];
  if (best === undefined) return [];
  const named = `${best.system} lands most of the peers with ${wholeText(plan.agents)} agents${plan.checks === null ? '' : ' and checks'}, ${wholeText(best.landedPerMin)} a minute`;
  if (firetrident === null || best.ratio === null) return [`MEASURED (${runName(run)}): ${named}.`];
  const ratios = peers.flatMap(({ system, ratio }) => (ratio === null ? [] : [`${ratio.toFixed(1)} times ${system}`]));
  return [
    `MEASURED (${runName(run)}): ${named}; this system lands ${wholeText(firetrident.landedPerMin)}: ${ratios.join(', ')}.`,
  ];
}

function simFindings(run: Extract<ResultFile, { kind: 'sim' }>): readonly string[] {
  const { rows } = run.result;
  return rows
    .filter(({ policy }) => policy === 'firetrident')
    .map((row) => {
      const locks = rows.find(
        ({ policy, agents, redoPercent }) =>
          policy === 'locks-all' && agents === row.agents && redoPercent === row.redoPercent,
      );
      const beside =
        locks === undefined || locks.landedPerMin === 0
          ? ''
          : `, ${(row.landedPerMin / locks.landedPerMin).toFixed(2)} times the landings of locks-all, which redo ${locks.reworkPercent.toFixed(1)} %`;
      return `SIMULATED (${runName(run)}): with ${wholeText(row.agents)} agents this system redoes ${row.reworkPercent.toFixed(1)} % of all work${beside}.`;
    });
}

function otherFindings(files: readonly ResultFile[]): readonly string[] {
  return [
    ...found(files, 'scenarios').map((run) => {
      const all = run.result.scenarios.flatMap(({ expectations }) => expectations);
      return `SIMULATED (${runName(run)}): ${all.length - run.result.failed} of ${all.length} expectations of ${run.result.scenarios.length} stories hold.`;
    }),
    ...found(files, 'cascade').map((run) => {
      const { readers, staleReturns, attributed, sigmaMax, recoveredAfterMs } = run.result;
      const recovered =
        recoveredAfterMs === null ? 'was not seen to fall below 1' : `fell below 1 after ${timeText(recoveredAfterMs)}`;
      return `MEASURED (${runName(run)}): of ${readers} readers ${staleReturns} came back, ${attributed} of them blamed on the one landing; σ rose to ${sigmaMax.toFixed(1)} and ${recovered}.`;
    }),
    ...found(files, 'live-scenario').map((run) => {
      const { scenario, expectations } = run.result;
      const held = expectations.filter(({ holds }) => holds).length;
      return `MEASURED (${runName(run)}): ${held} of ${expectations.length} expectations of the live story ${scenario} hold.`;
    }),
    ...found(files, 'hostile').map((run) => {
      const { fallPercent, rssMiB } = run.result;
      return `MEASURED (${runName(run)}): beside hostile clients honest agents land ${fallPercent.toFixed(0)} % less, and the daemon takes ${rssMiB.beside.toFixed(0)} MiB.`;
    }),
    ...found(files, 'calibrate').map((run) => {
      const { landedErrorPercent, landErrorPercent } = run.result;
      const within = (value: number) => (value <= 10 ? 'within' : 'outside of');
      return `SIMULATED beside MEASURED (${runName(run)}): at sizes that it was not fitted on the simulator is off by ${landedErrorPercent.toFixed(0)} % in landings (${within(landedErrorPercent)} the 10 % asked for) and ${landErrorPercent.toFixed(0)} % in time to land (${within(landErrorPercent)} it).`;
    }),
    ...found(files, 'notes-check').map((run) => {
      const { landingCommits, withoutNote, wrong, sampled } = run.result;
      return `MEASURED (${runName(run)}): ${withoutNote} of ${wholeText(landingCommits)} landing commits lack their note, and ${wrong} of ${sampled} sampled notes are wrong.`;
    }),
  ];
}
