// The door itself, as a process: what it starts, and how it ends.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { allocatorSettings } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { EntryError } from './failure.mjs';
import { ensurePrograms, isOnPath } from './programs.mjs';
import { targets } from './targets.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const entry = path.join(root, 'tools', 'entry.mjs');

type Ended = { code: number | null; signal: NodeJS.Signals | null; output: string; error: string };

/** Runs the entry; `spoke` is called with its first output, when there is something to act on. */
function run(entryArguments: string[], spoke?: (pid: number) => void): Promise<Ended> {
  const child = spawn(process.execPath, [entry, ...entryArguments], { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let error = '';
  child.stdout.on('data', (chunk) => {
    if (output === '' && child.pid !== undefined) spoke?.(child.pid);
    output += String(chunk);
  });
  child.stderr.on('data', (chunk) => {
    error += String(chunk);
  });
  return new Promise((resolve) => {
    child.on('close', (code, signal) => resolve({ code, signal, output, error }));
  });
}

describe('the entry', () => {
  it('[EN1] passes arguments on and installs nothing on a ready machine', async () => {
    const ended = await run(['node', '--print', 'process.argv.length', 'a', 'b']);
    expect(ended).toEqual({ code: 0, signal: null, output: '3\n', error: '' });
  });

  it('[EN2] puts its Node first on the PATH of what it starts', async () => {
    const ended = await run(['node', '--print', "process.env.PATH.split(':')[0]"]);
    expect(ended.output.trim()).toBe(path.dirname(process.execPath));
  });

  it('[FG2] ends with the code of the target', async () => {
    expect((await run(['node', '--eval', 'process.exit(7)'])).code).toBe(7);
  });

  it('[FG2] ends by the signal that ended the target', async () => {
    const ended = await run(['node', '--eval', "process.kill(process.pid, 'SIGTERM'); setInterval(() => {}, 1000)"]);
    expect(ended.signal).toBe('SIGTERM');
  });

  it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
    '[FG2] passes %s on and lets the target end in its own way',
    async (signal) => {
      const text = `process.on('${signal}', () => process.exit(3)); setInterval(() => {}, 1000); console.log('ready')`;
      const ended = await run(['node', '--eval', text], (pid) => process.kill(pid, signal));
      expect(ended.code).toBe(3);
    },
  );

  it('names the targets when asked for another', async () => {
    const ended = await run(['stort']);
    expect(ended.code).toBe(1);
    expect(ended.error).toContain("no target is called 'stort'");
    expect(ended.error).toContain('start, firetrident, test');
  });
});

describe('the targets', () => {
  it('give the daemon the settings of the allocator that its programs are spared', () => {
    expect(targets.firetrident?.environment).toEqual(allocatorSettings);
  });

  it.each(Object.keys(targets))('%s leads to a file of this checkout', (name) => {
    const file = targets[name]?.file;
    expect(file === undefined || existsSync(path.join(root, file))).toBe(true);
  });

  it('are what the scripts of package.json name', () => {
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>;
    };
    for (const [name, script] of Object.entries(scripts)) {
      expect(script).toBe(`node tools/entry.mjs ${name}`);
      expect(Object.keys(targets)).toContain(name);
    }
  });
});

describe('programs of the system', () => {
  it('are found on the PATH', () => {
    expect(isOnPath('git', process.env.PATH ?? '')).toBe(true);
    expect(isOnPath('no-such-program', process.env.PATH ?? '')).toBe(false);
    expect(isOnPath('git', '')).toBe(false);
  });

  it('are named with what to do when they are missing', async () => {
    await expect(ensurePrograms(['no-such-program'], false)).rejects.toThrow(EntryError);
    await expect(ensurePrograms(['no-such-program'], false)).rejects.toMatchObject({
      hint: 'Install no-such-program (on Debian: apt-get install no-such-program).',
    });
  });
});
