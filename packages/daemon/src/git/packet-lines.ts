// git's packet lines: four hexadecimal digits of length, then that many bytes less four; "0000" ends a section.
//
//   PL1. A packet is never longer than the format allows, and nothing is read beyond the packet that is asked for.

/** Largest payload of a packet. */
export const packetPayloadBytes = 65_516;

/** The end of a section. */
export const flushPacket: Buffer = Buffer.from('0000');

/** Bytes that are no packet lines. */
export class PacketError extends Error {
  override readonly name = 'PacketError';
}

/** One packet with this payload. */
export function packet(payload: string | Uint8Array): Buffer {
  const bytes = typeof payload === 'string' ? Buffer.from(payload, 'utf8') : payload;
  return Buffer.concat([Buffer.from((bytes.length + 4).toString(16).padStart(4, '0')), bytes]);
}

/** Reads packets, and then whatever follows them, from a stream of chunks (PL1). */
export class PacketReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** The payload of the next packet, "flush" at the end of a section, or null where the stream ends. */
  async next(): Promise<Buffer | 'flush' | null> {
    const head = await this.#take(4);
    if (head === null) return null;
    const text = head.toString('latin1');
    if (!/^[0-9a-f]{4}$/i.test(text)) throw new PacketError('a packet has no length');
    const length = Number.parseInt(text, 16);
    if (length === 0) return 'flush';
    if (length < 4 || length > packetPayloadBytes + 4) throw new PacketError(`a packet has the length ${length}`);
    const payload = await this.#take(length - 4);
    if (payload === null) throw new PacketError('a packet is cut off');
    return payload;
  }

  /** What follows the packets that were read. */
  async *rest(): AsyncGenerator<Buffer> {
    const held = this.#held;
    this.#held = Buffer.alloc(0);
    if (held.length > 0) yield held;
    for (;;) {
      const { value, done } = await this.#chunks.next();
      if (done === true) return;
      yield value;
    }
  }

  /** Exactly so many bytes, or null when the stream ended before the first of them. */
  async #take(bytes: number): Promise<Buffer | null> {
    while (this.#held.length < bytes) {
      const { value, done } = await this.#chunks.next();
      if (done === true) {
        if (this.#held.length === 0) return null;
        throw new PacketError('a packet is cut off');
      }
      this.#held = this.#held.length === 0 ? value : Buffer.concat([this.#held, value]);
    }
    const taken = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes);
    return taken;
  }
}
