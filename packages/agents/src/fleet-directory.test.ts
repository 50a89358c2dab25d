import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../../../tests/support/git-repository.ts';
import {
  checkoutsIn,
  makeFleetDirectory,
  noteAgents,
  notedAgents,
  releaseFleetDirectory,
  takeOverFleetDirectories,
} from './fleet-directory.ts';

const place = temporaryDirectory('firetrident-fleet-');
afterAll(() => place.remove());

/** A process id that no process has: above what Linux gives out. */
const nobody = 4_194_999;

describe('the folder of a fleet', () => {
  it('[FD1] is another one for each fleet that runs', () => {
    const parent = join(place.path, 'two');
    expect(takeOverFleetDirectories(parent)).toEqual([]);
    expect(makeFleetDirectory(parent).path).not.toBe(makeFleetDirectory(parent).path);
    expect(takeOverFleetDirectories(parent)).toEqual([]);
  });

  it('[FD1] is taken over from fleets whose process has ended, and from no other', () => {
    const parent = join(place.path, 'left');
    for (const owner of [nobody, nobody + 1, process.ppid]) {
      mkdirSync(join(parent, `run-${owner}-1/checkouts/agent-1`), { recursive: true });
      writeFileSync(join(parent, `run-${owner}-1/checkouts/agent-1/file`), `of ${owner}`);
    }
    const taken = takeOverFleetDirectories(parent);
    const files = taken.map(({ path }) => readFileSync(join(path, 'checkouts/agent-1/file'), 'utf8'));
    expect(files.sort()).toEqual([`of ${nobody}`, `of ${nobody + 1}`]);
    expect(existsSync(join(parent, `run-${process.ppid}-1`))).toBe(true);
    expect(takeOverFleetDirectories(parent)).toEqual([]);
  });

  it('[FD2] knows the agents until they are stopped', () => {
    const own = makeFleetDirectory(join(place.path, 'agents'));
    expect(notedAgents(own)).toBeNull();
    const registered = { colonyCreatedAt: '2026-01-01T00:00:00.000Z', agents: ['agt_1', 'agt_2'] };
    noteAgents(own, registered);
    expect(notedAgents(own)).toEqual(registered);
    mkdirSync(join(own.path, 'checkouts/agent-1'), { recursive: true });
    releaseFleetDirectory(own);
    expect(notedAgents(own)).toBeNull();
    expect(checkoutsIn(own)).toEqual(['agent-1']);
  });

  it('goes away when no checkout is left in it', () => {
    const own = makeFleetDirectory(join(place.path, 'end'));
    releaseFleetDirectory(own);
    expect(existsSync(own.path)).toBe(false);
  });
});
