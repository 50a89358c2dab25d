// How fast the embedded journal is, against what the disk and the parser allow in the same run:
// appends per second at 1, 16 and 256 writers next to one write and fdatasync of the same bytes, and events replayed per
// second next to reading and parsing the same lines from a plain file. Ratios are comparable between machines, the
// absolute figures are not. Usage: `node packages/adapters/bench/journal.bench.ts [events to replay] [directory]`.

import {
  closeSync,
  createReadStream,
  fdatasyncSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { emptyBatch, replay } from '@firetrident/journal';
import { SqliteJournal } from '../src/sqlite-journal.ts';

const [eventsToReplay = '1000000', place = tmpdir()] = process.argv.slice(2);
const writerCounts = [1, 16, 256];
const rounds = 5;
const roundMs = 1_200;
const eventsPerFill = 2_000;

/** An event of about 300 bytes, shaped like those of a colony. */
function bodyOf(sequence: number): string {
  return JSON.stringify({
    type: 'proposal.queued',
    at: 1_700_000_000_000 + sequence,
    proposal: `prp_1${sequence.toString(36).padStart(6, '0')}`,
    intent: `int_1${(sequence % 9_973).toString(36).padStart(6, '0')}`,
    agent: `agt_1${(sequence % 257).toString(36).padStart(6, '0')}`,
    writes: [
      { path: `src/region-${sequence % 40}/file-${sequence % 1_000}.ts`, oid: sequence.toString(16).padStart(40, '0') },
    ],
    reads: [{ kind: 'file', path: `src/region-${sequence % 40}/index.ts`, basis: 'absent' }],
    final: true,
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1] ?? 0;
}

function perSecond(count: number, sinceMs: number): number {
  return (count / (performance.now() - sinceMs)) * 1_000;
}

function figure(value: number): string {
  return Math.round(value).toLocaleString('en-US').padStart(10);
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(0);
}

/** Events per second when `writers` events at a time are one write and one fdatasync. */
function measureRaw(directory: string, writers: number): number {
  const path = join(directory, 'raw');
  const file = openSync(path, 'w');
  const startMs = performance.now();
  let count = 0;
  while (performance.now() - startMs < roundMs) {
    const lines = Array.from({ length: writers }, (_, index) => `${bodyOf(count + index)}\n`);
    writeSync(file, lines.join(''));
    fdatasyncSync(file);
    count += writers;
  }
  const rate = perSecond(count, startMs);
  closeSync(file);
  rmSync(path);
  return rate;
}

/** Appends per second when `writers` writers each wait for their append before the next, and the p99 of the wait. */
async function measureAppends(directory: string, writers: number): Promise<{ rate: number; p99Ms: number }> {
  const path = join(directory, 'appends');
  const journal = await SqliteJournal.open(path);
  const startMs = performance.now();
  const waitsMs: number[] = [];
  let next = 0;
  const write = async () => {
    while (performance.now() - startMs < roundMs) {
      const expected = next;
      next += 1;
      const askedMs = performance.now();
      await journal.append({ ...emptyBatch, events: [bodyOf(expected + 1)] }, expected);
      waitsMs.push(performance.now() - askedMs);
    }
  };
  await Promise.all(Array.from({ length: writers }, write));
  const rate = perSecond(waitsMs.length, startMs);
  await journal.close();
  rmSync(path, { recursive: true });
  waitsMs.sort((left, right) => left - right);
  return { rate, p99Ms: waitsMs[Math.floor(waitsMs.length * 0.99)] ?? 0 };
}

async function benchAppends(directory: string): Promise<void> {
  say(`appends, events of ${bodyOf(1).length} bytes, median of ${rounds} rounds of ${roundMs} ms`);
  say('  writers    appends/s   p99 ms   raw events/s   ratio');
  for (const writers of writerCounts) {
    const raws: number[] = [];
    const rates: number[] = [];
    const waits: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      raws.push(measureRaw(directory, writers));
      const { rate, p99Ms } = await measureAppends(directory, writers);
      rates.push(rate);
      waits.push(p99Ms);
    }
    const [raw, rate, p99Ms] = [median(raws), median(rates), median(waits)];
    const ratio = (rate / raw).toFixed(2);
    say(
      `  ${String(writers).padStart(7)}  ${figure(rate)}  ${p99Ms.toFixed(2).padStart(7)}     ${figure(raw)}    ${ratio}`,
    );
  }
}

/** Fills a journal and a plain file with the same events. */
async function fill(directory: string, count: number): Promise<void> {
  const journal = await SqliteJournal.open(join(directory, 'replay'));
  const plain = openSync(join(directory, 'plain'), 'w');
  const startMs = performance.now();
  for (let sequence = 0; sequence < count; ) {
    const events = Array.from({ length: Math.min(eventsPerFill, count - sequence) }, (_, index) =>
      bodyOf(sequence + index + 1),
    );
    writeSync(plain, `${events.join('\n')}\n`);
    await journal.append({ ...emptyBatch, events }, sequence);
    sequence += events.length;
  }
  say(`filled ${count} events in appends of ${eventsPerFill}: ${figure(perSecond(count, startMs)).trim()} events/s`);
  closeSync(plain);
  await journal.close();
}

async function readPlain(path: string): Promise<{ rate: number; checksum: number }> {
  const startMs = performance.now();
  let [count, checksum] = [0, 0];
  for await (const line of createInterface(createReadStream(path, { highWaterMark: 1 << 20 }))) {
    checksum += (JSON.parse(line) as { at: number }).at % 1_000;
    count += 1;
  }
  return { rate: perSecond(count, startMs), checksum };
}

async function benchReplay(directory: string, count: number): Promise<void> {
  await fill(directory, count);
  const sizeBytes = statSync(join(directory, 'replay', 'journal.db')).size;
  say(`  ${(sizeBytes / count).toFixed(0)} bytes on disk per event`);
  const plain = await readPlain(join(directory, 'plain'));
  const openMs = performance.now();
  const journal = await SqliteJournal.open(join(directory, 'replay'));
  const startMs = performance.now();
  const beforeBytes = process.memoryUsage.rss();
  let [checksum, peakBytes] = [0, 0];
  await replay(journal, 0, ({ sequence, body }) => {
    checksum += (JSON.parse(body) as { at: number }).at % 1_000;
    if (sequence % 20_000 === 0) peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
  });
  const rate = perSecond(count, startMs);
  await journal.close();
  if (checksum !== plain.checksum) throw new Error('the journal and the plain file hold different events');
  say(
    `replay with JSON.parse: ${figure(rate).trim()} events/s, ${megabytes(beforeBytes)} MB resident before, ${megabytes(peakBytes)} MB at most`,
  );
  say(`  opened in ${(startMs - openMs).toFixed(0)} ms, which checks the last events and that none is missing`);
  say(
    `  plain file, readline and JSON.parse: ${figure(plain.rate).trim()} events/s, ratio ${(rate / plain.rate).toFixed(2)}`,
  );
}

const directory = mkdtempSync(join(place, 'firetrident-bench-'));
try {
  await benchAppends(directory);
  await benchReplay(directory, Number(eventsToReplay));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
