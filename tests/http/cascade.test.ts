// A cascade, live: many agents read one file, one landing changes it, and the region slows while others go on.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LiveClient } from '../../packages/daemon/src/testing/live-client.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { Story, type Worker } from './story.ts';

const readers = 30;
let daemon: TestDaemon;
let story: Story;
beforeAll(async () => {
  daemon = await startTestDaemon();
  story = await Story.open(daemon, { 'src/hot.ts': 'export const hot = 1;\n', 'docs/a.md': '# A\n' });
});
afterAll(() => daemon.stop());

/** Readers of the hot file, each at work on a file of its own. */
function atWork(): Promise<Worker[]> {
  return Promise.all(
    Array.from({ length: readers }, async (_, index) => {
      const worker = await story.work(`reader ${index}`);
      await worker.open('src/hot.ts');
      return worker;
    }),
  );
}

async function region(name: string) {
  const { regions } = await story.admin(200, 'GET', '/field');
  return regions.find((row: { region: string }) => row.region === name);
}

describe('a cascade', () => {
  test('[S1] [S2] [S3] [S5] [N1] [R5] thirty stale returns, all because of one landing, slow its region alone', async () => {
    const workers = await atWork();
    const [first] = workers as [Worker];
    const observer = await LiveClient.open(`${daemon.url}${story.scene.address}/live`, daemon.adminToken);
    const { landing } = await story.land('changes the hot file', { 'src/hot.ts': 'export const hot = 2;\n' });

    // Everybody at work hears at once, before proposing anything.
    const { notices } = await first.heartbeat();
    expect(notices).toMatchObject([{ kind: 'heads-up', landings: [{ landing, paths: [{ path: 'src/hot.ts' }] }] }]);

    const returned = await Promise.all(
      workers.map((worker, index) =>
        worker.returned({ [`src/r${index}.ts`]: 'export {};\n' }, { usage: { tokens: 10 } }),
      ),
    );
    for (const { brief } of returned) expect(brief.reads).toMatchObject([{ path: 'src/hot.ts', landing }]);

    // A landing counts once it is 5 s old: from then on its region is inhibited.
    const told = await observer.until((frame) => frame.type === 'sigma' && frame.regions[0]?.sigma === readers, 0);
    expect(told).toMatchObject({ regions: [{ region: 'src', sigma: 30, inhibition: 8, laneDelayMs: 8_000 }] });
    expect(await region('src')).toMatchObject({ sigma: 30, inhibition: 8, laneDelayMs: 8_000 });
    const page = (await story.scene.call('GET', '/metrics')).bytes.toString('utf8');
    expect(page).toContain(`firetrident_inhibition{colony="${story.scene.id}",region="src"} 8`);
    const { waste } = await story.admin(200, 'GET', `/landings/${landing}`);
    expect(waste).toMatchObject({ returns: 30, wastedTokens: 300 });
    expect(waste.wastedMs).toBeGreaterThan(0);

    // Its lane has just handed over a batch, so what comes now waits for 8 s; another region's lands meanwhile.
    await first.repair('confirm');
    const [, second] = workers as [Worker, Worker];
    const body = { ...second.holder, proposal: second.last, answer: 'confirm' };
    const { proposal } = await second.expect(202, 'POST', '/repair', body);
    await story.land('elsewhere', { 'docs/a.md': '# B\n' });
    expect(await second.expect(200, 'GET', `/proposals/${proposal}`)).toMatchObject({ state: 'queued' });
    expect(await region('docs')).toMatchObject({ sigma: 0, inhibition: 1, laneDelayMs: 0 });
    const heard = observer.frames.filter(({ type }) => type === 'heads-up');
    expect(new Set(heard.map((frame) => frame.type === 'heads-up' && frame.agent)).size).toBe(readers);
    observer.end();
  }, 60_000);
});
