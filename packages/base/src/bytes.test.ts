// Digits and bytes are each other's inverse, whatever the length and wherever they lie.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hexBytes, hexText } from './bytes.ts';

describe('hexText', () => {
  it('spells every byte, also beyond one piece', () => {
    const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    expect(hexText(all)).toBe(Array.from(all, (byte) => byte.toString(16).padStart(2, '0')).join(''));
    expect(hexText(new Uint8Array(0))).toBe('');
  });

  it('spells a part as it spells the same bytes alone, and is read back', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 90 }), fc.nat(90), fc.nat(90), (bytes, left, right) => {
        const from = Math.min(left, right, bytes.length);
        const to = Math.min(Math.max(left, right), bytes.length);
        expect(hexText(bytes, from, to)).toBe(hexText(bytes.slice(from, to)));
        expect(hexBytes(hexText(bytes))).toEqual(bytes);
      }),
    );
  });
});
