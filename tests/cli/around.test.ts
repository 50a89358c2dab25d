// What lies around a colony on the command line: what a harness's hook saw read, and the upstream.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git } from '../support/git-repository.ts';
import { commandLine } from './command-line.ts';
import { type CommandLineScene, commandLineScene } from './scene.ts';

/** Each test starts many processes; only a hang should end it. */
const timeout = 240_000;

let scene: CommandLineScene;
beforeAll(async () => {
  scene = await commandLineScene({ 'a.py': 'import b\n', 'b.py': 'B = 1\n', 'read.txt': 'r\n', 'shown.txt': 's\n' });
  await scene.run(0, ['init', '--id', 'around']);
});
afterAll(() => scene.remove());

describe('reads', { timeout }, () => {
  it('[HK1] that a hook saw count, and each says how it became known', async () => {
    await scene.run(0, ['intents', 'add', 'Change a']);
    const { checkout } = await scene.json(0, ['take']);
    const call = (tool: string, input: object) =>
      JSON.stringify({ hook_event_name: 'PostToolUse', cwd: checkout, tool_name: tool, tool_input: input });
    const messages = [
      call('Read', { file_path: join(checkout, 'read.txt') }),
      call('Bash', { command: 'cat shown.txt 2>/dev/null > copied.txt' }),
      call('Read', { file_path: '/etc/hostname' }),
    ];
    for (const input of messages) {
      expect(await commandLine(['hook', 'read'], { directory: checkout, input })).toMatchObject({
        code: 0,
        output: '',
      });
    }
    writeFileSync(join(checkout, 'a.py'), 'import b\n\nprint(b.B)\n');
    const { landing } = await scene.json(0, ['propose'], checkout);
    const page = await scene.json(0, ['why', 'a.py:3']);
    expect(page.landing).toMatchObject({ landing });
    const reads = page.landing.reads.map(({ path, source }: { path: string; source: string }) => `${path} ${source}`);
    expect(reads.sort()).toEqual(['b.py imports', 'read.txt hook', 'shown.txt hook']);
    expect((await scene.run(0, ['why', 'a.py:3'])).output).toContain('read.txt (hook)');
    const repository = join(scene.repository, '.firetrident/colonies/around/trunk.git');
    const note = JSON.parse(git(repository, ['notes', '--ref', 'firetrident', 'show', 'main']));
    expect(note.landings[0].reads).toContainEqual(expect.objectContaining({ path: 'read.txt', source: 'hook' }));
  });
});

describe('upstream', { timeout }, () => {
  it('is named, shown, paused, asked again and removed, with an exit code for each way to stand', async () => {
    expect((await scene.run(4, ['upstream'])).output).toBe('There is no upstream.\n');
    expect((await scene.run(1, ['upstream', 'retry'])).errors).toMatch(/^error: no_upstream: /);
    const elsewhere = join(scene.directory, 'elsewhere.git');
    git(scene.directory, ['init', '-q', '--bare', '-b', 'main', elsewhere]);
    const set = ['upstream', 'set', '../elsewhere.git', '--mode', 'upstream', '--pushes-per-minute', '300'];
    const { upstream } = await scene.json(0, set);
    expect(upstream).toMatchObject({ url: elsewhere, mode: 'upstream', state: 'in-step', failures: 0, retryAt: null });
    const shown = (await scene.run(0, ['upstream', 'show'])).output;
    expect(shown).toMatch(/^upstream {3}\S+elsewhere\.git \(main\)\nmode {7}upstream, at most 300 pushes a minute\n/);
    expect(shown).toMatch(/\nstate {6}in-step\ncommit {5}[0-9a-f]{40}\nlast look {2}20\S+Z\nlast push {2}20\S+Z\n$/);
    expect((await scene.json(0, ['upstream', 'pause'])).upstream).toMatchObject({ state: 'paused' });
    expect((await scene.json(0, ['upstream', 'resume'])).upstream).toMatchObject({ state: 'in-step' });
    const away = await scene.json(1, ['upstream', 'set', join(scene.directory, 'gone.git')]);
    expect(away.upstream).toMatchObject({
      mode: 'mirror',
      state: 'away',
      failures: expect.any(Number),
      retryAt: expect.any(String),
    });
    expect((await scene.run(1, ['upstream', 'retry'])).output).toMatch(/\nnext try {3}20\S+Z, after \d+ failures\n$/);
    await scene.run(4, ['upstream', 'remove']);
  });
});
