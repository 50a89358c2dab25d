// Colonies kept in step with a repository elsewhere: over HTTP and by path, with others who push there too.

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { GitClone } from '../support/git-client.ts';
import { git } from '../support/git-repository.ts';
import { Scene } from '../support/scene.ts';
import { UpstreamServer } from './upstream-server.ts';

// Stock git is a process for each step; a machine that is busy takes long to start them all.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let daemon: TestDaemon;
let server: UpstreamServer;
let names = 0;
beforeAll(async () => {
  daemon = await startTestDaemon();
  const root = join(daemon.directory, 'upstreams');
  mkdirSync(root);
  server = await UpstreamServer.start(root);
});
afterAll(async () => {
  await daemon.stop();
  await server.stop();
});

// What a test leaves behind would go on looking at its upstream.
afterEach(async () => {
  server.isUp = true;
  server.onCall = () => undefined;
  for (const { id } of daemon.running.colonies.list())
    await daemon.expect(200, 'DELETE', `/api/colonies/${id}/upstream`);
});

const often = { pushesPerMinute: 300 };

interface Place {
  /** The upstream's own directory. */
  readonly directory: string;
  readonly url: string;
  /** Somebody who pushes there without knowing of any colony. */
  readonly stranger: GitClone;
}

/** An upstream with one commit, reached over HTTP where that matters; strangers always push by path, which is cheaper. */
async function place(by: 'http' | 'path' = 'path'): Promise<Place> {
  names += 1;
  const name = `repository-${names}.git`;
  const directory = server.make(name);
  const url = by === 'http' ? server.url(name) : directory;
  const stranger = await GitClone.of(directory, join(daemon.directory, `stranger-${names}`), 'Stranger');
  await stranger.git('symbolic-ref', 'HEAD', 'refs/heads/main');
  // Made in the same second, two commits of the same content would be one, and their repositories related.
  await stranger.commit('First', { 'README.md': `# Elsewhere ${names}\n`, 'hot.txt': 'one\ntwo\nthree\n' });
  await stranger.git('push', '-q', 'origin', 'main');
  return { directory, url, stranger };
}

/** A colony of an upstream, in step with it. */
async function colonyOf({ url }: Place, id: string, more: object = {}): Promise<Scene> {
  await daemon.expect(201, 'POST', '/api/colonies', { id, repo: { url } });
  const scene = await Scene.of(daemon, id);
  await scene.expect(200, 'PUT', '/upstream', { url, ...often, ...more });
  return scene;
}

async function until<T>(ask: () => T | Promise<T>, holds: (answer: T) => boolean): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (holds(answer)) return answer;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Lets a colony rest, or go on, so that both sides can move at the same time. */
function pause(scene: Scene, paused: boolean) {
  return scene.expect(200, 'PATCH', '/upstream', { paused });
}

/** The server is there again, and nobody waits until the back-off is over. */
async function recover(scene: Scene): Promise<void> {
  server.isUp = true;
  await scene.expect(200, 'POST', '/upstream/retry');
}

function stateOf(scene: Scene, wanted: string) {
  const ask = async () => (await scene.expect(200, 'GET', '/upstream')).upstream;
  return until(ask, ({ state }) => state === wanted);
}

function tipOf(directory: string): string {
  return git(directory, ['rev-parse', 'refs/heads/main']).trim();
}

/** First-parent subjects of trunk, oldest first. */
function subjects(directory: string): string[] {
  return git(directory, ['log', '--first-parent', '--reverse', '--format=%s', 'main']).trim().split('\n');
}

test('[RR4] an upstream has its password from nobody who can see what runs on the machine', async () => {
  const elsewhere = await place('http');
  let calls = 0;
  const shown: string[] = [];
  server.onCall = () => {
    calls += 1;
    const running = execFileSync('ps', ['-A', '-o', 'args=']).toString().split('\n');
    shown.push(...running.filter((line) => line.includes('keeper') || line.includes('secret')));
  };
  const scene = await colonyOf(elsewhere, 'whispering');
  const landed = await scene.land('Whispered', [{ path: 'whisper.txt', content: 'x\n' }]);
  await until(
    () => tipOf(elsewhere.directory),
    (tip) => tip === landed.commit,
  );
  server.onCall = () => undefined;
  expect(calls).toBeGreaterThan(0);
  expect(shown).toEqual([]);
});

describe('a mirror', () => {
  test('is pushed with its notes, and what others push there is an external landing with its causes', async () => {
    const elsewhere = await place('http');
    const scene = await colonyOf(elsewhere, 'mirror');
    const landed = await scene.land('From here', [{ path: 'here.txt', content: 'here\n' }]);
    await until(
      () => tipOf(elsewhere.directory),
      (tip) => tip === landed.commit,
    );
    const note = git(elsewhere.directory, ['notes', '--ref', 'firetrident', 'show', landed.commit]);
    expect(JSON.parse(note).landings[0].landing).toBe(landed.landing);
    const lease = await scene.take('Late');
    await elsewhere.stranger.git('pull', '-q', '--no-rebase');
    const foreign = await elsewhere.stranger.commit('From there', { 'hot.txt': 'one\nTWO\nthree\n' });
    await elsewhere.stranger.git('push', '-q', 'origin', 'main');
    await until(
      () => scene.tip(),
      (tip) => tip === foreign,
    );
    const ask = async () => (await scene.expect(200, 'GET', '/landings?limit=1')).landings[0];
    const external = await until(ask, ({ title }) => title === 'From there');
    const status = await scene.outcome(lease, scene.propose(lease, [{ path: 'hot.txt', content: 'one\n2\nthree\n' }]));
    expect(status.brief.writes[0]).toMatchObject({ landing: external.landing, intent: { title: 'From there' } });
    const { upstream } = await scene.expect(200, 'GET', '/upstream');
    expect(upstream.url).not.toContain('secret');
  });

  test('takes in what diverged as one merge whose first parent is trunk, and tells of what cannot be merged', async () => {
    const elsewhere = await place();
    const scene = await colonyOf(elsewhere, 'diverging');
    await pause(scene, true);
    const landed = await scene.land('Own', [{ path: 'own.txt', content: 'own\n' }]);
    await elsewhere.stranger.commit('Theirs', { 'theirs.txt': 'theirs\n' });
    await elsewhere.stranger.git('push', '-q', 'origin', 'main');
    await pause(scene, false);
    expect(subjects(scene.repository)).toEqual(['First', 'Own', 'Merge upstream: Theirs']);
    expect(git(scene.repository, ['rev-parse', 'main^1']).trim()).toBe(landed.commit);
    await until(
      () => tipOf(elsewhere.directory),
      (tip) => tip === scene.tip(),
    );
    await pause(scene, true);
    await scene.land('Own line', [{ path: 'hot.txt', content: 'one\nown\nthree\n' }]);
    await elsewhere.stranger.git('pull', '-q', '--rebase');
    await elsewhere.stranger.commit('Their line', { 'hot.txt': 'one\ntheirs\nthree\n' });
    await elsewhere.stranger.git('push', '-q', 'origin', 'main');
    const before = tipOf(elsewhere.directory);
    await pause(scene, false);
    const { problem } = await stateOf(scene, 'conflict');
    expect(problem).toContain('conflicts with trunk in hot.txt');
    const { attention } = await scene.expect(200, 'GET', '/attention');
    expect(attention.filter(({ kind }: { kind: string }) => kind === 'upstream')).toHaveLength(1);
    expect(tipOf(elsewhere.directory)).toBe(before);
    // A person merges by hand, and pushes that there.
    await elsewhere.stranger.git('fetch', '-q', scene.repository, 'main');
    await elsewhere.stranger.run('merge', 'FETCH_HEAD');
    await elsewhere.stranger.commit('By hand', { 'hot.txt': 'one\nown and theirs\nthree\n' });
    await elsewhere.stranger.git('push', '-q', 'origin', 'main');
    await scene.expect(200, 'POST', '/upstream/retry');
    await stateOf(scene, 'in-step');
    expect(git(scene.repository, ['show', 'main:hot.txt'])).toBe('one\nown and theirs\nthree\n');
    expect(subjects(scene.repository)).toContain('Own line');
    const over = await until(
      async () => (await scene.expect(200, 'GET', '/attention')).attention,
      (items) => items.length === 0,
    );
    expect(over).toEqual([]);
  });

  test('that was rewritten or says no is never pushed over, and is told by name', async () => {
    const elsewhere = await place();
    const scene = await colonyOf(elsewhere, 'rewritten');
    const landed = await scene.land('Landed', [{ path: 'landed.txt', content: 'landed\n' }]);
    await until(
      () => tipOf(elsewhere.directory),
      (tip) => tip === landed.commit,
    );
    await elsewhere.stranger.commit('Another past', { 'past.txt': 'past\n' });
    await elsewhere.stranger.git('push', '-q', '--force', 'origin', 'main');
    const rewritten = tipOf(elsewhere.directory);
    expect((await stateOf(scene, 'rewritten')).problem).toContain('history was rewritten');
    await scene.land('Goes on', [{ path: 'on.txt', content: 'on\n' }]);
    expect(tipOf(elsewhere.directory)).toBe(rewritten);
    // Named again, it is accepted: both sides are kept.
    await scene.expect(200, 'PUT', '/upstream', { url: elsewhere.url, ...often });
    await stateOf(scene, 'in-step');
    expect(subjects(elsewhere.directory)).toContain('Goes on');
    const hook = join(elsewhere.directory, 'hooks', 'pre-receive');
    mkdirSync(join(elsewhere.directory, 'hooks'), { recursive: true });
    writeFileSync(hook, '#!/bin/sh\nexit 1\n');
    chmodSync(hook, 0o755);
    await scene.land('Refused there', [{ path: 'refused.txt', content: 'refused\n' }]);
    expect((await stateOf(scene, 'refused')).problem).toContain('pre-receive hook declined');
  });

  test('of two colonies with strangers pushing there too loses no landing of anybody', async () => {
    const elsewhere = await place('http');
    // One by HTTP, one by path.
    const first = await colonyOf(elsewhere, 'twin-one');
    const second = await colonyOf({ ...elsewhere, url: elsewhere.directory }, 'twin-two');
    const wanted: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      const titles = ['one', 'two', 'three'].map((who) => `Round ${round} of ${who}`) as [string, string, string];
      wanted.push(...titles);
      const foreign = async () => {
        await elsewhere.stranger.commit(titles[2], { [`three/${round}.txt`]: 'x\n' });
        for (;;) {
          const { code } = await elsewhere.stranger.run('push', '-q', 'origin', 'main');
          if (code === 0) return;
          await elsewhere.stranger.git('pull', '-q', '--no-rebase', '--no-edit');
        }
      };
      await Promise.all([
        first.land(titles[0], [{ path: `one/${round}.txt`, content: 'x\n' }]),
        second.land(titles[1], [{ path: `two/${round}.txt`, content: 'x\n' }]),
        foreign(),
      ]);
    }
    const all = () => git(elsewhere.directory, ['log', '--format=%s', 'main']).trim().split('\n');
    await until(all, (found) => wanted.every((title) => found.includes(title)));
    for (const title of wanted) expect(all().filter((found) => found === title)).toHaveLength(1);
    for (const [scene, who] of [
      [first, 'one'],
      [second, 'two'],
    ] as const) {
      const own = subjects(scene.repository).filter((subject) => subject.endsWith(`of ${who}`));
      expect(own).toEqual(wanted.filter((title) => title.endsWith(`of ${who}`)));
    }
    const notes = git(elsewhere.directory, ['for-each-ref', '--format=%(refname)', 'refs/notes']).trim().split('\n');
    expect(notes[0]).toBe('refs/notes/firetrident');
    expect(notes).toHaveLength(2);
  });
});

describe('an upstream that comes first', () => {
  test('has each landing before anybody hears of it, and history stays linear with strangers pushing there', async () => {
    const elsewhere = await place('http');
    const scene = await colonyOf(elsewhere, 'first', { mode: 'upstream' });
    const landed = await scene.land('One', [{ path: 'one.txt', content: 'one\n' }]);
    expect(tipOf(elsewhere.directory)).toBe(landed.commit);
    await elsewhere.stranger.git('pull', '-q', '--rebase');
    await elsewhere.stranger.commit('Between', { 'between.txt': 'between\n' });
    await elsewhere.stranger.git('push', '-q', 'origin', 'main');
    const second = await scene.land('Two', [{ path: 'two.txt', content: 'two\n' }]);
    expect(tipOf(elsewhere.directory)).toBe(second.commit);
    expect(subjects(elsewhere.directory)).toEqual(['First', 'One', 'Between', 'Two']);
    expect(git(elsewhere.directory, ['log', '--merges', '--format=%s', 'main'])).toBe('');
  });

  test('[UT2] [CL9] that has a cycle of which nobody here could hear: it is asked again, and the landing is ours', async () => {
    const elsewhere = await place('http');
    const scene = await colonyOf(elsewhere, 'doubt', { mode: 'upstream' });
    const lease = await scene.take('Doubtful');
    server.losesAnswers = true;
    const body = scene.propose(lease, [{ path: 'doubt.txt', content: 'doubt\n' }]);
    const { proposal } = (await scene.call('POST', '/propose?waitMs=1000', body, lease.agent.token)).body;
    const there = await until(
      () => subjects(elsewhere.directory),
      (found) => found.length === 2,
    );
    await until(
      () => daemon.log.some((line) => line.includes('nobody can tell whether the upstream has a cycle')),
      (isInDoubt) => isInDoubt,
    );
    await daemon.restart();
    await recover(scene);
    const status = await until(
      async () => (await scene.call('GET', `/proposals/${proposal}?waitMs=20000`, undefined, lease.agent.token)).body,
      (found) => found.state !== 'queued',
    );
    expect(status).toMatchObject({ state: 'landed', commit: tipOf(elsewhere.directory) });
    expect(git(scene.repository, ['notes', '--ref', 'firetrident', 'show', status.commit])).toContain(proposal);
    expect(subjects(elsewhere.directory)).toEqual(there);
    expect(subjects(scene.repository)).toEqual(there);
  });

  test('[UE2] in trouble is one item for attention, over a restart too, and goes when it is over', async () => {
    const elsewhere = await place();
    const other = await place();
    const scene = await colonyOf(elsewhere, 'restarted', { mode: 'upstream' });
    await scene.expect(200, 'PUT', '/upstream', { url: other.url, ...often, mode: 'upstream' });
    expect((await stateOf(scene, 'unrelated')).problem).toContain('no history');
    const lease = await scene.take('Waits');
    await scene.call(
      'POST',
      '/propose?waitMs=1000',
      scene.propose(lease, [{ path: 'w', content: 'w' }]),
      lease.agent.token,
    );
    const items = async () => (await scene.expect(200, 'GET', '/attention')).attention;
    const told = await items();
    expect(told).toMatchObject([{ kind: 'upstream' }]);
    await daemon.restart();
    await stateOf(scene, 'unrelated');
    expect(await items()).toEqual(told);
    await scene.expect(200, 'PUT', '/upstream', { url: elsewhere.url, ...often, mode: 'upstream' });
    await until(items, (found) => found.length === 0);
  });

  test('that is away lets nothing land, and what waited lands once it is back', async () => {
    const elsewhere = await place('http');
    const scene = await colonyOf(elsewhere, 'waits', { mode: 'upstream' });
    server.isUp = false;
    const lease = await scene.take('Waits');
    const body = scene.propose(lease, [{ path: 'waits.txt', content: 'waits\n' }]);
    const { state, proposal } = (await scene.call('POST', '/propose?waitMs=1500', body, lease.agent.token)).body;
    expect(state).toBe('queued');
    expect(subjects(elsewhere.directory)).toEqual(['First']);
    await stateOf(scene, 'away');
    await recover(scene);
    const status = await until(
      () => scene.expect(200, 'GET', `/proposals/${proposal}?waitMs=20000`, undefined, lease.agent.token),
      (found) => found.state !== 'queued',
    );
    expect(status.state).toBe('landed');
    expect(tipOf(elsewhere.directory)).toBe(status.commit);
  });
});
