// Stock git pushes into a colony's repository: between two cycles, in the middle of one, again and again at the same
// time as agents land; forward, as merges, and by force.

import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { FaultPoint } from '@firetrident/engine';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { git } from '../support/git-repository.ts';
import { Scene } from '../support/scene.ts';
import { fsckViolations, landingCommits } from './repository-check.ts';

const timeoutMs = 120_000;
let daemon: TestDaemon;
let count = 0;
/** Done once, at the next step of a cycle with this name. */
let during: { readonly point: FaultPoint; readonly deed: () => void } | null = null;

beforeAll(async () => {
  daemon = await startTestDaemon(
    {},
    {
      roomModule: null,
      reached: (point) => {
        const due = during?.point === point ? during : null;
        if (due === null) return;
        during = null;
        due.deed();
      },
    },
  );
});
afterAll(() => daemon.stop());
beforeEach(() => {
  during = null;
});

async function opened(): Promise<{ readonly scene: Scene; readonly clone: Clone }> {
  count += 1;
  const files = { 'a.txt': 'one\n', 'src/b.txt': 'b\n' };
  const scene = await Scene.open(daemon, `foreign-${count}`, files);
  return { scene, clone: new Clone(scene.repository, join(daemon.directory, `clone-${count}`)) };
}

/** A clone in which someone works with stock git. */
class Clone {
  readonly #directory: string;

  constructor(repository: string, directory: string) {
    git(dirname(directory), ['clone', '-q', repository, directory]);
    this.#directory = directory;
  }

  git(...args: string[]): string {
    return git(this.#directory, args).trim();
  }

  /** Commits one file; gives the commit. */
  commit(path: string, text: string, message = `Change ${path}`): string {
    mkdirSync(dirname(join(this.#directory, path)), { recursive: true });
    writeFileSync(join(this.#directory, path), text);
    this.git('add', '-A');
    this.git('commit', '-q', '-m', message);
    return this.git('rev-parse', 'HEAD');
  }

  push(...options: string[]): void {
    this.git('push', '-q', ...options, 'origin', 'HEAD:main');
  }

  /** Pushes however often it has to be tried on what others landed meanwhile. */
  async pushAnyhow(): Promise<number> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        this.push();
        return attempt;
      } catch {
        // Refused because trunk moved meanwhile: that is what is tried again. The time limit of the test ends the rest.
        this.git('pull', '-q', '--rebase', 'origin', 'main');
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  }
}

/** Waits until the colony has recorded so many foreign landings; gives them, newest first. */
async function external(scene: Scene, wanted: number) {
  for (;;) {
    const { landings } = await scene.expect(200, 'GET', '/landings?limit=200');
    const found = landings.filter((row: { external: boolean }) => row.external);
    if (found.length >= wanted) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function attention(scene: Scene, kind: string): Promise<string> {
  for (;;) {
    const { attention: items } = await scene.expect(200, 'GET', '/attention');
    const found = items.find((item: { kind: string }) => item.kind === kind);
    if (found !== undefined) return found.message;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('a push between two cycles', () => {
  test('[L6a] forward: a landing of its own with its paths, and what it made stale comes back naming it', {
    timeout: timeoutMs,
  }, async () => {
    const { scene, clone } = await opened();
    await scene.land('before', [{ path: 'c.txt', content: 'c\n' }]);
    const lease = await scene.take('reader');
    clone.git('pull', '-q');
    clone.commit('src/new.txt', 'new\n', 'Add a file');
    const pushed = clone.commit('a.txt', 'two\n', 'Say two');
    clone.push();
    const [row] = await external(scene, 1);
    expect(row).toMatchObject({ commit: pushed, title: 'Say two', proposal: null, agentName: 'external' });
    const landing = await scene.expect(200, 'GET', `/landings/${row.landing}`);
    expect(landing.external).toEqual({ from: lease.base, commits: 2 });
    expect(landing.writes.map(({ path }: { path: string }) => path)).toEqual(['a.txt', 'src/new.txt']);
    const writes = [{ path: 'd.txt', content: 'd\n' }];
    const returned = await scene.outcome(lease, scene.propose(lease, writes, { reads: [{ path: 'a.txt' }] }));
    expect(returned.state).toBe('returned');
    expect(returned.brief.reads).toMatchObject([{ path: 'a.txt', landing: row.landing, intent: { title: 'Say two' } }]);
    const repaired = await scene.expect(
      200,
      'POST',
      '/repair?waitMs=60000',
      { lease: lease.lease, epoch: lease.epoch, proposal: returned.proposal, answer: 'confirm' },
      lease.agent.token,
    );
    expect(repaired.state).toBe('landed');
    expect(scene.tip()).toBe(repaired.commit);
    expect(fsckViolations(scene.repository)).toEqual([]);
  });

  test('[L6a] a merge: recorded with what it changes on trunk, and landing goes on from it', {
    timeout: timeoutMs,
  }, async () => {
    const { scene, clone } = await opened();
    clone.commit('side.txt', 'side\n', 'Work at the side');
    await scene.land('meanwhile', [{ path: 'c.txt', content: 'c\n' }]);
    clone.git('pull', '-q', '--no-rebase', '--no-edit', 'origin', 'main');
    const merge = clone.git('rev-parse', 'HEAD');
    expect(clone.git('rev-list', '--parents', '-n', '1', 'HEAD').split(' ')).toHaveLength(3);
    clone.push();
    const [row] = await external(scene, 1);
    expect(row.commit).toBe(merge);
    const landing = await scene.expect(200, 'GET', `/landings/${row.landing}`);
    expect(landing.writes.map(({ path }: { path: string }) => path)).toEqual(['side.txt']);
    const later = await scene.land('later', [{ path: 'd.txt', content: 'd\n' }]);
    expect(git(scene.repository, ['rev-parse', `${later.commit}^`]).trim()).toBe(merge);
    expect(fsckViolations(scene.repository)).toEqual([]);
  });
});

describe('a push in the middle of a cycle', () => {
  test.each<FaultPoint>(['cycle-started', 'intention-durable', 'pack-written'])(
    '[L6a] [CL2] at %s: the cycle is built again on what was pushed',
    { timeout: timeoutMs },
    async (point) => {
      const { scene, clone } = await opened();
      const pushed = clone.commit('pushed.txt', 'pushed\n');
      const lease = await scene.take('racing');
      during = { point, deed: () => clone.push() };
      const outcome = await scene.outcome(lease, scene.propose(lease, [{ path: 'c.txt', content: 'c\n' }]));
      expect(outcome.state).toBe('landed');
      expect(git(scene.repository, ['rev-parse', `${outcome.commit}^`]).trim()).toBe(pushed);
      expect((await external(scene, 1)).map(({ commit }: { commit: string }) => commit)).toEqual([pushed]);
      expect([...landingCommits(scene.repository).values()]).toEqual([[outcome.commit]]);
      expect(fsckViolations(scene.repository)).toEqual([]);
    },
  );

  test('[L6a] pushes and landings that race all stand in the end, each once', { timeout: timeoutMs }, async () => {
    const { scene, clone } = await opened();
    const pushes = 5;
    let isPushing = true;
    const work = async (name: string) => {
      const agent = await scene.agent(name);
      const landed: string[] = [];
      for (let change = 0; isPushing || change < 3; change += 1) {
        const status = await scene.land(`${name} ${change}`, [{ path: `${name}/${change}.txt`, content: name }], agent);
        landed.push(status.proposal);
      }
      return landed;
    };
    const agents = Promise.all(['ada', 'bob', 'cy'].map(work));
    for (let push = 0; push < pushes; push += 1) {
      clone.commit(`pushed/${push}.txt`, `${push}\n`);
      await clone.pushAnyhow();
    }
    isPushing = false;
    const landed = (await agents).flat();
    const tree = git(scene.repository, ['ls-tree', '-r', '--name-only', 'main']).split('\n');
    for (let push = 0; push < pushes; push += 1) expect(tree).toContain(`pushed/${push}.txt`);
    const commits = landingCommits(scene.repository);
    expect([...commits.keys()].sort()).toEqual([...landed].sort());
    for (const [, { length }] of commits) expect(length).toBe(1);
    const rows = await external(scene, 1);
    const recorded = await Promise.all(
      rows.map(async ({ landing }: { landing: string }) => scene.expect(200, 'GET', `/landings/${landing}`)),
    );
    const paths = recorded.flatMap(({ writes }) => writes.map(({ path }: { path: string }) => path));
    expect(paths.sort()).toEqual(Array.from({ length: pushes }, (_, push) => `pushed/${push}.txt`));
    expect(fsckViolations(scene.repository)).toEqual([]);
  });
});

describe('a push by force', () => {
  test('[L6b] freezes landing until an administrator accepts what stands; what queued lands on it', {
    timeout: timeoutMs,
  }, async () => {
    const { scene, clone } = await opened();
    const { commit: gone } = await scene.land('to be lost', [{ path: 'c.txt', content: 'c\n' }]);
    const other = clone.commit('other.txt', 'other\n', 'Another history');
    clone.push('--force');
    const message = await attention(scene, 'trunk-rewound');
    expect(message).toContain(gone);
    expect(message).toContain(other);
    expect(message).toMatch(/landing stands still/);
    const colony = await scene.expect(200, 'GET', '');
    expect(colony.trunk).toMatchObject({ commit: gone, rewoundTo: other });
    const lease = await scene.take('queued');
    const queued = await scene.expect(
      202,
      'POST',
      '/propose?waitMs=1500',
      scene.propose(lease, [{ path: 'd.txt', content: 'd\n' }]),
      lease.agent.token,
    );
    expect(queued.state).toBe('queued');
    expect(scene.tip()).toBe(other);
    // Someone goes on there meanwhile: what stands at the moment of accepting is what counts.
    const newest = clone.commit('other.txt', 'other, again\n');
    clone.push();
    await scene.expect(200, 'POST', '/trunk', { paused: false });
    const landed = await scene.expect(200, 'GET', `/proposals/${queued.proposal}?waitMs=60000`);
    expect(landed.state).toBe('landed');
    expect(git(scene.repository, ['rev-parse', `${landed.commit}^`]).trim()).toBe(newest);
    expect((await scene.expect(200, 'GET', '/attention')).attention).toEqual([]);
    expect((await scene.expect(200, 'GET', '')).trunk).toMatchObject({ commit: landed.commit, rewoundTo: null });
    expect(fsckViolations(scene.repository)).toEqual([]);
  });
});

describe('refs that another program holds or moves', () => {
  test('[CL5] a lock on trunk: what queues waits, and lands once the lock is gone', {
    timeout: timeoutMs,
  }, async () => {
    const { scene } = await opened();
    const lock = join(scene.repository, 'refs/heads/main.lock');
    writeFileSync(lock, '');
    const lease = await scene.take('waiting');
    const body = scene.propose(lease, [{ path: 'c.txt', content: 'c\n' }]);
    const before = daemon.log.length;
    const queued = await scene.expect(202, 'POST', '/propose', body, lease.agent.token);
    while (!daemon.log.slice(before).some((line) => line.includes('locked by another program')))
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect((await scene.expect(200, 'GET', `/proposals/${queued.proposal}?waitMs=300`)).state).toBe('queued');
    rmSync(lock);
    const landed = await scene.expect(200, 'GET', `/proposals/${queued.proposal}?waitMs=60000`);
    expect(landed.state).toBe('landed');
    expect(fsckViolations(scene.repository)).toEqual([]);
  });

  test('[CL3] the notes moved by someone: landing waits and says what to do; after that it goes on', {
    timeout: timeoutMs,
  }, async () => {
    const { scene } = await opened();
    const first = await scene.land('noted', [{ path: 'c.txt', content: 'c\n' }]);
    git(scene.repository, ['notes', '--ref', 'firetrident', 'append', '-m', 'scribble', first.commit]);
    const lease = await scene.take('waiting');
    const body = scene.propose(lease, [{ path: 'd.txt', content: 'd\n' }]);
    const queued = await scene.expect(202, 'POST', '/propose', body, lease.agent.token);
    const message = await attention(scene, 'landing-frozen');
    const command = /Landing goes on after: git (.*)$/.exec(message)?.[1] ?? '';
    expect(command).toMatch(/^update-ref refs\/notes\/firetrident [0-9a-f]{40}$/);
    git(scene.repository, command.split(' '));
    const landed = await scene.expect(200, 'GET', `/proposals/${queued.proposal}?waitMs=60000`);
    expect(landed.state).toBe('landed');
    expect((await scene.expect(200, 'GET', '/attention')).attention).toEqual([]);
    expect(fsckViolations(scene.repository)).toEqual([]);
  });
});
