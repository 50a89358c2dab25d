import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git, makeRepository, temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { listCaptured } from './captured-work.ts';
import { Checkout } from './checkout.ts';
import { CheckoutLimitError, checkLimits, treeBytes, usualLimits } from './checkout-limits.ts';
import { CheckoutPool, type PoolSettings } from './checkout-pool.ts';

const place = temporaryDirectory('firetrident-pool-');
const repository = join(place.path, 'trunk.git');
let first = '';
let second = '';

beforeAll(() => {
  const source = join(place.path, 'source');
  makeRepository(source, { 'a.txt': 'one\n', 'b/c.txt': 'x'.repeat(5_000) });
  first = git(source, ['rev-parse', 'HEAD']).trim();
  writeFileSync(join(source, 'a.txt'), 'two\n');
  git(source, ['commit', '-qam', 'Second']);
  second = git(source, ['rev-parse', 'HEAD']).trim();
  git(place.path, ['clone', '-q', '--bare', source, repository]);
});
afterAll(() => place.remove());

let number = 0;

function scene(changed: Partial<PoolSettings> = {}) {
  number += 1;
  const directory = join(place.path, `fleet-${number}`);
  mkdirSync(directory);
  const captured = join(directory, 'captured.git');
  const told: string[] = [];
  const pool = new CheckoutPool({
    directory,
    make: (name) =>
      new Checkout({
        directory: join(directory, 'checkouts', String(name)),
        desk: join(directory, 'desks', String(name)),
        repository,
        captured,
      }),
    workers: 2,
    spare: 1,
    parallel: 2,
    limits: usualLimits,
    expectedBytes: 0,
    commit: first,
    setUp: async () => null,
    onCapture: (_capture, reason) => told.push(`captured ${reason}`),
    onSetAside: (_directory, why) => told.push(`set aside: ${why}`),
    ...changed,
  });
  const { signal } = new AbortController();
  const acquire = (reason: string, commit = first, ends = signal) =>
    pool.acquire({ commit, reason, identity: 'agent-1', patterns: null, signal: ends });
  return { pool, acquire, directory, captured, told };
}

describe('the pool of checkouts', () => {
  it('has them ready before they are asked for, and brings them to the commit that is wanted', async () => {
    const { pool, acquire } = scene();
    pool.warm(3);
    await pool.settled();
    expect(pool.counts).toEqual({ ready: 3, all: 3 });
    const got = await acquire('int_1', second);
    expect(readFileSync(join(got.place.directory, 'a.txt'), 'utf8')).toBe('two\n');
    expect(git(got.place.directory, ['rev-parse', 'HEAD']).trim()).toBe(second);
    expect(git(got.place.directory, ['status', '--porcelain'])).toBe('');
    expect(pool.counts).toEqual({ ready: 2, all: 3 });
    pool.giveBack(got);
    await pool.close(false);
  });

  it('[PL1] gives one checkout to one worker at a time', async () => {
    const { pool, acquire } = scene();
    const got = await Promise.all(['int_1', 'int_2', 'int_3', 'int_4'].map((reason) => acquire(reason)));
    expect(new Set(got.map((one) => one.place.directory)).size).toBe(4);
    for (const one of got) pool.giveBack(one);
    await pool.close(false);
  });

  it('[PL2] captures what comes back, resets it, and gives it out again', async () => {
    const { pool, acquire, captured, told } = scene({ spare: 0, limits: { checkouts: 1, diskBytes: null } });
    const got = await acquire('int_1');
    writeFileSync(join(got.place.directory, 'a.txt'), 'mine\n');
    const next = acquire('int_2', second);
    pool.giveBack(got);
    const again = await next;
    expect(again).toBe(got);
    expect(readFileSync(join(again.place.directory, 'a.txt'), 'utf8')).toBe('two\n');
    expect(told).toEqual(['captured int_1']);
    const [kept] = await listCaptured(captured);
    expect(git(captured, ['show', `${kept?.commit}:a.txt`])).toBe('mine\n');
    pool.giveBack(again);
    await pool.close(false);
    expect(readdirSync(join(again.place.directory, '..'))).toEqual([]);
  });

  it('[PL2] leaves the files of what cannot be captured, and goes on with another', async () => {
    const { pool, acquire, told } = scene({ spare: 0, workers: 1 });
    const got = await acquire('int_1');
    writeFileSync(join(got.place.directory, 'git~1'), 'kept\n');
    pool.giveBack(got);
    const next = await acquire('int_2');
    expect(next).not.toBe(got);
    pool.giveBack(next);
    await pool.close(false);
    expect(told).toEqual([expect.stringMatching(/^set aside: not all of .* can be captured: git~1/)]);
    expect(readFileSync(join(got.place.directory, 'git~1'), 'utf8')).toBe('kept\n');
    expect(existsSync(next.place.directory)).toBe(false);
  });

  it('[PL3] never has more than its limit; who waits gets what comes back, or hears the end', async () => {
    const { pool, acquire } = scene({ limits: { checkouts: 1, diskBytes: null } });
    pool.warm(5);
    const got = await acquire('int_1');
    expect(pool.counts.all).toBe(1);
    const ending = new AbortController();
    const waiting = acquire('int_2', first, ending.signal);
    ending.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    pool.giveBack(got);
    pool.giveBack(await acquire('int_3'));
    await pool.close(false);
  });

  it('[PL3] tells everybody who waits why no checkout can be made', async () => {
    const broken = scene({ commit: '1'.repeat(40) });
    const waiting = ['int_1', 'int_2'].map((reason) => broken.acquire(reason, '1'.repeat(40)));
    for (const end of await Promise.allSettled(waiting))
      expect(end).toMatchObject({ status: 'rejected', reason: { name: 'GitFailedError' } });
    const full = scene({ expectedBytes: 1e18 });
    await expect(full.acquire('int_1')).rejects.toThrow(CheckoutLimitError);
    await Promise.all([broken.pool.close(false), full.pool.close(false)]);
  });

  it('[PL3] keeps no more on the disk than its limit when nobody waits', async () => {
    const { pool, acquire } = scene({ limits: { checkouts: 9, diskBytes: 1 } });
    const got = await acquire('int_1');
    pool.giveBack(got);
    await pool.settled();
    expect(pool.counts).toEqual({ ready: 0, all: 0 });
    expect(existsSync(got.place.directory)).toBe(false);
    await pool.close(false);
  });

  it('[PL4] keeps ready checkouts for the next fleet where that was asked for', async () => {
    const { pool, acquire } = scene();
    const got = await acquire('int_1');
    pool.giveBack(got);
    await pool.close(true);
    expect(existsSync(join(got.place.directory, 'a.txt'))).toBe(true);
  });
});

describe('limits of checkouts', () => {
  it('[LM1] name the limit, its value, what was needed, and what to do', () => {
    expect(checkLimits(10, 5_000, usualLimits)).toBeNull();
    expect(checkLimits(10, 5_000, { checkouts: 9, diskBytes: null })).toMatchObject({
      message: 'checkouts need 10, and the limit --max-checkouts is 9',
      hint: 'run fewer agents, or allow more with --max-checkouts',
    });
    expect(checkLimits(10, 5_000_000, { checkouts: 10, diskBytes: 1_048_576 })).toMatchObject({
      message: 'checkouts need 48 MiB, and the limit --checkout-disk is 1 MiB',
      hint: expect.stringContaining('--sparse'),
    });
  });

  it('count the blocks of files and folders', async () => {
    // One block for a.txt, one for the folder, two for its file.
    expect(await treeBytes(repository, first)).toBe(4 * 4_096);
  });
});
