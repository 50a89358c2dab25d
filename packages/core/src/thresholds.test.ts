import { defined } from '@firetrident/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Agent } from './model.ts';
import { back, Scenario, staleBrief, write } from './scenario.ts';
import { acceptance, adapted, drawsOf, thresholdOf } from './thresholds.ts';

function someAgent(colony: Scenario): Agent {
  return defined(colony.state.agents.get(colony.agent('a')), 'the agent');
}

function file(region: string, name: string) {
  return { title: `${region} ${name}`, paths: [`${region}/x/${name}.ts`] };
}

describe('response thresholds', () => {
  it('[T3a] work is accepted with probability s² ÷ (s² + θ²)', () => {
    expect(acceptance(0.5, 0.5)).toBe(0.5);
    expect(acceptance(0.3, 0.1)).toBeCloseTo(0.9);
    expect(acceptance(0, 0)).toBe(0);
    expect(acceptance(0.2, 0)).toBe(1);
  });

  it('[T3c] [TH1] [TH2] a landing lowers, a return raises, within bounds, for a few regions', () => {
    const agent = someAgent(new Scenario());
    const story = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('landed', 'returned')));
    fc.assert(
      fc.property(story, fc.integer({ min: 9, max: 30 }), (steps, more) => {
        let now: Agent = { ...agent, idleSince: null };
        for (const [region, outcome] of steps) {
          const before = thresholdOf(now, region, 0);
          now = { ...now, thresholds: adapted(now, region, outcome as 'landed' | 'returned') };
          const after = thresholdOf(now, region, 0);
          if (outcome === 'landed') expect(after).toBeLessThanOrEqual(before);
          else expect(after).toBeGreaterThanOrEqual(before);
          expect(after).toBeGreaterThanOrEqual(0.01);
          expect(after).toBeLessThanOrEqual(1);
        }
        for (let index = 0; index < more; index += 1) {
          now = { ...now, thresholds: adapted(now, `r${index}`, 'returned') };
        }
        expect(now.thresholds.length).toBe(8);
        expect(now.thresholds[0]?.region).toBe(`r${more - 1}`);
      }),
    );
  });

  it('[T3c] an idle agent becomes less and less choosy', () => {
    const idle: Agent = { ...someAgent(new Scenario()), idleSince: 1_000, thresholds: [{ region: 'a', value: 1 }] };
    expect(thresholdOf(idle, 'a', 1_000)).toBe(1);
    expect(thresholdOf(idle, 'a', 31_000)).toBe(0.5);
    expect(thresholdOf(idle, 'a', 1_000_000)).toBe(0.01);
  });

  it('[T3c] landings and returns are told apart by region, and a lease ends idleness', () => {
    const colony = new Scenario();
    const worker = colony.worker('a', { paths: ['src/a/x.ts'] });
    expect(colony.state.agents.get(worker.agent)?.idleSince).toBeNull();
    const proposal = colony.propose(worker, [write('src/a/x.ts')]);
    colony.cycle(back(staleBrief(colony, [])));
    expect(colony.state.agents.get(worker.agent)?.thresholds).toEqual([{ region: 'src/a', value: 0.1 }]);
    colony.repair(worker, proposal);
    colony.now += 5_000;
    colony.cycle();
    expect(colony.state.agents.get(worker.agent)).toMatchObject({
      thresholds: [{ region: 'src/a', value: expect.closeTo(0.07) }],
      idleSince: colony.now,
    });
  });

  it('[T3a] who failed in a region rather works elsewhere, and takes what is free when there is nothing else', () => {
    const takes = (regions: readonly string[]): number => {
      let inHot = 0;
      for (let round = 0; round < 40; round += 1) {
        const colony = new Scenario();
        colony.checked = false;
        colony.now += round;
        colony.create(regions.flatMap((region) => [file(region, 'one'), file(region, 'two')]));
        const agent = someAgent(colony);
        colony.state.agents.set(agent.id, { ...agent, thresholds: [{ region: 'a/x', value: 1 }] });
        const { lease } = colony.grant(agent.id);
        if (colony.state.leases.get(lease)?.region === 'a/x') inHot += 1;
      }
      return inHot;
    };
    expect(takes(['a', 'b'])).toBeLessThan(10);
    expect(takes(['a'])).toBe(40);
  });

  it('[T3b] contended work may be refused by the draw: the wait is named, and later the draw is another', () => {
    const colony = new Scenario();
    colony.worker('holder', { paths: ['src/a/**'] });
    const clash = colony.intent('clash', { paths: ['src/a/x.ts'] });
    const seen = new Set<string>();
    // The urgency has just outgrown the claim: 0.27 against 0.26.
    colony.now += 60_000;
    const agent = colony.agent('b');
    for (let second = 0; second < 60; second += 1) {
      const reply = colony.take(agent);
      seen.add(reply.kind === 'wait' ? reply.reason : reply.grant.intent);
      if (reply.kind === 'grant') break;
      colony.pass(1_000);
      expect(colony.kinds()).toContain('work-available');
    }
    expect([...seen]).toContain(clash);
    expect([...seen]).toContain("what is open is claimed by others, and the agent's thresholds refused it for now");
  });

  it('[T3d] work that has waited for starveAfterMs is accepted whatever the threshold', () => {
    const colony = new Scenario({ starveAfterMs: 10_000 });
    colony.checked = false;
    const old = colony.intent('old', { paths: ['a/x/1.ts'] });
    colony.now += 10_000;
    colony.intent('young', { paths: ['b/x/1.ts'] });
    const agent = someAgent(colony);
    colony.state.agents.set(agent.id, { ...agent, thresholds: [{ region: 'a/x', value: 1 }] });
    expect(colony.grant(agent.id).intent).toBe(old);
  });

  it('[TH3] the same take at the same moment of the same state draws the same, a later one differently', () => {
    const colony = new Scenario();
    const agent = someAgent(colony);
    const first = drawsOf(colony.state, agent, 5).next();
    expect(drawsOf(colony.state, agent, 5).next()).toBe(first);
    expect(drawsOf(colony.state, agent, 6).next()).not.toBe(first);
    colony.worker('b');
    expect(drawsOf(colony.state, agent, 5).next()).not.toBe(first);
  });
});
