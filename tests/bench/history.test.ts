// The history of benchmarks: every line of the repository's own can be read, and lines are added once.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { appendHistory, HistoryLineError, parseHistoryLines, readResultFiles } from '@firetrident/bench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const data = fileURLToPath(new URL('../data/bench', import.meta.url));
const own = fileURLToPath(new URL('../../bench/history.jsonl', import.meta.url));
let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'firetrident-history-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the history of benchmarks', () => {
  it('[HL1] of this repository says in every line how, when, where and on which commit', () => {
    const lines = parseHistoryLines(readFileSync(own, 'utf8'));
    expect(lines.length).toBeGreaterThan(0);
    const simulated = lines.filter(({ kind }) => kind === 'SIMULATED');
    expect(simulated.every(({ bench }) => ['sim', 'scenarios', 'calibrate'].includes(bench))).toBe(true);
  });

  it('[HL1] [HL2] [HI1] takes each result once, with figures of the result only', async () => {
    const file = join(directory, 'history.jsonl');
    const results = await readResultFiles(['live-1000.json', 'peers.json', 'sim.json'].map((name) => join(data, name)));
    const lines = await appendHistory(file, results);
    expect(parseHistoryLines(readFileSync(file, 'utf8'))).toEqual(lines);
    expect(lines.map(({ bench, kind }) => `${bench} ${kind}`)).toEqual([
      'live MEASURED',
      'peers MEASURED',
      'sim SIMULATED',
    ]);
    expect(lines[0]).toMatchObject({
      commit: '0123456789ab',
      figures: { agents: 1_000, landedPerMin: 36_000, errors: 0 },
    });
    expect(lines[1]?.figures).toMatchObject({ 'speculative.ratio': 3, 'firetrident.landedPerMin': 36_000 });
    expect(lines[2]?.figures).toMatchObject({ 'firetrident.1000.10.landedPerMin': 677 });
    await expect(appendHistory(file, results)).rejects.toThrow(/recorded already/);
    const unknown = await readResultFiles([join(data, 'live-hot.json')]);
    await expect(appendHistory(file, unknown)).rejects.toThrow(/does not say where it comes from/);
    expect(parseHistoryLines(readFileSync(file, 'utf8'))).toHaveLength(3);
  });

  it('[HI2] is not added to when a line of it cannot be read', async () => {
    const file = join(directory, 'broken.jsonl');
    const good = readFileSync(own, 'utf8').split('\n')[0] ?? '';
    const bad = [
      '{',
      JSON.stringify({ ...JSON.parse(good), kind: 'GUESSED' }),
      JSON.stringify({ ...JSON.parse(good), figures: { rate: 'high' } }),
      JSON.stringify({ ...JSON.parse(good), date: 'soon' }),
    ];
    for (const line of bad) {
      writeFileSync(file, `${good}\n${line}\n`);
      await expect(appendHistory(file, [])).rejects.toThrow(HistoryLineError);
      await expect(appendHistory(file, [])).rejects.toThrow(/line 2/);
    }
  });
});
