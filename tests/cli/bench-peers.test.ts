// `firetrident bench peers`: every way of landing on real repositories, what is counted and never how fast.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PeersResult } from '@firetrident/bench';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryDirectory } from '../support/git-repository.ts';
import { expectCode } from './command-line.ts';

let directory: string;
let remove: () => void;
const systems = 'locks-fifo,fifo-batch,speculative,rebase-push';

beforeAll(() => {
  ({ path: directory, remove } = temporaryDirectory('firetrident-bench-peers-'));
});
afterAll(() => remove());

async function peers(...options: string[]): Promise<PeersResult> {
  const size = ['--systems', systems, '--agents', '6', '--duration', '1', '--pushers', '2', ...options];
  await expectCode(0, ['bench', 'peers', ...size, '--out', 'peers.json'], { directory });
  return JSON.parse(readFileSync(join(directory, 'peers.json'), 'utf8')) as PeersResult;
}

describe('firetrident bench peers', () => {
  it('[PR2] [RU1] [LK1] [BP1] [CP1] [CP3] [QR1] [RB1] [RB2] lands with every peer, as many as stock git counts', async () => {
    const result = await peers('--hot', '50');
    expect(result).toMatchObject({ figures: 'MEASURED', bench: 'peers', firetrident: null });
    expect(result.peers.map(({ system }) => system).join(',')).toBe(systems);
    for (const { totalLanded, gitProcesses, checkRuns, ratio } of result.peers) {
      expect(totalLanded).toBeGreaterThan(0);
      expect(gitProcesses).toBeGreaterThan(0);
      expect([checkRuns, ratio]).toEqual([0, null]);
    }
    expect(result.peers[0]).toMatchObject({ conflicts: 0, rejectedPushes: null });
    expect(result).toHaveProperty('provenance.command', expect.stringMatching(/^firetrident bench peers --systems/));
    expect(result).toHaveProperty('provenance.commit', expect.stringMatching(/^[0-9a-f]{12}\+?$/));
  }, 60_000);

  it('[LK2] [BP2] [CP2] [RU2] checks change before they land, and sends back what is broken', async () => {
    const checked = ['--check-ms', '20', '--check-slots', '4', '--failure-rate', '50', '--flake-rate', '10'];
    const { peers: rows, firetrident } = await peers(...checked);
    expect(firetrident).toBeNull();
    for (const { totalLanded, checkRuns } of rows) {
      expect(totalLanded).toBeGreaterThan(0);
      expect(checkRuns).toBeGreaterThan(0);
    }
  }, 60_000);

  it('refuses failures without checks, and systems that there are not', async () => {
    const none = await expectCode(1, ['bench', 'peers', '--failure-rate', '5'], { directory });
    expect(none.errors).toContain('--check-ms');
    const stray = await expectCode(1, ['bench', 'peers', '--systems', 'locks'], { directory });
    expect(stray.errors).toContain('choose from');
  });
});
