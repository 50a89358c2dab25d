import { describe, expect, it } from 'vitest';
import { VirtualClock } from '../../../tests/support/virtual-clock.ts';
import { Background } from './background.ts';
import type { Log } from './ports.ts';

function scene() {
  const clock = new VirtualClock(0);
  const told: string[] = [];
  const log: Log = { info: () => {}, warn: (message) => told.push(message), error: (message) => told.push(message) };
  return { clock, told, background: new Background(clock, log) };
}

describe('work in the background', () => {
  it('[BG1] begins again a pause after it ended, also when it failed, which is told', async () => {
    const { clock, told, background } = scene();
    const begun: number[] = [];
    let end = () => {};
    background.every(10, () => {
      begun.push(clock.now());
      return new Promise((_, reject) => {
        end = () => reject(new Error('the disk is full'));
      });
    });
    await clock.runUntil(50);
    expect(begun).toEqual([10]);
    end();
    await clock.runUntil(70);
    expect(begun).toEqual([10, 60]);
    expect(told).toEqual(['background work failed; it is tried again']);
  });

  it('[BG2] [BG3] after the stop nothing begins, and what still fails is not told', async () => {
    const { clock, told, background } = scene();
    let begun = 0;
    let end = () => {};
    background.every(10, () => {
      begun += 1;
      return new Promise((_, reject) => {
        end = () => reject(new Error('closed'));
      });
    });
    await clock.runUntil(20);
    background.stop();
    end();
    await clock.runUntil(100);
    expect([begun, told]).toEqual([1, []]);
  });
});
