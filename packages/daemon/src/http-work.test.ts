// The work of agents over HTTP, on a real daemon with a real repository; git is asked what became of it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../../tests/support/daemon.ts';
import { git } from '../../../tests/support/git-repository.ts';
import { Scene } from '../../../tests/support/scene.ts';

const absent = '0'.repeat(40);

let daemon: TestDaemon;
let scene: Scene;
beforeAll(async () => {
  daemon = await startTestDaemon();
  scene = await Scene.open(daemon, 'work', {
    'README.md': '# Work\n',
    'src/a.ts': 'export const a = 1;\nexport const b = 2;\n',
    'run.sh': { content: '#!/bin/sh\n', mode: '100755' },
  });
});
afterAll(() => daemon.stop());

describe('a change', () => {
  test('lands as one commit that git shows, with its note and its lineage', async () => {
    const status = await scene.land('Add a greeting', [{ path: 'src/hello.ts', content: 'export const hi = "hi";\n' }]);
    expect(git(scene.repository, ['show', 'main:src/hello.ts'])).toBe('export const hi = "hi";\n');
    expect(scene.tip()).toBe(status.commit);
    const note = JSON.parse(git(scene.repository, ['notes', '--ref=firetrident', 'show', status.commit]));
    expect(note.landings[0]).toMatchObject({ landing: status.landing, intent: { title: 'Add a greeting' } });
    const landing = await scene.expect(200, 'GET', `/landings/${status.landing}`);
    expect(landing).toMatchObject({
      commit: status.commit,
      proposal: status.proposal,
      intent: { id: status.lease.intent },
    });
    expect(landing.writes).toMatchObject([{ path: 'src/hello.ts', before: null, afterMode: '100644' }]);
    const [row] = (await scene.expect(200, 'GET', '/landings?limit=1')).landings;
    expect(row).toMatchObject({ landing: status.landing, agent: status.lease.agent.id, external: false });
    const why = await scene.expect(200, 'GET', '/why?path=src/hello.ts&line=1');
    expect(why).toMatchObject({ commit: status.commit, landing: { landing: status.landing } });
  });

  test('is answered 202 at once, and 200 with its outcome when that came within the wait', async () => {
    const lease = await scene.take('Add b');
    const body = scene.propose(lease, [{ path: 'b.txt', content: 'b\n' }], { key: 'b' });
    const queued = await scene.expect(202, 'POST', '/propose', body, lease.agent.token);
    expect(queued).toMatchObject({ state: 'queued' });
    const settled = await scene.expect(200, 'GET', `/proposals/${queued.proposal}?waitMs=60000`);
    expect(settled).toMatchObject({ proposal: queued.proposal, state: 'landed' });
    const again = await scene.expect(200, 'POST', '/propose?waitMs=60000', body, lease.agent.token);
    expect(again).toMatchObject({ proposal: queued.proposal, landing: settled.landing });
  });

  test('may name blobs sent ahead, bytes in base64, modes and names that are not UTF-8', async () => {
    const lease = await scene.take('Odd files');
    const sent = await scene.expect(200, 'PUT', '/blobs', Buffer.from([0, 255, 10]), lease.agent.token);
    expect(sent.blob).toBe(git(scene.repository, ['hash-object', '--stdin'], Buffer.from([0, 255, 10])).trim());
    const status = await scene.outcome(
      lease,
      scene.propose(lease, [
        { path: 'odd/blob.bin', blob: sent.blob },
        { path: 'odd/run', content: '#!/bin/sh\n', mode: '100755' },
        { path: 'odd/link', content: 'run', mode: '120000' },
        { pathBase64: Buffer.from([0x6f, 0x64, 0x64, 0x2f, 0xe9]).toString('base64'), contentBase64: 'AAE=' },
      ]),
    );
    expect(status.state).toBe('landed');
    const tree = git(scene.repository, ['ls-tree', '-r', 'main', 'odd']);
    expect(tree).toMatch(/^100755 .*odd\/run$/m);
    expect(tree).toMatch(/^120000 .*odd\/link$/m);
    const listed = await scene.expect(200, 'GET', '/tree/odd');
    expect(listed.entries).toContainEqual(expect.objectContaining({ nameBase64: '6Q==', mode: '100644' }));
    const file = await scene.call('GET', '/files/odd/%e9');
    expect([...file.bytes]).toEqual([0, 1]);
    const landing = await scene.expect(200, 'GET', `/landings/${status.landing}`);
    expect(landing.writes).toContainEqual(expect.objectContaining({ pathBase64: 'b2RkL+k=' }));
  });

  test('comes back with a brief when what it read moved, and lands once it is confirmed', async () => {
    const reader = await scene.take('Use a');
    await scene.land('Change a', [{ path: 'src/a.ts', content: 'export const a = 3;\nexport const b = 2;\n' }]);
    const body = scene.propose(reader, [{ path: 'src/use.ts', content: 'use\n' }], { reads: [{ path: 'src/a.ts' }] });
    const returned = await scene.outcome(reader, body);
    expect(returned).toMatchObject({ state: 'returned', brief: { reads: [{ path: 'src/a.ts' }], writes: [] } });
    expect(returned.brief.reads[0].intent.title).toBe('Change a');
    expect(returned.brief.reads[0].diff).toContain('-export const a = 1;');
    const { lease, epoch } = reader;
    const repair = { lease, epoch, proposal: returned.proposal, answer: 'confirm' };
    const landed = await scene.expect(200, 'POST', '/repair?waitMs=60000', repair, reader.agent.token);
    expect(landed).toMatchObject({ state: 'landed', repairOf: returned.proposal });
    const landing = await scene.expect(200, 'GET', `/landings/${landed.landing}`);
    expect(landing.returns).toMatchObject([{ proposal: returned.proposal }]);
  });

  test('a conflicting write cannot be confirmed, but amended', async () => {
    const second = await scene.take('Second on README');
    await scene.land('First on README', [{ path: 'README.md', content: '# First\n' }]);
    const returned = await scene.outcome(second, scene.propose(second, [{ path: 'README.md', content: '# Second\n' }]));
    expect(returned.brief.writes).toMatchObject([{ path: 'README.md', kind: 'content' }]);
    const { lease, epoch } = second;
    const repair = { lease, epoch, proposal: returned.proposal };
    const token = second.agent.token;
    await scene.refused(409, 'confirm_needs_writes', 'POST', '/repair', { ...repair, answer: 'confirm' }, token);
    const writes = [{ path: 'README.md', content: '# First and second\n' }];
    const landed = await scene.expect(
      200,
      'POST',
      '/repair?waitMs=60000',
      { ...repair, answer: 'amend', writes },
      token,
    );
    expect(landed.state).toBe('landed');
    expect(git(scene.repository, ['show', 'main:README.md'])).toBe('# First and second\n');
  });

  test('can be reverted', async () => {
    const landed = await scene.land('A mistake', [{ path: 'mistake.txt', content: 'oops\n' }]);
    const { proposal } = await scene.expect(202, 'POST', `/landings/${landed.landing}/revert`, {});
    const status = await scene.expect(200, 'GET', `/proposals/${proposal}?waitMs=60000`);
    expect(status.state).toBe('landed');
    expect(git(scene.repository, ['ls-tree', 'main', 'mistake.txt'])).toBe('');
  });

  test('waits while landing is paused', async () => {
    expect(await scene.expect(200, 'POST', '/trunk', { paused: true })).toMatchObject({ trunk: { paused: true } });
    const lease = await scene.take('While paused');
    const body = scene.propose(lease, [{ path: 'paused.txt', content: 'p\n' }]);
    const queued = await scene.expect(202, 'POST', '/propose?waitMs=50', body, lease.agent.token);
    expect((await scene.expect(200, 'GET', '/lanes')).lanes).toMatchObject([{ queued: 1 }]);
    expect((await scene.expect(200, 'GET', '')).proposals.queued).toBe(1);
    await scene.expect(200, 'POST', '/trunk', { paused: false });
    const status = await scene.expect(200, 'GET', `/proposals/${queued.proposal}?waitMs=60000`);
    expect(status.state).toBe('landed');
  });
});

describe('a lease', () => {
  test('marks what it claims, and ends as its holder says', async () => {
    const lease = await scene.take('Claims');
    const named = { lease: lease.lease, epoch: lease.epoch };
    await scene.expect(200, 'POST', '/heartbeat', { ...named, claims: ['src/a.ts'] }, lease.agent.token);
    const field = await scene.expect(200, 'GET', '/field');
    expect(field.paths).toContainEqual(expect.objectContaining({ path: 'src/a.ts', agents: [lease.agent.id] }));
    expect(field.regions.find(({ region }: { region: string }) => region === 'src')).toMatchObject({
      sigma: 0,
      inhibition: 1,
      laneDelayMs: 0,
    });
    const ended = await scene.expect(200, 'POST', '/release', { ...named, why: 'lunch' }, lease.agent.token);
    expect(ended).toMatchObject({ lease: lease.lease, ended: 'released' });
    expect(await scene.expect(200, 'GET', `/intents/${lease.intent}`)).toMatchObject({ state: 'open', attempts: 0 });
  });

  test('complete closes the intent, fail counts an attempt', async () => {
    const first = await scene.take('Nothing to do');
    const done = { lease: first.lease, epoch: first.epoch, why: 'it is so already' };
    await scene.expect(200, 'POST', '/complete', done, first.agent.token);
    expect(await scene.expect(200, 'GET', `/intents/${first.intent}`)).toMatchObject({ state: 'closed' });
    const second = await scene.take('Too hard');
    await scene.expect(
      200,
      'POST',
      '/fail',
      { lease: second.lease, epoch: second.epoch, why: 'no' },
      second.agent.token,
    );
    expect(await scene.expect(200, 'GET', `/intents/${second.intent}`)).toMatchObject({ state: 'open', attempts: 1 });
  });

  test('under an old epoch everything is refused but a propose, which is preserved', async () => {
    const lease = await scene.take('Late');
    const { token } = lease.agent;
    const named = { lease: lease.lease, epoch: lease.epoch };
    await scene.expect(200, 'POST', '/release', named, token);
    const other = await scene.agent('other');
    await scene.expect(200, 'POST', '/take', { intent: lease.intent }, other.token);
    await scene.refused(409, 'stale_epoch', 'POST', '/heartbeat', named, token);
    await scene.refused(409, 'stale_epoch', 'POST', '/release', named, token);
    await scene.refused(409, 'stale_epoch', 'POST', '/complete', { ...named, why: 'x' }, token);
    await scene.refused(409, 'stale_epoch', 'POST', '/fail', { ...named, why: 'x' }, token);
    const late = scene.propose(lease, [{ path: 'late.txt', content: 'late\n' }]);
    const status = await scene.expect(200, 'POST', '/propose', late, token);
    expect(status.state).toBe('superseded');
    const { preserved } = await scene.expect(200, 'GET', '/preserved');
    const kept = preserved.find(({ proposal }: { proposal: string }) => proposal === status.proposal);
    expect(git(scene.repository, ['show', `${kept.ref}:late.txt`])).toBe('late\n');
    const file = await scene.call('GET', `/files/late.txt?at=${kept.commit}`, undefined, token);
    expect(file.bytes.toString()).toBe('late\n');
  });

  test('of another agent is refused', async () => {
    const lease = await scene.take('Mine');
    const other = await scene.agent('thief');
    const named = { lease: lease.lease, epoch: lease.epoch };
    await scene.refused(403, 'not_your_lease', 'POST', '/heartbeat', named, other.token);
    await scene.refused(403, 'not_your_lease', 'POST', '/release', named, other.token);
    const theft = scene.propose(lease, [{ path: 'x', content: 'x' }]);
    await scene.refused(403, 'not_your_lease', 'POST', '/propose', theft, other.token);
    await scene.refused(403, 'not_your_lease', 'GET', `/files/README.md?lease=${lease.lease}`, undefined, other.token);
    await scene.refused(403, 'forbidden', 'GET', `/files/README.md?lease=${lease.lease}`);
  });

  test('a take waits for work that appears, and names a reason when none does', async () => {
    const waiter = await scene.agent('waiter');
    const labels = ['only-here'];
    const none = await scene.expect(200, 'POST', '/take', { labels }, waiter.token);
    expect(none.wait.reason).toBe('no open intent');
    const waiting = scene.expect(200, 'POST', '/take', { labels, waitMs: 60_000 }, waiter.token);
    const intent = await scene.intent('For the waiter', { labels });
    expect((await waiting).intent).toMatchObject({ id: intent, labels });
  });

  test('[TD3] a take whose client has gone waits no more, and what comes goes to somebody else', async () => {
    const gone = await scene.agent('gone');
    const labels = ['for-whoever-is-there'];
    const leaving = new AbortController();
    const waiting = fetch(`${daemon.url}${scene.address}/take`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gone.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ labels, waitMs: 60_000 }),
      signal: leaving.signal,
    });
    const reason = async () => (await scene.expect(200, 'POST', '/take', { labels }, gone.token)).wait.reason;
    while ((await reason()) !== 'take already in progress');
    leaving.abort();
    await expect(waiting).rejects.toThrow();
    while ((await reason()) === 'take already in progress');
    const intent = await scene.intent('For whoever is there', { labels });
    const present = await scene.agent('present');
    const taken = await scene.expect(200, 'POST', '/take', { labels }, present.token);
    expect(taken.intent).toMatchObject({ id: intent });
  });
});

describe('files', () => {
  test('come as bytes with their id and mode, at the tip or at a commit', async () => {
    const first = scene.tip();
    await scene.land('Newer run', [{ path: 'run.sh', content: '#!/bin/sh\necho newer\n' }]);
    const tip = await scene.call('GET', '/files/run.sh');
    expect(tip.bytes.toString()).toContain('newer');
    expect(tip.headers.get('x-firetrident-blob')).toBe(git(scene.repository, ['rev-parse', 'main:run.sh']).trim());
    expect(tip.headers.get('x-firetrident-mode')).toBe('100755');
    const before = await scene.call('GET', `/files/run.sh?at=${first}`);
    expect(before.bytes.toString()).toBe('#!/bin/sh\n');
    const head = await scene.call('HEAD', '/files/run.sh');
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(head.headers.get('x-firetrident-blob')).toBe(tip.headers.get('x-firetrident-blob'));
  });

  test('under a lease they are those of its base, and count as reads', async () => {
    const lease = await scene.take('Reader of run');
    const base = await scene.call('GET', '/files/run.sh', undefined, lease.agent.token);
    await scene.land('Even newer run', [{ path: 'run.sh', content: 'even newer\n' }]);
    const again = await scene.call('GET', '/files/run.sh', undefined, lease.agent.token);
    expect(again.bytes.equals(base.bytes)).toBe(true);
    const returned = await scene.outcome(lease, scene.propose(lease, [{ path: 'from-run.txt', content: 'x\n' }]));
    expect(returned).toMatchObject({ state: 'returned', brief: { reads: [{ path: 'run.sh' }] } });
  });

  test.each([
    ['/files/nowhere.txt', 404, 'unknown_path'],
    ['/tree/nowhere', 404, 'unknown_path'],
    [`/files/README.md?at=${absent}`, 422, 'unknown_commit'],
    [`/tree/?at=${absent}`, 422, 'unknown_commit'],
    ['/files/README.md?at=main', 422, 'invalid_request'],
    ['/files/%zz', 400, 'invalid_address'],
    ['/why?path=README.md&line=99', 422, 'line_out_of_range'],
    ['/why?path=nowhere&line=1', 404, 'unknown_path'],
    ['/why?path=README.md', 422, 'invalid_request'],
    ['/why?line=1', 422, 'invalid_request'],
  ])('%s is refused with %i %s', async (path, status, code) => {
    await scene.refused(status, code, 'GET', path);
  });

  test.each(['/files/..%2f..%2fetc%2fpasswd', '/files/%2fetc%2fpasswd', '/tree/%2e%2e%2fx', '/why?path=/a&line=1'])(
    '%s does not leave the tree',
    async (path) => {
      const answer = await scene.call('GET', path);
      expect([answer.status, answer.body.error.code]).toEqual([422, 'path_outside']);
    },
  );
});

describe('pages', () => {
  test('landings are paged newest first without gap or repetition', async () => {
    const all = (await scene.expect(200, 'GET', '/landings?limit=1000')).landings.map(
      ({ landing }: { landing: string }) => landing,
    );
    const paged: string[] = [];
    for (let after = ''; ; ) {
      const page = await scene.expect(200, 'GET', `/landings?limit=3${after}`);
      paged.push(...page.landings.map(({ landing }: { landing: string }) => landing));
      if (page.next === undefined) break;
      after = `&after=${page.next}`;
    }
    expect(paged).toEqual(all);
    const commits = git(scene.repository, ['log', '--format=%H', 'main']).trim().split('\n');
    expect(all.length).toBe(commits.length - 1);
  });

  test('intents are paged and filtered by state', async () => {
    const everything: { id: string; state: string }[] = [];
    for (let after = ''; ; ) {
      const page = await scene.expect(200, 'GET', `/intents?limit=4${after}`);
      everything.push(...page.intents);
      if (page.next === undefined) break;
      after = `&after=${page.next}`;
    }
    expect(new Set(everything.map(({ id }) => id)).size).toBe(everything.length);
    const open = await scene.expect(200, 'GET', '/intents?state=open&limit=1000');
    expect(open.intents.map(({ id }: { id: string }) => id).sort()).toEqual(
      everything
        .filter(({ state }) => state === 'open')
        .map(({ id }) => id)
        .sort(),
    );
    expect(everything.some(({ state }) => state === 'landed')).toBe(true);
  });

  test('the colony page counts what happened', async () => {
    const page = await scene.expect(200, 'GET', '');
    const { landings } = await scene.expect(200, 'GET', '/landings?limit=1000');
    expect(page.landings).toBe(landings.length);
    expect(page.proposals.landed).toBe(landings.length);
    expect(page.trunk).toEqual({ branch: 'main', commit: scene.tip(), paused: false, rewoundTo: null });
    expect(page.cycle.cycles).toBeGreaterThan(0);
  });
});
