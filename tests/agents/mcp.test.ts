// Real agents over the Model Context Protocol: told of the colony by the line that `firetrident connect` prints or writes,
// they take, read, propose, have it returned, repair, and land.

import { afterEach, expect, test } from 'vitest';
import { Stage } from './stage.ts';
import { both, colonyStory, storyFiles, theirs } from './story.ts';
import type { Vendor } from './vendor-settings.ts';

const prompt = 'Take work from firetrident and go on until there is none.';

/** How a person starts each harness so that it works without asking. */
const starts: Readonly<Record<Vendor, readonly string[]>> = {
  claude: ['-p', prompt, '--allowedTools', 'mcp__firetrident'],
  codex: ['exec', prompt],
  gemini: ['-p', prompt, '--approval-mode', 'yolo'],
  opencode: ['run', prompt],
};

let stage: Stage | null = null;
afterEach(async () => {
  await stage?.close();
  stage = null;
});

/** How the harness is told of the colony: by the file that we write, or by the line that we print, which is its own command. */
const ways: readonly (readonly [Vendor, 'file' | 'line'])[] = [
  ['claude', 'file'],
  ['claude', 'line'],
  ['codex', 'file'],
  ['gemini', 'file'],
  ['gemini', 'line'],
  ['opencode', 'file'],
];

async function connect(vendor: Vendor, way: 'file' | 'line', { firetrident, program }: Stage): Promise<void> {
  const told = await firetrident(['connect', vendor, '--json', ...(way === 'file' ? ['--write'] : [])]);
  expect(told.code, told.errors).toBe(0);
  if (way === 'file') return;
  const [name, ...args] = JSON.parse(told.output).command as string[];
  const end = await program(name ?? '', args);
  expect(end.code, end.errors).toBe(0);
}

test.each(ways)('[HN3] %s, told by the %s, takes, is returned, repairs and lands', async (vendor, way) => {
  const here = await Stage.open(vendor, storyFiles);
  stage = here;
  const { model } = here;
  await connect(vendor, way, here);
  const intent = await here.intent('Greet warmly');
  model.follow(colonyStory(() => here.landAsAnother('Another greets', { path: 'src/greet.ts', content: theirs })));
  const end = await here.program(vendor, starts[vendor]);
  model.check();
  expect(end.code, end.errors).toBe(0);
  expect(here.trunkFile('src/greet.ts')).toBe(both);
  expect(await here.stateOf(intent)).toBe('landed');
  const note = here.note();
  expect(note).toMatchObject({ intent: { id: intent }, agent: { kind: vendor } });
  expect(note.returns).toHaveLength(1);
  expect(note.reads).toContainEqual(expect.objectContaining({ path: 'README.md' }));
  // The tools are there when the model is asked first, and nobody else was asked.
  expect(model.asked).toHaveLength(8);
  expect(here.outside.wanted).toEqual([]);
});
