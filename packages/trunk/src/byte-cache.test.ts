// The cache keeps what is used and stays within its bound.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteCache } from './byte-cache.ts';

describe('ByteCache', () => {
  it('[OS2] answers the last value or nothing, and never holds more than its bound', () => {
    const stepOf = fc.record({ key: fc.nat(20), size: fc.nat(40), reads: fc.boolean() });
    fc.assert(
      fc.property(fc.array(stepOf, { maxLength: 200 }), (steps) => {
        const cache = new ByteCache<number, { size: number }>(200, ({ size }) => size);
        const last = new Map<number, { size: number }>();
        for (const { key, size, reads } of steps) {
          if (!reads) {
            const value = { size };
            last.set(key, value);
            cache.set(key, value);
          }
          const found = cache.get(key);
          if (found !== undefined) expect(found).toBe(last.get(key));
          if (!reads) expect(found === undefined).toBe(size > 25);
        }
        let held = 0;
        for (const key of last.keys()) held += cache.get(key)?.size ?? 0;
        expect(held).toBeLessThanOrEqual(200);
      }),
    );
  });

  it('keeps what is used again and again while others pass', () => {
    const cache = new ByteCache<string, string>(100, () => 10);
    cache.set('used', 'value');
    for (let other = 0; other < 1000; other += 1) {
      cache.set(`other ${other}`, 'other');
      expect(cache.get('used')).toBe('value');
    }
    expect(cache.get('other 0')).toBeUndefined();
  });
});
