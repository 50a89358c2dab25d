import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@firetrident/client';
import type { ColonyResponse } from '@firetrident/protocol';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../../../tests/support/daemon.ts';
import { git, makeRepository } from '../../../../tests/support/git-repository.ts';
import { judge } from './verdicts.ts';

let daemon: TestDaemon;
let client: Client;
let tree = '';

beforeAll(async () => {
  daemon = await startTestDaemon();
  client = new Client({ url: daemon.url, token: daemon.adminToken });
  const path = join(daemon.directory, 'source');
  makeRepository(path, { 'a.txt': 'one\ntwo\n' });
  await client.call('createColony', { body: { id: 'web', repo: { path } } });
  const parts = { colony: 'web' };
  await client.call('createIntents', { parts, body: { intents: [{ title: 'Only one' }] } });
  const { token } = await client.call('registerAgent', { parts, body: { name: 'ada' } });
  const agent = new Client({ url: daemon.url, token });
  const taken = await agent.call('take', { parts, body: {} });
  if (!('intent' in taken)) throw new Error('there is an intent to take');
  const { id: lease, epoch } = taken.lease;
  const writes = [{ path: 'a.txt', content: 'ONE\ntwo\n' }];
  const body = { lease, epoch, base: taken.base.commit, writes };
  await agent.call('propose', { parts, body, query: { waitMs: 60_000 } });
  const { repository } = await facts();
  tree = git(repository, ['rev-parse', 'main^{tree}']).trim();
});
afterAll(() => daemon.stop());

const facts = (): Promise<ColonyResponse> => client.call('readColony', { parts: { colony: 'web' } });

async function failing(changed: { intents?: number; serialTree?: string } = {}): Promise<string[]> {
  const settings = { client, facts: await facts(), intents: 1, flawsBefore: '', serialTree: tree, ...changed };
  const { verdicts } = await judge(settings);
  expect(verdicts).toHaveLength(5);
  return verdicts.filter((verdict) => !verdict.ok).map((verdict) => verdict.what);
}

describe('the verdicts on a run', () => {
  it('are all good, with a line that can be asked about, when it is', async () => {
    expect(await failing()).toEqual([]);
    const { example } = await judge({ client, facts: await facts(), intents: 1, flawsBefore: '', serialTree: tree });
    expect(example?.place).toBe('a.txt:1');
  });

  it('fail when an intent is not done, and when the tree is another', async () => {
    expect(await failing({ intents: 2 })).toEqual(['every intent is done']);
    expect(await failing({ serialTree: '0'.repeat(40) })).toEqual(['the same tree as one at a time']);
  });

  it('fail when a note or an object is gone', async () => {
    const { repository } = await facts();
    const notes = git(repository, ['rev-parse', 'refs/notes/firetrident']).trim();
    git(repository, ['update-ref', '-d', 'refs/notes/firetrident']);
    expect(await failing()).toContain('every landing has its commit and its note');
    git(repository, ['update-ref', 'refs/notes/firetrident', notes]);
    const broken = join(repository, 'refs/heads/broken');
    writeFileSync(broken, `${'12'.repeat(20)}\n`);
    expect(await failing()).toEqual(['git fsck --strict']);
    rmSync(broken);
    expect(await failing()).toEqual([]);
  });
});
