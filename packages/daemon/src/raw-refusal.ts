// An error answered on a bare connection: before there is a request, or instead of an upgrade.

import type { Duplex } from 'node:stream';
import { type ErrorFacts, errorCatalogue } from '@firetrident/protocol';

/** Writes the error as an HTTP answer and ends the connection. */
export function refuseRaw(stream: Duplex, error: ErrorFacts): void {
  if (!stream.writable) {
    stream.destroy();
    return;
  }
  const body = JSON.stringify({ error });
  const { status } = errorCatalogue[error.code];
  stream.end(
    `HTTP/1.1 ${status} ${error.code}\r\ncontent-type: application/json; charset=utf-8\r\nconnection: close\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
