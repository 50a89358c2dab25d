import type { LandingId, ProposalId } from '@firetrident/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fieldView } from './field.ts';
import { back, proposeCommand, read, Scenario, staleBrief, type Worker, write } from './scenario.ts';
import { inhibitionOf, laneDelayOf, sigmaOf } from './sigma.ts';
import { nextDeadline } from './views.ts';

/** Workers whose proposals of one region read `hot.ts`. */
function readers(colony: Scenario, count: number, region = 'src/a'): Worker[] {
  return Array.from({ length: count }, (_, index) => {
    const worker = colony.worker(`reader ${region} ${index} ${colony.state.counter}`);
    proposeReader(colony, worker, `${region}/f${index}-${colony.state.counter}.ts`);
    return worker;
  });
}

function proposeReader(colony: Scenario, worker: Worker, path: string): ProposalId {
  return colony.do(proposeCommand(worker, { writes: [write(path)], reads: [read('src/a/hot.ts')] })).proposal;
}

/** Lands one change in a region, by itself. */
function land(colony: Scenario, region = 'src/a'): LandingId {
  const worker = colony.worker(`writer ${region} ${colony.state.counter}`);
  const id = colony.propose(worker, [write(`${region}/w${colony.state.counter}.ts`)]);
  const outcome = colony
    .cycle((proposal) => (proposal.id === id ? 'landed' : 'deferred'))
    .find(({ proposal }) => proposal === id);
  if (outcome?.kind !== 'landed') throw new Error('it landed');
  return outcome.landing;
}

/** Sends everything that queues back because of these landings. */
function sendBack(colony: Scenario, ...causes: readonly LandingId[]): void {
  colony.cycle((proposal) => {
    const briefs = causes.map((cause) => staleBrief(colony, proposal.reads, cause));
    return back({ trunk: colony.state.tip, reads: briefs.flatMap(({ reads }) => reads), writes: [] })(proposal);
  });
}

function sigma(colony: Scenario, region = 'src/a'): number {
  return sigmaOf(colony.state, region, colony.now);
}

describe('σ', () => {
  it('[S1] is the stale returns that the landings of a region caused, per landing that is 5 s old', () => {
    const colony = new Scenario();
    readers(colony, 6);
    const cause = land(colony);
    land(colony);
    sendBack(colony, cause);
    expect(sigma(colony)).toBe(0);
    colony.pass(4_999);
    expect(sigma(colony)).toBe(0);
    colony.pass(1);
    expect(sigma(colony)).toBe(3);
    land(colony);
    expect(sigma(colony)).toBe(3);
    colony.pass(5_000);
    expect(sigma(colony)).toBe(2);
  });

  it('[S1] forgets a landing after 60 s, or after the work time of nearly all agents of the region', () => {
    const colony = new Scenario();
    readers(colony, 2);
    sendBack(colony, land(colony));
    colony.pass(59_999);
    expect(sigma(colony)).toBe(2);
    colony.pass(1);
    expect(sigma(colony)).toBe(0);
    const slow = Array.from({ length: 20 }, (_, index) => colony.worker(`slow ${index}`));
    colony.pass(100_000);
    for (const [index, worker] of slow.entries()) proposeReader(colony, worker, `src/a/s${index}.ts`);
    sendBack(colony, land(colony));
    colony.pass(99_999);
    expect(sigma(colony)).toBe(20);
    colony.pass(1);
    expect(sigma(colony)).toBe(0);
  });

  it('[S1] counts write conflicts, and never takes a return for a parent', () => {
    const colony = new Scenario();
    const cause = land(colony);
    colony.propose(colony.worker('writer'), [write('src/a/x.ts')]);
    const blame = { landing: cause, intent: { id: null, title: 'another' } };
    const conflict = { path: 'src/a/x.ts', kind: 'content', base: null, tip: null, cause: blame, diff: '' } as const;
    colony.cycle(back({ trunk: colony.state.tip, reads: [], writes: [conflict] }));
    colony.pass(5_000);
    expect(sigma(colony)).toBe(1);
    expect(colony.state.recentLandings.size).toBe(1);
  });

  it('[S2] a return with several causes gives each its part, in the region of the cause', () => {
    const colony = new Scenario();
    const near = land(colony, 'src/a');
    const far = land(colony, 'src/b');
    readers(colony, 2, 'src/a');
    sendBack(colony, near, far, near);
    colony.pass(5_000);
    expect([sigma(colony, 'src/a'), sigma(colony, 'src/b')]).toEqual([1, 1]);
    expect(fieldView(colony.state, colony.now).crossings).toEqual([{ cause: 'src/b', returned: 'src/a', returns: 1 }]);
    readers(colony, 1, 'src/c');
    sendBack(colony, land(colony, 'src/d'), near, far);
    colony.pass(0);
    expect([sigma(colony, 'src/a'), sigma(colony, 'src/b'), sigma(colony, 'src/c')]).toEqual([1.333, 1.333, 0]);
  });

  it('[S3] an inhibited lane waits for its interval, and others go on', () => {
    const colony = new Scenario();
    readers(colony, 30);
    sendBack(colony, land(colony));
    colony.pass(5_000);
    expect(inhibitionOf(colony.state, 'src/a')).toBe(8);
    expect(laneDelayOf(8)).toBe(8_000);
    const ticked = colony.now - 5_000;
    const [held] = [colony.propose(colony.worker('held'), [write('src/a/1.ts')])];
    expect(colony.kinds()).toEqual(['lanes-ready']);
    expect(colony.do({ kind: 'start-cycle' })).toEqual({ cycle: null, readyAt: ticked + 8_000 });
    const free = colony.propose(colony.worker('free'), [write('src/b/1.ts')]);
    expect(colony.kinds()).toEqual(['lanes-ready']);
    expect(colony.cycle().map(({ proposal }) => proposal)).toEqual([free]);
    colony.pass(2_999);
    expect(colony.cycle()).toEqual([]);
    colony.now += 1;
    expect(colony.cycle().map(({ proposal }) => proposal)).toEqual([held]);
    colony.propose(colony.worker('next'), [write('src/a/2.ts')]);
    expect(colony.do({ kind: 'start-cycle' }).readyAt).toBe(colony.now + 8_000);
  });

  it('[S3] what builds on a part in a resting lane waits with it', () => {
    const colony = new Scenario();
    readers(colony, 30);
    sendBack(colony, land(colony));
    const chain = colony.worker('chain');
    const first = colony.propose(chain, [write('src/a/1.ts')], { final: false });
    colony.pass(5_000);
    const second = colony.propose(chain, [write('src/b/1.ts')], { predecessor: first });
    expect(colony.do({ kind: 'start-cycle' }).cycle).toBeNull();
    colony.pass(3_000);
    expect(colony.cycle().map(({ proposal }) => proposal)).toEqual([first, second]);
  });

  it('[O4b] what an abandoned cycle held goes again at once, also from an inhibited lane', () => {
    const colony = new Scenario();
    readers(colony, 30);
    sendBack(colony, land(colony));
    colony.pass(10_000);
    const id = colony.propose(colony.worker('held'), [write('src/a/1.ts')]);
    const { cycle } = colony.do({ kind: 'start-cycle' });
    if (cycle === null) throw new Error('a cycle started');
    colony.do({ kind: 'abandon-cycle', cycle, reason: 'disk' });
    expect(colony.cycle().map(({ proposal }) => proposal)).toEqual([id]);
  });

  it('[S4] is looked at every 2 s while it may rise or fall, also when the lane is empty', () => {
    const colony = new Scenario({ claimHalfLifeMs: 1e9, leaseMs: 1e9, repairWindowMs: 1e9 });
    expect(nextDeadline(colony.state)).toBeNull();
    readers(colony, 3);
    const start = colony.now;
    sendBack(colony, land(colony));
    const seen: [number, number][] = [];
    for (;;) {
      const due = nextDeadline(colony.state);
      if (due === null || due > start + 1e6) break;
      colony.now = Math.max(colony.now, due);
      colony.do({ kind: 'tick' });
      seen.push([colony.now - start, inhibitionOf(colony.state, 'src/a')]);
    }
    expect(seen.slice(0, 5)).toEqual([
      [0, 1],
      [2_000, 1],
      [4_000, 1],
      [6_000, 3],
      [8_000, 3],
    ]);
    expect(seen.slice(-2)).toEqual([
      [58_000, 3],
      [60_000, 1],
    ]);
  });

  it('[S5] what changed is published, with the figure of the whole colony', () => {
    const colony = new Scenario();
    land(colony, 'src/b');
    readers(colony, 3);
    sendBack(colony, land(colony));
    colony.pass(5_000);
    const told = colony.events.filter((event) => event.kind === 'sigma-evaluated');
    expect(told.at(-1)).toMatchObject({ sigma: 1.5, regions: [{ region: 'src/a', sigma: 3, inhibition: 3 }] });
    expect(colony.state.sigma).toBe(1.5);
  });

  it('[SG1] a region where nothing happens is forgotten', () => {
    const colony = new Scenario();
    colony.checked = false;
    for (let number = 0; number < 50; number += 1) land(colony, `r${number}/x`);
    readers(colony, 3);
    sendBack(colony, land(colony));
    expect(colony.state.standings.size).toBe(51);
    colony.pass(5_000);
    colony.pass(60_000);
    expect([colony.state.standings.size, colony.state.recentLandings.size]).toEqual([0, 0]);
    for (let number = 0; number < 50; number += 1) land(colony, `r${number}/x`);
    colony.pass(60_000);
    for (let number = 0; number < 60; number += 1) land(colony, 'one/x');
    expect([...colony.state.standings.keys()]).toEqual(['one/x']);
    colony.check();
  });

  it('[SG2] keeps a bounded number of landings of a region', () => {
    const colony = new Scenario({ limits: { proposalsPerCycle: 5_000 } });
    colony.checked = false;
    for (let number = 0; number < 4_200; number += 1) {
      colony.propose(colony.worker(`w${number}`), [write(`src/a/w${number}.ts`)]);
    }
    colony.cycle();
    expect(colony.state.recentLandings.size).toBe(4_096);
    colony.check();
  });

  it('[SX1] sums that move along equal sums made anew, whatever the times', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ step: fc.nat(9_000), what: fc.nat(3) }), { maxLength: 40 }), (steps) => {
        const colony = new Scenario();
        colony.checked = false;
        const landings: LandingId[] = [];
        for (const { step, what } of steps) {
          colony.now += step;
          if (what === 0) {
            // A lane that is slowed lands nothing before its interval is over.
            colony.now += laneDelayOf(inhibitionOf(colony.state, 'src/a'));
            landings.push(land(colony));
          } else if (what === 1) colony.do({ kind: 'tick' });
          else {
            readers(colony, 1);
            const known = landings.slice(-2);
            if (known.length > 0) sendBack(colony, ...known);
          }
          const kept = sigma(colony);
          colony.restart();
          expect(sigma(colony)).toBe(kept);
        }
        colony.check();
      }),
      { numRuns: 30 },
    );
  });
});
