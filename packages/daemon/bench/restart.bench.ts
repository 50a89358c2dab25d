// `npm run bench:restart`: from kill -9 to serving again, with a million journalled events, ten thousand open intents
// and a thousand leases, as far from a snapshot as can be.
//
// Beside it in the same run: a start on an empty data directory, which is what the process itself costs.

import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const size = { events: 1_000_000, openIntents: 10_000, leases: 1_000 };
const rounds = 5;
const fill = fileURLToPath(new URL('./restart-fill.ts', import.meta.url));
const entry = fileURLToPath(new URL('../../cli/src/main.mjs', import.meta.url));

const directory = mkdtempSync(join(tmpdir(), 'firetrident-restart-'));
try {
  const data = join(directory, 'full');
  const { sequence, snapshotSequence } = await fillAndKill(data);
  console.log(
    `journalled events ${sequence}, open intents ${size.openIntents}, leases ${size.leases}; killed with -9 ${sequence - snapshotSequence} events after the last snapshot`,
  );
  const full: number[] = [];
  const empty: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    full.push(await startAndKill(data));
    empty.push(await startAndKill(join(directory, `empty-${round}`)));
    console.log(
      `round ${round}: serving after ${seconds(full.at(-1))} (an empty data directory: ${seconds(empty.at(-1))})`,
    );
  }
  const [fullMedian, emptyMedian] = [median(full), median(empty)];
  console.log(
    `MEASURED median ${seconds(fullMedian)}, range ${seconds(Math.min(...full))} to ${seconds(Math.max(...full))}`,
  );
  console.log(`MEASURED empty start median ${seconds(emptyMedian)}; ratio ${(fullMedian / emptyMedian).toFixed(2)}`);
} finally {
  rmSync(directory, { recursive: true, force: true });
}

async function fillAndKill(data: string): Promise<{ sequence: number; snapshotSequence: number }> {
  const child = spawn(
    process.execPath,
    [fill, data, String(size.events), String(size.openIntents), String(size.leases)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const line = await firstLine(child);
  child.kill('SIGKILL');
  await ended(child);
  return JSON.parse(line) as { sequence: number; snapshotSequence: number };
}

/** Milliseconds from spawning the daemon to its first answer about every colony; then kill -9. */
async function startAndKill(data: string): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(
    process.execPath,
    [entry, 'up', '--data', data, '--port', '0', '--json', '--log-level', 'error'],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const { url, adminToken } = JSON.parse(await firstLine(child)) as { url: string; adminToken: string };
  const answer = await fetch(`${url}/api/colonies`, { headers: { authorization: `Bearer ${adminToken}` } });
  if (!answer.ok) throw new Error(`the daemon answered ${answer.status}`);
  const elapsed = performance.now() - startedAt;
  child.kill('SIGKILL');
  await ended(child);
  return elapsed;
}

function firstLine(child: ReturnType<typeof spawn>): Promise<string> {
  return new Promise((resolve, reject) => {
    if (child.stdout === null) throw new Error('the process has standard output');
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', (code) => reject(new Error(`the process ended with ${code}`)));
  });
}

function ended(child: ReturnType<typeof spawn>): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve();
    else child.once('exit', () => resolve());
  });
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function seconds(milliseconds: number | undefined): string {
  return `${((milliseconds ?? 0) / 1_000).toFixed(2)} s`;
}
