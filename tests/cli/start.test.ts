// `firetrident start`: the main job from beginning to end, on a small repository.

import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, makeRepository, temporaryDirectory } from '../support/git-repository.ts';
import { until } from '../support/until.ts';
import { expectCode, startCommandLine } from './command-line.ts';

const place = temporaryDirectory('firetrident-start-');
const source = join(place.path, 'source');
const folders = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

beforeAll(() => {
  const files: Record<string, string> = {
    'package.json': '{ "license": "Apache-2.0" }\n',
    'tool.py': '#!/usr/bin/env python\n',
  };
  for (const folder of folders) {
    files[`src/${folder}/one.ts`] = 'export const one = 1;\n';
    files[`src/${folder}/notes.md`] = `# ${folder}`;
  }
  makeRepository(source, files);
  makeRepository(join(place.path, 'small'), { 'a.ts': 'export const a = 1;\n', 'src/b.ts': 'export const b = 1;\n' });
});
afterAll(() => place.remove());

const options = { directory: place.path };

// Hundreds of processes are started here; only a hang should end a test.
describe('start', { timeout: 300_000 }, () => {
  it('changes every folder with agents, proves the result, and leaves the source alone', async () => {
    const before = git(source, ['rev-parse', 'HEAD']);
    const args = ['start', '--once', '--json', '--agents', '6', '--repo', 'source', '--data', 'data'];
    const end = await expectCode(0, args, options);
    const summary = JSON.parse(end.output);
    expect(summary).toMatchObject({ intents: 10, agents: 6, landed: 10, unchanged: 0, failed: 0, failedAttempts: 0 });
    expect(summary.verdicts.map((verdict: { ok: boolean }) => verdict.ok)).toEqual([true, true, true, true, true]);
    // Agents that stood on one base wrote one file: what was not first was merged or came back.
    expect(summary.merged + summary.returns).toBeGreaterThan(0);
    const show = (path: string) => git(summary.repository, ['show', `main:${path}`]);
    expect(show('src/a/one.ts')).toBe('// SPDX-License-Identifier: Apache-2.0\nexport const one = 1;\n');
    expect(show('tool.py')).toBe('#!/usr/bin/env python\n# SPDX-License-Identifier: Apache-2.0\n');
    expect(show('src/a/notes.md')).toBe('# a\n');
    const rows = show('CODE-INDEX.md')
      .split('\n')
      .filter((line) => line.startsWith('| `'));
    expect(rows).toEqual(['| `.` | 2 | 1 |', ...folders.map((folder) => `| \`src/${folder}\` | 2 | 1 |`)]);
    expect(git(source, ['rev-parse', 'HEAD'])).toBe(before);
    expect(git(source, ['status', '--porcelain'])).toBe('');
    expect(existsSync(join(place.path, 'data/daemon.json'))).toBe(false);
    // Once more on the same data there would be two runs in one: that is refused by the colony's name.
    expect((await expectCode(1, args, options)).errors).toContain('colony_exists');
  });

  it('serves on without --once, answers why, and stops at Ctrl-C', async () => {
    const running = startCommandLine(['start', '--agents', '2', '--repo', 'small', '--data', 'serving'], options);
    await until(() => running.errors().includes('serves on') || running.process.exitCode !== null);
    const output = running.output();
    expect(output).toMatch(/^3 intents, 2 agents, trunk main at [0-9a-f]{12}\n {2}landed +3, and 0 needed no change\n/);
    expect(output.match(/^ {2}ok /gm)).toHaveLength(5);
    expect(output).not.toContain('FAILED');
    const asked = /Ask why +npx firetrident why (\S+) --data (\S+)\n/.exec(output);
    const why = await expectCode(0, ['why', asked?.[1] ?? '', '--data', asked?.[2] ?? ''], options);
    expect(why.output).toMatch(/\nIntent +int_\w+ +File headers in /);
    running.process.kill('SIGINT');
    expect((await running.end).code).toBe(0);
  });

  it('says so when there is nothing to change, and when it is interrupted', async () => {
    makeRepository(join(place.path, 'done'), { 'a.bin': '\0' });
    const nothing = await expectCode(1, ['start', '--once', '--repo', 'done', '--data', 'nothing'], options);
    expect(nothing.errors).toContain('there is nothing to change in this repository');
    const running = startCommandLine(
      ['start', '--once', '--agents', '2', '--repo', 'small', '--data', 'stopped'],
      options,
    );
    await until(() => running.errors().includes('landed'));
    running.process.kill('SIGINT');
    expect((await running.end).code).toBe(130);
    expect(readdirSync(join(place.path, 'stopped'))).not.toContain('daemon.json');
  });
});
