// Intents and agents as the public interface shows them: created, edited, ended, blocked; tokens that let agents in.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { Story } from './story.ts';

let daemon: TestDaemon;
let story: Story;
beforeAll(async () => {
  daemon = await startTestDaemon();
  story = await Story.open(daemon);
});
afterAll(() => daemon.stop());

const create = (status: number, intents: readonly object[]) => story.admin(status, 'POST', '/intents', { intents });
const edit = (status: number, intent: string, change: object) =>
  story.admin(status, 'PATCH', `/intents/${intent}`, change);
const count = async () => (await story.admin(200, 'GET', '/intents?limit=1000')).intents.length;

describe('creating', () => {
  test('[I1] drafts are created all or none, and the refusal names the first thing wrong', async () => {
    const before = await count();
    const drafts = [
      { title: 'good' },
      { title: 'bad', after: ['int_nowhere'] },
      { title: 'worse', parent: 'int_none' },
    ];
    const { error } = await create(422, drafts);
    expect([error.code, error.value]).toEqual(['unknown_dependency', 'int_nowhere']);
    expect(await count()).toBe(before);
    const made = await create(201, [{ title: 'first of two' }, { title: 'second of two' }]);
    expect(made.intents.map(({ state }: { state: string }) => state)).toEqual(['open', 'open']);
    expect(await count()).toBe(before + 2);
  });

  test('[I2] a key names one intent for ever, also after it landed', async () => {
    const [first, again] = (
      await create(201, [
        { title: 'keyed', key: 'k1' },
        { title: 'other', key: 'k1' },
      ])
    ).intents;
    expect(again.id).toBe(first.id);
    const worker = await story.take(await story.register(), { intent: first.id });
    await worker.landed({ 'keyed.txt': 'k\n' });
    const late = (await create(201, [{ title: 'much later', key: 'k1' }])).intents[0];
    expect(late).toMatchObject({ id: first.id, key: 'k1', state: 'landed' });
    expect(await story.read(first.id)).toMatchObject({ title: 'keyed', state: 'landed' });
  });

  test('[I3] dependencies and parents must exist, also ones that are over', async () => {
    const { error } = await create(422, [{ title: 'orphan', parent: 'int_nobody' }]);
    expect([error.code, error.value]).toEqual(['unknown_dependency', 'int_nobody']);
    const first = await story.intent('first of all');
    await (await story.take(await story.register(), { intent: first })).complete();
    const next = await story.intent('after what is over', { after: [first], parent: first });
    expect(await story.read(next)).toMatchObject({ after: [first], waitingOn: [], parent: first });
  });

  test('[T7] near duplicates are named and linked, and nothing is refused', async () => {
    const paths = ['src/parser/**'];
    const first = await story.intent('Tidy the   Parser and its tokens', { paths });
    const [title, words, neither] = (
      await create(201, [
        { title: 'tidy the parser and its tokens' },
        { title: 'Tidy the parser and its tokens now', paths },
        { title: 'Write a manual', paths },
      ])
    ).intents;
    expect(title.duplicateOf).toEqual([first]);
    expect(words.duplicateOf).toContain(first);
    expect(neither.duplicateOf).toBeUndefined();
    expect((await story.read(title.id)).duplicateOf).toEqual([first]);
  });
});

describe('editing', () => {
  test('[I4] what a live intent says may be edited in any state; an edit of nothing is refused', async () => {
    const worker = await story.work('to be renamed');
    const change = { title: 'renamed', body: 'b', paths: ['x/**'], priority: 2.5, labels: ['l'] };
    expect(await edit(200, worker.intent, change)).toMatchObject({ ...change, state: 'taken' });
    expect((await edit(422, worker.intent, {})).error.code).toBe('invalid_request');
    await worker.complete();
    expect((await edit(409, worker.intent, { title: 'too late' })).error.code).toBe('intent_not_editable');
    expect((await edit(404, 'int_nowhere', { title: 'x' })).error.code).toBe('unknown_intent');
  });

  test('[I5] abandoning ends the lease; opening again makes it takeable; repeating changes nothing', async () => {
    const worker = await story.work('to be abandoned');
    expect(await edit(200, worker.intent, { state: 'abandoned' })).toMatchObject({ state: 'abandoned', lease: null });
    await worker.refused(409, 'stale_epoch', 'heartbeat');
    expect(await edit(200, worker.intent, { state: 'abandoned' })).toMatchObject({ state: 'abandoned' });
    await story.scene.refused(409, 'intent_not_open', 'POST', '/take', { intent: worker.intent }, worker.agent.token);
    expect(await edit(200, worker.intent, { state: 'open' })).toMatchObject({ state: 'open' });
    expect(await edit(200, worker.intent, { state: 'open' })).toMatchObject({ state: 'open' });
    const again = await story.take(worker.agent, { intent: worker.intent });
    expect(again.epoch).toBeGreaterThan(worker.epoch);
  });

  test('[I5] nothing is abandoned while a proposal of it is queued', async () => {
    const worker = await story.work('queued and wanted away');
    await story.pause();
    await worker.send({ 'queued.txt': 'q\n' });
    expect((await edit(409, worker.intent, { state: 'abandoned' })).error.code).toBe('intent_not_editable');
    await story.resume();
    expect((await worker.outcome()).state).toBe('landed');
  });

  test('[I5] [C4a] abandoning preserves the work that came back', async () => {
    const worker = await story.work('returned and abandoned');
    await story.land('wins on README', { 'README.md': '# Won\n' });
    await worker.returned({ 'README.md': '# Lost\n', 'own.txt': 'kept\n' });
    await edit(200, worker.intent, { state: 'abandoned' });
    const kept = await worker.preserved();
    expect(story.git('show', `${kept.ref}:own.txt`)).toBe('kept');
  });
});

describe('ends', () => {
  test('[I6] [T8a] a completed intent is closed with its reason, and can still be read', async () => {
    const worker = await story.work('nothing to change', { body: 'whole', labels: ['kept'] });
    expect(await worker.complete('it is so already')).toMatchObject({ ended: 'completed' });
    const whole = { state: 'closed', reason: 'it is so already', body: 'whole', labels: ['kept'], lease: null };
    expect(await story.read(worker.intent)).toMatchObject(whole);
    const { intents } = await story.admin(200, 'GET', '/intents?state=closed&limit=1000');
    expect(intents.map(({ id }: { id: string }) => id)).toContain(worker.intent);
  });

  test('[T8a] completed after a part of it landed, the intent is landed', async () => {
    const worker = await story.work('part of it is enough');
    const part = await worker.landed({ 'part.txt': 'p\n' }, { final: false });
    await worker.complete('the rest is not needed');
    expect(await story.read(worker.intent)).toMatchObject({ state: 'landed', landings: [part.landing] });
  });

  test('[T8b] [T8c] failing counts an attempt; too many block it, until it is opened anew', async () => {
    await story.policy({ maxAttempts: 2 });
    const worker = await story.work('beyond us');
    await worker.fail('no idea');
    expect(await story.read(worker.intent)).toMatchObject({ state: 'open', attempts: 1, reason: 'no idea' });
    await (await story.take(worker.agent, { intent: worker.intent })).fail('still none');
    expect(await story.read(worker.intent)).toMatchObject({ state: 'blocked', attempts: 2 });
    const { attention } = await story.admin(200, 'GET', '/attention');
    expect(attention).toContainEqual(expect.objectContaining({ kind: 'intent-blocked', intent: worker.intent }));
    await story.scene.refused(409, 'intent_not_open', 'POST', '/take', { intent: worker.intent }, worker.agent.token);
    expect(await edit(200, worker.intent, { state: 'open' })).toMatchObject({ state: 'open', attempts: 0 });
    expect((await story.admin(200, 'GET', '/attention')).attention).toEqual([]);
    await story.policy({ maxAttempts: 5 });
  });

  test('[T8d] a release gives the intent back and counts no attempt', async () => {
    const worker = await story.work('not for me');
    await worker.release();
    expect(await story.read(worker.intent)).toMatchObject({ state: 'open', attempts: 0, lease: null });
  });
});

describe('agents', () => {
  test('[A1] an agent registers with the administrator or a join token, and only its token opens anything', async () => {
    const { token: join } = await story.admin(201, 'POST', '/join-tokens', { agents: 1 });
    const joined = await story.scene.expect(201, 'POST', '/agents', { name: 'joined' }, join);
    const { agents } = await story.scene.expect(200, 'GET', '/agents', undefined, joined.token);
    expect(agents).toContainEqual(expect.objectContaining({ id: joined.agentId, name: 'joined', state: 'idle' }));
    await story.scene.refused(401, 'unauthorized', 'GET', '/agents', undefined, `${joined.token}x`);
    await story.scene.refused(403, 'forbidden', 'POST', '/agents', { name: 'no' }, joined.token);
  });

  test('[A2] a join token registers as many as it was made for, until it expires', async () => {
    const { token } = await story.admin(201, 'POST', '/join-tokens', { agents: 2, expiresAt: null });
    await story.scene.expect(201, 'POST', '/agents', { name: 'one' }, token);
    await story.scene.expect(201, 'POST', '/agents', { name: 'two' }, token);
    await story.scene.refused(403, 'join_token_spent', 'POST', '/agents', { name: 'three' }, token);
    const past = { agents: 9, expiresAt: '2020-01-01T00:00:00Z' };
    const { token: expired } = await story.admin(201, 'POST', '/join-tokens', past);
    await story.scene.refused(401, 'unknown_join_token', 'POST', '/agents', { name: 'late' }, expired);
  });

  test.each([
    ['agents', () => story.scene.refused(429, 'limit_reached', 'POST', '/agents', { name: 'x' })],
    ['liveIntents', () => story.scene.refused(429, 'limit_reached', 'POST', '/intents', { intents: [{ title: 'x' }] })],
    ['joinTokens', () => story.scene.refused(429, 'limit_reached', 'POST', '/join-tokens', { agents: 1 })],
  ])('[A3] the bound on %s is named when it is reached', async (limit, refuse) => {
    await story.admin(201, 'POST', '/join-tokens', { agents: 5 });
    await story.policy({ limits: { [limit]: 1 } });
    const error = await refuse();
    await story.policy({ limits: { [limit]: 10_000 } });
    expect([error.value, error.details]).toEqual([limit, { bound: 1 }]);
  });

  test('[A3] leases, claims, writes, reads, paths and the queue are bounded', async () => {
    const worker = await story.work('bounded');
    const small = { leasesPerAgent: 1, claimsPerLease: 1, writesPerProposal: 1, readsPerProposal: 1 };
    await story.policy({ limits: { ...small, pathsPerIntent: 1, queuedProposals: 1 } });
    const { token } = worker.agent;
    const other = await story.intent('one more');
    expect((await story.scene.refused(429, 'limit_reached', 'POST', '/take', { intent: other }, token)).value).toBe(
      'leasesPerAgent',
    );
    expect((await worker.refused(429, 'limit_reached', 'heartbeat', { claims: ['a', 'b'] })).value).toBe(
      'claimsPerLease',
    );
    const writes = await worker.proposeRefused(429, 'limit_reached', { a: '1', b: '2' });
    expect(writes.value).toBe('writesPerProposal');
    const reads = await worker.proposeRefused(
      429,
      'limit_reached',
      { a: '1' },
      { reads: [{ path: 'b' }, { path: 'c' }] },
    );
    expect(reads.value).toBe('readsPerProposal');
    const paths = await story.scene.refused(429, 'limit_reached', 'POST', '/intents', {
      intents: [{ title: 'wide', paths: ['a', 'b'] }],
    });
    expect(paths.value).toBe('pathsPerIntent');
    await story.pause();
    await worker.send({ a: '1' });
    await story.policy({ limits: { leasesPerAgent: 8 } });
    const second = await story.take(worker.agent, { intent: other });
    expect((await second.proposeRefused(429, 'limit_reached', { b: '2' })).value).toBe('queuedProposals');
    await story.resume();
    expect((await worker.outcome()).state).toBe('landed');
  });
});
