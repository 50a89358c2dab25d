// kill -9 at every named step. Each time a plain daemon is started on what was left, and nobody helps it.

import { afterEach, describe, expect, test } from 'vitest';
import { git } from '../support/git-repository.ts';
import type { Step } from './step-names.ts';
import { StepScene } from './step-scene.ts';

const timeoutMs = 120_000;
let scene: StepScene | null = null;
afterEach(() => scene?.end());

async function founded(step: Step): Promise<StepScene> {
  scene = new StepScene(step);
  await scene.found();
  return scene;
}

/** Kills in a cycle of four acknowledged proposals, of which two write one path. */
async function killInCycle(step: Step, follows = false): Promise<StepScene> {
  const story = await founded(step);
  if (follows) await story.follow();
  await story.pause(true);
  for (const [agent, path] of ['a.txt', 'd/b.txt', 'd/c.txt', 'a.txt'].entries())
    await story.propose(await story.take(agent), path, `${path} by agent ${agent}\n`);
  story.arm();
  await story.dieBy(() => story.pause(false));
  await story.restart();
  return story;
}

describe('kill -9 in a cycle', () => {
  test.each<[Step, string]>([
    ['cycle-started-not-durable', 'no cycle under way'],
    ['cycle-started-durable', 'not-intended'],
    ['intention-durable-pack-not', 'rolled-back'],
    ['pack-durable-intention-not', 'not-intended'],
    ['pack-renamed-index-not', 'rolled-back'],
    ['intention-and-pack-durable', 'rolled-back'],
    ['notes-locked-trunk-not', 'rolled-back'],
    ['notes-moved-trunk-not', 'rolled-back'],
    ['trunk-moved-journal-not', 'finished'],
    ['commit-durable-nobody-told', 'no cycle under way'],
  ])('[RE1] [RE2] %s: %s', { timeout: timeoutMs }, async (step, branch) => {
    const story = await killInCycle(step);
    expect(await story.settle()).toEqual(['landed', 'landed', 'landed', 'landed', 'returned']);
    expect(await story.violations()).toEqual([]);
    expect(story.branches()).toEqual(branch === 'no cycle under way' ? [] : [branch]);
    // It goes on as if nothing had been.
    const more = await story.propose(await story.take(4), 'later.txt', 'later\n');
    expect(more).toMatch(/^prp_/);
    expect((await story.settle()).at(-1)).toBe('landed');
    expect(await story.violations()).toEqual([]);
  });
});

describe('kill -9 in a cycle that the upstream has taken', () => {
  test.each<Step>(['written-nothing-locked', 'notes-locked-trunk-not', 'notes-moved-trunk-not'])(
    '[UT2] %s: its landings are ours, with their notes',
    { timeout: timeoutMs },
    async (step) => {
      const story = await killInCycle(step, true);
      const there = () => git(story.elsewhere, ['rev-list', 'main']);
      const taken = there();
      expect(await story.settle()).toEqual(['landed', 'landed', 'landed', 'landed', 'returned']);
      expect(story.branches()).toEqual(['finished']);
      expect(await story.violations()).toEqual([]);
      expect(git(await story.repository(), ['rev-list', 'main'])).toBe(taken);
      await story.propose(await story.take(4), 'later.txt', 'later\n');
      expect((await story.settle()).at(-1)).toBe('landed');
      expect(await story.violations()).toEqual([]);
      expect(there()).toBe(git(await story.repository(), ['rev-list', 'main']));
      expect(git(story.elsewhere, ['rev-list', '--merges', 'main'])).toBe('');
    },
  );
});

describe('kill -9 while content is preserved', () => {
  test.each<Step>(['preserving-before-its-ref', 'preserving-under-its-lock', 'preserving-after-its-ref'])(
    '[RE3] %s: it is preserved at the next start',
    { timeout: timeoutMs },
    async (step) => {
      const story = await founded(step);
      const lost = await story.take(1);
      await story.propose(await story.take(0), 'a.txt', 'first\n');
      await story.settle();
      await story.propose(lost, 'a.txt', 'second\n');
      expect(await story.settle()).toEqual(['landed', 'landed', 'returned']);
      story.arm();
      await story.dieBy(() => story.release(lost));
      await story.restart();
      expect(story.log.filter((line) => line.includes('content that was to be preserved'))).toHaveLength(1);
      const { preserved } = await story.admin.call('listPreserved', { parts: { colony: 'steps' } });
      expect(preserved).toHaveLength(1);
      expect(await story.show(preserved[0]?.ref ?? '', 'a.txt')).toBe('second\n');
      expect(await story.violations()).toEqual([]);
    },
  );
});

describe('kill -9 while a colony is made', () => {
  const make = (story: StepScene) => story.admin.call('createColony', { body: { id: 'other', empty: true } });
  const ids = async (story: StepScene) => (await story.admin.call('listColonies')).colonies.map(({ id }) => id);

  test.each<Step>(['colony-half-made', 'colony-made-not-placed'])(
    '[CO1] %s: it is not there, and can be made',
    { timeout: timeoutMs },
    async (step) => {
      const story = await founded(step);
      story.arm();
      await story.dieBy(() => make(story));
      await story.restart();
      expect(story.log.filter((line) => line.includes('colony that is half made'))).toHaveLength(1);
      expect(await ids(story)).toEqual(['steps']);
      await make(story);
      expect(await ids(story)).toEqual(['other', 'steps']);
      expect(await story.violations()).toEqual([]);
    },
  );

  test('[CO1] colony-placed-not-opened: it is there as a whole', { timeout: timeoutMs }, async () => {
    const story = await founded('colony-placed-not-opened');
    story.arm();
    await story.dieBy(() => make(story));
    await story.restart();
    expect(await ids(story)).toEqual(['other', 'steps']);
    const { intents } = await story.admin.call('createIntents', {
      parts: { colony: 'other' },
      body: { intents: [{ title: 'the first' }] },
    });
    expect(intents).toHaveLength(1);
    expect(await story.violations()).toEqual([]);
  });
});

describe('kill -9 while a snapshot is written', () => {
  test('[SW2] during-snapshot: the events alone give the state', { timeout: timeoutMs }, async () => {
    const story = await founded('during-snapshot');
    await story.pause(true);
    await story.propose(await story.take(1), 'a.txt', 'a\n');
    story.arm();
    // A clean shutdown writes a snapshot, and does not get to its end.
    await story.dieBy(() => story.terminate());
    await story.restart();
    const recovered = story.log.find((line) => line.includes('colony recovered')) ?? '';
    expect(JSON.parse(recovered)).toMatchObject({ snapshotAt: 0, queued: 1, cycle: false });
    await story.pause(false);
    expect(await story.settle()).toEqual(['landed', 'landed']);
    expect(await story.violations()).toEqual([]);
  });
});
