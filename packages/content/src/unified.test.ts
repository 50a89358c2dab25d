import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { utf8 } from '@firetrident/base';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type UnifiedDiffOptions, unifiedDiff } from './unified.ts';

const numbers = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => `${from + index}\n`);
const twenty = numbers(1, 20);
const textOf = (lines: readonly string[]) => utf8(lines.join(''));
const options: UnifiedDiffOptions = { path: 'src/a.ts', contextLines: 2, limitBytes: 10_000 };

describe('golden texts', () => {
  test('a change in the middle', () => {
    const after = textOf(twenty.with(9, 'ten\n'));
    expect(unifiedDiff(textOf(twenty), after, options)).toBe(
      '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -8,5 +8,5 @@\n 8\n 9\n-10\n+ten\n 11\n 12\n',
    );
  });

  test('changes whose context meets share a hunk, others do not', () => {
    const near = unifiedDiff(textOf(twenty), textOf(twenty.with(4, 'x\n').with(9, 'y\n')), options);
    const far = unifiedDiff(textOf(twenty), textOf(twenty.with(4, 'x\n').with(10, 'y\n')), options);
    expect(near.match(/^@@/gm)).toHaveLength(1);
    expect(far.match(/^@@/gm)).toHaveLength(2);
  });

  test('an added file, a deleted file, an empty one', () => {
    expect(unifiedDiff(null, utf8('a\nb\n'), options)).toBe('--- /dev/null\n+++ b/src/a.ts\n@@ -0,0 +1,2 @@\n+a\n+b\n');
    expect(unifiedDiff(utf8('a\n'), null, options)).toBe('--- a/src/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n');
    expect(unifiedDiff(null, utf8(''), options)).toBe('--- /dev/null\n+++ b/src/a.ts\n');
  });

  test('a missing newline at the end of the file', () => {
    expect(unifiedDiff(utf8('a'), utf8('a\n'), options)).toBe(
      '--- a/src/a.ts\n+++ b/src/a.ts\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n',
    );
  });

  test('binary files are named, not shown', () => {
    expect(unifiedDiff(utf8('a\0'), utf8('b'), options)).toBe('Binary files a/src/a.ts and b/src/a.ts differ\n');
  });

  test('bytes that are not UTF-8 are shown replaced', () => {
    expect(unifiedDiff(null, Uint8Array.of(0xe9, 0x0a), options)).toContain('\n+\ufffd\n');
  });

  test('a byte order mark is shown', () => {
    expect(unifiedDiff(utf8('a\n'), utf8('\ufeffa\n'), options)).toContain('\n-a\n+\ufeffa\n');
  });

  test('nothing to show', () => {
    expect(unifiedDiff(utf8('a\n'), utf8('a\n'), options)).toBe('');
    expect(unifiedDiff(utf8('a\0'), utf8('a\0'), options)).toBe('');
    expect(unifiedDiff(null, null, options)).toBe('');
  });

  test('[UD3] a path cannot forge lines of the diff', () => {
    const path = 'a"\n+++ b/\\other\u009b\u2028\udce9';
    const text = unifiedDiff(utf8(''), utf8('x\n'), { ...options, path });
    expect(text.split('\n')[1]).toBe('+++ "b/a\\"\\u000a+++ b/\\\\other\\u009b\\u2028\ufffd"');
    expect(text.match(/^\+\+\+ /gm)).toHaveLength(1);
  });
});

describe('only what touches a range of lines', () => {
  const after = textOf(twenty.with(2, 'three\n').toSpliced(12, 0, 'between 12 and 13\n'));
  const shown = (from: number, to: number) =>
    unifiedDiff(textOf(twenty), after, { ...options, contextLines: 0, onlyRange: { from, to } }).match(/^[-+]\w.*$/gm);

  test('keeps changes of its lines, and beside them', () => {
    expect(shown(3, 5)).toEqual(['-3', '+three']);
    expect(shown(4, 5)).toEqual(['-3', '+three']);
    expect(shown(5, 11)).toBeNull();
    expect(shown(5, 12)).toEqual(['+between 12 and 13']);
    expect(shown(13, 14)).toEqual(['+between 12 and 13']);
    expect(shown(14, 99)).toBeNull();
    expect(shown(1, 99)).toEqual(['-3', '+three', '+between 12 and 13']);
  });
});

describe('the limit', () => {
  test('[UD2] a text cut short says so', () => {
    const whole = unifiedDiff(null, textOf(twenty), options);
    expect(whole).not.toContain('truncated');
    const limitBytes = utf8(whole).length - 1;
    const cut = unifiedDiff(null, textOf(twenty), { ...options, limitBytes });
    expect(cut.endsWith('\n[diff truncated]\n')).toBe(true);
    expect(whole.startsWith(cut.slice(0, cut.indexOf('[')).trimEnd())).toBe(true);
    expect(unifiedDiff(null, textOf(twenty), { ...options, limitBytes: limitBytes + 1 })).toBe(whole);
  });

  test('[UD2] one very long line is shown up to the limit', () => {
    const text = unifiedDiff(null, utf8('x'.repeat(100_000)), { ...options, limitBytes: 200 });
    expect(text).toMatch(/^\+x{50,}\n\[diff truncated\]\n$/m);
  });

  test('[UD1] is never exceeded', () => {
    const bytes = fc.uint8Array({ maxLength: 300 });
    fc.assert(
      fc.property(bytes, bytes, fc.nat(400), fc.nat(3), (before, after, limitBytes, contextLines) => {
        const text = unifiedDiff(before, after, { path: 'é', contextLines, limitBytes });
        expect(utf8(text).length).toBeLessThanOrEqual(limitBytes);
      }),
    );
  });
});

describe('git apply', () => {
  let scratch = '';
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'unified-'));
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));

  const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'é\n', '\n', '--- x\n', '+++ y\r\n', '@@ -1 +1 @@\n'), {
    maxLength: 40,
  });
  const text = fc.tuple(lines, fc.constantFrom('', 'end')).map(([all, end]) => all.join('') + end);
  const states = fc
    .record({ before: text, after: text, contextLines: fc.integer({ min: 1, max: 4 }) })
    .filter(({ before, after }) => before !== '' && after !== '');

  test('turns the text before into the text after', () => {
    const property = fc.property(fc.array(states, { minLength: 40, maxLength: 40 }), (batch) => {
      const folder = join(scratch, 'files');
      rmSync(folder, { recursive: true, force: true });
      mkdirSync(folder);
      const diffs = batch.map(({ before, after, contextLines }, index) => {
        writeFileSync(join(folder, String(index)), before);
        return unifiedDiff(utf8(before), utf8(after), { path: String(index), contextLines, limitBytes: 100_000 });
      });
      if (diffs.every((diff) => diff === '')) return;
      const environment = { PATH: process.env.PATH, HOME: '/nonexistent', GIT_CEILING_DIRECTORIES: scratch };
      execFileSync('git', ['apply', '--whitespace=nowarn'], { cwd: folder, env: environment, input: diffs.join('') });
      for (const [index, { after }] of batch.entries()) {
        expect(readFileSync(join(folder, String(index)), 'utf8')).toBe(after);
      }
    });
    fc.assert(property, { numRuns: 5, endOnFailure: true });
  });
});
