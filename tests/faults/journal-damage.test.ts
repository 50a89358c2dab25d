// What a daemon makes of a journal that was torn or damaged after kill -9, and of a directory that another one holds.

import { spawnSync } from 'node:child_process';
import { appendFileSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@firetrident/client';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/git-repository.ts';
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts';
import { violations } from './kill-check.ts';
import { Load, loadColony } from './load.ts';

const entry = fileURLToPath(new URL('../../packages/cli/src/main.mjs', import.meta.url));
const timeoutMs = 120_000;
let place: ReturnType<typeof temporaryDirectory>;
let daemon: DaemonProcess | null = null;

beforeEach(() => {
  place = temporaryDirectory('firetrident-damage-');
});

afterEach(async () => {
  await daemon?.kill();
  place.remove();
});

const data = () => join(place.path, 'data');
const wal = () => join(data(), 'colonies', loadColony, 'journal.db-wal');

function adminOf({ url, adminToken }: DaemonProcess): Client {
  return new Client({ url, token: adminToken, attempts: 1 });
}

async function addIntent(title: string): Promise<void> {
  const body = { intents: [{ title }] };
  await adminOf(daemon as DaemonProcess).call('createIntents', { parts: { colony: loadColony }, body });
}

async function titles(): Promise<string[]> {
  const { intents } = await adminOf(daemon as DaemonProcess).call('listIntents', {
    parts: { colony: loadColony },
    query: { limit: 500 },
  });
  return intents.map(({ title }) => title);
}

/** A colony with landings, killed with everything since its start in the write-ahead log. */
async function killed(): Promise<Load> {
  const load = new Load(3, 11);
  daemon = await startDaemonProcess(data());
  await load.found(daemon.url, daemon.adminToken);
  load.run(daemon.url);
  while (load.acknowledged.size < 12) await new Promise((resolve) => setTimeout(resolve, 20));
  await load.halt();
  await load.settle(daemon.url);
  await addIntent('the one before the last');
  await addIntent('the last one');
  await daemon.kill();
  return load;
}

/** Starts a daemon where none can start; gives its exit code and what it says. */
function refusedStart(): { readonly code: number | null; readonly said: string } {
  const args = [entry, 'up', '--data', data(), '--port', '0'];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: timeoutMs });
  return { code: status, said: stderr };
}

describe('the tail of the write-ahead log after kill -9', () => {
  test('[WT1] garbage behind it is cut and reported; everything acknowledged is there', {
    timeout: timeoutMs,
  }, async () => {
    const load = await killed();
    appendFileSync(wal(), Buffer.alloc(777, 0xa5));
    daemon = await startDaemonProcess(data());
    const line = 'Cut 777 bytes at the end of journal.db-wal that were never acknowledged.';
    expect(daemon.log.filter((logged) => logged.includes(line))).toHaveLength(1);
    expect(await titles()).toEqual(expect.arrayContaining(['the last one', 'the one before the last']));
    expect(await violations(adminOf(daemon), load.acknowledged)).toEqual([]);
  });

  test('[WT1] a commit of which the end is missing is cut and reported; everything before it is there', {
    timeout: timeoutMs,
  }, async () => {
    const load = await killed();
    truncateSync(wal(), statSync(wal()).size - 100);
    daemon = await startDaemonProcess(data());
    const report = daemon.log.filter((line) => /Cut \d+ bytes at the end of journal\.db-wal/.test(line));
    expect(report).toHaveLength(1);
    const left = await titles();
    expect(left).toContain('the one before the last');
    expect(left).not.toContain('the last one');
    expect(await violations(adminOf(daemon), load.acknowledged)).toEqual([]);
    // Nothing that was lost is given out again under another meaning.
    await addIntent('one more');
    expect(await titles()).toContain('one more');
  });
});

describe('damage before the tail', () => {
  test('[WT2] is refused with the colony, the file, and how to rebuild; nothing is changed by the refusal', {
    timeout: timeoutMs,
  }, async () => {
    await killed();
    const bytes = readFileSync(wal());
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 0xff;
    writeFileSync(wal(), bytes);
    const { code, said } = refusedStart();
    expect(code).toBe(1);
    expect(said).toMatch(
      /error: The data directory .*\/data cannot be used: colony load: The journal is damaged: its write-ahead log is damaged before commits that were acknowledged\. .*rebuilt from git/,
    );
    expect(readFileSync(wal()).equals(bytes)).toBe(true);
    expect(/error: .*/.exec(refusedStart().said)?.[0]).toBe(/error: .*/.exec(said)?.[0]);
  });
});

describe('a second daemon', () => {
  test('[MA1] on the same data is refused with exit code 6 and told who holds it; the first goes on', {
    timeout: timeoutMs,
  }, async () => {
    daemon = await startDaemonProcess(data());
    const { code, said } = refusedStart();
    expect(code).toBe(6);
    expect(said).toContain(`${data()} is in use.`);
    expect(said).toContain(`is held by process ${daemon.processId} on ${hostname()} since 20`);
    expect((await adminOf(daemon).call('listColonies')).colonies).toEqual([]);
    expect(await daemon.stop()).toBe(0);
    daemon = await startDaemonProcess(data());
  });
});
