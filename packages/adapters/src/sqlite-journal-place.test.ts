// Where the journal lives: a disk that is full, a directory that cannot be written, a directory that another process
// holds. Full and read-only are real mounts, made in a mount namespace of the child process, which needs no root and
// goes away with it. Where the machine allows no such namespace these tests fail; they are never skipped.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SqliteJournal } from './sqlite-journal.ts';

const placeFile = fileURLToPath(new URL('./sqlite-journal-place.fixture.ts', import.meta.url));
const appendingFile = fileURLToPath(new URL('./sqlite-journal-appending.fixture.ts', import.meta.url));
const timeoutMs = 120_000;
let directory = '';
let child: ChildProcess | null = null;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'firetrident-place-'));
});

afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

/** Runs a scenario on `directory` after the shell command `mount`, in which $1 is the directory. */
function runIn(mount: string, scenario: string): Record<string, unknown> {
  const script = `${mount} && exec "$0" "$2" "$3" "$1"`;
  const command = ['-rm', 'sh', '-c', script, process.execPath, directory, placeFile, scenario];
  return JSON.parse(execFileSync('unshare', command, { encoding: 'utf8' })) as Record<string, unknown>;
}

const small = 'mount -t tmpfs -o size=2m tmpfs "$1"';
const readOnly = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1"';

const fullRefusal = {
  name: 'JournalError',
  kind: 'full',
  message: expect.stringMatching(/no room left/),
  hint: 'Make room on the disk, then start again. Nothing that was acknowledged is lost.',
};

describe('a full disk', () => {
  it('[J1][J5] fails the append and all later ones, loses nothing acknowledged, and heals', {
    timeout: timeoutMs,
  }, () => {
    const outcome = runIn(small, 'fill');
    expect(outcome.first).toEqual(fullRefusal);
    expect(outcome.later).toEqual({ ...fullRefusal, message: expect.stringMatching(/stopped at an earlier failure/) });
    expect(outcome.acknowledged).toBeGreaterThan(20);
    expect(outcome.readable).toBe(outcome.acknowledged);
    expect(outcome.kept).toBe(outcome.acknowledged);
    expect(outcome).toMatchObject({ intact: true, more: 'none' });
    expect(outcome.full).toEqual(fullRefusal);
  });

  it('[SF2] stops an upgrade before it begins and leaves the file as it was', { timeout: timeoutMs }, () => {
    const outcome = runIn('mount -t tmpfs -o size=6m tmpfs "$1"', 'upgrade');
    expect(outcome.first).toEqual(fullRefusal);
    expect(outcome.intact).toBe(true);
  });
});

describe('a directory that cannot be written', () => {
  const refusal = {
    name: 'JournalError',
    kind: 'read-only',
    message: expect.stringMatching(/cannot be written/),
    hint: expect.stringMatching(/^Make the directory writable/),
  };

  it('is refused as read-only where there is no journal yet', { timeout: timeoutMs }, () => {
    expect(runIn(readOnly, 'open').refusal).toEqual(refusal);
  });

  it('is refused as read-only where a journal is, which is left as it was', { timeout: timeoutMs }, async () => {
    await (await SqliteJournal.open(directory)).close();
    expect(runIn(readOnly, 'open').refusal).toEqual(refusal);
    const journal = await SqliteJournal.open(directory);
    expect(journal.opening).toEqual({ sequence: 0, epoch: 2, report: [] });
    await journal.close();
  });
});

describe('a second owner', () => {
  it('[SJ3] in another process is refused and told who holds the journal', { timeout: timeoutMs }, async () => {
    child = spawn(process.execPath, [appendingFile, directory], { stdio: ['ignore', 'pipe', 'inherit'] });
    if (child.stdout !== null) await once(createInterface(child.stdout), 'line');
    const since = '\\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z';
    await expect(SqliteJournal.open(directory)).rejects.toMatchObject({
      kind: 'locked',
      path: join(directory, 'journal.lock'),
      message: expect.stringMatching(
        `^The journal is held by process ${child.pid} on ${hostname()} since ${since}\\.$`,
      ),
      hint: 'Stop the process that holds the journal, or use another directory.',
    });
  });

  it('[SJ3] in the same process is refused as well, until the first has closed', { timeout: timeoutMs }, async () => {
    const first = await SqliteJournal.open(directory);
    await expect(SqliteJournal.open(directory)).rejects.toMatchObject({ kind: 'locked' });
    await first.close();
    await (await SqliteJournal.open(directory)).close();
  });
});
