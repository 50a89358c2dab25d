// People with stock git: commit, push, and hear what became of it.

import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { GitPeople, type Person } from './git-people.ts';

const source = 'export function parse(text: string): number {\n  return Number(text);\n}\n';
// Stock git is a process for each step; a machine that is busy takes long to start them all.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let daemon: TestDaemon;
let people: GitPeople;
beforeAll(async () => {
  daemon = await startTestDaemon();
  people = await GitPeople.open(daemon, 'web', {
    'README.md': '# Web\n',
    'src/parse.ts': source,
    'src/hot.txt': 'one\ntwo\nthree\n',
  });
});
afterAll(() => daemon.stop());

/** Lands a change of somebody else over the interface. */
function elsewhere(title: string, path: string, content: string) {
  return people.scene.land(title, [{ path, content }]);
}

describe('a push', () => {
  test('lands, is told so, and is a landing like any other', async () => {
    const agent = await people.scene.agent('Ada');
    const clone = await people.clone(agent, 'Ada');
    await clone.commit('Add a guide\n\nWith a first page.', { 'docs/guide.md': 'Hello\n' });
    const { code, said } = await clone.push();
    expect(said).toMatch(/remote: FireTrident: 1 file of 1 commit for int_\S+, "Add a guide"/);
    expect(said).toMatch(/remote: FireTrident: prp_\S+ is in the queue/);
    expect(said).toMatch(/remote: FireTrident: landed on main as [0-9a-f]{10} \(lnd_[^\s,]+\)/);
    expect(said).toContain('* [new reference]');
    expect(code).toBe(0);
    await clone.git('fetch', '-q', 'origin', '+refs/heads/*:refs/remotes/origin/*', '+refs/notes/*:refs/notes/*');
    const message = await clone.git('log', '-1', '--format=%an%n%B', 'origin/main');
    expect(message).toMatch(
      /^Ada\nAdd a guide\n\nWith a first page.\n\nCo-authored-by: Ada <ada@example.invalid>\n\nFT-/,
    );
    const note = JSON.parse(await clone.git('notes', '--ref', 'firetrident', 'show', 'origin/main'));
    expect(note.landings).toMatchObject([{ agent: { id: agent.id }, writes: [{ path: 'docs/guide.md' }] }]);
    expect(people.leftovers().pushes).toEqual([]);
  });

  test('that conflicts comes back in words, and lands once it is rebased', async () => {
    const { clone } = await people.person('Bob');
    await elsewhere('Second line', 'src/hot.txt', 'one\nTWO\nthree\n');
    await clone.commit('Number two', { 'src/hot.txt': 'one\n2\nthree\n' });
    const refused = await clone.push();
    expect(refused.code).not.toBe(0);
    expect(refused.said).toContain('src/hot.txt: you and someone else changed the same lines');
    expect(refused.said).toMatch(/through lnd_\S+, "Second line"/);
    expect(refused.said).toContain('+TWO');
    expect(refused.said).toContain('git fetch, git rebase onto main as fetched, and the same push again');
    expect(refused.said).toMatch(/! \[remote rejected\] HEAD -> refs\/for\/main \(returned: src\/hot.txt: you and/);
    // The same commit again is the same answer, and no second proposal.
    expect((await clone.push()).said).toContain('(returned: src/hot.txt: you and');
    await clone.git('fetch', '-q');
    await clone.git('reset', '-q', '--hard', 'origin/main');
    await clone.commit('Number two', { 'src/hot.txt': 'one\nTWO 2\nthree\n' });
    const landed = await clone.push();
    expect(landed.said).toContain('landed on main');
    expect(landed.code).toBe(0);
    await clone.git('fetch', '-q', 'origin', '+refs/heads/*:refs/remotes/origin/*', '+refs/notes/*:refs/notes/*');
    const note = JSON.parse(await clone.git('notes', '--ref', 'firetrident', 'show', 'origin/main'));
    expect(note.landings[0].returns).toHaveLength(1);
  });

  test('rests on what the changed files import', async () => {
    const { clone } = await people.person('Cleo');
    await elsewhere('Parse more', 'src/parse.ts', source.replace('Number(text)', 'Number(text.trim())'));
    await clone.commit('Use it', {
      'src/use.ts': "import { parse } from './parse.ts';\nexport const two = parse('2');\n",
    });
    const { code, said } = await clone.push();
    expect(code).not.toBe(0);
    expect(said).toContain('your change rests on parse of src/parse.ts, which changed');
    await clone.git('fetch', '-q');
    await clone.git('rebase', '-q', 'origin/main');
    expect((await clone.push()).code).toBe(0);
  });

  test('of a commit that landed before lands nothing twice, and says so', async () => {
    const { clone } = await people.person('Dan');
    await clone.commit('Once', { 'once.txt': 'once\n' });
    expect((await clone.push()).code).toBe(0);
    const before = await people.counts();
    const second = await clone.push();
    expect(second.said).toContain('main has all of this already');
    expect(second.code).toBe(0);
    expect((await people.counts()).landings).toBe(before.landings);
  });

  test('of what trunk has needs no proposal', async () => {
    const { clone } = await people.person('Eve');
    const { code, said } = await clone.push();
    expect(said).toContain('main has all of this already');
    expect(code).toBe(0);
  });
});

describe('the intent of a push', () => {
  test('is named by a trailer, which the landing does not repeat', async () => {
    const { clone } = await people.person('Finn');
    const intent = await people.scene.intent('Write the rules down');
    await clone.commit(`Rules\n\nFT-Intent: ${intent}`, { 'rules.md': 'Be kind.\n' });
    const { said, code } = await clone.push();
    expect(said).toContain(`for ${intent}, "Write the rules down"`);
    expect(code).toBe(0);
    const { landings } = await people.scene.expect(200, 'GET', '/landings?limit=1');
    expect(landings[0].intent).toBe(intent);
    await clone.git('fetch', '-q');
    const message = await clone.git('log', '-1', '--format=%B', 'origin/main');
    expect(message.match(/FT-Intent/g)).toHaveLength(1);
  });

  test('is named by an option, and its lease is used when the agent has one', async () => {
    const { agent, clone } = await people.person('Gus');
    const lease = await people.scene.take('Taken before', agent);
    await clone.commit('Done', { 'done.md': 'Done.\n' });
    const { said, code } = await clone.push('-o', `intent=${lease.intent}`);
    expect(said).toContain(`for ${lease.intent}, "Taken before"`);
    expect(code).toBe(0);
  });

  test('is withdrawn with its lease when the push is refused, and goes on when the push is mended', async () => {
    const { agent, clone } = await people.person('Kim');
    await clone.commit('Say more', { 'readme.md': 'more\n' });
    const intentOf = (said: string) => /for (int_\w+), "Say more"/.exec(said)?.[1];
    const first = await clone.push();
    expect(first.said).toContain('path_case_clash');
    const intent = intentOf(first.said);
    const withdrawn = await people.scene.expect(200, 'GET', `/intents/${intent}`);
    expect(withdrawn).toMatchObject({ state: 'abandoned', labels: ['push', 'withdrawn'] });
    // The same again is told the same, under the same intent.
    const second = await clone.push();
    expect(second.said).toContain('path_case_clash');
    expect(intentOf(second.said)).toBe(intent);
    // An intent that was there before is open for others again.
    const named = await people.scene.intent('Named and refused');
    expect((await clone.push('-o', `intent=${named}`)).said).toContain('path_case_clash');
    expect(await people.scene.expect(200, 'GET', `/intents/${named}`)).toMatchObject({ state: 'open' });
    const { agents } = await people.scene.expect(200, 'GET', '/agents');
    expect(agents.find(({ id }: { id: string }) => id === agent.id)).toMatchObject({ leases: [] });
    await clone.git('mv', 'readme.md', 'more.md');
    await clone.git('commit', '-q', '--amend', '-m', 'Say more');
    const mended = await clone.push();
    expect(mended.said).toContain('landed on main');
    expect(intentOf(mended.said)).toBe(intent);
  });

  test('of somebody else, of nobody, or of two at once is refused by name', async () => {
    const { clone } = await people.person('Hal');
    const lease = await people.scene.take('Of another');
    await clone.commit('Mine', { 'mine.md': 'Mine.\n' });
    const before = await people.counts();
    const others = await clone.push('-o', `intent=${lease.intent}`);
    expect(others.said).toContain(`${lease.intent} is with agent of Of another now`);
    const unknown = await clone.push('-o', 'intent=int_nowhere');
    expect(unknown.said).toContain('unknown_intent');
    const odd = await clone.push('-o', 'reviewer=ada');
    expect(odd.said).toContain('the push option "reviewer=ada" is none of: intent=');
    await clone.git('commit', '-q', '--amend', '-m', 'Mine\n\nFT-Intent: int_a\nFT-Intent: int_b');
    expect((await clone.push()).said).toContain('the commits name 2 intents (int_a, int_b)');
    expect([others.code, unknown.code, odd.code].every((code) => code !== 0)).toBe(true);
    expect(await people.counts()).toEqual(before);
    expect(people.leftovers().pushes).toEqual([]);
  });
});

describe('several commits of one push', () => {
  async function twoCommits(person: Person, name: string): Promise<void> {
    await person.clone.commit(`First of ${name}`, { [`${name}/first.txt`]: 'first\n' });
    await person.clone.commit(`Second of ${name}`, { [`${name}/second.txt`]: 'second\n' });
  }

  test('land as one by default, with the words of each', async () => {
    const person = await people.person('Ida');
    await twoCommits(person, 'squashed');
    const { said } = await person.clone.push();
    expect(said).toContain('2 files of 2 commits, as one');
    await person.clone.git('fetch', '-q');
    const message = await person.clone.git('log', '-1', '--format=%B', 'origin/main');
    expect(message).toContain('* First of squashed\n\n* Second of squashed');
    expect(await person.clone.git('diff', '--stat', 'origin/main~', 'origin/main')).toContain('2 files changed');
  });

  test('are kept as a chain when the policy says so', async () => {
    const chained = await GitPeople.open(daemon, 'chained', { 'a.txt': 'a\n' }, { landing: { pushes: 'chain' } });
    const person = await chained.person('Jo');
    await twoCommits(person, 'kept');
    const { said, code } = await person.clone.push();
    expect(said).toContain('2 files of 2 commits, kept apart');
    expect(code).toBe(0);
    await person.clone.git('fetch', '-q');
    const subjects = await person.clone.git('log', '-2', '--format=%s', 'origin/main');
    expect(subjects).toBe('Second of kept\nFirst of kept');
    await person.clone.git('reset', '-q', '--hard', 'origin/main');
    await person.clone.commit('Goes', { 'goes.txt': 'x\n' });
    await person.clone.commit('Clashes', { 'A.txt': 'x\n' });
    const half = await person.clone.push();
    expect(half.code).not.toBe(0);
    expect(half.said).toMatch(/commit 1 of 2, "Goes", was proposed as prp_\S+/);
    expect(half.said).toContain('commit 2, "Clashes", was refused, and what follows it was not sent');
    expect(half.said).toContain('path_case_clash');
  });
});
