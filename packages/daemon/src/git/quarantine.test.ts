// Where a push lies: how much of it, and whose objects git sees from there.

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { BodyBudget } from '../body.ts';
import { Quarantine } from './quarantine.ts';

const data = mkdtempSync(join(tmpdir(), 'quarantine:"\\-'));
afterAll(() => rmSync(data, { recursive: true, force: true }));

async function* chunks(...sizes: readonly number[]): AsyncGenerator<Buffer> {
  for (const size of sizes) yield Buffer.alloc(size, 0x78);
}

test('[QU3] packs share one bound: what finds no room is refused by name, and what goes makes room', async () => {
  const packs = new BodyBudget(100);
  const first = new Quarantine(data, packs);
  const second = new Quarantine(data, packs);
  expect(await first.fill(chunks(40, 40), 90)).toBeNull();
  expect(readFileSync(first.packFile)).toHaveLength(80);
  expect(await second.fill(chunks(10, 10, 10), 90)).toContain('too many bytes of pushes');
  second.remove();
  expect(packs.held).toBe(80);
  first.remove();
  expect(packs.held).toBe(0);
  const third = new Quarantine(data, packs);
  expect(await third.fill(chunks(60, 31), 90)).toContain('a push has 90 bytes at most');
  third.remove();
  expect(packs.held).toBe(0);
});

test('[QU1] git sees the objects of a repository whose path holds colons, quotes and backslashes', () => {
  const repository = join(data, 'trunk:"\\.git');
  mkdirSync(repository);
  const quarantine = new Quarantine(data, new BodyBudget(0));
  const git = (args: readonly string[], input: string, environment: Record<string, string> = {}) =>
    execFileSync('git', ['--git-dir', repository, ...args], { input, env: { ...process.env, ...environment } });
  git(['init', '-q', '--bare'], '');
  const oid = git(['hash-object', '-w', '--stdin'], 'seen').toString().trim();
  expect(git(['cat-file', 'blob', oid], '', quarantine.environment(repository)).toString()).toBe('seen');
  quarantine.remove();
});
