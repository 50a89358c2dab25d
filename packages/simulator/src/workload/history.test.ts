// Reading and writing the facts of a history.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HistoryCommit, historyLine, parseHistory } from './history.ts';

const names = fc.option(fc.array(fc.string()));
const count = fc.nat(9_999);
const commits: fc.Arbitrary<HistoryCommit> = fc.record({
  id: fc.string(),
  time: fc.nat(),
  files: fc.array(
    fc.record({
      path: fc.string({ minLength: 1 }),
      status: fc.constantFrom('A' as const, 'M' as const, 'D' as const, 'T' as const),
      hunks: fc.array(fc.tuple(count, count, count, count)),
      symbols: names,
    }),
    { minLength: 1 },
  ),
  reads: fc.array(fc.record({ path: fc.string({ minLength: 1 }), symbols: names })),
});

describe('a history', () => {
  it.each([
    ['', 1, 'no commit at all'],
    ['\n[]', 2, 'not a JSON object'],
    ['{"id":"a"', 1, 'not a JSON object'],
    ['{"time":1,"files":[],"reads":[]}', 1, 'no id'],
    ['{"id":"a","files":[],"reads":[]}', 1, 'no time'],
    ['{"id":"a","time":1,"files":[],"reads":[]}', 1, 'no files'],
    ['{"id":"a","time":1,"files":[{"path":"x","status":"R","hunks":[]}],"reads":[]}', 1, 'the status of x'],
    ['{"id":"a","time":1,"files":[{"path":"x","status":"M","hunks":[[1,2,3]]}],"reads":[]}', 1, 'the hunks of x'],
    [
      '{"id":"a","time":1,"files":[{"path":"x","status":"M","hunks":[],"symbols":[1]}],"reads":[]}',
      1,
      'the symbols of x',
    ],
    ['{"id":"a","time":1,"files":[{"path":"x","status":"M","hunks":[]}]}', 1, 'no reads'],
    ['{"id":"a","time":1,"files":[{"path":"x","status":"M","hunks":[]}],"reads":[{}]}', 1, 'a read without a path'],
  ])('[HI1] refuses %j by line and reason', (text, line, message) => {
    const parsed = parseHistory(text);
    expect(parsed).toMatchObject({ ok: false, error: { line, message: expect.stringContaining(message) } });
  });

  it('[HI2] reads back what it writes', () => {
    fc.assert(
      fc.property(fc.array(commits, { minLength: 1, maxLength: 4 }), (history) => {
        expect(parseHistory(history.map(historyLine).join(''))).toEqual({ ok: true, value: history });
      }),
    );
  });
});
