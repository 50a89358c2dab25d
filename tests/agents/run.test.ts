// Real agents as `firetrident run` drives them: each works in its checkout with its own tools, has the change returned,
// repairs it in a second turn, and it lands with what it read.

import { afterEach, describe, expect, test } from 'vitest';
import { Stage } from './stage.ts';
import { both, checkoutStory, fileTools, storyFiles, theirs } from './story.ts';
import type { Vendor } from './vendor-settings.ts';

let stage: Stage | null = null;
afterEach(async () => {
  await stage?.close();
  stage = null;
});

async function runStory(driver: 'acp' | 'jsonl', vendor: Vendor, more: readonly string[] = []) {
  const here = await Stage.open(vendor, storyFiles);
  stage = here;
  const { model } = here;
  const intent = await here.intent('Greet warmly', 'The greeting is too cold.');
  const meanwhile = () => here.landAsAnother('Another greets', { path: 'src/greet.ts', content: theirs });
  model.follow(checkoutStory(fileTools[vendor], meanwhile));
  const end = await here.firetrident(['run', '--json', '--agents', '1', '--driver', driver, ...more, '--', vendor]);
  model.check();
  expect(end.code, end.errors).toBe(0);
  expect(here.trunkFile('src/greet.ts')).toBe(both);
  expect(here.outside.wanted).toEqual([]);
  const note = here.note();
  expect(note.intent).toMatchObject({ id: intent });
  expect(note.returns).toHaveLength(1);
  expect(model.asked.length).toBeGreaterThanOrEqual(8);
  return { summary: JSON.parse(end.output), told: end.errors, note };
}

/** Whether the program that the model wanted to run could change the checkout. */
const ran = (note: { writes: { path: string }[] }) => note.writes.some(({ path }) => path === 'ran.txt');

describe('over ACP', () => {
  test.each<Vendor>(['claude', 'codex', 'gemini', 'opencode'])('[AC2] [AC4] [AT1] %s', async (vendor) => {
    const { summary, told, note } = await runStory('acp', vendor);
    expect(summary).toMatchObject({ landed: 1, returns: 1, repaired: 1, failed: 0 });
    expect(summary.tokens).toBeGreaterThan(0);
    expect(told).toMatch(/landed .*repaired once/);
    expect(note.reads).toContainEqual(expect.objectContaining({ path: 'README.md' }));
    expect(ran(note)).toBe(false);
  });

  test.each<Vendor>(['codex', 'opencode'])('[AC4] %s runs programs when everything is granted', async (vendor) => {
    expect(ran((await runStory('acp', vendor, ['--permissions', 'all'])).note)).toBe(true);
  });
});

describe('as JSON lines', () => {
  test.each<Vendor>(['claude', 'codex', 'gemini'])('[JS1] %s', async (vendor) => {
    const { summary, note } = await runStory('jsonl', vendor);
    expect(summary).toMatchObject({ landed: 1, returns: 1, repaired: 1, failed: 0 });
    expect(summary.tokens).toBeGreaterThan(0);
    expect(note.reads).toContainEqual(expect.objectContaining({ path: 'README.md' }));
  });
});
