import { InvalidArgumentError } from 'commander';
import { describe, expect, it } from 'vitest';
import { readDurationMs, readId, readWhole } from './options.ts';

describe('values on the command line', () => {
  it.each([
    ['1', 1_000],
    ['90s', 90_000],
    ['10m', 600_000],
    ['1h', 3_600_000],
    ['250ms', 250],
    ['1.5s', 1_500],
    ['168h', 604_800_000],
  ])('the duration %s', (text, milliseconds) => {
    expect(readDurationMs(text)).toBe(milliseconds);
  });

  it.each(['', '0', '-1', '1d', 'm', '1 m', '169h', 'NaN', '1e3', '0.1ms'])('no duration: %j', (text) => {
    expect(() => readDurationMs(text)).toThrow(InvalidArgumentError);
  });

  it.each(['', ' ', '1.5', '1e1', '0x10', 'NaN', '-1', '11', '99999999999999999999'])(
    'no number from 0 to 10: %j',
    (text) => {
      expect(() => readWhole(text, 0, 10)).toThrow('It must be a whole number from 0 to 10.');
    },
  );

  it('numbers at the bounds', () => {
    expect([readWhole('0', 0, 10), readWhole('10', 0, 10), readWhole('-5', -5, 5)]).toEqual([0, 10, -5]);
  });

  it('ids by their prefix', () => {
    expect(readId('int')('int_1')).toBe('int_1');
    for (const text of ['int', 'int_', 'lnd_1', 'int_1/..', ''])
      expect(() => readId('int')(text)).toThrow('begins with int_');
  });
});
