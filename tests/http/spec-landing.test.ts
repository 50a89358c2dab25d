// Landings as the public interface and stock git show them: lineage, retries, pushes by others, reverts.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { git } from '../support/git-repository.ts';
import { nineLines, Story, type Worker } from './story.ts';

let daemon: TestDaemon;
let story: Story;
beforeAll(async () => {
  daemon = await startTestDaemon();
  story = await Story.open(daemon, { 'README.md': '# Story\n' });
});
afterAll(() => daemon.stop());

/** The note on a commit, as stock git shows it. */
const note = (commit: string) => JSON.parse(story.git('notes', '--ref=firetrident', 'show', commit));

/** Waits until the colony has recorded that trunk is there; gives the landing. */
async function recorded(commit: string) {
  const { landings } = await story.until(
    () => story.admin(200, 'GET', '/landings?limit=1'),
    (page) => page.landings[0]?.commit === commit,
  );
  return landings[0];
}

describe('lineage', () => {
  test('[L1] a landing is a commit by its agent with trailers, and a note that tells everything', async () => {
    const worker = await story.work('Add the lineage', { body: 'Why it is needed.' });
    const status = await worker.landed({ 'src/lineage.ts': 'export {};\n' }, { reads: [{ path: 'README.md' }] });
    const [author, committer, subject, ...body] = story
      .git('show', '-s', '--format=%an%n%cn%n%s%n%b', status.commit)
      .split('\n');
    expect([author, committer, subject, body[0]]).toEqual([
      'agent of Add the lineage',
      `FireTrident ${story.scene.id}`,
      'Add the lineage',
      'Why it is needed.',
    ]);
    const trailers = story.git('show', '-s', '--format=%(trailers:only,unfold)', status.commit);
    const page = await story.admin(200, 'GET', `/landings/${status.landing}`);
    expect(trailers.split('\n')).toEqual([
      `FT-Landing: ${status.landing}`,
      `FT-Intent: ${worker.intent}`,
      `FT-Agent: ${worker.agent.id}`,
      'FT-Region: src',
      `FT-Batch: ${page.batch}`,
      `FT-Proposal: ${status.proposal}`,
    ]);
    const noted = note(status.commit);
    expect([noted.ft, noted.landings.length]).toEqual([1, 1]);
    const blob = story.git('rev-parse', `${status.commit}:src/lineage.ts`);
    expect(noted.landings[0]).toMatchObject({
      landing: status.landing,
      proposal: status.proposal,
      intent: { id: worker.intent, title: 'Add the lineage' },
      agent: { id: worker.agent.id, name: 'agent of Add the lineage' },
      base: worker.base,
      writes: [{ path: 'src/lineage.ts', before: null, after: blob }],
      reads: [{ path: 'README.md', at: worker.base }],
      returns: [],
    });
    const { taken, proposed } = page.at;
    expect(noted.landings[0].at).toMatchObject({ taken, proposed });
  });

  test('[L1] a proposal’s own title and message stand in the commit; trailers in them are quoted', async () => {
    const forged = 'FT-Landing: lnd_forged';
    const worker = await story.work(`${forged}\nSigned`, { body: `Body.\n\nft-agent : agt_forged\n  ${forged}\n` });
    const { commit } = await worker.landed({ 'forged-1.txt': 'f\n' });
    const other = await story.work('Another');
    const message = `Said by the agent.\r${forged}\u2028${forged}\n\n${forged}\nFT-Proposal:prp_forged`;
    const second = await other.landed({ 'forged-2.txt': 'f\n' }, { title: 'A title of its own', message });
    for (const [landed, who] of [
      [commit, worker],
      [second.commit, other],
    ] as const) {
      const trailers = story.git('show', '-s', '--format=%(trailers:only,unfold)', landed);
      expect(trailers.split('\n').filter((line) => /^ft-agent/i.test(line))).toEqual([`FT-Agent: ${who.agent.id}`]);
      expect(trailers).not.toContain('forged');
      expect(story.git('show', '-s', '--format=%B', landed)).toMatch(/^> ?FT-Landing: lnd_forged|^> FT-Landing/m);
    }
    expect(story.git('show', '-s', '--format=%s', second.commit)).toBe('A title of its own');
  });

  test('[L1] names of people and files that git’s own formats would choke on', async () => {
    const agent = await story.register('Eve <root@x> \u00e9\u2028,;"');
    const worker = await story.take(agent, { intent: await story.intent('Odd\r\nname \u{1f525}') });
    const { commit } = await worker.landed({ 'odd name/\u00e9 "quoted"\t.txt': 'o\n' });
    expect(story.git('show', '-s', '--format=%ae', commit)).toBe(`${agent.id}@agents.firetrident.invalid`);
    const dots = await story.take(await story.register('...'), { intent: await story.intent('By nobody') });
    await dots.landed({ 'dots.txt': 'd\n' });
    const angles = await story.take(await story.register('<>'), { intent: await story.intent('By angles') });
    await angles.landed({ 'angles.txt': 'a\n' });
    story.git('fsck', '--strict');
  });

  test('[L1] a note can be found for every landing, and the page of a landing says the same', async () => {
    const { landings } = await story.admin(200, 'GET', '/landings?limit=1000');
    const noted = story.git('notes', '--ref=firetrident', 'list').split('\n');
    expect(noted.map((line) => line.split(' ')[1]).sort()).toEqual(
      landings.map(({ commit }: { commit: string }) => commit).sort(),
    );
    for (const { landing, commit } of landings) {
      const page = await story.admin(200, 'GET', `/landings/${landing}`);
      expect(note(commit).landings[0]).toMatchObject({ landing, proposal: page.proposal, cycle: page.cycle });
    }
  });

  test('[L1] landing.commits "batch" makes one commit per lane, whose note lists every landing', async () => {
    await story.policy({ landing: { commits: 'batch' } });
    const workers = [await story.work('batched 1'), await story.work('batched 2'), await story.work('other lane')];
    const [one, two, three] = workers as [Worker, Worker, Worker];
    await story.land('the shared file', { 'batch/shared': nineLines() });
    await story.pause();
    await one.send({ 'batch/1': '1\n' });
    await two.send({ 'batch/2': '2\n' });
    await three.send({ 'lane/3': '3\n' });
    await story.resume();
    const [first, second, third] = [await one.outcome(), await two.outcome(), await three.outcome()];
    await story.policy({ landing: { commits: 'proposal' } });
    expect(first.commit).toBe(second.commit);
    expect(third.commit).not.toBe(first.commit);
    const listed = note(first.commit).landings.map(({ landing }: { landing: string }) => landing);
    expect(listed).toEqual([first.landing, second.landing]);
    const message = story.git('show', '-s', '--format=%B', first.commit);
    for (const { landing } of [first, second]) expect(message).toContain(`FT-Landing: ${landing}`);
    const why = await story.admin(200, 'GET', '/why?path=batch/2&line=1');
    expect(why.commit).toBe(second.commit);
    const undone = await story.admin(202, 'POST', `/landings/${second.landing}/revert`, {});
    expect((await story.admin(200, 'GET', `/proposals/${undone.proposal}?waitMs=60000`)).state).toBe('landed');
    expect([story.mode('batch/1'), story.mode('batch/2')]).toEqual(['100644', '']);
  });
});

describe('retries', () => {
  const key = (name: string) => ({ key: name });

  test('[L5a] the same key is the same proposal: queued, landed, and after a restart', async () => {
    const worker = await story.work('is impatient');
    await story.pause();
    const first = await worker.send({ 'retry.txt': 'r\n' }, key('k'));
    expect(await worker.send({ 'retry.txt': 'r\n' }, key('k'))).toBe(first);
    await story.resume();
    const landed = await worker.outcome();
    await daemon.restart();
    const again = await worker.propose({ 'retry.txt': 'r\n' }, key('k'));
    expect(again).toMatchObject({ proposal: first, state: 'landed', landing: landed.landing, commit: landed.commit });
    const { landings } = await story.admin(200, 'GET', '/landings?limit=1000');
    expect(landings.filter(({ proposal }: { proposal: string }) => proposal === first).length).toBe(1);
  });

  test('[L5a] the key is looked up before anything else: blobs that are gone, a base that is none', async () => {
    const worker = await story.work('names a blob');
    const { blob } = await worker.expect(200, 'PUT', '/blobs', Buffer.from('same\n'));
    await story.land('lands the same first', { 'blob.txt': 'same\n' });
    const first = await worker.propose({ 'blob.txt': { blob } }, key('k'));
    expect(first.state).toBe('unchanged');
    const odd = { 'blob.txt': { blob: '1'.repeat(40) } };
    expect(await worker.propose(odd, { ...key('k'), base: '2'.repeat(40) })).toMatchObject({
      proposal: first.proposal,
    });
  });

  test('[L5b] a key names one request: another lease, another return or other writes are refused', async () => {
    const worker = await story.work('uses a key');
    const other = await story.take(worker.agent, { intent: await story.intent('uses it again') });
    await story.pause();
    const first = await worker.send({ 'key.txt': 'k\n' }, key('once'));
    const writes = await worker.proposeRefused(409, 'key_reused', { 'key.txt': 'other\n' }, key('once'));
    expect([writes.value, writes.details]).toEqual(['once', { proposal: first }]);
    await other.proposeRefused(409, 'key_reused', { 'key.txt': 'k\n' }, key('once'));
    await story.resume();
    expect((await worker.outcome()).state).toBe('landed');
    await other.proposeRefused(409, 'key_reused', { 'key.txt': 'k\n' }, key('once'));
    const stranger = await story.work('has keys of its own');
    await stranger.landed({ 'stranger-key.txt': 's\n' }, key('once'));
    await other.landed({ 'other-key.txt': 'o\n' }, key('twice'));
  });

  test('[L5a] [L5b] the key of a repair is that of its return', async () => {
    const worker = await story.work('repairs with a key');
    await story.land('moves README', { 'README.md': '# Moved\n' });
    await worker.returned({ 'repaired.txt': 'r\n' }, { reads: [{ path: 'README.md' }], ...key('first') });
    const returned = worker.last;
    await worker.refused(409, 'key_reused', 'repair', { proposal: returned, answer: 'confirm', ...key('first') });
    const landed = await worker.repair('confirm', {}, key('second'));
    worker.last = returned;
    expect(await worker.repair('confirm', {}, key('second'))).toEqual(landed);
    await worker.proposeRefused(409, 'key_reused', { 'repaired.txt': 'r\n' }, key('second'));
    const body = { proposal: 'prp_other', answer: 'confirm', ...key('second') };
    await worker.refused(409, 'key_reused', 'repair', body);
  });
});

describe('pushes by others', () => {
  test('[L6a] a push with stock git is a landing by external; reads and writes that it moved come back', async () => {
    const worker = await story.work('works meanwhile');
    const merges = await story.work('merges with it');
    await story.land('a file to merge', { 'merge.txt': nineLines() });
    const late = await story.work('knows the file');
    const commit = story.pushByHand('By hand', {
      'README.md': '# By hand\n',
      'merge.txt': nineLines({ 1: 'by hand' }),
    });
    const row = await recorded(commit);
    expect(row).toMatchObject({ commit, external: true, agentName: 'external', title: 'By hand', proposal: null });
    const page = await story.admin(200, 'GET', `/landings/${row.landing}`);
    expect(page.external).toEqual({ from: expect.any(String), commits: 1 });
    expect(page.writes.map(({ path }: { path: string }) => path)).toEqual(['README.md', 'merge.txt']);
    const { brief } = await worker.returned({ 'after-push.txt': 'a\n' }, { reads: [{ path: 'README.md' }] });
    expect(brief.reads).toMatchObject([
      { path: 'README.md', landing: row.landing, intent: { id: null, title: 'By hand' } },
    ]);
    expect(await late.landed({ 'merge.txt': nineLines({ 9: 'nine' }) })).toMatchObject({ merged: ['merge.txt'] });
    expect(story.file('merge.txt')).toBe(nineLines({ 1: 'by hand', 9: 'nine' }));
    await merges.landed({ 'unmoved.txt': 'u\n' });
  });

  test('[L6a] a push that races with a cycle is recorded, and what was queued still lands', async () => {
    const workers = [await story.work('races 1'), await story.work('races 2')];
    await story.pause();
    for (const [index, worker] of workers.entries()) await worker.send({ [`race/${index}`]: 'r\n' });
    const commit = story.pushByHand('In between', { 'between.txt': 'b\n' });
    await story.resume();
    for (const worker of workers) expect((await worker.outcome()).state).toBe('landed');
    expect(story.git('merge-base', '--is-ancestor', commit, 'main')).toBe('');
    expect(story.file('between.txt')).toBe('b\n');
    const page = await story.admin(200, 'GET', '');
    expect(page.externalLandings).toBe(2);
  });

  test('[L6a] a push may be reverted like any landing', async () => {
    const commit = story.pushByHand('To be taken back', { 'taken-back.txt': 't\n' });
    const row = await recorded(commit);
    const { proposal } = await story.admin(202, 'POST', `/landings/${row.landing}/revert`, {});
    expect((await story.admin(200, 'GET', `/proposals/${proposal}?waitMs=60000`)).state).toBe('landed');
    expect(story.mode('taken-back.txt')).toBe('');
  });

  test('[L6b] when trunk is rewritten nothing lands until an administrator resumes, which accepts the tip', async () => {
    const own = await Story.open(daemon);
    const first = await own.land('soon gone', { 'gone.txt': 'g\n' });
    const worker = await own.work('works on');
    const commit = own.pushByHand('Rewritten', { 'rewritten.txt': 'r\n' }, ['--amend']);
    const page = await own.until(
      () => own.admin(200, 'GET', ''),
      ({ trunk }) => trunk.rewoundTo !== null,
    );
    expect(page.trunk).toMatchObject({ commit: first.commit, rewoundTo: commit });
    const { attention } = await own.admin(200, 'GET', '/attention');
    expect(attention).toMatchObject([{ kind: 'trunk-rewound' }]);
    await worker.send({ 'waits.txt': 'w\n' });
    expect(await worker.expect(200, 'GET', `/proposals/${worker.last}?waitMs=200`)).toMatchObject({ state: 'queued' });
    expect(own.git('rev-parse', 'main')).toBe(commit);
    await own.resume();
    const status = await worker.outcome();
    expect(status.state).toBe('landed');
    expect(own.git('rev-parse', `${status.commit}^`)).toBe(commit);
    expect((await own.admin(200, 'GET', '/attention')).attention).toEqual([]);
    own.git('fsck', '--strict');
  });

  test('[L6b] who was at work on what trunk was before may still land, merged with what it became', async () => {
    const own = await Story.open(daemon, { 'README.md': nineLines() });
    const worker = await own.work('was at work before');
    own.pushByHand('A first commit of its own', { 'README.md': nineLines({ 9: 'nine' }) }, ['--amend']);
    await own.until(
      () => own.admin(200, 'GET', ''),
      ({ trunk }) => trunk.rewoundTo !== null,
    );
    await own.resume();
    expect(await worker.landed({ 'README.md': nineLines({ 1: 'one' }) })).toMatchObject({ merged: ['README.md'] });
    expect(own.file('README.md')).toBe(nineLines({ 1: 'one', 9: 'nine' }));
  });
});

describe('nothing is dropped', () => {
  test('[L7] every write of every proposal is landed, unchanged, or kept with a proposal that came back', async () => {
    await story.land('some ground', { 'l7/a': nineLines(), 'l7/b': 'b\n', 'l7/c': 'c\n' });
    const puts = [
      { 'l7/a': nineLines({ 1: 'one' }), 'l7/new': 'n\n', 'l7/b': 'b\n' },
      { 'l7/a': nineLines({ 9: 'nine' }), 'l7/c': null, 'l7/never': null },
      { 'l7/a': nineLines({ 1: 'uno' }), 'l7/c': 'edited\n', 'l7/mine': 'm\n' },
      { 'l7/new': 'n\n' },
    ];
    const workers: Worker[] = [];
    for (const [index] of puts.entries()) workers.push(await story.work(`accounts ${index}`));
    await story.pause();
    for (const [index, worker] of workers.entries()) await worker.send(puts[index] ?? {});
    await story.resume();
    for (const [index, worker] of workers.entries()) {
      const status = await worker.outcome();
      const declared = Object.keys(puts[index] ?? {}).sort();
      if (status.state === 'returned') {
        await worker.refused(409, 'confirm_needs_writes', 'repair', { proposal: worker.last, answer: 'confirm' });
        expect(status.brief.writes.map(({ path }: { path: string }) => path)).toEqual(['l7/a', 'l7/c']);
        continue;
      }
      const written =
        status.landing === undefined ? [] : (await story.admin(200, 'GET', `/landings/${status.landing}`)).writes;
      const accounted = [...written.map(({ path }: { path: string }) => path), ...status.unchanged].sort();
      expect(accounted).toEqual(declared);
    }
    const kinds = (await Promise.all(workers.map((worker) => worker.outcome()))).map(({ state }) => state);
    expect(kinds).toEqual(['landed', 'landed', 'returned', 'unchanged']);
  });

  test('[L7] a diff of every landing commit has exactly the paths that its landings name', async () => {
    const { landings } = await story.admin(200, 'GET', '/landings?limit=25');
    const declared = new Map<string, string[]>();
    for (const { landing, commit, external } of landings) {
      const { writes } = await story.admin(200, 'GET', `/landings/${landing}`);
      const paths = writes.map(({ path }: { path: string }) => path);
      if (!external) declared.set(commit, [...(declared.get(commit) ?? []), ...paths]);
    }
    expect(declared.size).toBeGreaterThan(10);
    for (const [commit, paths] of declared) {
      const range = ['--no-renames', '-r', '-z', '--name-only', `${commit}^`, commit];
      const changed = git(story.scene.repository, ['diff-tree', ...range])
        .split('\0')
        .filter(Boolean);
      expect(changed.sort()).toEqual(paths.sort());
    }
  });
});

describe('reverts', () => {
  const revert = (landing: string) => story.admin(202, 'POST', `/landings/${landing}/revert`, {});
  const settled = (proposal: string) => story.admin(200, 'GET', `/proposals/${proposal}?waitMs=60000`);

  test('[L8] a revert is an intent whose change lands by the same rules', async () => {
    await story.land('before', { 'revert/a': 'a\n', 'revert/b': 'b\n', 'revert/c': 'c\n' });
    const puts = {
      'revert/a': 'A\n',
      'revert/b': null,
      'revert/c': { content: 'c\n', mode: '100755' },
      'revert/d': 'd\n',
    };
    const { landing } = await story.land('a mistake', puts);
    const { intent, proposal } = await revert(landing);
    expect((await settled(proposal)).state).toBe('landed');
    expect(await story.read(intent)).toMatchObject({ state: 'landed', title: 'Revert: a mistake', labels: ['revert'] });
    expect(['a', 'b', 'c', 'd'].map((name) => story.mode(`revert/${name}`))).toEqual([
      '100644',
      '100644',
      '100644',
      '',
    ]);
    expect(story.file('revert/a') + story.file('revert/b')).toBe('a\nb\n');
    const again = await revert(landing);
    expect((await settled(again.proposal)).state).toBe('unchanged');
    expect(await story.read(again.intent)).toMatchObject({ state: 'closed' });
  });

  test('[L8] what landed since is kept where the two merge', async () => {
    await story.land('nine lines', { 'revert/lines': nineLines() });
    const { landing } = await story.land('changes 1', { 'revert/lines': nineLines({ 1: 'one' }) });
    await story.land('changes 9', { 'revert/lines': nineLines({ 1: 'one', 9: 'nine' }) });
    const { proposal } = await revert(landing);
    expect(await settled(proposal)).toMatchObject({ state: 'landed', merged: ['revert/lines'] });
    expect(story.file('revert/lines')).toBe(nineLines({ 9: 'nine' }));
  });

  test('[L8] where they conflict the intent is open for an agent, and trunk stays', async () => {
    const { landing } = await story.land('changes 5', { 'revert/five': nineLines({ 5: 'five' }) });
    await story.land('changes 5 again', { 'revert/five': nineLines({ 5: 'fünf' }) });
    const tip = story.git('rev-parse', 'main');
    const { intent, proposal } = await revert(landing);
    expect(await settled(proposal)).toMatchObject({ state: 'returned' });
    await story.until(
      () => story.read(intent),
      ({ state }) => state === 'open',
    );
    expect(story.git('rev-parse', 'main')).toBe(tip);
    const worker = await story.take(await story.register(), { intent });
    await worker.landed({ 'revert/five': nineLines() });
    expect(await story.read(intent)).toMatchObject({ state: 'landed' });
  });

  test('[L8] a landing that is not known cannot be reverted, and agents may ask for it too', async () => {
    expect((await story.admin(404, 'POST', '/landings/lnd_nowhere/revert', {})).error.code).toBe('unknown_landing');
    const { landing } = await story.land('reverted by an agent', { 'revert/agent': 'a\n' });
    const worker = await story.work('asks for a revert');
    const { proposal } = await worker.expect(202, 'POST', `/landings/${landing}/revert`, {});
    expect((await settled(proposal)).state).toBe('landed');
  });
});
