// The steps at which a daemon under test can be killed.

import { existsSync } from 'node:fs';
import process from 'node:process';

/** Between journal, pack, notes ref, trunk ref and journal again; while content is preserved; while a colony is made. */
export const steps = [
  'cycle-started-not-durable',
  'cycle-started-durable',
  'intention-durable-pack-not',
  'pack-durable-intention-not',
  'pack-renamed-index-not',
  'intention-and-pack-durable',
  'written-nothing-locked',
  'notes-locked-trunk-not',
  'notes-moved-trunk-not',
  'trunk-moved-journal-not',
  'commit-durable-nobody-told',
  'preserving-before-its-ref',
  'preserving-under-its-lock',
  'preserving-after-its-ref',
  'colony-half-made',
  'colony-made-not-placed',
  'colony-placed-not-opened',
  'during-snapshot',
] as const;

export type Step = (typeof steps)[number];

/** The step at which this process is to die. */
const chosen = process.env['FAULT_STEP'];
/** Nothing happens before this file is there. */
const armedFile = process.env['FAULT_ARMED_FILE'];

/** Whether this process is to die at that step, from now on. */
export function isArmedFor(step: Step): boolean {
  return step === chosen && armedFile !== undefined && existsSync(armedFile);
}

/** Where the main thread tells the trunk thread that the intention is durable. */
export const intendedFile = `${armedFile}.intended`;

/** Kills this process if it is at its step: no handler runs, nothing is flushed. */
export function dieAt(step: Step): void {
  if (isArmedFor(step)) process.kill(process.pid, 'SIGKILL');
}
