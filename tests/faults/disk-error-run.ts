// One seed of failing storage: under load the disk fails for a few operations, again and again, and the journal is full
// for a while. Nobody starts anything again: the colony goes on by itself.

import { RandomStream } from '@firetrident/base';
import type { VirtualClock } from '../support/virtual-clock.ts';
import { type EndReport, endOf, HeardEvents } from './memory-check.ts';
import { MemoryLoad } from './memory-load.ts';
import { type DiskFault, MemoryMachine } from './memory-machine.ts';

/** Counted operations of the disk and appends of the journal while the load runs, rounded up. */
const diskOperations = 250;
const journalAppends = 120;
/** Stretches of failing operations, and how long one is at most. */
const stretches = 6;
const longestStretch = 4;

/** Long enough for everything that is tried again, virtual milliseconds. */
const quietMs = 20_000;

/** What a seed showed. */
export interface DiskErrorReport extends EndReport {
  /** How often the colony had to be opened again, and how often a cycle was put off. */
  readonly reopened: number;
  readonly putOff: number;
}

/** Runs one seed; the repository that remains is written to `directory` for stock git. */
export async function diskErrorRun(seed: number, directory: string): Promise<DiskErrorReport> {
  const machine = new MemoryMachine(seed);
  const random = new RandomStream(seed + 3_000_017);
  const load = new MemoryLoad(seed + 4_000_037);
  const heard = new HeardEvents();
  if (random.below(2) === 0) machine.fillJournalAt(10 + random.below(journalAppends));
  const opened = await machine.drive(machine.open());
  if (opened === null) throw new Error('nothing cuts the power here');
  const { colony, log, clock } = opened;
  heard.listen(colony);
  await machine.drive(load.found(colony));
  machine.failDisk(Array.from({ length: stretches }, () => drawFault(random)));
  for (let round = 0; round < 3; round += 1) {
    await machine.drive(load.run(colony, clock));
    // Agents that were refused come back after a while.
    await machine.drive(pass(clock, quietMs));
  }
  machine.healDisk();
  await machine.drive(pass(clock, quietMs));
  const end = await endOf(machine, colony, load, heard, directory);
  const count = (message: string) => log.filter((line) => line.startsWith(message)).length;
  return { ...end, reopened: count('the colony serves again'), putOff: count('a cycle could not land') };
}

function pass(clock: VirtualClock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.after(delayMs, resolve));
}

function drawFault(random: RandomStream): DiskFault {
  return {
    operation: 1 + random.below(diskOperations),
    kind: random.pick(['full', 'read-only', 'other']),
    count: 1 + random.below(longestStretch),
  };
}
