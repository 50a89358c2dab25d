// `firetrident up`, and what every command says when there is no daemon, or not the right one.

import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/git-repository.ts';
import { until } from '../support/until.ts';
import { commandLine, expectCode, startCommandLine } from './command-line.ts';

const place = temporaryDirectory('firetrident-up-');
afterAll(() => place.remove());
const options = { directory: place.path };

async function up(data: string, ...more: string[]) {
  const running = startCommandLine(['up', '--data', data, '--port', '0', ...more], options);
  const ended = running.end.then(() => true);
  await until(async () => running.output().includes('\n') || (await Promise.race([ended, false])));
  return running;
}

describe('up', () => {
  it('prints one line of JSON when it serves, and shuts down cleanly at SIGTERM', async () => {
    const data = join(place.path, 'json');
    const running = await up(data, '--json');
    const { url, adminToken, pid } = JSON.parse(running.output());
    expect(pid).toBe(running.process.pid);
    expect(readFileSync(join(data, 'admin-token'), 'utf8').trim()).toBe(adminToken);
    expect(statSync(join(data, 'admin-token')).mode & 0o777).toBe(0o600);
    const answer = await fetch(`${url}/api/colonies`, { headers: { authorization: `Bearer ${adminToken}` } });
    expect(await answer.json()).toEqual({ colonies: [] });
    running.process.kill('SIGTERM');
    const end = await running.end;
    expect(end.code).toBe(0);
    expect(end.output.trim().split('\n')).toHaveLength(1);
    expect(existsSync(join(data, 'daemon.json'))).toBe(false);
  });

  it('tells a person where it serves, and stops at Ctrl-C', async () => {
    const data = join(place.path, 'text');
    const running = await up(data);
    await until(() => running.output().includes('Ctrl-C'));
    running.process.kill('SIGINT');
    const end = await running.end;
    expect(end.code).toBe(0);
    expect(end.output).toMatch(
      /^FireTrident serves at http:\/\/127\.0\.0\.1:[0-9]+\nData: .*\/text\nStop with Ctrl-C\.\n$/,
    );
  });

  it('refuses data that another daemon holds with a code of its own, and names the holder', async () => {
    const data = join(place.path, 'held');
    const running = await up(data, '--json');
    const second = await commandLine(['up', '--data', data, '--port', '0'], options);
    expect(second).toMatchObject({ code: 6, output: '' });
    expect(second.errors).toContain(`process ${running.process.pid} on`);
    // The first one goes on, and is still found.
    expect(JSON.parse(readFileSync(join(data, 'daemon.json'), 'utf8')).pid).toBe(running.process.pid);
    running.process.kill('SIGTERM');
    expect((await running.end).code).toBe(0);
  });

  it('refuses a port that is taken', async () => {
    const server = createServer();
    const port = await new Promise<number>((resolve) =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    );
    const end = await expectCode(1, ['up', '--data', join(place.path, 'port'), '--port', String(port)], options);
    expect(end.errors).toContain(`Port ${port} of 127.0.0.1 is taken.`);
    server.close();
  });

  it('is found by nobody any more after it was killed, and starts again', async () => {
    const data = join(place.path, 'killed');
    const running = await up(data, '--json');
    running.process.kill('SIGKILL');
    await running.end;
    const end = await expectCode(3, ['status', '--data', data], options);
    expect(end.errors).toMatch(/^error: no answer from http/);
    const again = await up(data);
    expect(again.output()).toContain(
      'The daemon before this one was killed. Everything that it had confirmed is there',
    );
    expect((await expectCode(1, ['status', '--data', data], options)).errors).toBe(
      'error: there is no colony yet\nhint: make one with: firetrident init\n',
    );
    again.process.kill('SIGTERM');
    expect((await again.end).code).toBe(0);
  });
});

describe('wrong usage', () => {
  it.each([
    ['an unknown command', ['fly'], "error: unknown command 'fly'"],
    ['an unknown option', ['status', '--fast'], "error: unknown option '--fast'"],
    ['a port that is none', ['up', '--port', '99999'], 'It must be a whole number from 0 to 65535.'],
    ['a limit that is no number', ['landings', '--limit', 'many'], 'It must be a whole number from 1 to 1000.'],
    ['a place without a line', ['why', 'src/a.ts'], 'It must be a path and a line, such as src/parse.ts:40.'],
    [
      'a duration that is none',
      ['take', '--wait', 'long'],
      'It must be a duration such as 90s, 10m or 1h, up to 7 days.',
    ],
    ['an id of another kind', ['take', '--intent', 'prp_1'], 'It must be an id that begins with int_.'],
    ['a state that is none', ['intents', 'list', '--state', 'lost'], 'Allowed choices are open, taken'],
    ['agents that are none', ['run', '--agents', '0', 'true'], 'It must be a whole number from 1 to 10000.'],
    ['no command to run', ['run'], "error: missing required argument 'command'"],
    ['an address that is none', ['status', '--url', 'here'], '"here" is no address of a daemon'],
    ['an address without a token', ['status', '--url', 'http://127.0.0.1:1'], 'FT_TOKEN is not set'],
    ['a proposal from nowhere', ['propose'], 'no intent is worked on here'],
  ])('%s is refused before anything happens', async (_, args, message) => {
    const end = await expectCode(2, args, options);
    expect(end.output).toBe('');
    expect(end.errors).toContain(message);
    expect(end.errors).not.toContain('    at ');
  });

  it('shows help where it is asked for', async () => {
    const end = await expectCode(0, ['run', '--help'], options);
    expect(end.output).toContain('Usage: firetrident run [options] <command...>');
    expect(end.output).toContain('FT_INTENT_TITLE');
  });
});

describe('without a daemon', () => {
  it('a command says which data it looked for, and how to start one', async () => {
    const end = await expectCode(3, ['status'], options);
    expect(end.errors).toBe(
      `error: no daemon serves ${join(place.path, '.firetrident')}\nhint: start one with: firetrident up\n`,
    );
  });

  it('an address where nobody answers has the same code', async () => {
    const environment = { FT_URL: 'http://127.0.0.1:1', FT_TOKEN: 'x' };
    const end = await expectCode(3, ['landings', '--json'], { ...options, environment });
    expect(end.errors).toContain('error: no answer from http://127.0.0.1:1');
  });

  it('a file that says nothing about a daemon is told', async () => {
    mkdirSync(join(place.path, 'broken'));
    writeFileSync(join(place.path, 'broken/daemon.json'), '{}');
    const end = await expectCode(1, ['status', '--data', 'broken'], options);
    expect(end.errors).toContain('daemon.json names no address');
  });
});
