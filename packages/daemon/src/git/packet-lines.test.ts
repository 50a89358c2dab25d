// Packet lines: whatever was packed comes out again, however the bytes arrive; and what is none is said to be none.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { flushPacket, PacketError, PacketReader, packet } from './packet-lines.ts';

async function* inPieces(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function readAll(bytes: Buffer, size: number): Promise<{ packets: (string | 'flush')[]; rest: string }> {
  const reader = new PacketReader(inPieces(bytes, size));
  const packets: string[] = [];
  for (let next = await reader.next(); next !== 'flush' && next !== null; next = await reader.next()) {
    packets.push(next.toString('utf8'));
  }
  const rest: Buffer[] = [];
  for await (const chunk of reader.rest()) rest.push(chunk);
  return { packets, rest: Buffer.concat(rest).toString('utf8') };
}

test('[PL1] packets come out as they went in, and what follows them is left whole', async () => {
  const texts = fc.array(fc.string({ maxLength: 200 }), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(texts, fc.string(), fc.integer({ min: 1, max: 9 }), async (packets, rest, size) => {
      const bytes = Buffer.concat([...packets.map((text) => packet(text)), flushPacket, Buffer.from(rest)]);
      const sent = {
        packets: packets.map((text) => Buffer.from(text).toString('utf8')),
        rest: Buffer.from(rest).toString(),
      };
      expect(await readAll(bytes, size)).toEqual(sent);
    }),
  );
});

test.each(['zzzz', '0003', 'fff5', '0009ab', '00'])('[PL1] %j is no packet', async (text) => {
  await expect(readAll(Buffer.from(text), 1)).rejects.toThrow(PacketError);
});
