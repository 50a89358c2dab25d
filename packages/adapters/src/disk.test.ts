// The Disk port on a real file system.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Disk, DiskError, diskContract } from '@firetrident/trunk';
import { afterAll, describe, expect, it } from 'vitest';
import { NodeDisk } from './disk.ts';

const made: string[] = [];
function temporaryDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'firetrident-disk-'));
  made.push(directory);
  return directory;
}
afterAll(() => {
  for (const directory of made) rmSync(directory, { recursive: true });
});

const runner = { describe, it, equal: (actual: unknown, expected: unknown) => expect(actual).toEqual(expected) };
diskContract('NodeDisk', runner, () => ({ disk: new NodeDisk(), root: temporaryDirectory() }));
diskContract('NodeDisk below a root', runner, () => {
  const disk = new NodeDisk(temporaryDirectory());
  disk.makeDirectory('data');
  return { disk, root: 'data' };
});

function errorOf(action: (disk: Disk) => void): unknown {
  try {
    action(new NodeDisk());
  } catch (error) {
    return error;
  }
  return null;
}

describe('NodeDisk', () => {
  it('[DK5] calls a full disk full, and names operation and path', () => {
    const error = errorOf((disk) => disk.write('/dev/full', new Uint8Array(10)));
    expect(error).toBeInstanceOf(DiskError);
    expect(error).toMatchObject({ kind: 'full', operation: 'write', path: '/dev/full' });
  });

  it('[DK5] passes on what is no error of the system', () => {
    expect(errorOf((disk) => disk.read('a\0b'))).not.toBeInstanceOf(DiskError);
  });

  it('reads files larger than one read delivers', () => {
    const path = join(temporaryDirectory(), 'large');
    const bytes = new Uint8Array(5_000_000).map((_, index) => index * 7);
    writeFileSync(path, bytes);
    const disk = new NodeDisk();
    expect(Buffer.compare(disk.read(path) as Uint8Array, bytes)).toBe(0);
    expect(Buffer.compare(disk.readRange(path, 4_000_000, 2_000_000) as Uint8Array, bytes.subarray(4_000_000))).toBe(0);
  });
});
