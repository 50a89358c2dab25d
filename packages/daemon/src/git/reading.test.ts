// A reader that stands still.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerReading } from './reading.ts';

const place = mkdtempSync(join(tmpdir(), 'reading-'));
const endings: unknown[] = [];
let server: Server;
beforeAll(async () => {
  execFileSync('git', ['init', '-q', '--bare', place]);
  server = createServer((incoming, outgoing) => {
    const served = answerReading(place, incoming, outgoing, 100);
    served.then(
      () => endings.push('served'),
      (error: NodeJS.ErrnoException) => endings.push(error.code),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(() => {
  server.close();
  rmSync(place, { recursive: true, force: true });
});

test('[RD3] a reader that sends nothing more loses its connection, and its place with it', async () => {
  const { port } = server.address() as AddressInfo;
  const ended = await new Promise((resolve) => {
    const call = request({ host: '127.0.0.1', port, method: 'POST', headers: { 'content-length': 1_000 } });
    call.on('error', () => resolve('cut'));
    call.on('response', (response) => {
      response.on('error', () => resolve('cut'));
      response.on('end', () => resolve('ended'));
      response.resume();
    });
    // A packet that is not whole: git waits for the rest.
    call.write('0032want');
  });
  expect(ended).toBe('cut');
  while (endings.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(endings).not.toContain('served');
});
