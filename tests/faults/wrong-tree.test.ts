// A cycle that is built wrong on purpose: verification stops it before anything moves.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { git } from '../support/git-repository.ts';
import { Scene, type SceneLease } from '../support/scene.ts';
import { fsckViolations, landingCommits } from './repository-check.ts';

const timeoutMs = 120_000;
let daemon: TestDaemon;
beforeAll(async () => {
  const roomModule = new URL('./wrong-tree-room.ts', import.meta.url).href;
  daemon = await startTestDaemon({}, { roomModule, reached: () => undefined });
});
afterAll(() => daemon.stop());

interface Sent {
  readonly lease: SceneLease;
  readonly proposal: string;
}

/** Three proposals in one cycle, in this order, of which the second is built wrong. */
async function oneWrongCycle(scene: Scene): Promise<readonly Sent[]> {
  await scene.expect(200, 'POST', '/trunk', { paused: true });
  const sent: Sent[] = [];
  for (const title of ['first', 'victim', 'last']) {
    const lease = await scene.take(title);
    const body = scene.propose(lease, [{ path: `${title}.txt`, content: `${title}\n` }]);
    const { proposal } = await scene.expect(202, 'POST', '/propose', body, lease.agent.token);
    sent.push({ lease, proposal });
  }
  await scene.expect(200, 'POST', '/trunk', { paused: false });
  return sent;
}

async function outcomes(scene: Scene, sent: readonly Sent[]) {
  return Promise.all(sent.map(({ proposal }) => scene.expect(200, 'GET', `/proposals/${proposal}?waitMs=60000`)));
}

const files = { 'base.txt': 'base\n' };

describe('a cycle with a commit that is built wrong', () => {
  test.each([
    ['extra-path', /smuggled\/in\.txt changes undeclared/],
    ['dropped-path', /base\.txt changes undeclared/],
    ['missing-write', /victim\.txt was to change and does not/],
    ['wrong-blob', /victim\.txt has other content/],
    ['wrong-mode', /victim\.txt has mode 100755/],
  ])(
    '[L2b] [TR3] %s: its proposal is quarantined and preserved, the rest lands',
    {
      timeout: timeoutMs,
    },
    async (kind, problem) => {
      const scene = await Scene.open(daemon, kind, files);
      const sent = await oneWrongCycle(scene);
      const [first, victim, last] = await outcomes(scene, sent);
      expect([first.state, last.state]).toEqual(['landed', 'landed']);
      expect(victim).toMatchObject({ state: 'rejected', reasons: [{ code: 'quarantined' }] });
      expect(victim.reasons[0].message).toMatch(problem);
      const tree = git(scene.repository, ['ls-tree', '-r', '--name-only', 'main']).trim().split('\n');
      expect(tree).toEqual(['base.txt', 'first.txt', 'last.txt']);
      expect([...landingCommits(scene.repository).keys()]).toEqual([last.proposal, first.proposal]);
      const { attention } = await scene.expect(200, 'GET', '/attention');
      expect(attention).toMatchObject([{ kind: 'quarantined', proposal: victim.proposal }]);
      expect(attention[0].message).toMatch(problem);
      expect(attention[0].message).toContain(`verification stopped ${victim.proposal}`);
      const preserved = await kept(scene);
      expect(preserved).toMatchObject({ why: 'quarantined', proposal: victim.proposal, intent: sent[1]?.lease.intent });
      expect(git(scene.repository, ['show', `${preserved.ref}:victim.txt`])).toBe('victim\n');
      expect(fsckViolations(scene.repository)).toEqual([]);
    },
  );

  test('[TR3] a fault that belongs to no single commit stops the cycle: trunk does not move', {
    timeout: timeoutMs,
  }, async () => {
    const scene = await Scene.open(daemon, 'commit-missing', files);
    const before = scene.tip();
    const states = (await outcomes(scene, await oneWrongCycle(scene))).map(({ state, reasons }) => [
      state,
      reasons[0].code,
    ]);
    expect(states).toEqual(Array.from({ length: 3 }, () => ['rejected', 'quarantined']));
    expect(scene.tip()).toBe(before);
    expect((await scene.expect(200, 'GET', '/attention')).attention).toHaveLength(3);
    const later = await scene.land('later', [{ path: 'later.txt', content: 'later\n' }]);
    expect(git(scene.repository, ['rev-parse', `${later.commit}^`]).trim()).toBe(before);
    expect(fsckViolations(scene.repository)).toEqual([]);
  });
});

/** The one preserved content, as soon as it is there. */
async function kept(scene: Scene) {
  for (;;) {
    const { preserved } = await scene.expect(200, 'GET', '/preserved');
    if (preserved.length > 0) return preserved[0];
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
