import { describe, expect, it } from 'vitest';
import { durationText, percentile, table } from './render.ts';

describe('text for a terminal', () => {
  it('puts rows into columns and cuts no last one short', () => {
    expect(
      table(
        ['id', 'title'],
        [
          ['int_1', 'One'],
          ['x', ''],
        ],
      ),
    ).toBe('id     title\nint_1  One\nx\n');
    expect(table(['id'], [])).toBe('id\n');
  });

  it('never passes on what could steer a terminal', () => {
    expect(table(['title'], [['a\x1b[2Jb\nc\u009b']])).toBe('title\na [2Jb c\n');
  });

  it.each([
    [4, '0.00 s'],
    [420, '0.42 s'],
    [9_994, '9.99 s'],
    [59_949, '59.9 s'],
    [59_960, '1 min 0 s'],
    [185_400, '3 min 5 s'],
    [3_599_700, '60 min 0 s'],
  ])('%i milliseconds', (milliseconds, text) => {
    expect(durationText(milliseconds)).toBe(text);
  });

  it('takes percentiles by nearest rank', () => {
    const values = [5, 1, 4, 2, 3];
    expect([0, 0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([1, 3, 5, 5]);
    expect(percentile([], 0.5)).toBe(0);
  });
});
