// The live stream: events as they happen, resumed after a break without gap or repetition.
//
// Invariants:
//   LV1. Frames are delivered once each, in order of `seq`, across reconnections.

import { type LiveFrame, liveFrame } from '@firetrident/protocol';
import WebSocket from 'ws';

export interface LiveSettings {
  readonly url: string;
  readonly token: string;
  readonly colony: string;
  /** The last sequence that is known already; 0 replays everything. Left out: only what happens from now on. */
  readonly after?: number;
  readonly onFrame: (frame: LiveFrame) => void;
  /** The stream broke and will be opened again; `reason` is for a person. */
  readonly onBreak?: (reason: string) => void;
}

/** Pause before a broken stream is opened again. */
const reopenMs = 500;

/** Opens the stream and keeps it open until `close`. */
export function openLive(settings: LiveSettings): { close(): void } {
  let last = settings.after;
  let closed = false;
  let socket: WebSocket | null = null;
  const open = () => {
    const base = settings.url.replace(/^http/, 'ws').replace(/\/+$/, '');
    const query = last === undefined ? '' : `?after=${last}`;
    const headers = { authorization: `Bearer ${settings.token}` };
    socket = new WebSocket(`${base}/api/colonies/${encodeURIComponent(settings.colony)}/live${query}`, {
      headers,
      perMessageDeflate: false,
    });
    socket.on('message', (data) => {
      const parsed = liveFrame.safeParse(JSON.parse(String(data)));
      // (LV1)
      if (!parsed.success || (last !== undefined && parsed.data.seq <= last)) return;
      last = parsed.data.seq;
      settings.onFrame(parsed.data);
    });
    socket.on('error', (error) => settings.onBreak?.(error.message));
    socket.on('close', (code) => {
      if (closed) return;
      settings.onBreak?.(`closed with code ${code}`);
      setTimeout(() => closed || open(), reopenMs);
    });
  };
  open();
  return {
    close() {
      closed = true;
      socket?.close();
    },
  };
}
