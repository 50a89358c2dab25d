// A process of hostile clients: connections that say half of something, frames over every bound, storms of reconnections,
// and readers that never read. They speak bytes, because no library would do what they do.
//
//   HO1. Its own work is bounded, so that what it costs others is the daemon's doing: each client does one thing and
//        pauses.
//   HO2. Without the process that started it, it ends.

import { connect, type Socket } from 'node:net';

/** What the process is sent at its beginning. */
export interface HostileRequest {
  readonly host: string;
  readonly port: number;
  readonly colony: string;
  /** Tokens of agents that are registered and mean harm. */
  readonly tokens: readonly string[];
  readonly counts: HostileCounts;
}

/** How many clients of each kind there are. */
export interface HostileCounts {
  readonly halfOpen: number;
  readonly oversized: number;
  readonly storming: number;
  readonly deaf: number;
}

/** What they did, and what was done to them. */
export interface HostileReport {
  readonly connections: number;
  /** Connections that the daemon ended or refused. */
  readonly cut: number;
  readonly upgrades: number;
  readonly megabytesSent: number;
  /** Calls of those that never read. */
  readonly unreadCalls: number;
}

/** Pause between two deeds of one client (HO1). */
const deedMs = 100;
const stormMs = 20;
/** What a client announces and sends of a frame that no agent may send. */
const oversizedBytes = 256 * 1024 * 1024;
/** A frame that is allowed, of which the end never comes. */
const endlessBytes = 48 * 1024 * 1024;
const chunk = Buffer.alloc(64 * 1024, 0x20);
const key = Buffer.alloc(16, 7).toString('base64');

class HostileProcess {
  readonly #request: HostileRequest;
  #connections = 0;
  #cut = 0;
  #upgrades = 0;
  #bytes = 0;
  #unreadCalls = 0;

  constructor(request: HostileRequest) {
    this.#request = request;
  }

  begin(): void {
    const { halfOpen, oversized, storming, deaf } = this.#request.counts;
    const each = (count: number, deed: (number: number) => void) => {
      for (let number = 0; number < count; number += 1) setTimeout(() => deed(number), (1_000 * number) / count);
    };
    each(halfOpen, (number) => this.#sayHalf(number));
    each(oversized, (number) => this.#sendTooMuch(number));
    each(storming, (number) => this.#storm(number));
    each(deaf, (number) => this.#callAndNeverRead(number));
  }

  get report(): HostileReport {
    return {
      connections: this.#connections,
      cut: this.#cut,
      upgrades: this.#upgrades,
      megabytesSent: Math.round(this.#bytes / 1_048_576),
      unreadCalls: this.#unreadCalls,
    };
  }

  /** Nothing, half of a head, or a head whose body never comes; again when it is cut. */
  #sayHalf(number: number): void {
    const { colony, tokens } = this.#request;
    const socket = this.#connect(() => setTimeout(() => this.#sayHalf(number), deedMs));
    const token = tokens[number % tokens.length];
    const halves = [
      '',
      `POST /api/colonies/${colony}/take HTTP/1.1\r\nhost: x\r\nauthori`,
      `POST /api/colonies/${colony}/take HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${token}\r\ncontent-type: application/json\r\ncontent-length: 900000\r\n\r\n{"half":`,
    ];
    socket.write(halves[number % halves.length] as string);
  }

  /** A frame over the bound, or one within it that never ends. */
  #sendTooMuch(number: number): void {
    const again = () => setTimeout(() => this.#sendTooMuch(number), deedMs);
    const socket = this.#upgrade(number, again, () => {
      const isEndless = number % 2 === 0;
      const length = isEndless ? endlessBytes : oversizedBytes;
      const head = Buffer.alloc(14);
      head[0] = 0x81;
      head[1] = 0x80 | 127;
      head.writeBigUInt64BE(BigInt(length), 2);
      socket.write(head);
      let sent = 0;
      const pour = () => {
        if (socket.destroyed || (isEndless && sent > length - 2 * chunk.length)) return;
        if (socket.writableLength === 0) {
          socket.write(chunk);
          sent += chunk.length;
          this.#bytes += chunk.length;
        }
        setTimeout(pour, 10);
      };
      pour();
    });
  }

  /** Opens a socket and leaves it at once, again and again. */
  #storm(number: number): void {
    const again = () => setTimeout(() => this.#storm(number), stormMs);
    const socket = this.#upgrade(number, again, () => socket.destroy());
  }

  /** Asks and asks, and never reads what is answered. */
  #callAndNeverRead(number: number): void {
    const again = () => setTimeout(() => this.#callAndNeverRead(number), deedMs);
    const socket = this.#upgrade(number, again, () => {
      socket.pause();
      const ask = () => {
        if (socket.destroyed) return;
        if (socket.writableLength === 0) {
          socket.write(unreadCalls);
          this.#unreadCalls += callsAtOnce;
        }
        setTimeout(ask, stormMs);
      };
      ask();
    });
  }

  #connect(ended: () => void): Socket {
    const { host, port } = this.#request;
    const socket = connect({ host, port });
    this.#connections += 1;
    socket.on('error', () => undefined);
    socket.once('end', () => {
      this.#cut += 1;
    });
    socket.once('close', ended);
    return socket;
  }

  #upgrade(number: number, ended: () => void, opened: () => void): Socket {
    const { colony, tokens } = this.#request;
    const socket = this.#connect(ended);
    socket.write(
      `GET /api/colonies/${colony}/live HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tokens[number % tokens.length]}\r\n` +
        `connection: Upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: ${key}\r\n\r\n`,
    );
    socket.once('data', (bytes) => {
      if (!bytes.toString('latin1').startsWith('HTTP/1.1 101')) return;
      this.#upgrades += 1;
      opened();
    });
    return socket;
  }
}

/** A masked text frame of a client, with a mask of zeros. */
function textFrame(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([Buffer.from([0x81, 0x80 | bytes.length, 0, 0, 0, 0]), bytes]);
}

const callsAtOnce = 5;
const unreadCalls = Buffer.concat(Array(callsAtOnce).fill(textFrame('{"id":1,"call":"nothing","body":{}}')));

process.on('message', (request: HostileRequest) => {
  const hostile = new HostileProcess(request);
  hostile.begin();
  setInterval(() => process.send?.(hostile.report), 250);
});
// (HO2)
process.on('disconnect', () => process.exit());
