import { type AgentId, landingOf, type ProposalId } from '@firetrident/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { afterCycle, afterLanding, afterWaste, queueLimit, regionLimit, unknownPace } from './admission.ts';
import { fieldView } from './field.ts';
import { back, conflictBrief, policyWith, Scenario, takeCommand, type Worker, write } from './scenario.ts';
import { stalenessOf, tallied } from './staleness.ts';

const full = 'every region with open work is full';
const calm = { sigma: 0, waste: 0, returns: 0, workMs: 1_000 };
const stormy = { sigma: 2, waste: 0.5, returns: 16, workMs: 1_000 };
const warm = { sigma: 0.2, waste: 0.07, returns: 4, workMs: 5_000 };

/** So many intents of a region, each with a file of its own. */
function backlog(colony: Scenario, region: string, count: number): void {
  const files = Array.from({ length: count }, (_, index) => `${region}/f${index}.ts`);
  colony.create(files.map((path) => ({ title: path, paths: [path] })));
}

function taken(colony: Scenario, agent: AgentId): Worker | string {
  const reply = colony.take(agent);
  return reply.kind === 'grant' ? { agent, ...reply.grant } : reply.reason;
}

function crew(colony: Scenario, count: number): Worker[] {
  const workers = Array.from({ length: count }, () => taken(colony, colony.agent(`w${colony.state.counter}`)));
  return workers.filter((one) => typeof one !== 'string');
}

function land(colony: Scenario, workers: readonly Worker[]): ProposalId[] {
  const ids = workers.map((worker) => colony.propose(worker, [write(`src/a/${worker.lease}.ts`)]));
  colony.cycle();
  return ids;
}

describe('admission', () => {
  it('[T4a] a region takes on as many leases as its floor, the next looks elsewhere, then waits by name', () => {
    const colony = new Scenario();
    backlog(colony, 'src/a', 9);
    expect(crew(colony, 5)).toHaveLength(3);
    expect(taken(colony, colony.agent('late'))).toBe(full);
    backlog(colony, 'src/b', 1);
    const elsewhere = taken(colony, colony.agent('other')) as Worker;
    expect(colony.state.leases.get(elsewhere.lease)?.region).toBe('src/b');
    expect(fieldView(colony.state, colony.now).regions).toMatchObject([
      { region: 'src/a', inFlight: 3, admitted: 3 },
      { region: 'src/b', inFlight: 1, admitted: 3 },
    ]);
  });

  it('[T4a] a full region is passed over as a group, however many of its intents are open', () => {
    const colony = new Scenario();
    colony.checked = false;
    backlog(colony, 'src/a', 500);
    crew(colony, 3);
    colony.now += 60_000;
    backlog(colony, 'src/b', 1);
    const agent = colony.agent('late');
    const before = colony.state.index.take.looks;
    expect(typeof taken(colony, agent)).toBe('object');
    expect(colony.state.index.take.looks - before).toBeLessThan(10);
    expect(taken(colony, colony.agent('later'))).toBe(full);
    colony.check();
  });

  it('[T4a] whoever waits is woken when a lease of a full region ends', () => {
    const colony = new Scenario();
    backlog(colony, 'src/a', 9);
    const [first] = crew(colony, 4);
    colony.propose(first as Worker, [write('src/a/f0.ts')]);
    expect(colony.kinds()).not.toContain('work-available');
    colony.cycle();
    expect(colony.kinds()).toContain('work-available');
    expect(typeof taken(colony, colony.agent('next'))).toBe('object');
  });

  it('[T4a] [T1d] a take that names paths or labels respects the bound, and one that names its intent does not', () => {
    const colony = new Scenario();
    backlog(colony, 'src/a', 9);
    const labelled = colony.intent('labelled', { paths: ['src/a/l.ts'], labels: ['l'] });
    crew(colony, 3);
    const agent = colony.agent('late');
    expect(colony.take(agent, { labels: ['l'] })).toMatchObject({ reason: full });
    expect(colony.take(agent, { paths: ['src/**'] })).toMatchObject({ reason: full });
    expect(colony.take(agent, { paths: ['lib/**'] })).toMatchObject({ reason: 'no open intent' });
    expect(colony.take(agent, { intent: labelled })).toMatchObject({ kind: 'grant' });
  });

  it('[T4b] every landing makes room for one more, until the first sign of overload', () => {
    const colony = new Scenario();
    colony.checked = false;
    backlog(colony, 'src/a', 60);
    let workers = crew(colony, 40);
    const sizes = [workers.length];
    for (let round = 0; round < 3; round += 1) {
      land(colony, workers);
      workers = crew(colony, 40);
      sizes.push(workers.length);
    }
    expect(sizes).toEqual([3, 6, 12, 24]);
    colony.check();
  });

  it('[T4b] a bound that is not used does not grow', () => {
    const policy = policyWith({});
    const wide = { limit: 40, searching: true, costly: false, shrankAt: 0 };
    expect(afterLanding(policy, wide, 4, calm)).toEqual(wide);
    expect(afterLanding(policy, wide, 40, calm)?.limit).toBe(41);
    expect(afterLanding(policy, { ...wide, searching: false }, 40, calm)?.limit).toBe(40 + 2 / 40);
    expect(afterLanding(policy, wide, 40, warm)).toEqual({ ...wide, limit: 41, costly: true });
    expect(afterLanding(policy, wide, 40, stormy)).toEqual({ ...wide, costly: true });
  });

  it('[T4c] returns shrink the bound by a part, once in a while, never below the floor; others are offered first', () => {
    const colony = new Scenario({ admission: { floor: 2, ceiling: null, wasteBudget: 0.05 } });
    colony.checked = false;
    backlog(colony, 'src/a', 40);
    for (let round = 0; round < 3; round += 1) {
      colony.now += 60_000;
      land(colony, crew(colony, 30));
    }
    expect(regionLimit(colony.state.policy, colony.state.admissions.get('src/a'))).toBe(16);
    colony.now += 600_000;
    const workers = crew(colony, 30);
    expect(workers).toHaveLength(16);
    const [cause] = land(colony, workers.slice(0, 1));
    colony.now += 60_000 - 1;
    const others = workers.slice(1);
    for (const worker of others) colony.propose(worker, [write('src/a/f.ts')]);
    colony.cycle(back(conflictBrief(colony, 'src/a/f.ts', 'content', landingOf(cause ?? 'prp_none'))));
    expect(stalenessOf(colony.state, 'src/a', colony.now)).toMatchObject({ sigma: 15, returns: 15 });
    expect(colony.state.admissions.get('src/a')).toMatchObject({ searching: false, costly: true });
    expect(regionLimit(colony.state.policy, colony.state.admissions.get('src/a'))).toBe(10);
    colony.check();
  });

  it('[T4c] a bound shrinks only when chance hardly explains what was measured', () => {
    const policy = policyWith({});
    const wide = { limit: 40, searching: true, costly: false, shrankAt: 0 };
    const few = { sigma: 1.7, waste: 0.2, returns: 9, workMs: 1_000 };
    expect(afterWaste(policy, wide, 40, few, 60_000)).toEqual({ ...wide, costly: true });
    const shrunk = { limit: 28, searching: false, costly: true, shrankAt: 60_000 };
    expect(afterWaste(policy, wide, 40, { ...few, returns: 16 }, 60_000)).toEqual(shrunk);
    expect(afterWaste(policy, shrunk, 28, { ...few, returns: 16 }, 80_000)).toEqual(shrunk);
    expect(afterWaste(policy, shrunk, 28, { ...few, returns: 16, workMs: 50_000 }, 100_000)).toEqual(shrunk);
    expect(afterWaste(policy, shrunk, 28, { ...few, returns: 16 }, 100_000)?.limit).toBeCloseTo(19.6);
  });

  it('[T4c] of equally urgent work the region that wastes little comes first', () => {
    const colony = new Scenario();
    colony.checked = false;
    colony.create([
      { title: 'a', paths: ['src/a/f.ts'] },
      { title: 'b', paths: ['src/b/f.ts'] },
    ]);
    colony.state.admissions.set('src/a', { limit: 3, searching: false, costly: true, shrankAt: 0 });
    colony.state.index.take.regionChanged('src/a');
    const first = colony.take(colony.agent('x'));
    expect(first.kind === 'grant' && colony.state.leases.get(first.grant.lease)?.region).toBe('src/b');
    expect(colony.take(colony.agent('y')).kind).toBe('grant');
  });

  it('[AD1] [AD2] whatever happens, a bound lies between floor and ceiling', () => {
    const step = fc.record({
      landed: fc.boolean(),
      inFlight: fc.nat(60),
      rate: fc.constantFrom(calm, stormy, warm),
      after: fc.nat(90_000),
    });
    fc.assert(
      fc.property(fc.array(step), fc.option(fc.integer({ min: 1, max: 20 })), (steps, ceiling) => {
        const policy = policyWith({ admission: { floor: 2, ceiling, wasteBudget: 0.05 } });
        let admission: ReturnType<typeof afterLanding>;
        let now = 0;
        for (const { landed, inFlight, rate, after } of steps) {
          now += after;
          const before = admission;
          if (landed) admission = afterLanding(policy, before, inFlight, rate);
          else admission = afterWaste(policy, before, inFlight, rate, now);
          const limit = regionLimit(policy, admission);
          expect(limit).toBeGreaterThanOrEqual(2);
          if (ceiling !== null) expect(limit).toBeLessThanOrEqual(Math.max(2, ceiling));
          if (!landed) expect(admission?.limit ?? 0).toBeLessThanOrEqual(before?.limit ?? 2);
        }
      }),
    );
  });

  it('[T4e] open admission and intents without a place know no bound of a region', () => {
    const open = new Scenario({ admission: 'open' });
    open.checked = false;
    backlog(open, 'src/a', 9);
    expect(crew(open, 9)).toHaveLength(9);
    expect(fieldView(open.state, open.now).regions[0]?.admitted).toBeNull();
    const colony = new Scenario();
    colony.create(Array.from({ length: 9 }, (_, index) => ({ title: `t${index}`, paths: index < 5 ? [] : ['*.md'] })));
    expect(crew(colony, 9).length).toBeGreaterThanOrEqual(6);
  });

  it('[T4d] [AD3] the pace of the writer is that of full cycles, and fades', () => {
    const policy = policyWith({});
    expect(queueLimit(policy, unknownPace, 0)).toBe(Number.POSITIVE_INFINITY);
    const loaded = afterCycle(unknownPace, 10, 5_000, false, 10_000);
    expect(loaded.perSecond).toBeNull();
    const half = afterCycle(unknownPace, 400, 500, true, 10_000);
    expect(half.perSecond).toBeNull();
    const measured = afterCycle(half, 400, 500, true, 10_500);
    expect(measured.perSecond).toBe(800);
    expect(queueLimit(policy, measured, 10_500)).toBe(1_600);
    const slower = afterCycle(measured, 400, 1_000, true, 70_500);
    expect(slower.perSecond).toBe(400);
    const atOnce = afterCycle(measured, 400, 1_000, true, 11_000);
    expect(atOnce.perSecond).toBeGreaterThan(700);
    expect(queueLimit(policy, measured, 40_500)).toBe(3_200);
  });

  it('[T4d] with more queued than the writer does in two seconds, or more at work than it lands for, takes wait', () => {
    const colony = new Scenario({
      admission: { floor: 50, ceiling: null, wasteBudget: 1 },
      limits: { proposalsPerCycle: 4 },
    });
    colony.checked = false;
    backlog(colony, 'src/a', 40);
    const workers = crew(colony, 16);
    colony.now += 2_500;
    const proposed = workers.slice(0, 12);
    for (const worker of proposed) colony.propose(worker, [write(`out/${worker.lease}.ts`)]);
    const slowCycle = (): void => {
      const { cycle } = colony.do({ kind: 'start-cycle' });
      colony.intend();
      colony.now += 2_000;
      colony.do({ kind: 'commit-cycle', cycle: cycle ?? 'cyc_none' });
    };
    slowCycle();
    expect(colony.state.pace.perSecond).toBe(2);
    const agent = colony.agent('late');
    expect(colony.take(agent)).toMatchObject({
      reason: 'colony busy: as many proposals wait as trunk can land in two seconds',
    });
    slowCycle();
    expect(colony.kinds()).not.toContain('work-available');
    expect(colony.take(agent)).toMatchObject({
      reason: 'colony busy: as many proposals wait as trunk can land in two seconds',
    });
    slowCycle();
    expect(colony.kinds()).toContain('work-available');
    expect(colony.do(takeCommand(agent)).kind).toBe('grant');
    crew(colony, 4);
    expect(colony.take(colony.agent('more'))).toMatchObject({
      reason: 'colony busy: as many agents are at work as trunk can land for',
    });
    colony.check();
  });

  it('[SR1] waste says nothing before there is enough to judge by, and what is counted fades', () => {
    const colony = new Scenario();
    const counts = tallied(undefined, { returns: 1, works: 2, workedMs: 100, redoneMs: 100 }, 0);
    colony.state.staleness.set('a', counts);
    expect(stalenessOf(colony.state, 'a', 0)).toEqual({ sigma: 0, waste: 0, returns: 1, workMs: 50 });
    colony.state.staleness.set('a', tallied(counts, { returns: 3, works: 2, workedMs: 200 }, 0));
    expect(stalenessOf(colony.state, 'a', 0)).toEqual({ sigma: 0, waste: 0.25, returns: 4, workMs: 75 });
    expect(stalenessOf(colony.state, 'a', 60_000)).toMatchObject({ returns: 2, workMs: 75 });
    expect(stalenessOf(colony.state, 'a', 600_000).waste).toBe(0);
  });
});
