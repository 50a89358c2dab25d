// Command agents on a real daemon that hear, in the middle of their work, that their ground has moved.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@firetrident/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../../tests/support/daemon.ts';
import { git } from '../../../tests/support/git-repository.ts';
import { Scene } from '../../../tests/support/scene.ts';
import type { AgentEvent } from './agent-event.ts';
import { runFleet } from './fleet.ts';
import type { HeadsUpPolicy } from './heads-up-desk.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.stop());

/** Runs one agent whose command is in the middle of its work while a landing changes what it claims. */
async function overtaken(policy: HeadsUpPolicy): Promise<{ events: AgentEvent[]; own: string }> {
  const scene = await Scene.open(daemon, policy, { 'src/a.txt': 'before\n' });
  await scene.intent('Copies a', { paths: ['src/**'] });
  const go = join(daemon.directory, `go-${policy}`);
  const events: AgentEvent[] = [];
  const heard = Promise.withResolvers<void>();
  const taken = Promise.withResolvers<void>();
  const fleet = runFleet({
    client: new Client({ url: daemon.url, token: daemon.adminToken }),
    colony: policy,
    agents: 1,
    command: [`until [ -e ${go} ]; do sleep 0.02; done; cp src/a.txt src/own.txt`],
    labels: [],
    directory: join(daemon.directory, `fleet-${policy}`),
    timeoutMs: 60_000,
    maxRepairs: 3,
    headsUp: policy,
    signal: new AbortController().signal,
    onEvent: (event) => {
      events.push(event);
      if (event.kind === 'taken') taken.resolve();
      if (event.kind === 'heads-up') heard.resolve();
    },
  });
  await taken.promise;
  await scene.land('Changes a', [{ path: 'src/a.txt', content: 'after\n' }]);
  await heard.promise;
  writeFileSync(go, '');
  await fleet;
  return { events, own: git(scene.repository, ['show', 'main:src/own.txt']) };
}

describe('a command agent that hears of a landing', () => {
  it('[HD1] finishes its work on what it began with, and tells its runner', async () => {
    const { events, own } = await overtaken('finish');
    const told = { kind: 'heads-up', paths: ['src/a.txt'], causes: ['Changes a'], merged: false };
    expect(events.filter(({ kind }) => kind === 'heads-up')).toMatchObject([told]);
    expect(own).toBe('before\n');
    expect(events.filter(({ kind }) => kind === 'landed')).toHaveLength(1);
  });

  it('[HD2] merges it in at once when it is to, so that the rest of its work sees it', async () => {
    const { events, own } = await overtaken('merge');
    expect(events.filter(({ kind }) => kind === 'heads-up')).toMatchObject([{ merged: true }]);
    expect(own).toBe('after\n');
  });
});
