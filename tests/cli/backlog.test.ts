// `firetrident init` and `firetrident intents`.

import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type CommandLineScene, commandLineScene } from './scene.ts';

/** Each test starts many processes; only a hang should end it. */
const timeout = 240_000;

let scene: CommandLineScene;
beforeAll(async () => {
  scene = await commandLineScene({ 'a.txt': 'one\n', 'TODO.md': '- [ ] Door\n- [ ] Lamp\n' });
});
afterAll(() => scene.remove());

function file(name: string, text: string): string {
  writeFileSync(join(scene.directory, name), text);
  return join(scene.directory, name);
}

describe('init', { timeout }, () => {
  it('makes a colony of the repository around, named after its folder', async () => {
    const { output } = await scene.run(0, ['init', '--setup', 'true']);
    expect(output).toMatch(
      /^Colony project: trunk main at [0-9a-f]{12}\nRepository: .*project\/trunk\.git\nNext: firetrident intents add "what to do"\n$/,
    );
    const page = await scene.json(0, ['status', '--colony', 'project']);
    expect(page.policy.setup).toBe('true');
    expect(scene.trunkFile('project', 'a.txt')).toBe('one\n');
  });

  it('refuses a second colony of that name, and a source that is no repository', async () => {
    const again = await scene.run(1, ['init']);
    expect(again.errors).toMatch(/^error: colony_exists: /);
    expect((await scene.run(1, ['init', '--repo', scene.directory, '--id', 'other'])).errors).toMatch(
      /^error: repository_unusable: .*\n(next: .*\n)?hint: /,
    );
    expect((await scene.run(2, ['init'], scene.directory)).errors).toContain('there is no repository here');
    expect((await scene.run(2, ['init', '--repo', '.', '--empty'])).errors).toContain('exclude each other');
  });

  it('makes an empty colony, by whatever folder', async () => {
    const colony = await scene.json(0, ['init', '--empty', '--id', 'blank']);
    expect(colony).toMatchObject({ id: 'blank', trunk: { branch: 'main' } });
  });
});

describe('intents', { timeout }, () => {
  it('want a colony when there are several, and name the wrong one', async () => {
    expect((await scene.run(1, ['intents', 'list'])).errors).toBe(
      'error: there are several colonies\nhint: name one with --colony: blank, project\n',
    );
    expect((await scene.run(1, ['intents', 'list', '--colony', 'web'])).errors).toMatch(
      /^error: unknown_colony: .*\("web"\)/,
    );
  });

  it('are added with everything that an intent has; a key twice is one intent', async () => {
    const first = await scene.json(0, ['intents', 'add', 'First', '--key', 'k', '--colony', 'project']);
    const again = await scene.json(0, ['intents', 'add', 'First', '--key', 'k', '--colony', 'project']);
    expect(again.intents[0].id).toBe(first.intents[0].id);
    const { id } = first.intents[0];
    const more = ['--body', 'All of it', '--paths', 'src/**', 'docs/*', '--priority', '-2', '--label', 'easy'];
    const { output } = await scene.run(0, ['intents', 'add', 'Second', ...more, '--after', id, '--colony', 'project']);
    expect(output).toMatch(/^int_[0-9a-z]+ open\n1 intent\n$/);
    const { intents } = await scene.json(0, ['intents', 'list', '--colony', 'project']);
    expect(intents[0]).toMatchObject({
      title: 'Second',
      body: 'All of it',
      paths: ['src/**', 'docs/*'],
      priority: -2,
      labels: ['easy'],
      after: [id],
    });
  });

  it('come from a Markdown backlog, dependencies on later ones included, and importing again adds none', async () => {
    const backlog = file(
      'backlog.md',
      '# Backlog\n\n- [ ] Roof\n  after: Walls\n  priority: 2\n- [ ] Walls\n  paths: walls/**\n\n  As high as a door.\n- [x] Ground\n',
    );
    const { output } = await scene.run(0, ['intents', 'import', backlog, '--colony', 'blank']);
    expect(output).toMatch(/^int_[0-9a-z]+ open\nint_[0-9a-z]+ open\n2 intents\n$/);
    const again = await scene.run(0, ['intents', 'import', backlog, '--colony', 'blank']);
    expect(again.output).toMatch(/\n2 intents: 0 new, 2 known\n$/);
    const { intents } = await scene.json(0, ['intents', 'list', '--colony', 'blank']);
    expect(intents).toHaveLength(2);
    const [roof, walls] = ['Roof', 'Walls'].map((title) =>
      intents.find((intent: { title: string }) => intent.title === title),
    );
    expect(roof).toMatchObject({ after: [walls.id], priority: 2 });
    expect(walls).toMatchObject({ body: 'As high as a door.', paths: ['walls/**'] });
  });

  it('come from GitHub issues', async () => {
    const issues = file(
      'issues.json',
      JSON.stringify([
        {
          number: 7,
          title: 'Broken lamp',
          body: 'It blinks.',
          labels: [{ name: 'bug' }],
          state: 'OPEN',
          url: 'https://example.org/7',
        },
      ]),
    );
    await scene.run(0, ['intents', 'import', issues, '--colony', 'blank']);
    const { intents } = await scene.json(0, ['intents', 'list', '--limit', '1', '--colony', 'blank']);
    expect(intents[0]).toMatchObject({ title: 'Broken lamp', labels: ['bug'] });
    expect(intents[0].body).toContain('It blinks.');
  });

  it('of a backlog that does not hold together are not created, and it says where', async () => {
    const before = (await scene.json(0, ['status', '--colony', 'blank'])).intents.open;
    const cases: [string, string][] = [
      ['- [ ] One\n  after: Another\n', '"One" comes after "Another", which is not in it'],
      ['- [ ] One\n  after: Two\n- [ ] Two\n  after: One\n', '"One" comes after itself'],
      ['- [ ] Fine\n- [ ] One\n  priority: high\n', 'line 3: '],
    ];
    for (const [text, message] of cases) {
      const end = await scene.run(1, ['intents', 'import', file('bad.md', text), '--colony', 'blank']);
      expect(end.errors).toContain(message);
      expect(end.errors).toContain('nothing was imported');
    }
    expect((await scene.run(1, ['intents', 'import', 'absent.md', '--colony', 'blank'])).errors).toContain(
      'absent.md cannot be read',
    );
    expect((await scene.json(0, ['status', '--colony', 'blank'])).intents.open).toBe(before);
  });

  it('are listed by state, page by page', async () => {
    const first = await scene.run(0, ['intents', 'list', '--state', 'open', '--limit', '2', '--colony', 'blank']);
    expect(first.output).toMatch(
      /^intent +state +priority +title\n(int_\w+ +open +-?\d+ +\w.*\n){2}more: firetrident intents list --after int_\w+\n$/,
    );
    const after = /--after (\w+)/.exec(first.output)?.[1] ?? '';
    const second = await scene.run(0, ['intents', 'list', '--state', 'open', '--after', after, '--colony', 'blank']);
    expect(second.output.trim().split('\n')).toHaveLength(2);
    expect((await scene.run(0, ['intents', 'list', '--state', 'landed', '--colony', 'blank'])).output).toBe(
      'intent  state  priority  title\n',
    );
  });
});

describe('intents sync', { timeout }, () => {
  it('adds, changes, withdraws, closes what landed in the file and by a command, and then has nothing to do', async () => {
    const colony = ['--colony', 'project'];
    const target = file('kept-plan.md', '# Plan\n\n- [ ] Door\n- [ ] Lamp\n- [ ] Bell\n');
    chmodSync(target, 0o600);
    const backlog = join(scene.directory, 'plan.md');
    symlinkSync(target, backlog);
    const first = await scene.run(0, ['intents', 'sync', backlog, ...colony]);
    expect(first.output).toBe('3 added, 0 changed, 0 withdrawn, 0 closed at the source, 0 as they were\n');

    const lane = join(scene.directory, 'door');
    const { intents } = await scene.json(0, ['intents', 'list', ...colony]);
    const door = intents.find((each: { title: string }) => each.title === 'Door');
    await scene.run(0, ['take', '--intent', door.id, '--checkout', lane, ...colony]);
    writeFileSync(join(lane, 'a.txt'), 'a door\n');
    await scene.run(0, ['propose'], lane);

    file('plan.md', '# Plan\n\n- [ ] Door\n- [x] Lamp\n- [ ] Bell\n  priority: 4\n');
    const closing = `test "$FT_SOURCE" = plan/door && echo "$FT_INTENT $FT_INTENT_TITLE" >> ${join(scene.directory, 'closed')}`;
    const whole = ['intents', 'sync', backlog, '--check-off', '--on-landed', closing, ...colony];
    const dry = await scene.json(0, [...whole, '--dry-run']);
    expect(dry).toMatchObject({ created: 0, changed: 1, withdrawn: 1, closed: 0, unclosed: 1, same: 0 });
    const second = await scene.json(0, whole);
    expect(second).toMatchObject({ created: 0, changed: 1, withdrawn: 1, closed: 1, unclosed: 0, problems: [] });
    expect(readFileSync(join(scene.directory, 'closed'), 'utf8')).toBe(`${door.id} Door\n`);
    expect(readFileSync(backlog, 'utf8')).toBe('# Plan\n\n- [x] Door\n- [x] Lamp\n- [ ] Bell\n  priority: 4\n');
    const after = (await scene.json(0, ['intents', 'list', ...colony])).intents;
    const bell = after.find((each: { title: string }) => each.title === 'Bell');
    expect(bell).toMatchObject({ state: 'open', priority: 4 });
    expect(after.find((each: { title: string }) => each.title === 'Lamp').state).toBe('abandoned');

    const third = await scene.json(0, whole);
    expect(third).toMatchObject({ created: 0, changed: 0, withdrawn: 0, closed: 0, unclosed: 0, same: 1 });
    // The file stays the link, and as private, as it was.
    expect(lstatSync(backlog).isSymbolicLink()).toBe(true);
    expect(statSync(backlog).mode & 0o777).toBe(0o600);
  });

  it('[BT1] follows a file on trunk, and checks its boxes by one landing of its own', async () => {
    await scene.run(0, ['init', '--id', 'trunked']);
    const colony = ['--colony', 'trunked'];
    const sync = ['intents', 'sync', '--from-trunk', 'TODO.md', ...colony];
    expect(await scene.json(0, sync)).toMatchObject({ created: 2, same: 0 });
    const all = async (): Promise<{ id: string; title: string; state: string }[]> =>
      (await scene.json(0, ['intents', 'list', ...colony])).intents;
    const door = (await all()).find(({ title }) => title === 'Door')?.id ?? '';
    // One landing does the work, and adds an item.
    const { checkout } = await scene.json(0, ['take', '--intent', door, ...colony]);
    writeFileSync(join(checkout, 'TODO.md'), '- [ ] Door\n- [ ] Lamp\n- [ ] Bell\n');
    await scene.run(0, ['propose'], checkout);
    // Two at the same time: the one that comes second may find the intent taken, which is left to the next round.
    const both = await Promise.allSettled([0, 1].map(() => scene.json(0, [...sync, '--check-off'])));
    expect(both.filter((each) => each.status === 'fulfilled' && each.value.closed === 1)).not.toHaveLength(0);
    await scene.json(0, [...sync, '--check-off']);
    expect(scene.trunkFile('trunked', 'TODO.md')).toBe('- [x] Door\n- [ ] Lamp\n- [ ] Bell\n');
    const { landings } = await scene.json(0, ['landings', ...colony]);
    expect(landings.map(({ title }: { title: string }) => title)).toEqual([
      'Check off in TODO.md what has landed',
      'Door',
    ]);
    const left = await scene.json(0, [...sync, '--check-off']);
    expect(left).toMatchObject({ created: 0, closed: 0, unclosed: 0, same: 2, problems: [] });
    expect((await all()).map(({ title, state }) => `${title} ${state}`).sort()).toEqual([
      'Bell open',
      'Check off in TODO.md what has landed landed',
      'Door landed',
      'Lamp open',
    ]);
    expect((await scene.run(1, ['intents', 'sync', '--from-trunk', 'NO.md', ...colony])).errors).toContain(
      'has no file',
    );
  });

  it('reads what a command prints, tells what did not work, and changes nothing by what it cannot read', async () => {
    const colony = ['--colony', 'blank'];
    const bead = JSON.stringify({ id: 'bd-1', title: 'Chimney' });
    const from = ['intents', 'sync', '--from', `echo '${bead}'`, '--format', 'beads', ...colony];
    expect(await scene.json(0, from)).toMatchObject({ created: 1 });
    expect(await scene.json(0, from)).toMatchObject({ created: 0, same: 1 });
    const failing = ['intents', 'sync', '--from', 'echo away; exit 3', '--format', 'beads', ...colony];
    expect((await scene.run(1, failing)).errors).toContain('"echo away; exit 3" failed: away');
    expect((await scene.run(1, ['intents', 'sync', file('bad.jsonl', '{'), ...colony])).errors).toContain('line 1: ');
    const usage = await scene.run(2, ['intents', 'sync', '--from', 'x', '--format', 'beads', '--check-off', ...colony]);
    expect(usage.errors).toContain('--check-off wants a file');
  });
});
