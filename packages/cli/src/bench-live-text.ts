// A live run as text for the terminal.

import type { LiveResult } from '@firetrident/bench';
import { table } from './render.ts';

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
const milliseconds = (ms: number) => `${ms < 10 ? ms.toFixed(1) : ms.toFixed(0)} ms`;

const minuteColumns = ['minute', 'landed', 'memory', 'cycle p50', 'packs'];

function minuteRows({ minutes }: LiveResult): string[][] {
  return minutes.map(({ minute, landed, rssMiB, cycleMsP50, packs }) => [
    String(minute + 1),
    String(landed),
    `${rssMiB.toFixed(0)} MiB`,
    milliseconds(cycleMsP50),
    packs === null ? 'not known' : String(packs),
  ]);
}

/** What the longest delay of the event loop was made of. */
function delayText({ collectingMs, workingMs, notRunMs }: LiveResult['daemon']['longestDelay']): string {
  return `collecting ${milliseconds(collectingMs)}, own work ${milliseconds(workingMs)}, not run ${milliseconds(notRunMs)}`;
}

function landingText(stages: Readonly<Record<string, number>>): string {
  return Object.entries(stages)
    .map(([stage, ms]) => `${stage} ${milliseconds(ms)}`)
    .join(', ');
}

type Spread = (of: { readonly p50: number; readonly p90: number; readonly p99: number }) => string;

function gitRows(git: NonNullable<LiveResult['git']>, spread: Spread): string[][] {
  const { agents, landed, landedPerMin, returned, failed, processes } = git;
  return [
    ['agents with git', `${agents}, ${processes} processes in all of the run`],
    ['git: landings/min', landedPerMin.toFixed(0)],
    ['git: pushes that landed, came back, failed', `${landed}, ${returned}, ${failed}`],
    ['git: clone p50 / p90 / p99', spread(git.cloneMs)],
    ['git: push until landed p50 / p90 / p99', spread(git.pushMs)],
    ['git: from fetch to landing p50 / p90 / p99', spread(git.roundMs)],
  ];
}

/** The figures of a run, each said to be measured, with what limits them. */
export function liveResultText(result: LiveResult): string {
  const { agents, daemon, trunkCycle, loopShares, host } = result;
  const spread: Spread = (of) => [of.p50, of.p90, of.p99].map(milliseconds).join(' / ');
  const rows = [
    ['landings/min', result.landedPerMin.toFixed(0)],
    ['commits/min', result.commitsPerMin === null ? 'not known' : result.commitsPerMin.toFixed(0)],
    ['time to land p50 / p90 / p99', spread(result.timeToLandMs)],
    ['take with work p50 / p90 / p99', spread(result.takeMs)],
    ['whole loop p50 / p90 / p99', spread(result.loopMs)],
    ['calls, of which failed', `${result.calls}, ${result.errors}`],
    ['loop: take, wait, work, propose, land', Object.values(loopShares).map(percent).join(', ')],
    ['cycle', `${milliseconds(trunkCycle.cycleMs)} with ${trunkCycle.proposalsPerCycle.toFixed(0)} proposals`],
    [
      'cycle: plan (build, verify), write, refs, journal',
      `${milliseconds(trunkCycle.planMs)} (${milliseconds(trunkCycle.buildMs)}, ${milliseconds(trunkCycle.verifyMs)}), ${milliseconds(trunkCycle.writeMs)}, ${milliseconds(trunkCycle.refsMs)}, ${milliseconds(trunkCycle.journalMs)}`,
    ],
    ['wait for a cycle', milliseconds(trunkCycle.queueWaitMs)],
    ...(result.landingMs === null ? [] : [['a landing, mean', landingText(result.landingMs)]]),
    [
      'daemon: memory',
      `${daemon.rssMiB.toFixed(0)} MiB; main heap ${daemon.memory.heapMiB.toFixed(0)}, of which used ${daemon.memory.usedMiB.toFixed(0)}`,
    ],
    ['daemon: processor', `${daemon.cpuPercent.toFixed(0)} % of one core`],
    [
      'daemon: event loop',
      `${daemon.eventLoopBusyPercent.toFixed(0)} % busy, longest delay ${milliseconds(daemon.eventLoopMsMax)} (${delayText(daemon.longestDelay)})`,
    ],
    ['load: processor', `${result.loadCpuPercent.toFixed(0)} % of one core`],
    ...(result.git === null ? [] : gitRows(result.git, spread)),
  ];
  const counted = `${result.countedMs / 1_000} s counted after ${result.countedFromMs / 1_000} s`;
  const title = `MEASURED: ${agents} agents, ${result.scenario}; ${counted}; ${host.cores} cores, ${host.cpu}.`;
  const more = [
    ...Object.entries(result.totalErrorKinds).map(
      ([kind, count]) => `failed ${count} times in all of the run: ${kind}`,
    ),
    ...Object.entries(result.git?.failedKinds ?? {}).map(([kind, count]) => `git failed ${count} times: ${kind}`),
    ...result.topWaits.map(({ reason, count }) => `waited ${count} times: ${reason}`),
    ...(result.polled > 0 ? [`outcomes that did not come on the socket in time: ${result.polled}`] : []),
    ...(result.socketBreaks > 0 ? [`sockets that broke: ${result.socketBreaks}`] : []),
    ...(result.minutes.length > 1 ? ['', table(minuteColumns, minuteRows(result)).trimEnd()] : []),
    ...(result.stoppedEarly ? ['The run was stopped early.'] : []),
  ];
  return `${title}\n\n${table(['figure', 'value'], rows)}${more.map((line) => `${line}\n`).join('')}`;
}
