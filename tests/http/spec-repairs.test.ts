// Returns, briefs and repairs as the public interface shows them: what an agent is told, and what its answers do.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { nineLines, Story, type Worker } from './story.ts';

let daemon: TestDaemon;
let story: Story;
beforeAll(async () => {
  daemon = await startTestDaemon();
  story = await Story.open(daemon, { 'README.md': '# Story\n' });
});
afterAll(() => daemon.stop());

let number = 0;

/** A folder of its own with files in it, landed. */
async function folder(files: Readonly<Record<string, string>>): Promise<(name: string) => string> {
  number += 1;
  const prefix = `part-${number}`;
  const puts = Object.fromEntries(Object.entries(files).map(([name, content]) => [`${prefix}/${name}`, content]));
  await story.land(`base of ${prefix}`, puts);
  return (name) => `${prefix}/${name}`;
}

/** A worker whose proposal came back, because `in("read.txt")` moved under its read. */
async function returnedByRead(): Promise<{ worker: Worker; at: (name: string) => string }> {
  const at = await folder({ 'read.txt': 'one\n' });
  const worker = await story.work(`reader ${number}`);
  await story.land(`mover ${number}`, { [at('read.txt')]: 'two\n' });
  await worker.returned({ [at('out.txt')]: 'out\n' }, { reads: [{ path: at('read.txt') }] });
  return { worker, at };
}

describe('briefs', () => {
  test('[R1a] [R1c] a brief names every stale read and every write that does not fit, with who moved them', async () => {
    const at = await folder({ 'read.txt': 'one\n', 'write.txt': 'one\n', 'still.txt': 's\n' });
    const worker = await story.work('reads and writes');
    const first = await story.land('moves the read', { [at('read.txt')]: 'two\n' });
    const second = await story.land('moves the write', { [at('write.txt')]: 'two\n' });
    const status = await worker.returned(
      { [at('write.txt')]: 'mine\n', [at('own.txt')]: 'own\n' },
      { reads: [{ path: at('read.txt') }, { path: at('still.txt') }] },
    );
    const { trunk, reads, writes } = status.brief;
    expect(trunk).toBe(story.git('rev-parse', 'main'));
    expect(reads).toMatchObject([
      { path: at('read.txt'), landing: first.landing, intent: { title: 'moves the read' } },
    ]);
    expect(reads[0].was).toBe(story.git('rev-parse', `${worker.base}:${at('read.txt')}`));
    expect(reads[0].now).toBe(story.git('rev-parse', `main:${at('read.txt')}`));
    expect(reads[0].diff).toContain('-one\n+two');
    expect(writes).toMatchObject([{ path: at('write.txt'), kind: 'content', landing: second.landing }]);
    expect(writes[0].diff).toContain('-one\n+two');
  });

  test('[R1a] [R1c] a brief shows the tree that its whole cycle made, and the last landing of it that touched a thing', async () => {
    const at = await folder({ 'hot.txt': nineLines() });
    const workers = [await story.work('changes 1'), await story.work('changes 9'), await story.work('conflicts')];
    const [one, nine, conflicts] = workers as [Worker, Worker, Worker];
    await story.pause();
    await one.send({ [at('hot.txt')]: nineLines({ 1: 'one' }) });
    await nine.send({ [at('hot.txt')]: nineLines({ 9: 'nine' }) });
    await conflicts.send({ [at('hot.txt')]: nineLines({ 1: 'other' }) });
    await story.resume();
    const landed = await nine.outcome();
    const { brief } = await conflicts.outcome();
    expect(landed).toMatchObject({ state: 'landed', merged: [at('hot.txt')] });
    expect(brief.trunk).toBe(landed.commit);
    expect(brief.writes).toMatchObject([{ landing: landed.landing, intent: { title: 'changes 9' } }]);
    expect(brief.writes[0].tip).toBe(story.git('rev-parse', `${brief.trunk}:${at('hot.txt')}`));
  });

  test('[R1b] what did not fit at its turn but fits the tree that its cycle made is not sent back', async () => {
    const at = await folder({ 'a.txt': 'a\n' });
    const reader = await story.work('reads b');
    const changes = await story.work('changes a');
    const restores = await story.work('restores a');
    await story.pause();
    await changes.send({ [at('a.txt')]: 'changed\n' });
    const chain = await restores.send({ [at('b.txt')]: 'b\n' }, { final: false });
    await reader.send({ [at('c.txt')]: 'c\n' }, { reads: [{ path: at('a.txt') }] });
    await story.resume();
    for (const worker of [changes, reader]) expect((await worker.outcome()).state).toBe('landed');
    expect((await restores.outcome(chain)).state).toBe('landed');
  });
});

describe('repairs', () => {
  test('[R2a] [R2b] the return keeps its outcome; its repair names it and carries what caused it', async () => {
    const { worker, at } = await returnedByRead();
    const first = worker.last;
    const { brief } = await worker.outcome();
    await story.land('moves it once more', { [at('read.txt')]: 'three\n' });
    const second = await worker.repair('confirm');
    expect(second).toMatchObject({ state: 'returned', repairOf: first });
    const landed = await worker.repair('confirm');
    expect(landed).toMatchObject({ state: 'landed', repairOf: second.proposal });
    expect((await worker.outcome(first)).brief).toEqual(brief);
    const lineage = await story.admin(200, 'GET', `/landings/${landed.landing}`);
    expect(lineage.returns).toEqual([
      { proposal: first, causes: [brief.reads[0].landing] },
      { proposal: second.proposal, causes: [second.brief.reads[0].landing] },
    ]);
    expect(await story.read(worker.intent)).toMatchObject({ state: 'landed', returns: 2 });
  });

  test('[R2c] only a return that is still out can be repaired', async () => {
    const { worker } = await returnedByRead();
    const returned = worker.last;
    await worker.refused(404, 'unknown_proposal', 'repair', { proposal: 'prp_nowhere', answer: 'confirm' });
    await story.pause();
    const repair = { ...worker.holder, proposal: returned, answer: 'confirm' };
    const { proposal } = await worker.expect(202, 'POST', '/repair', repair);
    await worker.refused(409, 'not_returned', 'repair', { proposal: returned, answer: 'confirm' });
    await worker.refused(409, 'not_returned', 'repair', { proposal, answer: 'redo' });
    await story.resume();
    expect((await worker.outcome(proposal)).state).toBe('landed');
  });

  test('[R3a] confirm takes everything over, and is refused when a write conflicts', async () => {
    const { worker, at } = await returnedByRead();
    await worker.refused(422, 'invalid_request', 'repair', {
      proposal: worker.last,
      answer: 'confirm',
      writes: [{ path: 'x', content: 'x' }],
    });
    expect((await worker.repair('confirm')).state).toBe('landed');
    expect(story.file(at('out.txt'))).toBe('out\n');
    const loser = await story.work('conflicts');
    await story.land('writes first', { [at('out.txt')]: 'first\n' });
    await loser.returned({ [at('out.txt')]: 'second\n' });
    const body = { proposal: loser.last, answer: 'confirm' };
    const error = await loser.refused(409, 'confirm_needs_writes', 'repair', body);
    expect(error.details).toEqual({ path: at('out.txt') });
  });

  test('[R3b] amend replaces what is sent again and keeps the rest with the base that it was made against', async () => {
    const at = await folder({ 'conflict.txt': 'one\n', 'merges.txt': nineLines() });
    const worker = await story.work('amends');
    await story.land('moves both', { [at('conflict.txt')]: 'two\n', [at('merges.txt')]: nineLines({ 1: 'one' }) });
    await worker.returned({ [at('conflict.txt')]: 'mine\n', [at('merges.txt')]: nineLines({ 9: 'nine' }) });
    const status = await worker.repair('amend', { [at('conflict.txt')]: 'two and mine\n' });
    expect(status).toMatchObject({ state: 'landed', merged: [at('merges.txt')] });
    // Nothing that landed meanwhile is undone by the write that was carried over.
    expect(story.file(at('merges.txt'))).toBe(nineLines({ 1: 'one', 9: 'nine' }));
    expect(story.file(at('conflict.txt'))).toBe('two and mine\n');
  });

  test('[R3b] after an amend, reads that the brief named rest on what it showed unless they are declared again', async () => {
    const { worker, at } = await returnedByRead();
    const old = worker.base;
    const again = await worker.repair('amend', {}, { reads: [{ path: at('read.txt'), at: old }] });
    expect(again).toMatchObject({ state: 'returned', brief: { reads: [{ path: at('read.txt') }] } });
    expect((await worker.repair('amend', { [at('more.txt')]: 'more\n' })).state).toBe('landed');
    expect(story.file(at('out.txt')) + story.file(at('more.txt'))).toBe('out\nmore\n');
  });

  test('[R3b] a file that was read over HTTP before the return does not send the amended work back again', async () => {
    const at = await folder({ 'served.txt': 'one\n' });
    const worker = await story.work('was served');
    expect(await worker.open(at('served.txt'))).toBe('one\n');
    await story.land('moves what was served', { [at('served.txt')]: 'two\n' });
    const status = await worker.returned({ [at('made.txt')]: 'made of one\n' });
    expect(status.brief.reads).toMatchObject([{ path: at('served.txt') }]);
    expect((await worker.repair('amend', { [at('made.txt')]: 'made of two\n' })).state).toBe('landed');
  });

  test('[R3c] redo is only what is sent', async () => {
    const at = await folder({ 'read.txt': 'one\n', 'served.txt': 'one\n' });
    const worker = await story.work('does it again');
    await worker.open(at('served.txt'));
    await story.land('moves both', { [at('read.txt')]: 'two\n', [at('served.txt')]: 'two\n' });
    await worker.returned({ [at('out.txt')]: 'out\n' }, { reads: [{ path: at('read.txt') }] });
    const proposal = worker.last;
    await worker.refused(422, 'no_change', 'repair', { proposal, answer: 'redo', writes: [] });
    const status = await worker.repair('redo', { [at('other.txt')]: 'other\n' });
    expect(status.state).toBe('landed');
    expect(story.mode(at('out.txt'))).toBe('');
    const lineage = await story.admin(200, 'GET', `/landings/${status.landing}`);
    expect(lineage.writes).toMatchObject([{ path: at('other.txt') }]);
    expect(lineage.reads).toEqual([]);
  });

  test('[R3b] a write that is sent again is against the brief’s trunk, or the commit that the repair names', async () => {
    const at = await folder({ 'file.txt': nineLines() });
    const worker = await story.work('names its base');
    await story.land('changes 5', { [at('file.txt')]: nineLines({ 5: 'five' }) });
    const { brief } = await worker.returned({ [at('file.txt')]: nineLines({ 5: 'mine' }) });
    const tip = { path: at('file.txt'), content: nineLines({ 5: 'both' }), was: brief.writes[0].tip };
    const old = { ...tip, was: brief.writes[0].base };
    const body = { proposal: worker.last, answer: 'amend' };
    await worker.refused(422, 'write_basis', 'repair', { ...body, writes: [old] });
    await worker.refused(422, 'write_basis', 'repair', { ...body, base: worker.base, writes: [tip] });
    await worker.refused(422, 'unknown_base', 'repair', { ...body, base: '1'.repeat(40), writes: [tip] });
    const status = await worker.repair('amend', { [at('file.txt')]: { content: tip.content, was: tip.was } });
    expect(status.state).toBe('landed');
    expect(story.file(at('file.txt'))).toBe(nineLines({ 5: 'both' }));
  });
});

describe('reservations', () => {
  /** A worker whose proposal came back three times, because others moved what it read. */
  async function returnedThrice(): Promise<{ worker: Worker; at: (name: string) => string }> {
    const { worker, at } = await returnedByRead();
    for (const round of ['three', 'four']) {
      await story.land(`moves it again ${round} ${at('')}`, { [at('read.txt')]: `${round}\n` });
      expect(await worker.repair('confirm')).toMatchObject({ state: 'returned' });
    }
    return { worker, at };
  }

  test('[R4a] [R4b] who came back three times goes before whoever would send it back again, and the others then land', async () => {
    const { worker, at } = await returnedThrice();
    const third = worker.last;
    // Its agent is told, and so is whoever looks at the colony.
    const { reserved } = await worker.expect(200, 'GET', `/proposals/${third}`);
    expect(Date.parse(reserved.until)).toBeGreaterThan(Date.now());
    const { reservations } = await story.admin(200, 'GET', '');
    expect(reservations).toMatchObject([{ proposal: third, agent: worker.agent.id, until: reserved.until, held: 0 }]);
    const others = await Promise.all([1, 2, 3].map((each) => story.work(`writes on ${each} ${at('')}`)));
    const [writes, moves, elsewhere] = others as [Worker, Worker, Worker];
    await writes.send({ [at('out.txt')]: 'theirs\n' });
    await moves.send({ [at('read.txt')]: 'five\n' });
    // What has nothing to do with it goes on; by then the others have been looked at.
    await elsewhere.landed({ [at('other.txt')]: 'other\n' });
    for (const other of [writes, moves]) {
      const status = await other.expect(200, 'GET', `/proposals/${other.last}`);
      expect(status).toMatchObject({ state: 'queued', deferred: { reason: 'reserved', by: third } });
      expect(Date.parse(status.deferred.until)).toBeGreaterThan(Date.now());
    }
    expect(await worker.repair('confirm')).toMatchObject({ state: 'landed', repairOf: third });
    expect(await moves.outcome()).toMatchObject({ state: 'landed' });
    expect(await writes.outcome()).toMatchObject({ state: 'returned' });
    expect(story.file(at('read.txt')) + story.file(at('out.txt'))).toBe('five\nout\n');
  });

  test('[R4c] the others land when the one that goes first lets go, or its time is over', async () => {
    const { worker, at } = await returnedThrice();
    const first = await story.work(`waits ${at('')}`);
    const proposal = await first.send({ [at('out.txt')]: 'theirs\n' });
    await story.until(
      () => first.expect(200, 'GET', `/proposals/${proposal}`),
      ({ deferred }) => deferred !== undefined,
    );
    await worker.release();
    expect((await first.outcome()).state).toBe('landed');
    await story.policy({ reservationMs: 1 });
    const short = await returnedThrice();
    const second = await story.work(`waits for no long ${short.at('')}`);
    expect((await second.propose({ [short.at('out.txt')]: 'theirs\n' })).state).toBe('landed');
    await story.policy({ reservationMs: 30_000 });
  });
});
