// git ends with whoever started it: the runner that is closed, the thread of trunk, and the process, however it ends.

import { execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isOid, type TreePath } from '@firetrident/base';
import { assert, expect, test } from 'vitest';
import { isRunning } from '../../../tests/support/processes.ts';
import { until } from '../../../tests/support/until.ts';
import { NodeGit } from './git.ts';
import { startGit } from './git-process.ts';
import { GitSandbox, landTexts } from './git-sandbox.fixture.ts';
import { startRoom } from './room-client.ts';

/** Arguments with which git starts a program that does not end by itself; its arguments hold the word. */
function endless(word: string): string[] {
  return ['-c', `alias.endless=!: ${word}; sleep 1000; :`, 'endless'];
}

test('[GT3] [GP1] closing a runner ends what git has started, and git is not started any more', async () => {
  const git = new NodeGit();
  const word = randomUUID();
  const running = git.run(endless(word));
  await until(() => isRunning(word));
  await git.close();
  expect(isRunning(word)).toBe(false);
  expect((await running).code).not.toBe(0);
  await expect(git.run(['version'])).rejects.toMatchObject({ kind: 'git-failed' });
});

test('[GP1] a command that is out of time ends with what it started', async () => {
  const word = randomUUID();
  const { code } = await new NodeGit().run(endless(word), { timeoutMs: 100 });
  expect(code).not.toBe(0);
  expect(isRunning(word)).toBe(false);
});

test('[GT3] closing the thread of trunk ends the git that it waits for', async () => {
  using sandbox = new GitSandbox();
  const repository = sandbox.trunk();
  landTexts(repository, { text: 'a line\n' });
  const commit = repository.tip();
  assert(isOid(commit));
  const lost: Error[] = [];
  const room = startRoom({ directory: sandbox.path('trunk.git'), branch: 'main', faults: null }, (error) => {
    lost.push(error);
  });
  await room.readTree('' as TreePath, commit);
  // git waits for somebody to write what it is to read here.
  execFileSync('mkfifo', [sandbox.path('trunk.git/more')]);
  appendFileSync(sandbox.path('trunk.git/config'), '[include]\n\tpath = more\n');
  const blamed = room.blame('text' as TreePath, 1, commit).catch((error: unknown) => error);
  await until(() => isRunning(commit));
  await room.close();
  expect(isRunning(commit)).toBe(false);
  expect(await blamed).toBeInstanceOf(Error);
  expect(lost).toEqual([]);
});

test('what git left that was ended while it wrote is removed at the next start', async () => {
  using sandbox = new GitSandbox();
  sandbox.trunk();
  const names = () => readdirSync(sandbox.path('trunk.git/objects/pack'));
  const git = startGit(['--git-dir', sandbox.path('trunk.git'), 'index-pack', '--stdin']);
  // The head of a pack with one object, which never comes.
  git.input.write(Buffer.from('PACK\0\0\0\x02\0\0\0\x01', 'latin1'));
  const isIncomplete = (name: string) => name.startsWith('tmp_pack_');
  await until(() => names().some(isIncomplete));
  git.stop();
  expect((await git.ended).signal).toBe('SIGKILL');
  expect(names().some(isIncomplete)).toBe(true);
  expect(sandbox.open().removeLeftovers()).toEqual([]);
  const room = startRoom({ directory: sandbox.path('trunk.git'), branch: 'main', faults: null }, () => undefined);
  await room.open([]);
  await room.close();
  expect(names().some(isIncomplete)).toBe(false);
});

test('[GP2] git ends after kill -9 of the process that started it', async () => {
  const word = randomUUID();
  const module = fileURLToPath(new URL('git-process.ts', import.meta.url));
  const script = `import { startGit } from ${JSON.stringify(module)};
    startGit(${JSON.stringify(endless(word))});`;
  const owner = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', '--input-type=module', '-'], {
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  owner.stdin.end(script);
  await until(() => isRunning(word));
  owner.kill('SIGKILL');
  await until(() => !isRunning(word));
});
