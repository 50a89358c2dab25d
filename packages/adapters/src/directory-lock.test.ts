// One owner per directory, tried with real processes that race, die and are killed.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquireDirectoryLock, type LockHolder } from './directory-lock.ts';

const starterFile = fileURLToPath(new URL('./directory-lock.fixture.ts', import.meta.url));
const purpose = { purpose: 'colony' };
const timeoutMs = 120_000;
let directory = '';
let children: ChildProcess[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'firetrident-lock-'));
  children = [];
});

afterEach(async () => {
  await Promise.all(children.map(kill));
  rmSync(directory, { recursive: true, force: true });
});

interface Answer {
  readonly took?: true;
  readonly abandonedBy?: LockHolder | null;
  readonly holder?: LockHolder | null;
  readonly message?: string;
}

/** Starts a process that tries for the lock, and waits for what it says. */
async function start(): Promise<{ child: ChildProcess; answer: Answer }> {
  const child = spawn(process.execPath, [starterFile, directory], { stdio: ['pipe', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { child, answer: JSON.parse(line) as Answer };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('acquireDirectoryLock', () => {
  it('[DL1] refuses a second owner in another process and names the first', { timeout: timeoutMs }, async () => {
    const { child } = await start();
    const second = acquireDirectoryLock(directory, purpose);
    expect(second.ok).toBe(false);
    if (second.ok) return;
    expect(second.error.holder).toMatchObject({ processId: child.pid, host: hostname() });
    const { since } = second.error.holder ?? { since: '' };
    expect(second.error.message).toBe(`The colony is held by process ${child.pid} on ${hostname()} since ${since}.`);
    expect(new Date(since).toISOString()).toBe(since);
  });

  it('[DL1] refuses a second owner in the same process; after a release the lock is free again', () => {
    const first = acquireDirectoryLock(directory, purpose);
    expect(first.ok).toBe(true);
    expect(acquireDirectoryLock(directory, purpose)).toMatchObject({ ok: false });
    if (first.ok) first.value.release();
    if (first.ok) first.value.release();
    const again = acquireDirectoryLock(directory, purpose);
    expect(again).toMatchObject({ ok: true, value: { abandonedBy: null } });
    if (again.ok) again.value.release();
    expect(existsSync(join(directory, 'colony.holder.json'))).toBe(false);
  });

  it('keeps locks of different purposes apart', () => {
    const locks = ['colony', 'journal'].map((name) => acquireDirectoryLock(directory, { purpose: name }));
    expect(locks.map(({ ok }) => ok)).toEqual([true, true]);
    for (const lock of locks) if (lock.ok) lock.value.release();
  });

  it('[DL1][DL3] gives the lock of a killed owner to the next and says who left it', {
    timeout: timeoutMs,
  }, async () => {
    const { child } = await start();
    await kill(child);
    const next = acquireDirectoryLock(directory, purpose);
    expect(next).toMatchObject({ ok: true, value: { abandonedBy: { processId: child.pid } } });
    const note = JSON.parse(readFileSync(join(directory, 'colony.holder.json'), 'utf8')) as LockHolder;
    expect(note.processId).toBe(process.pid);
    if (next.ok) next.value.release();
  });

  it('[DL3] is not misled by a note that cannot be read', () => {
    writeFileSync(join(directory, 'colony.holder.json'), '{"processId":');
    const lock = acquireDirectoryLock(directory, purpose);
    expect(lock).toMatchObject({ ok: true, value: { abandonedBy: null } });
    if (lock.ok) lock.value.release();
  });

  it('[DL2] lets exactly one of many starters win, also over what a killed one left', {
    timeout: timeoutMs,
  }, async () => {
    for (let round = 0; round < 4; round += 1) {
      const starters = await Promise.all(Array.from({ length: 6 }, start));
      const winners = starters.filter(({ answer }) => answer.took);
      expect(winners.length).toBe(1);
      if (round > 0) expect(winners[0]?.answer.abandonedBy).not.toBe(null);
      await Promise.all(starters.map(({ child }) => kill(child)));
    }
  });

  it('throws what the platform says when the directory is missing', () => {
    expect(() => acquireDirectoryLock(join(directory, 'missing'), purpose)).toThrowError(
      /unable to open database file/,
    );
  });
});
