// Whether packages have to be installed, judged from npm's own records.

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { missingPackage } from './dependencies.mjs';

let root: string;

beforeEach(async () => {
  root = await mkdtemp(path.join(os.tmpdir(), 'firetrident-packages-'));
  await mkdir(path.join(root, 'node_modules', '.bin'), { recursive: true });
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** Lays down the lock file and npm's record; an undefined record stands for an install that never ended. */
async function lay(wanted: object, installed?: object): Promise<void> {
  await writeFile(path.join(root, 'package-lock.json'), JSON.stringify({ packages: { '': {}, ...wanted } }));
  if (installed === undefined) return;
  await writeFile(path.join(root, 'node_modules', '.package-lock.json'), JSON.stringify({ packages: installed }));
}

const zod = { 'node_modules/zod': { version: '4.0.0', integrity: 'sha512-a' } };

describe('what has to be installed', () => {
  it('[DP1] is nothing when the record agrees', async () => {
    await lay(zod, zod);
    expect(missingPackage(root)).toBeUndefined();
  });

  it('is everything when there is no record', async () => {
    await lay(zod);
    expect(missingPackage(root)).toBe('nothing is installed yet');
  });

  it('is a package that the record does not have', async () => {
    await lay(zod, {});
    expect(missingPackage(root)).toBe('node_modules/zod is not installed');
  });

  it('is a package of another version, or of other bytes', async () => {
    await lay(zod, { 'node_modules/zod': { version: '3.0.0', integrity: 'sha512-a' } });
    expect(missingPackage(root)).toBe('node_modules/zod has changed');
    await lay(zod, { 'node_modules/zod': { version: '4.0.0', integrity: 'sha512-b' } });
    expect(missingPackage(root)).toBe('node_modules/zod has changed');
  });

  it('is not an optional package that npm left out', async () => {
    await lay({ ...zod, 'node_modules/fsevents': { version: '2.0.0', optional: true } }, zod);
    expect(missingPackage(root)).toBeUndefined();
  });

  it("is a workspace's command that is not linked", async () => {
    const workspace = { 'packages/cli': { version: '0.1.0', bin: { firetrident: 'bin/firetrident.js' } } };
    await lay(workspace, workspace);
    expect(missingPackage(root)).toBe('the command firetrident is not linked');
    await writeFile(path.join(root, 'node_modules', '.bin', 'firetrident'), '');
    expect(missingPackage(root)).toBeUndefined();
  });

  it('says which record cannot be read', async () => {
    await lay(zod, zod);
    await writeFile(path.join(root, 'node_modules', '.package-lock.json'), '{ "packages": ');
    expect(() => missingPackage(root)).toThrow(/\.package-lock\.json cannot be read/);
  });
});
