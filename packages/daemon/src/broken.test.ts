// What becomes of a daemon whose own assumptions do not hold.

import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { startDaemon } from './main.ts';

const places: { remove(): void }[] = [];
afterEach(() => {
  for (const place of places.splice(0)) place.remove();
});

test('[MA5] [RC2] a trunk thread that is lost ends the process, with a line of the log that says so', async () => {
  const place = temporaryDirectory('firetrident-broken-');
  places.push(place);
  const lines: string[] = [];
  const ended = Promise.withResolvers<number>();
  const module = new URL('../../../tests/support/dying-room.ts', import.meta.url).href;
  const daemon = await startDaemon(
    { data: join(place.path, 'data'), port: 0, logLevel: 'error' },
    {
      environment: {},
      logStream: { write: (line) => lines.push(line) },
      faults: { roomModule: module, reached: () => undefined },
      exit: (code) => ended.resolve(code),
    },
  );
  const headers = { authorization: `Bearer ${daemon.adminToken}`, 'content-type': 'application/json' };
  const made = await fetch(`${daemon.url}/api/colonies`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ id: 'fragile', empty: true }),
  });
  expect(made.status).toBe(201);
  expect(await ended.promise).toBe(70);
  const line = JSON.parse(lines.find((each) => each.includes('assumption')) ?? '{}');
  expect(line).toMatchObject({ level: 50, problem: 'this thread was to die' });
  await daemon.stop();
}, 120_000);
