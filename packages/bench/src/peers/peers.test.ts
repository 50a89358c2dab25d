// What peers are made of: checks, locks and commits, apart from any figure.

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GitConversation, GitUse, readLine } from '../live/git-use.ts';
import { Checks } from './checks.ts';
import { CommitStream } from './commit-stream.ts';
import { LockedBoard, OrderedBoard } from './intent-board.ts';
import { workloadOf } from './our-run.ts';
import { type PeersPlan, warmUpMs } from './plan.ts';

const plan: PeersPlan = {
  systems: ['locks-fifo'],
  agents: 4,
  durationMs: 1_000,
  hotPercent: 100,
  workMs: 0,
  openIntents: 20,
  checks: null,
  batch: 8,
  window: 8,
  pushers: 2,
  seed: 1,
};

describe('checks', () => {
  const checkPlan = { durationMs: 5, slots: 1, failurePercent: 0, flakePercent: 0 };

  it('[VC1] run no more at the same time than there are places, in the order in which they came', async () => {
    const checks = new Checks(checkPlan, 1);
    const ended: string[] = [];
    await Promise.all(['first', 'second', 'third'].map((name) => checks.run(false).then(() => ended.push(name))));
    expect(ended).toEqual(['first', 'second', 'third']);
    const stopping = new AbortController();
    const running = checks.run(false);
    const waiting = checks.run(false, stopping.signal);
    const last = checks.run(false);
    stopping.abort();
    await expect(waiting).rejects.toThrow();
    expect(await Promise.all([running, last])).toEqual([true, true]);
    expect(checks.runs).toBe(5);
  });

  it('[VC2] fail for what is broken, and for nothing as often as they flake', async () => {
    expect(await new Checks(checkPlan, 1).run(true)).toBe(false);
    const flaky = (seed: number) => {
      const checks = new Checks({ ...checkPlan, durationMs: 0, slots: 0, flakePercent: 50 }, seed);
      return Promise.all(Array.from({ length: 40 }, () => checks.run(false)));
    };
    const passed = await flaky(7);
    expect(new Set(passed).size).toBe(2);
    expect(await flaky(7)).toEqual(passed);
    expect(await new Checks(null, 1).run(true)).toBe(true);
  });
});

describe('the open intents of a peer', () => {
  it('[IB1] [PP1] are those of the live driver, in order', async () => {
    const board = new OrderedBoard(workloadOf(plan));
    const again = new OrderedBoard(workloadOf(plan));
    for (let each = 0; each < 5; each += 1) expect(await board.take()).toEqual(await again.take());
    expect(warmUpMs(plan)).toBe(250);
  });

  it('[IB2] are never held twice for one file, and who waits is served when a lock is given back', async () => {
    const board = new LockedBoard(workloadOf({ ...plan, openIntents: 200 }));
    // Eight hot files: eight takes find work, and the ninth waits.
    const taken = await Promise.all(Array.from({ length: 8 }, () => board.take()));
    expect(new Set(taken.map(({ paths }) => paths[0])).size).toBe(8);
    let got: string | null = null;
    const ninth = board.take().then(({ paths }) => {
      got = paths[0];
    });
    await Promise.resolve();
    expect(got).toBeNull();
    for (const intent of taken) board.done(intent);
    await ninth;
    expect(got).not.toBeNull();
  });
});

describe('commits by a fast-import that stays', () => {
  let directory: string;
  let root: string;
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.invalid', ...args], {
      cwd: directory,
      encoding: 'utf8',
      input: '',
    }).trim();
  beforeAll(() => {
    directory = mkdtempSync(join(tmpdir(), 'firetrident-peers-'));
    git('init', '--quiet', '--bare', '-b', 'main');
    root = git('commit-tree', git('mktree'), '-m', 'root');
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('[FI1] [FI2] [GU1] land what nobody else wrote, are built upon at once, and are seen after a checkpoint', async () => {
    const use = new GitUse();
    const imports = new CommitStream(use, directory, 'refs/bench/test');
    const change = (path: string, text: string) => ({ title: path, path, text });
    const wanted = [change('a/x.txt', 'one\n'), change('a/y.txt', 'two\n'), change('a/x.txt', 'three\n')];
    const made = await imports.landAll(
      root,
      wanted.map((each) => ({ base: root, change: each })),
    );
    // The third rewrites what the first wrote in the same batch.
    expect(made.map((commit) => commit === null)).toEqual([false, false, true]);
    const tip = made[1] as string;
    const late = { base: root, change: change('a/x.txt', 'four\n') };
    expect(await imports.landAll(tip, [late])).toEqual([null]);
    const [redone] = await imports.landAll(tip, [{ ...late, base: tip }]);
    await imports.checkpoint();
    expect(git('show', `${redone}:a/x.txt`)).toBe('four');
    expect(git('rev-list', '--count', redone as string)).toBe('4');
    await imports.close();
    expect(use.processes).toBe(1);
  });

  it('[GU2] tell everybody who waits when the process ends early', async () => {
    const conversation = new GitConversation(new GitUse(), directory, ['update-ref', '--stdin']);
    const asked = [conversation.ask('nonsense\n', readLine), conversation.ask('more\n', readLine)];
    for (const answer of asked) await expect(answer).rejects.toThrow(/ended with code 128/);
    await expect(conversation.ask('again\n', readLine)).rejects.toThrow(/ended/);
  });
});
