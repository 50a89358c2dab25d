// The page about results of benchmarks: beside its golden copy, and refused for what is no result.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ResultFile, ResultFileError, readResult, readResultFiles, reportPage } from '@firetrident/bench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const data = fileURLToPath(new URL('../data/bench', import.meta.url));
const golden = fileURLToPath(new URL('../golden/bench-report.html', import.meta.url));
let files: readonly ResultFile[];
let directory: string;

beforeAll(async () => {
  files = await readResultFiles([data]);
  directory = mkdtempSync(join(tmpdir(), 'firetrident-report-'));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

describe('the report of results', () => {
  it('[RG1] is the golden page, byte for byte, and loads and runs nothing', async () => {
    const page = reportPage(files);
    await expect(page).toMatchFileSnapshot(golden);
    expect(reportPage(await readResultFiles([data]))).toBe(page);
    expect(page).not.toMatch(/<script|\ssrc=|\shref=|url\(|@import|NaN|undefined|Infinity/);
  });

  it('[RG2] [LC1] [BC1] [RF2] says of every figure how it came about and from which run', () => {
    const page = reportPage(files);
    const captions = page.match(/<figcaption>.*?<\/figcaption>/g) ?? [];
    expect(captions.length).toBeGreaterThan(15);
    for (const caption of captions) expect(caption).toMatch(/(MEASURED|SIMULATED): [\w-]+\.json/);
    for (const { file } of files) expect(page).toContain(`<th scope="row">${file.split('/').at(-1)}</th>`);
    // A run that does not say where it comes from is not given a commit.
    expect(page).toMatch(/live-hot\.json<\/th><td>live<\/td><td>MEASURED<\/td><td>2026-01-02 03:00<\/td><td>not told/);
  });

  it('[LC2] [BC2] can be read without seeing: a title, headings in order, a text for each chart', () => {
    const page = reportPage(files);
    expect(page).toMatch(/<html lang="en">.*<title>/s);
    expect(page.match(/<h1/g)).toHaveLength(1);
    const charts = page.match(/<svg viewBox[^>]*role="img"[^>]*>/g) ?? [];
    for (const chart of charts) {
      const [, title, text] = /aria-labelledby="(\S+) (\S+)"/.exec(chart) ?? [];
      expect(page).toContain(`<title id="${title}">`);
      expect(page).toContain(`<desc id="${text}">`);
    }
    const ids = page.match(/\sid="[^"]+"/g) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    expect(page).toContain('prefers-color-scheme:dark');
    expect(page).toContain('@media print');
  });

  it('[FG1] says what was missed as plainly as what was reached', () => {
    const page = reportPage(files);
    expect(page).toContain('It missed: p99 of 2 s to land; 400 MiB of memory.');
    expect(page).toContain('1 of 2 expectations of 1 stories hold');
    // What came from a file is text and never markup.
    expect(page).toContain('locks &lt;on&gt; &quot;all&quot; &amp; more');
  });
});

describe('a file that is no result', () => {
  const refused = async (name: string, text: string) => {
    const file = join(directory, name);
    writeFileSync(file, text);
    await expect(readResultFiles([file])).rejects.toThrow(ResultFileError);
    return readResultFiles([file]).catch((error: Error) => error.message);
  };

  it('[RF1] [RD1] is refused by its name and by what is wrong with it', async () => {
    expect(await refused('a.json', '{')).toMatch(/a\.json is not JSON/);
    expect(await refused('b.json', '{"some":1}')).toMatch(/b\.json is no result of a benchmark/);
    expect(await refused('c.json', '[1]')).toMatch(/no result/);
    await expect(readResultFiles([join(directory, 'none')])).rejects.toThrow(/cannot be read/);
    const empty = mkdtempSync(join(directory, 'empty-'));
    await expect(readResultFiles([empty])).rejects.toThrow(/there is no result in/);
  });

  it('[SH1] names the field that does not fit', () => {
    const live = JSON.parse(readFileSync(join(data, 'live-100.json'), 'utf8')) as Record<string, object>;
    const broken = JSON.stringify({ ...live, timeToLandMs: { ...live.timeToLandMs, p99: 'long' } });
    expect(() => readResult('x.json', broken)).toThrow(
      'x.json is a result of live that cannot be used: timeToLandMs.p99 must be a number',
    );
    const peers = JSON.parse(readFileSync(join(data, 'peers.json'), 'utf8')) as { peers: { landedPerMin: unknown }[] };
    (peers.peers[1] as { landedPerMin: unknown }).landedPerMin = null;
    expect(() => readResult('y.json', JSON.stringify(peers))).toThrow('peers.1.landedPerMin must be a number');
    const stray = JSON.stringify({ ...live, provenance: { date: 1 } });
    expect(() => readResult('z.json', stray)).toThrow('z.json says wrongly where it comes from: date must be a text');
  });
});
