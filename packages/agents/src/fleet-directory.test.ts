import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../tests/support/git-repository.ts';
import { claimFleetDirectory, releaseFleetDirectory } from './fleet-directory.ts';

const place = temporaryDirectory('firetrident-fleet-');
afterAll(() => place.remove());

/** A process id that no process has: above what Linux gives out. */
const nobody = 4_194_999;

describe('the folder of a fleet', () => {
  it('[FD1] is another one for each fleet that runs', () => {
    const parent = join(place.path, 'two');
    expect(claimFleetDirectory(parent)).not.toBe(claimFleetDirectory(parent));
  });

  it('[FD1] is taken over from a fleet whose process has ended, and from no other', () => {
    const parent = join(place.path, 'left');
    for (const owner of [nobody, process.ppid]) {
      mkdirSync(join(parent, `run-${owner}-1/checkouts/agent-1`), { recursive: true });
      writeFileSync(join(parent, `run-${owner}-1/checkouts/agent-1/file`), `of ${owner}`);
    }
    const own = claimFleetDirectory(parent);
    expect(readFileSync(join(own, 'checkouts/agent-1/file'), 'utf8')).toBe(`of ${nobody}`);
    expect(existsSync(join(parent, `run-${process.ppid}-1`))).toBe(true);
    expect(existsSync(join(claimFleetDirectory(parent), 'checkouts'))).toBe(false);
  });

  it('goes away when no checkout is left in it', () => {
    const own = claimFleetDirectory(join(place.path, 'end'));
    mkdirSync(join(own, 'checkouts/agent-1'), { recursive: true });
    releaseFleetDirectory(own);
    expect(existsSync(own)).toBe(true);
    const empty = claimFleetDirectory(join(place.path, 'end'));
    releaseFleetDirectory(empty);
    expect(existsSync(empty)).toBe(false);
  });
});
