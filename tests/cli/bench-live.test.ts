// `firetrident bench live` and `notes-check` on a daemon in a process of its own: what is counted, never how fast.

import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LiveResult } from '@firetrident/bench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, temporaryDirectory } from '../support/git-repository.ts';
import { expectCode } from './command-line.ts';

let directory: string;
let remove: () => void;
let repository: string;
let result: LiveResult;

beforeAll(async () => {
  ({ path: directory, remove } = temporaryDirectory('firetrident-bench-live-'));
  const size = [
    '--agents',
    '50',
    '--duration',
    '3',
    '--ramp',
    '1',
    '--intents',
    '200',
    '--hot',
    '20',
    '--workers',
    '2',
    '--git',
    '2',
  ];
  await expectCode(0, ['bench', 'live', ...size, '--data', 'data', '--out', 'live.json', '--json'], { directory });
  result = JSON.parse(readFileSync(join(directory, 'live.json'), 'utf8')) as LiveResult;
  const colonies = join(directory, 'data', 'colonies');
  repository = join(colonies, readdirSync(colonies)[0] ?? '', 'trunk.git');
}, 120_000);
afterAll(() => remove());

describe('firetrident bench live', () => {
  it('[TA1] [LA2] lands with every agent, and no call fails', () => {
    expect(result).toMatchObject({
      figures: 'MEASURED',
      agents: 50,
      totalErrors: 0,
      errorKinds: {},
      stoppedEarly: false,
    });
    expect(result.totalLanded).toBeGreaterThan(0);
    expect(result.landed).toBeLessThanOrEqual(result.totalLanded);
    const shares = Object.values(result.loopShares).reduce((sum, share) => sum + share, 0);
    expect(result.landed === 0 ? 1 : shares).toBeCloseTo(1, 6);
    expect(result.daemon.rssMiB).toBeGreaterThan(0);
  });

  it('[LS1] [DW2] tells where the time of a landing and of the longest delay went', () => {
    const { collectingMs, workingMs, notRunMs } = result.daemon.longestDelay;
    expect(collectingMs + workingMs + notRunMs).toBeCloseTo(result.daemon.eventLoopMsMax, 3);
    const { whole = 0, keep = 0, ...parts } = result.landingMs ?? {};
    expect(keep).toBeGreaterThanOrEqual(0);
    expect(Object.values(parts).reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(whole, 3);
    expect(Object.keys(parts)).toHaveLength(result.landingMs === null ? 0 : 11);
  });

  it('[GA1] [GA2] [GA4] agents that are stock git clone, commit and land, and go to the end of their round', () => {
    expect(result.scenario).toBe('adding, hot 20 %, 2 with git');
    expect(result.git).toMatchObject({ agents: 2, failed: 0, failedKinds: {} });
    expect(result.git?.cloneMs.p50).toBeGreaterThan(0);
    const paths = git(repository, ['ls-tree', '-r', '--name-only', 'main', 'bench/git/']).trim().split('\n');
    expect(paths).toEqual(expect.arrayContaining(['bench/git/0/1.txt', 'bench/git/1/1.txt']));
    expect(result.git?.landed).toBeLessThanOrEqual(paths.length);
    const authors = git(repository, ['log', '--format=%an', 'main', '--', 'bench/git/0/']);
    expect(new Set(authors.trim().split('\n'))).toEqual(new Set(['bench git 0']));
  });

  it('[TA2] [LR1] what agents heard of is on trunk, as far as git can tell', () => {
    const landings = git(repository, ['log', '--format=%(trailers:key=FT-Landing,valueonly)', 'main']);
    const onTrunk = landings.split('\n').filter((line) => line !== '').length;
    // What landed while the run ended may have been heard by nobody any more.
    expect(onTrunk).toBeGreaterThanOrEqual(result.totalLanded);
  });
});

describe('firetrident bench notes-check', () => {
  it('[NC1] [NC2] finds a note for every landing, and names a commit whose note is gone', async () => {
    const check = async (code: number) => {
      const args = ['bench', 'notes-check', '--repository', repository, '--json'];
      return JSON.parse((await expectCode(code, args, { directory })).output) as unknown;
    };
    expect(await check(0)).toMatchObject({ withoutNote: 0, wrong: 0, fanOut: '2', fanOutHolds: true });
    const lost = git(repository, ['rev-parse', 'main']).trim();
    const person = ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid'];
    execFileSync('git', [...person, 'notes', '--ref=refs/notes/firetrident', 'remove', lost], { cwd: repository });
    expect(await check(1)).toMatchObject({ withoutNote: 1, problems: [`${lost} has no note`] });
  });
});

describe('firetrident bench cascade', () => {
  it('[CA1] one landing makes every reader come back, is blamed for it, and the repairs land', async () => {
    const short = ['--readers', '5', '--watch', '1', '--json'];
    const told = await expectCode(0, ['bench', 'cascade', ...short], { directory });
    const seen = { figures: 'MEASURED', readers: 5, staleReturns: 5, attributed: 5, repairsLanded: 5 };
    expect(JSON.parse(told.output)).toMatchObject(seen);
  });
});

describe('the live stories', () => {
  it('hot: changes of one file land side by side, and nothing is lost', async () => {
    const told = await expectCode(0, ['bench', 'hot', '--json'], { directory });
    const { expectations } = JSON.parse(told.output) as { expectations: readonly { readonly holds: boolean }[] };
    expect(expectations.map(({ holds }) => holds)).toEqual([true, true]);
  });

  it('red-trunk: what is proposed while trunk is paused waits, and lands at once afterwards', async () => {
    const told = await expectCode(0, ['bench', 'red-trunk', '--json'], { directory });
    const { expectations } = JSON.parse(told.output) as { expectations: readonly { readonly holds: boolean }[] };
    expect(expectations.map(({ holds }) => holds)).toEqual([true, true, true, true, true]);
  });
});
