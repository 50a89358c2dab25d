// What happens here while the upstream takes a cycle: locks, refs that others move, a daemon that stops.

import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { git } from '../support/git-repository.ts';
import { Scene, type SceneLease } from '../support/scene.ts';

vi.setConfig({ testTimeout: 120_000 });

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.stop());

interface Story {
  readonly scene: Scene;
  /** The upstream's directory. */
  readonly elsewhere: string;
  /** Proposes what cannot land at once; gives its id. */
  propose(lease: SceneLease, path: string): Promise<string>;
  /** Waits until it landed; gives its commit. */
  landed(proposal: string): Promise<string>;
}

/** A colony whose upstream does something of this kind as soon as it has taken a push. */
async function story(id: string): Promise<Story> {
  const scene = await Scene.open(daemon, id, { 'a.txt': 'a\n' });
  const elsewhere = join(daemon.directory, `${id}.git`);
  git(daemon.directory, ['init', '-q', '--bare', '-b', 'main', elsewhere]);
  await scene.expect(200, 'PUT', '/upstream', { url: elsewhere, mode: 'upstream', pushesPerMinute: 300 });
  await scene.land('Before', [{ path: 'before.txt', content: 'before\n' }]);
  return {
    scene,
    elsewhere,
    propose: async (lease, path) => {
      const body = scene.propose(lease, [{ path, content: `${path}\n` }]);
      return (await scene.call('POST', '/propose', body, lease.agent.token)).body.proposal;
    },
    landed: async (proposal) => {
      for (;;) {
        const status = await scene.expect(200, 'GET', `/proposals/${proposal}?waitMs=5000`);
        if (status.state === 'queued') continue;
        expect(status).toMatchObject({ state: 'landed', commit: scene.tip() });
        expect(git(elsewhere, ['rev-parse', 'main']).trim()).toBe(status.commit);
        expect(git(scene.repository, ['notes', '--ref', 'firetrident', 'show', status.commit])).toContain(proposal);
        expect(git(scene.repository, ['rev-list', '--merges', 'main'])).toBe('');
        const { landings } = await scene.expect(200, 'GET', '/landings?limit=1');
        expect(landings[0]).toMatchObject({ commit: status.commit, proposal });
        return status.commit;
      }
    },
  };
}

/** Lets the upstream run a script once, when it has taken a push and nobody here knows. */
function whenTaken({ scene, elsewhere }: Story, script: string): void {
  const hook = join(elsewhere, 'hooks', 'post-receive');
  mkdirSync(join(elsewhere, 'hooks'), { recursive: true });
  writeFileSync(hook, `#!/bin/sh\nrm "$0"\nunset GIT_DIR GIT_QUARANTINE_PATH\ncd '${scene.repository}'\n${script}\n`);
  chmodSync(hook, 0o755);
}

async function attention({ scene }: Story, text: string): Promise<string> {
  for (;;) {
    const { attention: items } = await scene.expect(200, 'GET', '/attention');
    const found = items.find(({ message }: { message: string }) => message.includes(text));
    if (found !== undefined) return found.message;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
}

test('[UT2] trunk is locked here, and the daemon stops and starts: the landing is ours', async () => {
  const told = await story('locked');
  const lease = await told.scene.take('Locked out');
  whenTaken(told, 'echo held >refs/heads/main.lock');
  const proposal = await told.propose(lease, 'locked.txt');
  expect(await attention(told, 'main.lock')).toContain('cannot be finished here');
  await daemon.restart();
  expect((await told.scene.expect(200, 'GET', `/proposals/${proposal}`)).state).toBe('queued');
  rmSync(join(told.scene.repository, 'refs/heads/main.lock'));
  await told.landed(proposal);
});

test('[UT2] [FN2] trunk is moved here: the landing is ours, and what stood there keeps a ref', async () => {
  const told = await story('moved');
  const { scene } = told;
  const lease = await scene.take('Overtaken');
  const other = git(scene.repository, ['commit-tree', 'main^{tree}', '-p', 'main', '-m', 'Other']).trim();
  whenTaken(told, `git update-ref refs/heads/main ${other}`);
  await told.landed(await told.propose(lease, 'moved.txt'));
  expect(git(scene.repository, ['rev-parse', `refs/firetrident/displaced/${other}`]).trim()).toBe(other);
  expect(await attention(told, other)).toContain('The upstream decides');
});

test('[UT2] [FN3] the notes are moved here: a person puts them back, and the landing is ours', async () => {
  const told = await story('scribbled');
  const lease = await told.scene.take('Scribbled over');
  whenTaken(told, 'git -c user.name=x -c user.email=x@example.org notes --ref firetrident append -m scribble main');
  const proposal = await told.propose(lease, 'scribbled.txt');
  const command = /Landing goes on after: git (.*)$/.exec(await attention(told, 'Landing goes on after'))?.[1] ?? '';
  git(told.scene.repository, command.split(' '));
  await told.landed(proposal);
});
