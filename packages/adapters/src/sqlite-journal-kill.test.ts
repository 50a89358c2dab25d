// Nothing that was acknowledged is lost when the process is killed: a real process, really killed, again and again on
// the same journal. (A kill leaves what the kernel has cached, so this proves the order of acknowledgement and the
// recovery, not what a loss of power does; that is synchronous=FULL.)

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { RandomStream } from '@firetrident/base';
import { replay } from '@firetrident/journal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteJournal } from './sqlite-journal.ts';
import { batchOf } from './sqlite-journal-appending.fixture.ts';

const appendingFile = fileURLToPath(new URL('./sqlite-journal-appending.fixture.ts', import.meta.url));
const kills = 10;
let directory = '';
let child: ChildProcessByStdio<null, Readable, null> | null = null;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'firetrident-kill-'));
});

afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

interface Found {
  readonly sequence: number;
  readonly epoch: number;
  readonly report: readonly string[];
  readonly replayed: number;
  readonly wrong: number;
  readonly snapshot: number | null;
}

/** One life: starts the appending process, kills it after `acknowledgements`, and answers what it said in order. */
async function live(acknowledgements: number): Promise<{ found: Found; acknowledged: number[] }> {
  const running = spawn(process.execPath, [appendingFile, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
  child = running;
  const exited = once(running, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(running.stdout)) {
    lines.push(line);
    // What is still in the pipe after the kill was acknowledged before it, so reading goes on to the end.
    if (lines.length === acknowledgements + 1) running.kill('SIGKILL');
  }
  await exited;
  const [first, ...rest] = lines.map((line) => JSON.parse(line) as unknown);
  return { found: first as Found, acknowledged: rest as number[] };
}

describe('SqliteJournal, killed', () => {
  it(`[J1][J2] loses nothing acknowledged and keeps every append whole over ${kills} kills`, {
    timeout: 300_000,
  }, async () => {
    const random = new RandomStream(20_260_714);
    let acknowledgedBefore = 0;
    for (let round = 1; round <= kills; round += 1) {
      const { found, acknowledged } = await live(1 + random.below(400));
      expect(found.epoch).toBe(round);
      expect(found.wrong).toBe(0);
      expect(found.replayed).toBe(found.sequence);
      expect(found.sequence).toBeGreaterThanOrEqual(acknowledgedBefore);
      expect(found.report.join('\n')).toMatch(round === 1 ? /^$/ : /^Process \d+ on .* ended without closing it\./);
      expect([null, 2_500_000]).toContain(found.snapshot);
      expect(acknowledged[0]).toBe(found.sequence + 1);
      acknowledgedBefore = acknowledged.at(-1) ?? 0;
    }
    await expectWhole(acknowledgedBefore);
  });
});

/** Every append up to the last is there with all its parts, and nothing of any other. */
async function expectWhole(acknowledged: number): Promise<void> {
  const journal = await SqliteJournal.open(directory);
  const { sequence } = journal.opening;
  expect(sequence).toBeGreaterThanOrEqual(acknowledged);
  const bodies: string[] = [];
  await replay(journal, 0, ({ body }) => bodies.push(body));
  expect(bodies).toEqual(Array.from({ length: sequence }, (_, index) => batchOf(index + 1).events[0]));
  const oids = Array.from({ length: sequence }, (_, index) => batchOf(index + 1).blobs[0]?.oid);
  expect(await journal.blobs()).toEqual(oids);
  const rows = await journal.archivedPage('append', { limit: sequence + 1 });
  expect(rows.map(({ id }) => Number(id)).reverse()).toEqual(Array.from({ length: sequence }, (_, index) => index + 1));
  await journal.close();
}
