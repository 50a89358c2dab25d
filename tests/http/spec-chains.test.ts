// Chains as the public interface shows them: parts of one intent that build on each other and settle in order.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { nineLines, Story, type Worker } from './story.ts';

let daemon: TestDaemon;
let story: Story;
beforeAll(async () => {
  daemon = await startTestDaemon();
  story = await Story.open(daemon);
});
afterAll(() => daemon.stop());

const open = { final: false };
const upon = (proposal: string) => ({ base: { proposal } });

/** A chain of three parts whose first came back, because README moved; all three are out. */
async function returnedChain(name: string): Promise<{ worker: Worker; parts: [string, string, string] }> {
  const worker = await story.work(name);
  await story.land(`moves README before ${name}`, { 'README.md': `# Before ${name}\n` });
  await story.pause();
  const first = await worker.send({ 'README.md': `# ${name}\n`, [`${name}/1`]: '1\n' }, open);
  const second = await worker.send({ [`${name}/2`]: '2\n' }, { ...open, ...upon(first) });
  const third = await worker.send({ [`${name}/3`]: '3\n' }, upon(second));
  await story.resume();
  for (const part of [first, second, third]) expect((await worker.outcome(part)).state).toBe('returned');
  return { worker, parts: [first, second, third] };
}

async function repairPart(worker: Worker, proposal: string, answer: 'confirm' | 'amend', puts = {}) {
  worker.last = proposal;
  return worker.repair(answer, puts);
}

describe('turns', () => {
  test('[C5a] one final proposal at a time, parts up to chainLength', async () => {
    await story.policy({ limits: { chainLength: 2 } });
    const worker = await story.work('takes turns');
    await story.pause();
    await worker.send({ 'turn/1': '1\n' }, open);
    await worker.send({ 'turn/2': '2\n' }, open);
    const full = await worker.proposeRefused(429, 'limit_reached', { 'turn/3': '3\n' }, open);
    expect(full.value).toBe('chainLength');
    await story.policy({ limits: { chainLength: 64 } });
    const final = await worker.send({ 'turn/3': '3\n' });
    await worker.proposeRefused(409, 'proposal_pending', { 'turn/4': '4\n' });
    await worker.refused(409, 'proposal_pending', 'complete', { why: 'x' });
    await story.resume();
    expect((await worker.outcome(final)).state).toBe('landed');
  });

  test('[C5a] a proposal without writes is refused unless it closes a chain', async () => {
    const worker = await story.work('closes with nothing');
    await worker.proposeRefused(422, 'no_change', {});
    await worker.proposeRefused(422, 'no_change', {}, open);
    await worker.landed({ 'closed.txt': '1\n' }, open);
    expect(await worker.propose({})).toMatchObject({ state: 'unchanged', unchanged: [] });
    expect(await story.read(worker.intent)).toMatchObject({ state: 'landed' });
  });

  test('[C5b] the lease stays after a part, with a fresh term; the intent lands with its final part', async () => {
    const worker = await story.work('in two parts');
    const part = await worker.landed({ 'two/1': '1\n' }, open);
    expect(await story.read(worker.intent)).toMatchObject({ state: 'taken', lease: worker.lease });
    expect(Date.parse((await worker.heartbeat()).expiresAt)).toBeGreaterThan(Date.parse(worker.expiresAt));
    const last = await worker.landed({ 'two/2': '2\n' });
    const landings = [part.landing, last.landing];
    expect(await story.read(worker.intent)).toMatchObject({ state: 'landed', landings, lease: null });
  });

  test('[C5c] a part may build on one that is on trunk already, and on nothing else', async () => {
    const worker = await story.work('builds on trunk');
    const stranger = await story.land('someone else’s', { 'stranger.txt': 's\n' });
    const part = await worker.landed({ 'built.txt': nineLines() }, open);
    await worker.proposeRefused(422, 'unknown_predecessor', { x: 'x' }, upon(stranger.proposal));
    await worker.proposeRefused(422, 'unknown_predecessor', { x: 'x' }, upon('prp_nowhere'));
    const change = { 'built.txt': { content: nineLines({ 2: 'two' }), was: story.git('rev-parse', 'main:built.txt') } };
    expect(await worker.landed(change, upon(part.proposal))).toMatchObject({ merged: [] });
    expect(story.file('built.txt')).toBe(nineLines({ 2: 'two' }));
  });

  test('[C5c] a part that builds on one in the queue sees what that one wrote', async () => {
    const worker = await story.work('builds on the queue');
    await story.pause();
    const first = await worker.send({ 'queue.txt': 'one\n', 'queue-gone.txt': 'g\n' }, open);
    await worker.proposeRefused(422, 'write_basis', { 'queue.txt': { content: 'two\n', was: null } }, upon(first));
    const second = await worker.send({ 'queue.txt': 'two\n', 'queue-gone.txt': null }, upon(first));
    await story.resume();
    expect((await worker.outcome(first)).state).toBe('landed');
    expect(await worker.outcome(second)).toMatchObject({ state: 'landed', merged: [], unchanged: [] });
    expect(story.file('queue.txt')).toBe('two\n');
    expect(story.mode('queue-gone.txt')).toBe('');
  });

  test('[C5d] while a return is out, only a part that names its predecessor may be proposed, and it comes back too', async () => {
    const worker = await story.work('goes on regardless');
    await story.land('moves README', { 'README.md': '# Moved\n' });
    const { proposal } = await worker.returned({ 'README.md': '# Mine\n' }, open);
    await worker.proposeRefused(409, 'proposal_pending', { 'regardless.txt': 'x\n' });
    const status = await worker.returned({ 'regardless.txt': 'x\n' }, upon(proposal));
    expect(status.brief.writes).toMatchObject([{ path: 'regardless.txt', kind: 'chain' }]);
    expect((await repairPart(worker, proposal, 'amend', { 'README.md': '# Both\n' })).state).toBe('landed');
    expect((await repairPart(worker, status.proposal, 'confirm')).state).toBe('landed');
  });
});

describe('order', () => {
  test('[O3a] the parts of a chain settle in order, the final one last', async () => {
    const worker = await story.work('in order');
    await story.pause();
    let part = await worker.send({ 'order.txt': '1\n' }, open);
    const parts = [part];
    for (const text of ['2\n', '3\n']) {
      part = await worker.send({ 'order.txt': text }, { ...open, ...upon(part) });
      parts.push(part);
    }
    parts.push(await worker.send({ 'order.txt': '4\n' }, upon(part)));
    await story.resume();
    for (const each of parts) expect(await worker.outcome(each)).toMatchObject({ state: 'landed', merged: [] });
    const { landings } = await story.admin(200, 'GET', '/landings?limit=4');
    expect(landings.map(({ proposal }: { proposal: string }) => proposal).reverse()).toEqual(parts);
    expect(story.file('order.txt')).toBe('4\n');
  });

  test('[O3c] [R1d] when one part comes back all later ones do, for the chain, and with their stale reads', async () => {
    const worker = await story.work('breaks');
    await story.land('moves README for the chain', { 'README.md': '# Elsewhere\n' });
    await story.pause();
    const good = await worker.send({ 'breaks/0': '0\n' }, open);
    const bad = await worker.send({ 'README.md': '# Broken\n' }, { ...open, ...upon(good) });
    const last = await worker.send(
      { 'breaks/2': '2\n' },
      { ...upon(bad), reads: [{ path: 'README.md', at: worker.base }] },
    );
    await story.resume();
    expect((await worker.outcome(good)).state).toBe('landed');
    expect((await worker.outcome(bad)).brief.writes).toMatchObject([{ path: 'README.md', kind: 'content' }]);
    const { brief } = await worker.outcome(last);
    expect(brief.writes).toMatchObject([
      { path: 'breaks/2', kind: 'chain', landing: null, intent: { title: 'breaks' } },
    ]);
    expect(brief.reads).toMatchObject([{ path: 'README.md', intent: { title: 'moves README for the chain' } }]);
    expect(story.mode('breaks/2')).toBe('');
  });

  test('[R2c] [O3b] a chain is repaired in its order, and each repair takes the place of its part', async () => {
    const { worker, parts } = await returnedChain('repaired');
    const [first, second, third] = parts;
    const confirm = (proposal: string) => ({ proposal, answer: 'confirm' });
    const error = await worker.refused(409, 'repair_out_of_order', 'repair', confirm(second));
    expect(error.details).toEqual({ predecessor: first });
    await worker.refused(409, 'repair_out_of_order', 'repair', confirm(third));
    await story.pause();
    const amend = { proposal: first, answer: 'amend', writes: [{ path: 'README.md', content: '# Repaired\n' }] };
    const repaired = [(await worker.expect(202, 'POST', '/repair', { ...worker.holder, ...amend })).proposal];
    for (const part of [second, third]) {
      repaired.push((await worker.expect(202, 'POST', '/repair', { ...worker.holder, ...confirm(part) })).proposal);
    }
    await story.resume();
    for (const each of repaired) expect((await worker.outcome(each)).state).toBe('landed');
    const { landings } = await story.admin(200, 'GET', '/landings?limit=3');
    expect(landings.map(({ proposal }: { proposal: string }) => proposal).reverse()).toEqual(repaired);
    expect(await story.read(worker.intent)).toMatchObject({ state: 'landed' });
  });

  test('[R2c] a repaired part that is not final keeps the lease for the rest', async () => {
    const { worker, parts } = await returnedChain('goes-on');
    expect((await repairPart(worker, parts[0], 'amend', { 'README.md': '# Goes on\n' })).state).toBe('landed');
    expect(await story.read(worker.intent)).toMatchObject({ state: 'taken', lease: worker.lease });
    expect((await repairPart(worker, parts[1], 'confirm')).state).toBe('landed');
    expect((await repairPart(worker, parts[2], 'confirm')).state).toBe('landed');
    expect(await story.read(worker.intent)).toMatchObject({ state: 'landed', lease: null });
  });

  test('[R2c] [R3b] a later part is amended against trunk, where the earlier ones are by now', async () => {
    const worker = await story.work('amends its second part');
    const first = await worker.landed({ 'shared.txt': nineLines({ 1: 'one' }) }, open);
    await story.land('goes on with it', { 'shared.txt': nineLines({ 1: 'one', 9: 'nine' }), 'other.txt': 'o\n' });
    const { brief } = await worker.returned({ 'shared.txt': nineLines({ 1: 'uno', 9: 'mine' }) }, upon(first.proposal));
    expect(brief.writes).toMatchObject([{ path: 'shared.txt', kind: 'content' }]);
    const { tip } = brief.writes[0];
    const content = nineLines({ 1: 'uno', 9: 'nine and mine' });
    const status = await worker.repair('amend', { 'shared.txt': { content, was: tip } });
    expect(status).toMatchObject({ state: 'landed', merged: [] });
    expect(story.file('shared.txt')).toBe(content);
  });

  test('[R1c] a part of the chain itself is never the cause, and what it wrote makes none of its own reads stale', async () => {
    const worker = await story.work('reads its own');
    expect(await worker.open('README.md')).toContain('#');
    await story.pause();
    const first = await worker.send({ 'README.md': '# By the chain\n', 'own.ts': 'export const own = 1;\n' }, open);
    const second = await worker.send({ 'uses.txt': 'u\n' }, { ...open, ...upon(first) });
    const imports = 'import { own } from "./own.ts";\nexport const used = own;\n';
    const third = await worker.send({ 'uses.ts': imports }, { ...upon(second), deriveReads: true });
    await story.resume();
    for (const part of [first, second, third]) expect((await worker.outcome(part)).state).toBe('landed');
    const { landing } = await worker.outcome(third);
    const { reads } = await story.admin(200, 'GET', `/landings/${landing}`);
    expect(reads).toMatchObject([{ path: 'own.ts', symbol: 'own' }]);
  });
});
