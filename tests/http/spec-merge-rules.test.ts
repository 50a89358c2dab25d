// Files whose changes commute by a rule of the policy, as agents and stock git see them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { Story } from './story.ts';

let daemon: TestDaemon;
let story: Story;
beforeAll(async () => {
  daemon = await startTestDaemon();
  const merge = {
    '**/*.log': 'append',
    'sets/*.json': 'keys:sets',
    '**/*.{json,yml,toml}': 'keys',
    '**/*.{ts,py}': 'imports',
    '**/*.lock': 'regenerate:make lock',
  };
  story = await Story.open(daemon, { 'README.md': '# Story\n' }, { merge });
});
afterAll(() => daemon.stop());

/** Two agents change one file from the same base, one after the other; gives the second one's outcome. */
async function both(path: string, base: string, first: string, second: string) {
  await story.land(`base of ${path}`, { [path]: base });
  const workers = [await story.work(`first on ${path}`), await story.work(`second on ${path}`)] as const;
  await workers[0].landed({ [path]: first });
  return workers[1].propose({ [path]: second });
}

describe('merge rules', () => {
  test('[V4a] what conflicts as text lands as a merge by the rule of its glob, and is marked as one', async () => {
    expect(await both('a/events.log', 'one\n', 'one\ntwo\n', 'one\nthree\n')).toMatchObject({
      state: 'landed',
      merged: ['a/events.log'],
    });
    expect(story.file('a/events.log')).toBe('one\ntwo\nthree\n');
    expect(await both('a/p.json', '{"x": 1}\n', '{"x": 1, "y": 2}\n', '{"x": 1, "z": 3}\n')).toMatchObject({
      state: 'landed',
    });
    expect(story.file('a/p.json')).toBe('{"x": 1, "y": 2, "z": 3}\n');
    const [base, my, their] = ['# jobs\na: 1\n', '# jobs\na: 1\nb: 2 # mine\n', '# jobs\na: 1\nc: 3 # theirs\n'];
    expect(await both('a/ci.yml', base, my, their)).toMatchObject({ state: 'landed', merged: ['a/ci.yml'] });
    expect(story.file('a/ci.yml')).toBe('# jobs\na: 1\nb: 2 # mine\nc: 3 # theirs\n');
    expect(await both('a/p.toml', '[d]\na = 1\n', '[d]\na = 1\nb = 2\n', '[d]\na = 1\n\n[e]\n')).toMatchObject({
      state: 'landed',
    });
    expect(story.file('a/p.toml')).toBe('[d]\na = 1\nb = 2\n\n[e]\n');
    const code = (line: string) => `import { a } from './a.ts';\n${line}\nrun(a);\n`;
    const [mine, theirs] = ["import { b } from './b.ts';\n", "import { c } from './c.ts';\n"];
    expect(await both('a/m.ts', code(''), code(mine), code(theirs))).toMatchObject({ state: 'landed' });
    expect(story.file('a/m.ts')).toBe(code(mine + theirs));
  });

  test('[V4a] the first glob that matches counts, and a rule merges files that both added', async () => {
    expect(await both('sets/f.json', '{"f": ["a"]}\n', '{"f": ["a", "b"]}\n', '{"f": ["a", "c"]}\n')).toMatchObject({
      state: 'landed',
    });
    expect(story.file('sets/f.json')).toBe('{"f": ["a", "b", "c"]}\n');
    const workers = [await story.work('adds the log'), await story.work('adds it too')] as const;
    await workers[0].landed({ 'b/new.log': 'one\n' });
    expect(await workers[1].propose({ 'b/new.log': 'two\n' })).toMatchObject({
      state: 'landed',
      merged: ['b/new.log'],
    });
    expect(story.file('b/new.log')).toBe('one\ntwo\n');
  });

  test('[V4b] what the rule does not cover comes back as the conflict that it is', async () => {
    for (const [path, base, first, second] of [
      ['c/events.log', 'one\n', 'eins\n', 'one\ntwo\n'],
      ['c/p.json', '{"x": 1}\n', '{"x": 2}\n', '{"x": 3}\n'],
      ['c/ci.yml', 'x: 1\n', 'x: 2\n', 'x: 3\n'],
      ['c/f.json', '{"f": ["a"]}\n', '{"f": ["a", "b"]}\n', '{"f": ["a", "c"]}\n'],
      ['c/m.ts', 'run(1);\n', 'run(2);\n', "import { c } from './c.ts';\nrun(3);\n"],
    ] as const) {
      const status = await both(path, base, first, second);
      expect(status).toMatchObject({ state: 'returned', brief: { writes: [{ path, kind: 'content' }] } });
    }
    // Where no rule is named, nothing has changed.
    expect((await both('c/notes.txt', 'one\n', 'one\ntwo\n', 'one\nthree\n')).state).toBe('returned');
  });

  test('[V4d] what a command makes comes back with that command, and lands when it is sent as made anew', async () => {
    await story.land('base of the lock', { 'd/all.lock': 'a\n' });
    const [first, second] = [await story.work('adds b'), await story.work('adds c')] as const;
    await first.landed({ 'd/all.lock': 'a b\n' });
    const back = await second.propose({ 'd/all.lock': 'a c\n', 'd/c.txt': 'c\n' });
    const regenerate = 'make lock';
    expect(back).toMatchObject({ state: 'returned', brief: { writes: [{ path: 'd/all.lock', regenerate }] } });
    expect(await second.repair('amend', { 'd/all.lock': 'a b c\n' })).toMatchObject({ state: 'landed' });
    expect([story.file('d/all.lock'), story.file('d/c.txt')]).toEqual(['a b c\n', 'c\n']);
    // Where nothing conflicts, or what is at stake is no content, there is nothing to make anew.
    const [third, fourth] = [await story.work('deletes it'), await story.work('adds d')] as const;
    await third.landed({ 'd/all.lock': null });
    const gone = await fourth.propose({ 'd/all.lock': 'a b c d\n' });
    expect(gone.brief?.writes).toMatchObject([{ path: 'd/all.lock', kind: 'delete/edit' }]);
    expect(gone.brief?.writes[0]).not.toHaveProperty('regenerate');
  });

  test('[V4c] a rule without code behind it is refused by name, and strict paths stay strict', async () => {
    const merge = { '*.toml': 'keys:sets' };
    const error = await story.scene.refused(422, 'policy_not_supported', 'PATCH', '/policy', { merge });
    expect(error.value).toBe('merge');
    await story.policy({ strict: ['strict/**'] });
    const status = await both('strict/events.log', 'one\n', 'one\ntwo\n', 'one\nthree\n');
    expect(status).toMatchObject({ state: 'returned', brief: { writes: [{ kind: 'strict' }] } });
  });
});
