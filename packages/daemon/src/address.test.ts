// Addresses: every name that git can hold can be asked for, and nothing else gets through.

import { pathText } from '@firetrident/base';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchAddress, percentBytes, splitTarget } from './address.ts';

const files = '/api/colonies/:colony/files/*path';

function encoded(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('');
}

describe('addresses', () => {
  test('[AD1] every byte string comes through as the path it is', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 40 }), (bytes) => {
        const parts = matchAddress(files, `/api/colonies/web/files/${encoded(bytes)}`);
        expect(parts).toEqual({ segments: { colony: 'web' }, path: pathText(bytes) });
      }),
    );
  });

  test('[AD1] plain names need no escapes, and dots are not folded', () => {
    expect(matchAddress(files, '/api/colonies/web/files/a/../b c')?.path).toBe('a/../b c');
    expect(matchAddress(files, '/api/colonies/web/files/')?.path).toBe('');
    expect(matchAddress(files, '/api/colonies/web/files')?.path).toBe('');
    expect(matchAddress(files, '/api/colonies/web/files//etc/passwd')?.path).toBe('/etc/passwd');
  });

  test.each([
    ['/api/colonies/web/files/%'],
    ['/api/colonies/web/files/%4'],
    ['/api/colonies/web/files/%zz'],
    ['/api/colonies//files/a'],
    ['/api/colonies/%ff/files/a'],
    ['/api/colonies/web'],
    ['/other'],
  ])('%s does not match', (path) => {
    expect(matchAddress(files, path)).toBeNull();
  });

  test('segments are decoded and must all be there', () => {
    const pattern = '/api/colonies/:colony/landings/:landing/revert';
    expect(matchAddress(pattern, '/api/colonies/a%20b/landings/lnd_1/revert')?.segments).toEqual({
      colony: 'a b',
      landing: 'lnd_1',
    });
    expect(matchAddress(pattern, '/api/colonies/a/landings/lnd_1/revert/more')).toBeNull();
  });

  test('escapes are bytes', () => {
    expect(percentBytes('%00%FFa')).toEqual(Uint8Array.from([0, 255, 97]));
    expect(percentBytes('100%')).toBeNull();
  });

  test('a target is split at its first question mark, in absolute form too', () => {
    expect(splitTarget('/a?b=c?d')).toEqual({ path: '/a', query: 'b=c?d' });
    expect(splitTarget('http://host:1/a?b')).toEqual({ path: '/a', query: 'b' });
    expect(splitTarget('/a')).toEqual({ path: '/a', query: '' });
  });
});
