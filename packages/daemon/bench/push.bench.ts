// `npm run bench:push`: from `git push` to its exit, when what is pushed lands: one after the other, and ten at once.
//
// Beside it in the same run: the same commits pushed to a bare repository by its path, which is what stock git costs.

import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { startDaemon } from '../src/main.ts';

const size = { files: 2_000, folders: 64, pushes: 30, atOnce: 10 };
const person = { NAME: 'Bench', EMAIL: 'bench@example.invalid' };
const environment = {
  ...process.env,
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: person.NAME,
  GIT_AUTHOR_EMAIL: person.EMAIL,
  GIT_COMMITTER_NAME: person.NAME,
  GIT_COMMITTER_EMAIL: person.EMAIL,
};

const directory = mkdtempSync(join(tmpdir(), 'firetrident-push-'));
const daemon = await startDaemon(
  { data: join(directory, 'data'), port: 0, logLevel: 'error' },
  { environment: {}, logStream: { write: () => undefined } },
);
try {
  const source = join(directory, 'source');
  await makeSource(source);
  const made = await fetch(`${daemon.url}/api/colonies`, {
    method: 'POST',
    headers: { authorization: `Bearer ${daemon.adminToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'bench', repo: { path: source } }),
  });
  if (made.status !== 201) throw new Error(await made.text());
  await git(directory, 'clone', '-q', '--bare', source, join(directory, 'peer.git'));
  const address = daemon.url.replace('http://', `http://bench:${daemon.adminToken}@`);
  const clone = join(directory, 'clone');
  await git(directory, 'clone', '-q', `${address}/git/bench`, clone);
  const colony: number[] = [];
  const peer: number[] = [];
  for (let round = 0; round < size.pushes; round += 1) {
    await commit(clone, `one-${round}`);
    colony.push(await timed(clone, 'push', '-q', 'origin', 'HEAD:refs/for/main'));
    peer.push(await timed(clone, 'push', '-q', join(directory, 'peer.git'), `HEAD:refs/heads/push-${round}`));
  }
  print('one after the other', colony);
  print('the same to a bare repository by path', peer);
  print(`${size.atOnce} at once`, await pushTogether(address));
  console.log(`MEASURED ratio of the medians ${(middle(colony, 0.5) / middle(peer, 0.5)).toFixed(2)}`);
} finally {
  await daemon.stop();
  rmSync(directory, { recursive: true, force: true });
}

/** As many people as there are, each with a clone and a name of their own. */
async function pushTogether(address: string): Promise<number[]> {
  const clones = Array.from({ length: size.atOnce }, (_, index) => join(directory, `together-${index}`));
  for (const [index, place] of clones.entries()) {
    await git(directory, 'clone', '-q', `${address.replace('bench:', `bench-${index}:`)}/git/bench`, place);
    await commit(place, `together-${index}`);
  }
  return Promise.all(clones.map((place) => timed(place, 'push', '-q', 'origin', 'HEAD:refs/for/main')));
}

async function makeSource(source: string): Promise<void> {
  for (let index = 0; index < size.files; index += 1) {
    const folder = join(source, `part-${index % size.folders}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${index}.ts`), `export const value${index} = ${index};\n`.repeat(20));
  }
  await git(source, 'init', '-q', '-b', 'main');
  await git(source, 'add', '-A');
  await git(source, 'commit', '-q', '-m', 'First');
}

async function commit(clone: string, name: string): Promise<void> {
  await git(clone, 'checkout', '-q', '--detach', 'origin/main');
  writeFileSync(join(clone, 'part-1', `${name}.ts`), `export const name = '${name}';\n`);
  await git(clone, 'add', '-A');
  await git(clone, 'commit', '-q', '-m', `Add ${name}`);
}

async function timed(place: string, ...args: readonly string[]): Promise<number> {
  const begun = performance.now();
  await git(place, ...args);
  return performance.now() - begun;
}

function git(place: string, ...args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...args], { cwd: place, env: environment, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString('utf8');
    });
    child.on('error', reject);
    child.on('close', (code) => (code === 0 ? resolve() : reject(new Error(`git ${args.join(' ')}: ${said}`))));
  });
}

function middle(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function print(what: string, values: readonly number[]): void {
  const [median, late] = [middle(values, 0.5), middle(values, 0.9)];
  console.log(`MEASURED ${what}: p50 ${median.toFixed(0)} ms, p90 ${late.toFixed(0)} ms (${values.length} pushes)`);
}
