// Connections that have not said yet what they want: bounded, so that silence takes nobody's place.
//
//   HF1. Of more connections than the bound that have not sent the whole head of a request, the oldest is cut, unless it
//        came just now: whoever arrives in a crowd, or while the daemon is held up, has had no chance to speak.
//   HF2. A connection that has asked for something is no longer counted, whatever became of that.
//   HF3. A connection that has not sent the whole head of its first request is cut after ten looks, a second apart. Looks are counted, not
//        time: while the machine holds the daemon up there is none, and nobody is to blame for that.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What a connection is given at least to say what it wants. */
const graceMs = 2_000;

/** How often silent connections are looked at, and how many looks one stays silent for (HF3). */
const usualLookMs = 1_000;
const looksAtMost = 10;

/** Where the bound stands, what tells the time, and who hears of each connection that is ended. */
export interface HalfOpenBound {
  readonly connections: number;
  /** Time from one look at silent connections to the next: a second unless told otherwise. */
  readonly lookMs?: number;
  readonly elapsed: () => number;
  readonly cut: () => void;
}

/** Keeps a server's half-open connections within a bound (HF1). */
export function boundHalfOpen(
  server: Server,
  { connections, elapsed, cut, lookMs = usualLookMs }: HalfOpenBound,
): void {
  const silent = new Map<Socket, { readonly since: number; readonly sinceLook: number; readonly forget: () => void }>();
  let looks = 0;
  const end = (socket: Socket) => {
    silent.delete(socket);
    socket.destroy();
    cut();
  };
  server.on('connection', (socket) => {
    const forget = () => void silent.delete(socket);
    silent.set(socket, { since: elapsed(), sinceLook: looks, forget });
    socket.on('close', forget);
    if (silent.size <= connections) return;
    for (const [oldest, { since }] of silent) {
      if (elapsed() - since < graceMs) return;
      end(oldest);
      return;
    }
  });
  const look = setInterval(() => {
    looks += 1;
    for (const [oldest, { sinceLook }] of silent) {
      if (looks - sinceLook <= looksAtMost) return;
      end(oldest);
    }
  }, lookMs).unref();
  server.once('close', () => clearInterval(look));
  // (HF2) Whoever spoke is not listened to any more: thousands stay connected for long.
  const spoke = ({ socket }: { readonly socket: Socket }) => {
    const known = silent.get(socket);
    if (known === undefined) return;
    socket.off('close', known.forget);
    silent.delete(socket);
  };
  server.prependListener('request', spoke);
  server.prependListener('upgrade', spoke);
}
