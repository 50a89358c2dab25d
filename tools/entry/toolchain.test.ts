// Fetching Node, with starters that are real processes and an npm that answers without a network: it holds while a file
// exists, so that each moment can be staged, and then lays out the package as npm would.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRecentEnough } from './toolchain.mjs';

const toolchainModule = pathToFileURL(path.join(import.meta.dirname, 'toolchain.mjs')).href;
const starterText = `
  import { ensureNode } from '${toolchainModule}';
  try { console.log(await ensureNode(process.argv[1], '20.0.0')); }
  catch (error) { console.error(error.message); process.exitCode = 1; }
`;
const npmText = `#!/bin/sh
echo $$ >> "$TEST_ROOT/npm-runs"
while [ -e "$TEST_ROOT/hold" ]; do sleep 0.02; done
if [ -e "$TEST_ROOT/refuse" ]; then echo 'the registry said no'; exit 1; fi
name=$(printf '%s' "$*" | sed 's/.* //; s/@24$//')
mkdir -p "$3/node_modules/$name/bin"
ln -s '${process.execPath}' "$3/node_modules/$name/bin/node"
echo '{ "version": "24.1.0" }' > "$3/node_modules/$name/package.json"
`;

type Ended = { code: number | null; signal: string | null; output: string; error: string };

let root: string;
let children: ChildProcess[];

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'firetrident-toolchain-'));
  children = [];
  await mkdir(path.join(root, 'programs'));
  await writeFile(path.join(root, 'programs', 'npm'), npmText);
  await chmod(path.join(root, 'programs', 'npm'), 0o755);
});

afterEach(async () => {
  await rm(path.join(root, 'hold'), { force: true });
  for (const child of children) child.kill('SIGKILL');
  for (const pid of await npmRuns()) endProcess(pid);
  await rm(root, { recursive: true, force: true });
});

/** Starts one starter; `ended` settles when it has closed. */
function start(): { child: ChildProcess; ended: Promise<Ended> } {
  const env = { ...process.env, PATH: `${root}/programs:${process.env.PATH}`, TEST_ROOT: root };
  const child = spawn(process.execPath, ['--input-type=module', '--eval', starterText, root], { env });
  children.push(child);
  let output = '';
  let error = '';
  child.stdout.on('data', (chunk) => {
    output += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    error += String(chunk);
  });
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, output, error }));
  });
  return { child, ended };
}

async function npmRuns(): Promise<number[]> {
  const text = existsSync(`${root}/npm-runs`) ? await readFile(`${root}/npm-runs`, 'utf8') : '';
  return text.split('\n').filter(Boolean).map(Number);
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(20);
}

async function leftovers(): Promise<string[]> {
  return (await readdir(path.join(root, '.toolchain'))).filter((name) => name !== 'node_modules');
}

describe('fetching Node', () => {
  it('[TC1] gives a Node that runs, and asks npm no second time', async () => {
    const first = await start().ended;
    expect(first.error).toContain('fetching Node 24');
    expect(existsSync(first.output.trim())).toBe(true);
    const second = await start().ended;
    expect(second).toEqual({ code: 0, signal: null, output: first.output, error: '' });
    expect(await npmRuns()).toHaveLength(1);
    expect(await leftovers()).toEqual([]);
  });

  it('[LK1] is done once by two starters at the same time', async () => {
    await writeFile(`${root}/hold`, '');
    const starters = [start(), start()];
    await until(async () => (await npmRuns()).length > 0);
    await rm(`${root}/hold`);
    const ended = await Promise.all(starters.map((starter) => starter.ended));
    expect(ended.map((one) => one.code)).toEqual([0, 0]);
    expect(ended[0]?.output).toBe(ended[1]?.output);
    expect(await npmRuns()).toHaveLength(1);
  });

  it('[LK1] waits for the npm of a starter that was killed', async () => {
    await writeFile(`${root}/hold`, '');
    const killed = start();
    await until(async () => (await npmRuns()).length > 0);
    await until(() => existsSync(`${root}/.toolchain/node.lock/owner.json`));
    await until(async () => /"installer":\d/.test(await readFile(`${root}/.toolchain/node.lock/owner.json`, 'utf8')));
    killed.child.kill('SIGKILL');
    const next = start();
    await until(() => next.child.exitCode !== null || existsSync(`${root}/.toolchain/node.lock`));
    await sleep(400);
    expect(await npmRuns()).toHaveLength(1);
    await rm(`${root}/hold`);
    expect((await next.ended).code).toBe(0);
    expect(await npmRuns()).toHaveLength(2);
    expect(await leftovers()).toEqual([]);
  });

  it('[LK2] takes over from a starter and an npm that were both killed', async () => {
    await writeFile(`${root}/hold`, '');
    const killed = start();
    await until(async () => (await npmRuns()).length > 0);
    killed.child.kill('SIGKILL');
    await killed.ended.catch(() => undefined);
    for (const pid of await npmRuns()) endProcess(pid);
    await rm(`${root}/hold`);
    const next = await start().ended;
    expect(next.code).toBe(0);
    expect(existsSync(next.output.trim())).toBe(true);
    expect(await leftovers()).toEqual([]);
  });

  it('[LK2] takes over a lock that was forgotten, though its process ids belong to others now', async () => {
    await mkdir(`${root}/.toolchain/node.lock`, { recursive: true });
    const owner = `${root}/.toolchain/node.lock/owner.json`;
    await writeFile(owner, JSON.stringify({ host: os.hostname(), pid: process.pid, installer: null }));
    await utimes(owner, 0, 0);
    expect((await start().ended).code).toBe(0);
  });

  it.runIf(process.platform === 'linux')(
    '[LK2] takes over from a process that ended and was never waited for',
    async () => {
      // The shell becomes a sleep, which never waits for the child that it has inherited; the child ends after that.
      const parent = spawn('sh', ['-c', 'sleep 0.3 & echo $!; exec sleep 100']);
      children.push(parent);
      const pid = await new Promise<number>((resolve) => {
        parent.stdout.once('data', (chunk) => resolve(Number(String(chunk))));
      });
      await until(() => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z '));
      await mkdir(`${root}/.toolchain/node.lock`, { recursive: true });
      const owner = JSON.stringify({ host: os.hostname(), pid, installer: null });
      await writeFile(`${root}/.toolchain/node.lock/owner.json`, owner);
      expect((await start().ended).code).toBe(0);
    },
  );

  it('[FG2] ends npm when it is interrupted, and the next start goes on', async () => {
    await writeFile(`${root}/hold`, '');
    const interrupted = start();
    await until(async () => (await npmRuns()).length > 0);
    interrupted.child.kill('SIGTERM');
    const ended = await interrupted.ended;
    expect(ended.error).toContain('interrupted by SIGTERM');
    expect(existsSync(`${root}/.toolchain/node.lock`)).toBe(false);
    await rm(`${root}/hold`);
    expect((await start().ended).code).toBe(0);
  });

  it('[FG1] shows all that a failing npm said', async () => {
    await writeFile(`${root}/refuse`, '');
    const ended = await start().ended;
    expect(ended.code).toBe(1);
    expect(ended.error).toContain('the registry said no');
    expect(existsSync(`${root}/.toolchain/node_modules`)).toBe(false);
  });

  it('[TC1] replaces what is not a complete Node', async () => {
    const name = `node-${process.platform}-${process.arch}`;
    await mkdir(`${root}/.toolchain/node_modules/${name}/bin`, { recursive: true });
    await writeFile(`${root}/.toolchain/node_modules/${name}/bin/node`, 'half a bin');
    const ended = await start().ended;
    expect(ended.code).toBe(0);
    expect(await npmRuns()).toHaveLength(1);
  });
});

describe('versions of Node', () => {
  const recent = ['22.18.0', '22.20.1', '23.6.0', '24.0.0', '26.1.0'];
  const old = ['18.19.0', '20.20.2', '21.7.3', '22.17.9', '23.5.0'];
  it.each(recent)('[TC2] %s runs TypeScript by itself', (version) => expect(isRecentEnough(version)).toBe(true));
  it.each(old)('[TC2] %s does not', (version) => expect(isRecentEnough(version)).toBe(false));
});
