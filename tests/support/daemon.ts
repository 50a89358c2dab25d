// A real daemon in the test's own process, on a data directory of its own, and plain calls to it.

import { join } from 'node:path';
import { type DaemonOptions, type RunningDaemon, type StartSurroundings, startDaemon } from '@firetrident/daemon';
import { temporaryDirectory } from './git-repository.ts';

/** An answer: the status, the parsed JSON (null when there is none), the bytes and the headers. */
export interface TestAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies that they themselves judge
  readonly body: any;
  readonly bytes: Buffer;
  readonly headers: Headers;
}

/** A daemon for tests. */
export interface TestDaemon {
  readonly url: string;
  readonly adminToken: string;
  /** A directory for the test's files; it goes away with `stop`. */
  readonly directory: string;
  /** The daemon's data directory. */
  readonly data: string;
  readonly running: RunningDaemon;
  /** Log lines so far. */
  readonly log: readonly string[];
  /** Makes a call. `token` null sends none; left out, the administrator's is sent. */
  call(method: string, path: string, body?: unknown, token?: string | null): Promise<TestAnswer>;
  /** Makes a call that must answer with this status; gives its body. */
  expect(
    status: number,
    method: string,
    path: string,
    body?: unknown,
    token?: string | null,
  ): Promise<TestAnswer['body']>;
  /** Stops the daemon and starts it again on the same data. */
  restart(): Promise<void>;
  /** Stops the daemon and removes its files. */
  stop(): Promise<void>;
}

async function request(url: string, method: string, body: unknown, token: string | null): Promise<TestAnswer> {
  const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` };
  const isRaw = body instanceof Uint8Array;
  if (body !== undefined && !isRaw) headers['content-type'] = 'application/json';
  const sent = body === undefined ? {} : { body: isRaw ? (body as Uint8Array<ArrayBuffer>) : JSON.stringify(body) };
  const response = await fetch(url, { method, headers, ...sent });
  const bytes = Buffer.from(await response.arrayBuffer());
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true && bytes.length > 0;
  return {
    status: response.status,
    body: isJson ? JSON.parse(bytes.toString('utf8')) : null,
    bytes,
    headers: response.headers,
  };
}

/** Starts a daemon on any free port, without the environment's settings. */
export async function startTestDaemon(
  options: Partial<DaemonOptions> = {},
  faults?: StartSurroundings['faults'],
): Promise<TestDaemon> {
  const place = temporaryDirectory('firetrident-daemon-');
  const data = options.data ?? join(place.path, 'data');
  const log: string[] = [];
  const start = () =>
    startDaemon(
      { port: 0, logLevel: 'info', ...options, data },
      {
        environment: {},
        logStream: { write: (line) => log.push(line) },
        ...(faults === undefined ? {} : { faults }),
      },
    );
  let running = await start();
  const call: TestDaemon['call'] = (method, path, body, token = running.adminToken) =>
    request(`${running.url}${path}`, method, body, token);
  return {
    get url() {
      return running.url;
    },
    get running() {
      return running;
    },
    adminToken: running.adminToken,
    directory: place.path,
    data,
    log,
    call,
    expect: async (status, method, path, body, token) => {
      const answer = await call(method, path, body, token);
      if (answer.status === status) return answer.body;
      throw new Error(`${method} ${path} answered ${answer.status}, not ${status}: ${answer.bytes.toString('utf8')}`);
    },
    restart: async () => {
      await running.stop();
      running = await start();
    },
    stop: async () => {
      await running.stop();
      place.remove();
    },
  };
}
