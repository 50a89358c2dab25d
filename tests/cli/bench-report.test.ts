// `firetrident bench report`, `record`, `calibrate` and `all` on results that are there.

import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { reportSteps } from '@firetrident/bench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/git-repository.ts';
import { expectCode } from './command-line.ts';

const data = fileURLToPath(new URL('../data/bench', import.meta.url));
let directory: string;
let remove: () => void;

beforeAll(() => {
  ({ path: directory, remove } = temporaryDirectory('firetrident-bench-report-'));
});
afterAll(() => remove());

describe('firetrident bench report and record', () => {
  it('make a page of results, and keep their figures once', async () => {
    const made = await expectCode(0, ['bench', 'report', data, '--out', 'report.html'], { directory });
    expect(made.output).toBe('13 results on the page report.html\n');
    expect(readFileSync(join(directory, 'report.html'), 'utf8')).toContain('<h1>FireTrident: benchmark report</h1>');
    const record = ['bench', 'record', join(data, 'peers.json'), '--history', join(directory, 'history.jsonl')];
    await expectCode(0, record, { directory });
    const again = await expectCode(1, record, { directory });
    expect(again.errors).toContain('recorded already');
  });

  it('refuse what is no result, and a fit on too few sizes', async () => {
    writeFileSync(join(directory, 'stray.json'), '{"a":1}');
    const stray = await expectCode(1, ['bench', 'report', 'stray.json', '--out', 'report.html'], { directory });
    expect(stray.errors).toContain('stray.json is no result of a benchmark');
    const sizes = await expectCode(1, ['bench', 'calibrate', data], { directory });
    expect(sizes.errors).toContain('live runs of 2 sizes');
  });
});

describe('firetrident bench all', () => {
  it('[ST1] [BA2] does not do again what is there, and makes the report', async () => {
    const out = join(directory, 'all');
    mkdirSync(out);
    const files = reportSteps(true).map(({ name }) => join(out, `${name}.json`));
    for (const file of files) copyFileSync(join(data, 'live-100.json'), file);
    const before = files.map((file) => statSync(file).mtimeMs);
    const told = await expectCode(0, ['bench', 'all', '--quick', '--out', 'all'], { directory });
    expect(told.errors.match(/is there already/g)).toHaveLength(files.length);
    expect(files.map((file) => statSync(file).mtimeMs)).toEqual(before);
    expect(existsSync(join(out, 'report.html'))).toBe(true);
  });
});
