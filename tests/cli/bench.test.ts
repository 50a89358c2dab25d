// `firetrident bench` as a person uses it: a history extracted from a repository, and policies compared on it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git, makeRepository, temporaryDirectory } from '../support/git-repository.ts';
import { expectCode } from './command-line.ts';

let directory: string;
let remove: () => void;
beforeEach(() => {
  ({ path: directory, remove } = temporaryDirectory('firetrident-bench-'));
});
afterEach(() => remove());

describe('firetrident bench', () => {
  it('extracts a history and compares policies on it', async () => {
    const repository = join(directory, 'repository');
    makeRepository(repository, {
      'src/a.ts': 'export const a = 1;\n',
      'src/b.ts': "import { a } from './a.ts';\nexport const b = a;\n",
    });
    const run = (code: number, ...args: string[]) => expectCode(code, ['bench', ...args], { directory: repository });
    const told = await run(0, 'history', '--out', 'facts.jsonl.gz', '--json');
    const commits = Number(git(repository, ['rev-list', '--count', 'HEAD']));
    expect(JSON.parse(told.output)).toMatchObject({ commits, file: expect.stringMatching(/facts\.jsonl\.gz$/) });

    const short = [
      '--agents',
      '4',
      '--seeds',
      '1',
      '--duration',
      '400',
      '--warmup',
      '100',
      '--history',
      'facts.jsonl.gz',
    ];
    const policies = ['--policies', 'locks-all,no-conflict'];
    const table = await run(0, 'sim', ...short, ...policies, '--out', 'o.json', '--chart', 'o.html');
    expect(table.output).toMatch(/^SIMULATED: history facts\.jsonl\.gz, 100 copies/);
    expect(table.output).toMatch(/no-conflict +4 +10 % +\d+ +\d+–\d+ +100\.0 % +\d\.\d\d /);
    const report = JSON.parse(readFileSync(join(repository, 'o.json'), 'utf8'));
    expect(report.rows.map((row: { policy: string }) => row.policy)).toEqual(['locks-all', 'no-conflict']);
    expect(report.assumptions.figures).toBe('SIMULATED');
    expect(readFileSync(join(repository, 'o.html'), 'utf8')).toContain('</svg>');
  });

  it('says whether scenarios held, by its exit code too', async () => {
    const scenario = ['bench', 'sim', '--agents', '10', '--scenario'];
    const held = await expectCode(0, [...scenario, 'red-trunk'], { directory });
    expect(held.output).toMatch(/^red-trunk: Landing pauses.*\nSIMULATED: 10 agents, seed 1, 720 s\nholds /);
    // Ten agents land too little for any two windows to be alike.
    const failed = await expectCode(1, [...scenario, 'growing-fleet', '--json'], { directory });
    expect(JSON.parse(failed.output)).toMatchObject({
      failed: 1,
      scenarios: [{ scenario: 'growing-fleet', agents: 10 }],
    });
  });

  it('looks at sizes, and at other agents when told', async () => {
    const sizes = ['bench', 'sim', '--sizes', '--agents', '5,10', '--duration', '300', '--warmup', '60'];
    const { output } = await expectCode(0, sizes, { directory });
    expect(output).toMatch(/firetrident +5 .*\nno-conflict +5 /);
    expect(output).toContain('open tasks 3 for each agent, 30000 at most');
    expect(output).toMatch(
      /holds {2}landings of firetrident at 10 agents, percent of the most at fewer +\d+(\.\d+)? ≥ 95\n/,
    );
  });

  it.each([
    [['sim', '--scenario', 'nothing'], 1, 'there is no scenario "nothing"'],
    [['sim', '--policies', 'lockz'], 1, 'there is no policy "lockz"'],
    [['sim', '--warmup', '1200'], 1, 'the warm-up is as long as the whole run'],
    [['sim', '--history', 'nowhere.jsonl'], 1, 'the history nowhere.jsonl cannot be read'],
    [['sim', '--mode', 'live', '--policies', 'locks-all'], 1, 'live mode compares this system with itself only'],
    [['history', '--out', 'facts.jsonl'], 1, 'there is no repository here'],
  ])('refuses %j before anything is run', async (args, code, message) => {
    const { errors } = await expectCode(code, ['bench', ...args], { directory });
    expect(errors).toContain(message);
  });
});
