// Connections that have not said yet what they want: bounded, so that silence takes nobody's place.
//
//   HF1. Of more connections than the bound that have not sent the whole head of a request, the oldest is cut.
//   HF2. A connection that has asked for something is no longer counted, whatever became of that.

import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Keeps a server's half-open connections within a bound (HF1); `cut` hears of each that is ended. */
export function boundHalfOpen(server: Server, bound: number, cut: () => void): void {
  const silent = new Set<Socket>();
  server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
    if (silent.size <= bound) return;
    for (const oldest of silent) {
      silent.delete(oldest);
      oldest.destroy();
      cut();
      return;
    }
  });
  // (HF2)
  const spoke = (request: { readonly socket: Socket }) => void silent.delete(request.socket);
  server.prependListener('request', spoke);
  server.prependListener('upgrade', spoke);
}
