// A disk that is full, and places that cannot be written: real mounts, in a mount namespace of the child process, which
// goes away with it. Where the machine allows no such namespace these tests fail; they are never skipped.

import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { temporaryDirectory } from '../support/git-repository.ts';

const fixture = fileURLToPath(new URL('./storage-place.fixture.ts', import.meta.url));
const timeoutMs = 240_000;
let place: ReturnType<typeof temporaryDirectory>;

beforeEach(() => {
  place = temporaryDirectory('firetrident-place-');
});

afterEach(() => place.remove());

/** Runs a scenario in a namespace of its own, after the shell command `mount`, in which $1 is the directory. */
async function runIn(mount: string, scenario: string): Promise<Record<string, unknown>> {
  const script = `${mount} && exec "$0" --disable-warning=ExperimentalWarning "$2" "$3" "$1"`;
  const command = ['-rm', 'sh', '-c', script, process.execPath, place.path, fixture, scenario];
  const { stdout } = await promisify(execFile)('unshare', command, { maxBuffer: 1 << 24 });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe('a disk that runs full under load', () => {
  test('[CE1] [SQ1] refuses by name, loses nothing acknowledged, and serves again once there is room', {
    timeout: timeoutMs,
  }, async () => {
    const facts = await runIn('mount -t tmpfs -o size=14m tmpfs "$1"', 'full');
    expect(facts.acknowledged).toBeGreaterThan(10);
    const refusals = Object.keys(facts.refusals as object);
    for (const refusal of refusals) expect(refusal).toMatch(/^507 storage_unavailable: .*room/);
    expect(refusals.length).toBeGreaterThan(0);
    for (const status of facts.looked as number[]) expect([200, 507]).toContain(status);
    expect(['made', '507 storage_unavailable']).toContain(facts.creating);
    expect(facts).toMatchObject({ violations: [], said: true, exit: 0 });
    // Every path is written once, so whatever was acknowledged lands.
    expect(facts.landed).toBe(facts.sent);
  });
});

describe('places that cannot be written', () => {
  test('[CL3] the repository, while the daemon runs: what queues waits, a person is told, and it lands later', {
    timeout: timeoutMs,
  }, async () => {
    const facts = await runIn('true', 'trunkReadOnly');
    expect(facts).toMatchObject({ before: 4, landed: 8, queued: 4, violations: [], refusals: {}, exit: 0 });
    expect(facts.attention).toEqual([
      expect.stringMatching(/^storage: .*read-only.* make the data directory writable/),
    ]);
    expect(facts.later).toEqual([]);
  });

  test('[SQ1] the data directory, at the start: refused with what to do, and left as it was', {
    timeout: timeoutMs,
  }, async () => {
    const facts = await runIn('true', 'readOnlyStart');
    const message =
      /ended with 1:\n[\s\S]*error: The data directory .*\/data cannot be used: its file system is read-only\. Make it writable/;
    expect(facts.empty).toMatch(message);
    expect(facts.withData).toMatch(message);
    expect(facts).toMatchObject({ exit: 0, later: 0 });
  });
});
