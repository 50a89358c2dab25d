// Where a run of the main job keeps everything: a fresh folder for each, of which the latest few stay.
//
// Invariants:
//   PL1. A folder that a running daemon holds is never removed.

import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Runs that stay to be looked at. */
const runsKept = 3;

/** Makes a fresh data directory below `parent`, and removes the oldest runs. */
export async function freshRun(parent: string): Promise<string> {
  const { describeData } = await import('@firetrident/daemon');
  mkdirSync(parent, { recursive: true });
  const numbers = readdirSync(parent)
    .filter((name) => /^[0-9]{1,9}$/.test(name))
    .map(Number)
    .sort((left, right) => left - right);
  for (const number of numbers.slice(0, Math.max(0, numbers.length - runsKept + 1))) {
    const run = join(parent, String(number));
    if (!describeData(run).held) rmSync(run, { recursive: true, force: true, maxRetries: 5 }); // (PL1)
  }
  for (let number = (numbers.at(-1) ?? 0) + 1; ; number += 1) {
    const run = join(parent, String(number));
    if (existsSync(run)) continue;
    mkdirSync(run);
    return run;
  }
}
