import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { afterAll, expect, test } from 'vitest';
import { createOxcParser } from './oxc-parser.ts';
import { parserLengthLimit } from './oxc-parser-limits.ts';
import { parseModule } from './oxc-parser-module.ts';

const parser = createOxcParser();

afterAll(() => parser.close());

test.each([
  ['a.ts', true],
  ['a.tsx', true],
  ['a.mts', true],
  ['a.cts', true],
  ['a.js', true],
  ['a.jsx', true],
  ['a.mjs', true],
  ['a.cjs', true],
  ['a.d.ts', true],
  ['a.py', false],
  ['ts', false],
  ['a.json', false],
])('whether %s is known: %j', (path, known) => {
  expect(parser.knows(path)).toBe(known);
  expect(parser.parse(path, '') === null).toBe(!known);
});

test('[PP1] the thread gives what parsing on the spot gives, also the second time', () => {
  const text = 'import { a } from "./a.ts";\nexport const b: number = a + 1;\nexport * from "./c.ts";\n';
  expect(parser.parse('x.ts', text)).toEqual(parseModule('x.ts', text));
  expect(parser.parse('x.ts', 'export const')).toEqual(parseModule('x.ts', 'export const'));
  expect(parser.parse('x.ts', text)).toEqual(parser.parse('x.ts', text));
});

test.each([
  ['x.js', 'return 1'],
  ['x.js', 'with (a) {}'],
  ['x.js', 'import a from "a"; await a; const b = <i>x</i>'],
  ['x.cjs', 'return require("./a")'],
  ['x.cts', 'import a = require("./a"); export = a'],
  ['x.mts', 'export const a = await 1'],
  ['x.d.ts', 'export function f(): void; declare const q: 1'],
  ['x.tsx', 'export const a = <T,>(b: T) => <b>{b}</b>'],
  ['x.ts', 'const a = <number>b'],
  ['x.ts', '\uFEFFexport const a = 1'],
  ['x.js', '#!/usr/bin/env node\nexport const a = 1'],
])('%s may hold %j', (path, text) => {
  expect(parser.parse(path, text)).toMatchObject({ ok: true });
});

test('[PP2] text with syntax errors is a module that is not ok and shows nothing but the line', () => {
  expect(parser.parse('x.ts', 'const a = 1;\nconst const;\n')).toMatchObject({ ok: false, reason: 'syntax', line: 2 });
  expect(Object.keys(parser.parse('x.ts', 'export const a = 1; const') ?? {})).toEqual([
    'ok',
    'reason',
    'message',
    'line',
  ]);
  expect(parser.parse('x.ts', '<<<<<<< ours\n')).toMatchObject({ ok: false, reason: 'syntax' });
  expect(parser.parse('x.js', 'let a: number')).toMatchObject({ ok: false, reason: 'syntax' });
  expect(parser.parse('x.ts', '\ud800')).toMatchObject({ ok: false, reason: 'syntax' });
});

test.each([
  ['!', ''],
  ['a=>', 'b'],
  ['a:', ';'],
  ['if(a)', ';'],
  ['a=', 'b'],
  ['a**', 'b'],
  ['a+', 'b'],
  ['new ', 'a'],
  ['if(a){}else ', ';'],
  ['a?b:', 'c'],
  ['(', ''],
  ['[', ''],
  ['{', ''],
  ['`${', ''],
  ['@(', ''],
  ['<', ''],
  ['type A=(', ''],
])('[OX1] the longest run of %j neither ends the process nor throws', (unit, end) => {
  for (const repeats of [4096, Math.floor(parserLengthLimit / unit.length) - end.length, parserLengthLimit]) {
    const module = parser.parse('x.ts', unit.repeat(repeats) + end);
    expect(module?.ok === true || module?.reason === 'syntax' || module?.reason === 'limit').toBe(true);
  }
});

test('[OX1] text beyond the limits is not parsed', () => {
  expect(parser.parse('x.ts', ' '.repeat(parserLengthLimit))).toMatchObject({ ok: true });
  expect(parser.parse('x.ts', ' '.repeat(parserLengthLimit + 1))).toMatchObject({ ok: false, reason: 'limit' });
  expect(parser.parse('x.ts', '[]('.repeat(4097))).toMatchObject({ ok: false, reason: 'limit' });
});

test('[OX1] [OX2] text that is not parsed in time is beyond the limits, and the next one is parsed again', async () => {
  const hasty = createOxcParser({ deadlineMs: 1 });
  const slow = `x=${'(a='.repeat(1500)}`;
  expect(hasty.parse('x.ts', slow)).toMatchObject({ ok: false, reason: 'limit' });
  expect(hasty.parse('x.ts', slow)).toMatchObject({ ok: false, reason: 'limit' });
  expect(hasty.parse('x.ts', '')).toMatchObject({
    ok: false,
    reason: 'limit',
    message: 'the parser is held up by other text',
  });
  await expect.poll(() => hasty.parse('x.ts', 'a')?.ok, { timeout: 60_000 }).toBe(true);
  await hasty.close();
});

test('a closed parser starts another thread', async () => {
  const other = createOxcParser();
  expect(other.parse('x.ts', 'a')).toMatchObject({ ok: true });
  await other.close();
  expect(other.parse('x.ts', 'a')).toMatchObject({ ok: true });
  await other.close();
});

test('[OX3] a parser works inside a thread and keeps no process alive', async () => {
  const source = `
    import { createOxcParser } from ${JSON.stringify(new URL('./oxc-parser.ts', import.meta.url).href)};
    import { parentPort } from 'node:worker_threads';
    parentPort.postMessage(createOxcParser().parse('x.ts', 'export const a = 1').ok);
  `;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`), { execArgv: [] });
  const said = new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  const ended = new Promise((resolve) => worker.once('exit', resolve));
  expect(await said).toBe(true);
  expect(await ended).toBe(0);
  expect(fileURLToPath(import.meta.url)).toContain('oxc-parser.test.ts');
});
