// `firetrident connect` and `preserved` as a person uses them.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeRepository, temporaryDirectory } from '../support/git-repository.ts';
import { commandLine } from './command-line.ts';

const place = temporaryDirectory('firetrident-connect-');
const repository = join(place.path, 'project');
beforeAll(() => {
  makeRepository(repository, { 'README.md': '# Connect\n' });
});
afterAll(() => place.remove());

test('prints the line and the file, and writes the file when told to, once', async () => {
  const printed = await commandLine(['connect', 'claude', '--colony', 'web'], { directory: repository });
  expect(printed.output).toMatch(
    /claude mcp add-json --scope project firetrident '.*"--kind","claude","--colony","web".*'\n/,
  );
  const written = await commandLine(['connect', 'claude', '--colony', 'web', '--write', '--json'], {
    directory: repository,
  });
  const { server } = JSON.parse(written.output);
  const file = JSON.parse(readFileSync(join(repository, '.mcp.json'), 'utf8'));
  expect([file.mcpServers.firetrident.command, ...file.mcpServers.firetrident.args]).toEqual(server);
  const again = await commandLine(['connect', 'claude', '--colony', 'web', '--write', '--json'], {
    directory: repository,
  });
  expect(JSON.parse(again.output)).toMatchObject({ written: false });
  const unknown = await commandLine(['connect', 'elsewhere'], { directory: repository });
  expect(unknown.code).toBe(2);
});

test('names the program by its name only where a harness will find it, which npx alone does not do', async () => {
  const serverWith = async (folder: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'firetrident'), '');
    const environment = { PATH: `${folder}:${process.env.PATH}` };
    const { output } = await commandLine(['connect', 'codex', '--json'], { directory: repository, environment });
    return JSON.parse(output).server;
  };
  expect(await serverWith(join(place.path, 'node_modules/.bin'))).toEqual([
    'node',
    expect.stringMatching(/firetrident\.js$/),
    'mcp',
    '--kind',
    'codex',
  ]);
  expect(await serverWith(join(place.path, 'programs'))).toEqual(['firetrident', 'mcp', '--kind', 'codex']);
});

test('[HN2] with --hooks it also reports reads; what others wrote stays, and ours is there once', async () => {
  const other = { matcher: 'Edit', hooks: [{ type: 'command', command: 'format' }] };
  mkdirSync(join(repository, '.claude'));
  const file = join(repository, '.claude/settings.json');
  writeFileSync(file, JSON.stringify({ model: 'm', hooks: { PostToolUse: [other], Stop: [] } }));
  const connect = async (harness: string) => {
    const args = ['connect', harness, '--hooks', '--write', '--json'];
    return JSON.parse((await commandLine(args, { directory: repository })).output).hooks;
  };
  expect(await connect('claude')).toEqual({ file, written: true });
  expect(await connect('claude')).toEqual({ file, written: false });
  const { model, hooks } = JSON.parse(readFileSync(file, 'utf8'));
  expect([model, hooks.Stop, hooks.PostToolUse[0]]).toEqual(['m', [], other]);
  expect(hooks.PostToolUse).toHaveLength(2);
  const [{ command }] = hooks.PostToolUse[1].hooks;
  expect(command).toMatch(/ hook read$/);
  const codex = await connect('codex');
  const told = JSON.parse(readFileSync(codex.file, 'utf8'));
  expect(told.hooks.PostToolUse).toMatchObject([{ matcher: 'Bash', hooks: [{ type: 'command', command }] }]);
  const gemini = await commandLine(['connect', 'gemini', '--hooks'], { directory: repository });
  expect([gemini.code, gemini.output]).toEqual([2, '']);
});

test('[HK1] a hook that is called with something else says so, and writes nothing', async () => {
  const end = await commandLine(['hook', 'read'], { directory: repository, input: 'no message' });
  expect([end.code, end.output]).toEqual([2, '']);
  expect(end.errors).toContain('no message of a hook');
});
