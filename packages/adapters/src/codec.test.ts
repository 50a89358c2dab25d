// The codec of Node and the plain one agree with each other and with known values.

import { deflateSync } from 'node:zlib';
import { hexText, utf8 } from '@firetrident/base';
import { plainCodec } from '@firetrident/trunk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nodeCodec } from './codec.ts';

describe.each([
  ['nodeCodec', nodeCodec],
  ['plainCodec', plainCodec],
])('%s', (_, codec) => {
  it('computes the known values of SHA-1 and CRC-32', () => {
    expect(hexText(codec.sha1([utf8('abc')]))).toBe('a9993e364706816aba3e25717850c26c9cd0d89d');
    expect(hexText(codec.sha1([utf8('a'), utf8(''), utf8('bc')]))).toBe('a9993e364706816aba3e25717850c26c9cd0d89d');
    expect(hexText(codec.sha1([]))).toBe('da39a3ee5e6b4b0d3255bfef95601890afd80709');
    expect(codec.crc32(utf8('123456789'))).toBe(0xcbf43926);
  });

  it('reads uncompressed streams, with the length known or not, and ignores what follows', () => {
    const content = new Uint8Array(150_000).map((_, index) => index % 251);
    const stream = deflateSync(content, { level: 0 });
    const followed = Buffer.concat([stream, utf8('more')]);
    for (const size of [content.length, null]) {
      const result = codec.inflate(followed, size);
      expect(result && Buffer.compare(result.bytes, content)).toBe(0);
      expect(result?.consumed).toBe(stream.length);
    }
    expect(codec.inflate(followed, content.length - 1)).toBeNull();
    expect(codec.inflate(followed, content.length + 1)).toBeNull();
    expect(codec.inflate(stream.subarray(0, -1), content.length)).toBeNull();
    expect(codec.inflate(utf8('not zlib at all'), 4)).toBeNull();
    expect(codec.inflate(new Uint8Array(0), 0)).toBeNull();
  });
});

describe('nodeCodec', () => {
  it('reads compressed streams exactly, and calls damage null', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5000 }), fc.nat(), (content, at) => {
        const stream = deflateSync(content);
        expect(nodeCodec.inflate(Buffer.concat([stream, content]), content.length)).toEqual({
          bytes: Buffer.from(content),
          consumed: stream.length,
        });
        const place = at % stream.length;
        const damaged = Uint8Array.from(stream);
        damaged[place] = (damaged[place] as number) ^ 0xff;
        expect(nodeCodec.inflate(damaged, content.length)).toBeNull();
      }),
    );
  });

  it('agrees with the plain codec', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.uint8Array({ maxLength: 300 }), (left, right) => {
        expect(Uint8Array.from(nodeCodec.sha1([left, right]))).toEqual(plainCodec.sha1([left, right]));
        expect(Uint8Array.from(nodeCodec.sha1([left]))).toEqual(plainCodec.sha1([left]));
        expect(nodeCodec.crc32(left)).toBe(plainCodec.crc32(left));
      }),
    );
  });
});
