// `npm run bench:workspaces`: a hundred checkouts of a repository with 2,000 files: time, disk and memory.
//
// Beside them in the same run: `git worktree add` as often, and the ways in which one checkout can be made.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { Checkout, CheckoutPool, usualLimits } from '../src/index.ts';

const size = { files: 2_000, folders: 100, checkouts: Number(process.argv[2] ?? 100), each: 10 };
const environment = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Bench',
  GIT_AUTHOR_EMAIL: 'bench@example.invalid',
  GIT_COMMITTER_NAME: 'Bench',
  GIT_COMMITTER_EMAIL: 'bench@example.invalid',
};

const directory = mkdtempSync(join(tmpdir(), 'firetrident-workspaces-'));
const source = join(directory, 'source');
const repository = join(directory, 'trunk.git');
const { signal } = new AbortController();
let folders = 0;

try {
  const { first, second } = makeSource();
  ways(first);
  const worktrees = peer(first);
  const made = await ours(first, second);
  console.log(`MEASURED to appear, p50, as a part of git worktree add: ${part(made.appear, worktrees.each)}`);
  console.log(`MEASURED to make all, as a part of git worktree add: ${(made.makeMs / worktrees.totalMs).toFixed(2)}`);
  console.log(
    `MEASURED disk, as a part of git worktree add: ${(made.disk / worktrees.disk).toFixed(2)}, sparse ${(made.sparseDisk / worktrees.disk).toFixed(3)}`,
  );
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function git(place: string, ...args: string[]): string {
  return execFileSync('git', args, {
    cwd: place,
    env: environment,
    maxBuffer: 1 << 28,
    stdio: ['ignore', 'pipe', 'pipe'],
  }).toString();
}

/** Two commits that differ in five files, packed in a bare repository. */
function makeSource(): { readonly first: string; readonly second: string } {
  for (let number = 0; number < size.files; number += 1) {
    const folder = join(source, `packages/part-${number % 20}/src/group-${number % size.folders}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `file-${number}.ts`),
      `export const value${number} = ${number};\n`.repeat(10 + (number % 120)),
    );
  }
  git(source, 'init', '-q', '-b', 'main');
  git(source, 'add', '-A');
  git(source, 'commit', '-qm', 'First');
  const first = git(source, 'rev-parse', 'HEAD').trim();
  for (let number = 0; number < 5; number += 1)
    writeFileSync(join(source, `packages/part-${number}/src/group-${number}/file-${number}.ts`), 'export {};\n');
  git(source, 'commit', '-qam', 'Second');
  const second = git(source, 'rev-parse', 'HEAD').trim();
  git(directory, 'clone', '-q', '--bare', source, repository);
  git(repository, 'repack', '-adq');
  return { first, second };
}

/** The ways of making one set of files: out of the objects, as copies, and as links, which what writes in place would write through. */
function ways(commit: string): void {
  const template = join(directory, 'template');
  git(repository, 'worktree', 'add', '-q', '--detach', template, commit);
  const fromObjects = times(size.each, (number) => {
    const place = join(directory, `objects-${number}`);
    mkdirSync(place);
    const index = join(directory, `index-${number}`);
    execFileSync('git', ['read-tree', '--reset', '-u', commit], {
      cwd: place,
      env: { ...environment, GIT_DIR: repository, GIT_WORK_TREE: place, GIT_INDEX_FILE: index },
    });
  });
  const copied = times(size.each, (number) => {
    const place = join(directory, `copy-${number}`);
    execFileSync('cp', ['-a', '--reflink=auto', template, place]);
    // Without this, the first status would read every file.
    git(place, 'update-index', '-q', '--refresh');
  });
  const linked = times(size.each, (number) => execFileSync('cp', ['-al', template, join(directory, `link-${number}`)]));
  print('one set of files out of the objects', fromObjects);
  print('one set of files copied, index refreshed', copied);
  print('one set of files as hard links (not safe, not used)', linked);
  for (let number = 0; number < size.each; number += 1)
    for (const name of ['objects', 'copy', 'link']) rmSync(join(directory, `${name}-${number}`), { recursive: true });
  git(repository, 'worktree', 'remove', '--force', template);
}

function peer(commit: string) {
  const place = join(directory, 'worktrees');
  mkdirSync(place);
  const each = times(size.checkouts, (number) =>
    git(repository, 'worktree', 'add', '-q', '--detach', join(place, String(number)), commit),
  );
  const disk = kibibytes(place) + kibibytes(join(repository, 'worktrees'));
  print(`git worktree add, ${size.checkouts} times`, each);
  const totalMs = each.reduce((sum, ms) => sum + ms, 0);
  console.log(
    `MEASURED git worktree add: all ${(totalMs / 1_000).toFixed(1)} s, disk ${disk} KiB, ${inodes(place)} inodes`,
  );
  rmSync(place, { recursive: true });
  git(repository, 'worktree', 'prune');
  return { each, totalMs, disk };
}

async function ours(first: string, second: string) {
  const full = poolAt(first);
  const before = process.memoryUsage.rss();
  const startedMs = performance.now();
  full.pool.warm(size.checkouts);
  await full.pool.settled();
  const makeMs = performance.now() - startedMs;
  const grown = Math.max(0, process.memoryUsage.rss() - before);
  const disk = kibibytes(full.place);
  console.log(
    `MEASURED pool: ${size.checkouts} made in the background one at a time in ${(makeMs / 1_000).toFixed(1)} s, disk ${disk} KiB, ${inodes(full.place)} inodes, memory ${(grown / size.checkouts / 1_024).toFixed(1)} KiB each`,
  );
  const same = await appear(full.pool, first, size.checkouts / 2);
  const moved = await appear(full.pool, second, size.checkouts / 2);
  const all = [...same, ...moved];
  print('to appear, ready at its commit', same);
  print('to appear, ready five files behind', moved);
  const cold = poolAt(first);
  print('to appear with no pool', await appear(cold.pool, first, size.each));
  const sparse = poolAt(first);
  sparse.pool.warm(size.checkouts / 10);
  await sparse.pool.settled();
  // Those that a fleet has made sparse once stay so: their files are taken away and come back by need.
  const patterns = ['/*', '!/*/', '/packages/part-1/**'];
  print('to appear sparse, 100 files', await appear(sparse.pool, first, size.checkouts / 10, patterns));
  const sparseDisk = kibibytes(sparse.place) * 10;
  return { appear: all, makeMs, disk, sparseDisk };
}

function poolAt(commit: string) {
  folders += 1;
  const place = join(directory, `pool-${folders}`);
  mkdirSync(place);
  const pool = new CheckoutPool({
    directory: place,
    make: (number) =>
      new Checkout({
        directory: join(place, 'checkouts', String(number)),
        desk: join(place, 'desks', String(number)),
        repository,
        captured: join(place, 'captured.git'),
      }),
    workers: size.checkouts,
    spare: 0,
    parallel: 1,
    limits: usualLimits,
    expectedBytes: 0,
    commit,
    setUp: async () => null,
    onCapture: () => undefined,
    onSetAside: (folder, why) => console.log(`set aside ${folder}: ${why}`),
  });
  return { place, pool };
}

/** Milliseconds from asking for a checkout to having it, one after another. */
async function appear(pool: CheckoutPool, commit: string, number: number, patterns: readonly string[] | null = null) {
  const each: number[] = [];
  for (let count = 0; count < number; count += 1) {
    const startedMs = performance.now();
    await pool.acquire({ commit, reason: `int_${count}`, identity: 'agent-1', patterns, signal });
    each.push(performance.now() - startedMs);
  }
  return each;
}

function times(number: number, run: (index: number) => unknown): number[] {
  return Array.from({ length: number }, (_, index) => {
    const startedMs = performance.now();
    run(index);
    return performance.now() - startedMs;
  });
}

function kibibytes(place: string): number {
  return Number.parseInt(execFileSync('du', ['-sk', place]).toString(), 10);
}

function inodes(place: string): number {
  return Number.parseInt(execFileSync('du', ['-s', '--inodes', place]).toString(), 10);
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function part(values: readonly number[], of: readonly number[]): string {
  return (quantile(values, 0.5) / quantile(of, 0.5)).toFixed(2);
}

function print(what: string, values: readonly number[]): void {
  console.log(
    `MEASURED ${what}: p50 ${quantile(values, 0.5).toFixed(1)} ms, p99 ${quantile(values, 0.99).toFixed(1)} ms`,
  );
}
