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
