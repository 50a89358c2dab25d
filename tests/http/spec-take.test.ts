// Taking as the public interface shows it: who is given what, in which order, and what is said when there is nothing.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import type { SceneAgent } from '../support/scene.ts';
import { Story } from './story.ts';

const claimed = "every open intent's files are claimed by another agent";

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.stop());

/** Titles of what agents are given, one after the other. */
async function given(story: Story, ...agents: readonly SceneAgent[]): Promise<string[]> {
  const titles: string[] = [];
  for (const agent of agents) {
    const answer = await story.ask(agent);
    titles.push(answer.intent?.title ?? answer.wait.reason);
  }
  return titles;
}

async function crowd(story: Story, size: number): Promise<SceneAgent[]> {
  return Promise.all(Array.from({ length: size }, (_, index) => story.register(`agent ${index}`)));
}

describe('dependencies', () => {
  test('[T1b] [T1c] an intent waits for what it depends on; when that ends, waiting agents are given it', async () => {
    const story = await Story.open(daemon);
    const first = await story.intent('first');
    const second = await story.intent('second', { after: [first] });
    const [one, two] = (await crowd(story, 2)) as [SceneAgent, SceneAgent];
    const worker = await story.take(one);
    expect(worker.intent).toBe(first);
    expect(await given(story, two)).toEqual(['no open intent']);
    await story.scene.refused(409, 'intent_waits', 'POST', '/take', { intent: second }, two.token);
    const waiting = story.ask(two, { waitMs: 60_000 });
    await worker.landed({ 'first.txt': '1\n' });
    expect((await waiting).intent.id).toBe(second);
  });

  test('[T1c] one that is closed meets a dependency too, an abandoned one does not', async () => {
    const story = await Story.open(daemon);
    const [first, other] = [await story.intent('first'), await story.intent('other')];
    const second = await story.intent('second', { after: [first, other] });
    await (await story.take(await story.register(), { intent: first })).complete();
    await story.admin(200, 'PATCH', `/intents/${other}`, { state: 'abandoned' });
    expect(await story.read(second)).toMatchObject({ state: 'open', waitingOn: [other] });
    expect(await given(story, await story.register())).toEqual(['no open intent']);
  });
});

describe('wishes', () => {
  test('[T1d] an agent that names labels or paths is given only what has one of them', async () => {
    const story = await Story.open(daemon);
    await story.intent('plain');
    await story.intent('docs', { labels: ['docs'], paths: ['docs/**'] });
    await story.intent('engine', { labels: ['code', 'deep'], paths: ['src/engine/**'] });
    const [one, two, three] = (await crowd(story, 3)) as [SceneAgent, SceneAgent, SceneAgent];
    expect((await story.ask(one, { labels: ['nothing'] })).wait.reason).toBe('no open intent');
    expect((await story.ask(one, { paths: ['test/**'] })).wait.reason).toBe('no open intent');
    expect((await story.ask(one, { labels: ['deep', 'other'] })).intent.title).toBe('engine');
    expect((await story.ask(two, { paths: ['docs/manual.md'] })).intent.title).toBe('docs');
    expect((await story.ask(three, { paths: ['src/engine/loop.ts'] })).wait.reason).toBe('no open intent');
    await story.intent('the loop', { paths: ['src/engine/loop.ts'] });
    expect((await story.ask(three, { paths: ['src/engine/loop.ts'] })).wait.reason).toBe(claimed);
  });

  test('[T9] a take that names its intent skips claims and order, not leases', async () => {
    const story = await Story.open(daemon);
    const high = await story.intent('high', { priority: 5, paths: ['src/a.ts'] });
    const low = await story.intent('low', { paths: ['src/a.ts'] });
    const [one, two] = (await crowd(story, 2)) as [SceneAgent, SceneAgent];
    await story.take(one, { intent: high });
    expect((await story.take(two, { intent: low })).intent).toBe(low);
    await story.scene.refused(409, 'intent_not_open', 'POST', '/take', { intent: high }, two.token);
    await story.scene.refused(404, 'unknown_intent', 'POST', '/take', { intent: 'int_nowhere' }, two.token);
  });
});

describe('order', () => {
  test('[T2a] the higher priority comes first, then the older', async () => {
    const story = await Story.open(daemon);
    for (const [title, priority] of [
      ['older', 0],
      ['younger', 0],
      ['urgent', 2],
      ['unhurried', -1],
    ] as const) {
      await story.intent(title, { priority });
    }
    expect(await given(story, ...(await crowd(story, 5)))).toEqual([
      'urgent',
      'older',
      'younger',
      'unhurried',
      'no open intent',
    ]);
  });

  test('[T2a] a step of priority is worth starveAfterMs of age, a second at least', async () => {
    const story = await Story.open(daemon, undefined, { starveAfterMs: 1 });
    await story.intent('older');
    await new Promise((resolve) => setTimeout(resolve, 50));
    await story.intent('a little more urgent', { priority: 0.01 });
    await story.intent('urgent', { priority: 60 });
    const agents = await crowd(story, 3);
    expect(await given(story, ...agents)).toEqual(['urgent', 'older', 'a little more urgent']);
  });

  test('[T2b] what others claim is offered last, an agent’s own claims do not repel it', async () => {
    const story = await Story.open(daemon);
    const [one, two] = (await crowd(story, 2)) as [SceneAgent, SceneAgent];
    await story.intent('first on a', { priority: 9, paths: ['src/a.ts'] });
    expect(await given(story, one)).toEqual(['first on a']);
    await story.intent('second on a', { priority: -3, paths: ['src/a.ts'] });
    await story.intent('elsewhere', { priority: -4, paths: ['docs/**'] });
    expect(await given(story, two, two, one)).toEqual(['elsewhere', claimed, 'second on a']);
  });

  test('[T2b] of contended intents the one with the best score is offered once claims are weak enough', async () => {
    const story = await Story.open(daemon, undefined, { claimHalfLifeMs: 3_600_000 });
    const [one, two] = (await crowd(story, 2)) as [SceneAgent, SceneAgent];
    await story.intent('holds a and b', { paths: ['src/a.ts', 'src/b.ts'] });
    await story.ask(one);
    await story.intent('unhurried on a', { priority: -4, paths: ['src/a.ts'] });
    await story.intent('more urgent on b', { paths: ['src/b.ts'] });
    expect(await given(story, two)).toEqual([claimed]);
    const waiting = story.ask(two, { waitMs: 60_000 });
    await story.policy({ claimHalfLifeMs: 1_000 });
    expect((await waiting).intent.title).toBe('more urgent on b');
  });

  test('[T2c] work without a place and work with one do not repel each other; a folder covers what is in it', async () => {
    const story = await Story.open(daemon);
    const [one, two, three] = (await crowd(story, 3)) as [SceneAgent, SceneAgent, SceneAgent];
    await story.intent('everywhere', { priority: 3, paths: ['**/*.ts'] });
    await story.intent('the folder', { priority: 2, paths: ['src/engine'] });
    await story.intent('a file in it', { priority: -1, paths: ['src/engine/loop.ts'] });
    expect(await given(story, one, two, three)).toEqual(['everywhere', 'the folder', claimed]);
  });

  test('[T2d] work spreads over regions', async () => {
    const story = await Story.open(daemon, { 'README.md': '# Story\n' }, { admission: 'open' });
    // Together, so that no full minute lies between them: ages are compared by the minute.
    const intents = ['a', 'b'].flatMap((folder) =>
      Array.from({ length: 12 }, (_, file) => ({ title: folder, priority: 4, paths: [`src/${folder}/${file}.ts`] })),
    );
    await story.admin(201, 'POST', '/intents', { intents });
    let ahead = 0;
    for (const folder of await given(story, ...(await crowd(story, 12)))) {
      ahead += folder === 'a' ? 1 : -1;
      // An agent may refuse the emptier region by chance (T3a), hardly ever work so urgent, and the one after it makes that good.
      expect(Math.abs(ahead)).toBeLessThanOrEqual(2);
    }
  });

  test('[T2e] what claims have kept waiting for starveAfterMs is offered next, whatever repels it', async () => {
    const story = await Story.open(daemon);
    const [one, two] = (await crowd(story, 2)) as [SceneAgent, SceneAgent];
    await story.intent('first on a', { paths: ['src/a.ts'] });
    await story.ask(one);
    await story.intent('second on a', { paths: ['src/a.ts'] });
    await story.intent('urgent elsewhere', { priority: 9, paths: ['docs/**'] });
    await story.policy({ starveAfterMs: 1 });
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(await given(story, two)).toEqual(['second on a']);
  });
});

describe('waiting', () => {
  test('[T6a] [T6b] a wait is named, and says when to ask again', async () => {
    const story = await Story.open(daemon);
    const [one, two] = (await crowd(story, 2)) as [SceneAgent, SceneAgent];
    expect((await story.ask(one)).wait).toEqual({ reason: 'no open intent', retryAfterMs: 1_000 });
    const waiting = story.ask(one, { waitMs: 60_000 });
    const second = await story.until(
      () => story.ask(one),
      ({ wait }) => wait?.reason === 'take already in progress',
    );
    expect(second.wait.retryAfterMs).toBeGreaterThanOrEqual(1_000);
    await story.intent('first on a', { paths: ['src/a.ts'] });
    expect((await waiting).intent.title).toBe('first on a');
    await story.intent('second on a', { paths: ['src/a.ts'] });
    const claims = await story.ask(two);
    expect(claims.wait.reason).toBe(claimed);
    expect(claims.wait.retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  test('[T6c] waiting agents are woken when something is created, opened again or released', async () => {
    const story = await Story.open(daemon);
    const [one, two] = (await crowd(story, 2)) as [SceneAgent, SceneAgent];
    const created = story.ask(one, { waitMs: 60_000 });
    const intent = await story.intent('appears', { paths: ['src/a.ts'] });
    expect((await created).intent.id).toBe(intent);
    const released = story.ask(two, { waitMs: 60_000 });
    await story.admin(200, 'POST', `/agents/${one.id}/stop`, {});
    expect((await released).intent.id).toBe(intent);
    await story.admin(200, 'PATCH', `/intents/${intent}`, { state: 'abandoned' });
    const opened = story.ask(two, { waitMs: 60_000 });
    await story.admin(200, 'PATCH', `/intents/${intent}`, { state: 'open' });
    expect((await opened).intent.id).toBe(intent);
  });

  test('[T6c] claims that fade wake those who wait for them', async () => {
    const story = await Story.open(daemon);
    const [one, two] = (await crowd(story, 2)) as [SceneAgent, SceneAgent];
    await story.intent('first on a', { paths: ['src/a.ts'] });
    await story.ask(one);
    await story.intent('second on a', { paths: ['src/a.ts'] });
    expect(await given(story, two)).toEqual([claimed]);
    const waiting = story.ask(two, { waitMs: 60_000 });
    await story.policy({ claimHalfLifeMs: 50 });
    expect((await waiting).intent.title).toBe('second on a');
  });

  test('[T6d] a take over the bound on takes in flight waits by that name, a named one does not', async () => {
    const story = await Story.open(daemon, undefined, { limits: { takesInFlight: 1 } });
    const agents = await crowd(story, 24);
    for (let number = 0; number < 24; number += 1) await story.intent(`work ${number}`);
    const answers = await Promise.all(agents.map((agent) => story.ask(agent)));
    for (const { wait } of answers.filter((answer) => answer.wait !== undefined)) {
      expect(wait.reason).toBe('colony busy: too many takes in flight');
    }
    const given = answers.filter((answer) => answer.intent !== undefined).map(({ intent }) => intent.id);
    expect(given.length).toBeGreaterThan(0);
    expect(new Set(given).size).toBe(given.length);
  });
});
