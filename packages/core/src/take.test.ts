import type { AgentId, IntentId } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { oid, Scenario, takeCommand, write } from './scenario.ts';

const claimed = "every open intent's files are claimed by another agent";
const refusedByThresholds = "what is open is claimed by others, and the agent's thresholds refused it for now";

function taken(colony: Scenario, agent: AgentId, wish = {}): IntentId | string {
  const reply = colony.take(agent, wish);
  return reply.kind === 'grant' ? reply.grant.intent : reply.reason;
}

/** As `taken`, by an agent that asks again, a millisecond later, as long as its thresholds refuse (T3b). */
function takenAtLast(colony: Scenario, agent: AgentId): IntentId | string {
  let answer = taken(colony, agent);
  for (let again = 0; again < 20 && answer === refusedByThresholds; again += 1) {
    colony.now += 1;
    answer = taken(colony, agent);
  }
  return answer;
}

/** A first landing, of an intent that lived as long as this: from now on others can be overdue. */
function landsAfter(colony: Scenario, lifeMs: number): void {
  const worker = colony.worker('first', { paths: ['docs/first.md'] });
  colony.now += lifeMs;
  colony.propose(worker, [write('docs/first.md')]);
  colony.cycle(() => 'landed');
}

/** Every agent at work says that it still is. */
function refreshClaims(colony: Scenario): void {
  for (const { id, agent, epoch } of [...colony.state.leases.values()]) {
    colony.do({ kind: 'heartbeat', agent, lease: id, epoch, claims: [] });
  }
}

describe('take', () => {
  it('[T1a] examines no more candidates among 100,000 open intents than among 100', () => {
    const looksWith = (count: number, shape: (index: number) => object): number => {
      const colony = new Scenario({ limits: { liveIntents: 300_000 } });
      colony.checked = false;
      const drafts = Array.from({ length: count }, (_, index) => ({ title: `t${index}`, ...shape(index) }));
      colony.create(drafts);
      const agents = Array.from({ length: 70 }, (_, index) => colony.agent(`a${index}`));
      let most = 0;
      for (const agent of agents) {
        const before = colony.state.index.take.looks;
        colony.take(agent, agent === agents[69] ? { paths: ['r3/**'] } : {});
        most = Math.max(most, colony.state.index.take.looks - before);
      }
      return most;
    };
    const mixed = (index: number) => {
      const region = `r${index % 64}`;
      return index % 2 === 0 ? { paths: [`${region}/**`] } : { paths: [`${region}/f${index}.ts`], labels: ['l'] };
    };
    const few = looksWith(100, mixed);
    const many = looksWith(100_000, mixed);
    expect(few).toBeGreaterThan(0);
    expect(few).toBeLessThanOrEqual(200);
    expect(many).toBeLessThanOrEqual(200);
  }, 120_000);

  it('[T1b] [T1c] an intent waits for its dependencies, and agents are woken when the last one is met', () => {
    const colony = new Scenario();
    const first = colony.worker('a');
    const second = colony.intent('later', { after: [first.intent] });
    const agent = colony.agent('b');
    expect(taken(colony, agent)).toBe('no open intent');
    expect(colony.refused(takeCommand(agent, { intent: second }))).toEqual({
      code: 'intent_waits',
      intent: second,
      waitingOn: [first.intent],
    });
    colony.propose(first, [write('src/a.ts')]);
    colony.cycle();
    expect(colony.kinds()).toContain('work-available');
    expect(taken(colony, agent)).toBe(second);
  });

  it('[T1d] paths and labels narrow what is given', () => {
    const colony = new Scenario();
    const docs = colony.intent('docs', { paths: ['docs/**'], labels: ['text'] });
    const code = colony.intent('code', { paths: ['src/a/x.ts'], labels: ['code', 'ts'] });
    const wide = colony.intent('wide', { paths: ['**/*.md'] });
    colony.intent('anywhere');
    const agent = (name: string) => colony.agent(name);
    expect(taken(colony, agent('1'), { labels: ['nope'] })).toBe('no open intent');
    expect(taken(colony, agent('2'), { paths: ['lib/**'] })).toBe('no open intent');
    expect(taken(colony, agent('3'), { paths: ['src/**'], labels: ['text'] })).toBe('no open intent');
    expect(taken(colony, agent('4'), { paths: ['src/**'] })).toBe(code);
    expect(taken(colony, agent('5'), { labels: ['text', 'ts'] })).toBe(docs);
    expect(taken(colony, agent('6'), { paths: ['docs/x.md'] })).toBe('no open intent');
    expect(taken(colony, agent('7'), { paths: ['**'] })).toBe(wide);
  });

  it('[T1d] a wanted file below a predicted folder matches, and claimed matches are a wait of their own', () => {
    const colony = new Scenario();
    const one = colony.intent('one', { paths: ['src/a/**'], labels: ['l'] });
    colony.intent('two', { paths: ['src/a/**'], labels: ['l'] });
    expect(taken(colony, colony.agent('a'), { paths: ['src/a/deep/x.ts'] })).toBe(one);
    expect(taken(colony, colony.agent('b'), { paths: ['src/a/deep/x.ts'] })).toBe(claimed);
    expect(taken(colony, colony.agent('b2'), { labels: ['l'] })).toBe(claimed);
  });

  it('[T2a] the higher priority first, then the older; a step of priority is worth starveAfterMs of age', () => {
    const colony = new Scenario({ starveAfterMs: 10_000 });
    const old = colony.intent('old');
    colony.now += 5_000;
    const urgent = colony.intent('urgent', { priority: 1 });
    const middle = colony.intent('middle');
    colony.now += 6_000;
    const late = colony.intent('late', { priority: 1 });
    const order = ['a', 'b', 'c', 'd'].map((name) => taken(colony, colony.agent(name)));
    expect(order).toEqual([urgent, old, late, middle]);
  });

  it('[T2b] what others claim is not offered while anything else is free', () => {
    const colony = new Scenario();
    const first = colony.intent('first', { paths: ['src/a/**'] });
    const urgent = colony.intent('urgent', { paths: ['src/a/x.ts'], priority: 4 });
    const plain = colony.intent('plain', { paths: ['src/a/y.ts'] });
    const free = colony.intent('free', { paths: ['src/b/**'] });
    expect(taken(colony, colony.agent('a'), { intent: first })).toBe(first);
    expect(taken(colony, colony.agent('b')), 'what is free comes first, however urgent the rest').toBe(free);
    expect(takenAtLast(colony, colony.agent('c')), 'an urgency of 0.45 outweighs a claim, 0.3').toBe(urgent);
    const late = colony.agent('d');
    expect(taken(colony, late), 'one of 0.25 does not').toBe(claimed);
    colony.now += 200_000;
    expect(takenAtLast(colony, late), 'the claim counts 0.19 by now, the urgency is 0.31').toBe(plain);
  });

  it('[T2b] a claim counts by the share of the predicted paths that it lies on', () => {
    const colony = new Scenario();
    const paths = ['a', 'b', 'c', 'd'].map((name) => `src/${name}/x.ts`);
    colony.worker('holder', { paths: ['src/a/x.ts'] });
    const narrow = colony.intent('narrow', { paths: ['src/a/x.ts'], labels: ['narrow'] });
    const broad = colony.intent('broad', { paths, labels: ['broad'] });
    const late = colony.agent('late');
    expect(taken(colony, late, { labels: ['narrow'] }), 'its only path is claimed').toBe(claimed);
    expect(takenAtLast(colony, colony.agent('b')), 'one of its four paths is claimed').toBe(broad);
    const covered = colony.intent('covered', { paths: paths.slice(1), labels: ['covered'] });
    expect(taken(colony, late, { labels: ['covered'] }), 'each of its paths is claimed').toBe(claimed);
    expect(taken(colony, late)).toBe(claimed);
    colony.now += 400_000;
    expect([covered, narrow]).toContain(takenAtLast(colony, late));
  });

  it('[T2b] claims of several agents on one path add up, and count as on a tenth of the paths at least', () => {
    const given = (pathCount: number, holders: number): IntentId | string => {
      const colony = new Scenario({ admission: 'open' });
      const paths = Array.from({ length: pathCount }, (_, index) => `src/${index}.ts`);
      for (let index = 0; index < holders; index += 1) {
        const held = colony.intent(`held ${index}`, { paths: ['src/0.ts'] });
        colony.take(colony.agent(`holder ${index}`), { intent: held });
      }
      const clash = colony.intent('clash', { paths });
      const answer = takenAtLast(colony, colony.agent('late'));
      return answer === clash ? 'clash' : answer;
    };
    expect(given(4, 2), '2 × 0.3 ÷ 4 is less than 0.25').toBe('clash');
    expect(given(4, 4), '4 × 0.3 ÷ 4 is more').toBe(claimed);
    expect(given(20, 4), '4 × 0.3 ÷ 10 is less').toBe('clash');
    expect(given(20, 9), '9 × 0.3 ÷ 10 is more').toBe(claimed);
  });

  it('[T2b] of contended intents the one with the higher score is offered, and an end of the claim frees it', () => {
    const colony = new Scenario();
    const holder = colony.worker('a', { paths: ['src/a/**'] });
    const clash = colony.intent('clash', { paths: ['src/a/x.ts'] });
    expect(taken(colony, colony.agent('b'))).toBe(claimed);
    colony.do({ kind: 'complete', ...holder, why: 'done' });
    expect(colony.kinds()).toContain('work-available');
    expect(taken(colony, colony.agent('c'))).toBe(clash);
  });

  it('[T2b] of two contended intents the one whose files are claimed more weakly is offered', () => {
    const colony = new Scenario();
    colony.worker('old', { paths: ['src/old/**'] });
    colony.now += 300_000;
    colony.worker('young', { paths: ['src/young/**'] });
    const strong = colony.intent('strong', { paths: ['src/young/x.ts'], priority: 4 });
    const weak = colony.intent('weak', { paths: ['src/old/x.ts'], priority: 4 });
    colony.now += 100_000;
    expect(taken(colony, colony.agent('b'))).toBe(weak);
    expect(colony.state.intents.get(strong)?.state).toBe('open');
  });

  it("[T2b] an agent's own claims do not repel it", () => {
    const colony = new Scenario();
    const first = colony.intent('first', { paths: ['src/a/**'] });
    const second = colony.intent('second', { paths: ['src/a/x.ts'] });
    const agent = colony.agent('a');
    expect(taken(colony, agent)).toBe(first);
    expect(taken(colony, colony.agent('b'))).toBe(claimed);
    expect(taken(colony, agent)).toBe(second);
  });

  it('[T2b] what claims disturb least is found behind any number of intents that have waited longer', () => {
    const colony = new Scenario();
    colony.checked = false;
    for (const name of ['a', 'b']) colony.worker(name, { paths: ['src/hot.ts'] });
    const hot = (index: number) => ({ title: `hot ${index}`, paths: ['src/hot.ts'], labels: [`${index}`] });
    colony.create(Array.from({ length: 100 }, (_, index) => hot(index)));
    colony.now += 1;
    colony.worker('c', { paths: ['lib/warm.ts'] });
    const light = colony.intent('light', { paths: ['lib/warm.ts', 'lib/x.ts', 'lib/y.ts', 'lib/z.ts'] });
    expect(takenAtLast(colony, colony.agent('d'))).toBe(light);
    colony.check();
  });

  it('[T2f] of equally urgent work that which many agents have read waits, unless it is all there is', () => {
    const first = (readers: number): string => {
      const colony = new Scenario({ admission: 'open' });
      for (let index = 0; index < readers; index += 1) {
        const { lease } = colony.worker(`reader ${index}`, { paths: [`lib/${index}.ts`] });
        colony.do({ kind: 'record-read', lease, path: 'src/a/hot.ts', blob: oid(1), at: oid(0) });
      }
      colony.create([
        { title: 'hot', paths: ['src/a/hot.ts'] },
        { title: 'calm', paths: ['src/b/calm.ts'] },
      ]);
      const given = ['b', 'c'].map((name) => taken(colony, colony.agent(name)));
      return given.map((id) => colony.state.intents.get(id as IntentId)?.title ?? id).join(', ');
    };
    expect(first(0)).toBe('hot, calm');
    expect(first(4), 'fewer than five cost nothing').toBe('hot, calm');
    expect(first(10), '10 × 0.025 is all of its urgency').toBe('calm, hot');
  });

  it('[T2f] what others read takes from the score of contended work', () => {
    const paths = ['src/hot.ts', 'src/x.ts', 'src/y.ts', 'src/z.ts'];
    const given = (readers: number): boolean => {
      const colony = new Scenario({ admission: 'open' });
      colony.worker('holder', { paths: ['src/hot.ts'] });
      for (let index = 0; index < readers; index += 1) {
        const { lease } = colony.worker(`reader ${index}`, { paths: [`lib/${index}.ts`] });
        colony.do({ kind: 'record-read', lease, path: 'src/x.ts', blob: oid(1), at: oid(0) });
      }
      const wanted = colony.intent('contended', { paths });
      return takenAtLast(colony, colony.agent('late')) === wanted;
    };
    expect(given(4)).toBe(true);
    expect(given(8), '0.25 − 0.3 ÷ 4 − 8 × 0.025 is below 0').toBe(false);
  });

  it('[T2c] work without a place and work with one do not repel each other', () => {
    const colony = new Scenario();
    const wide = colony.intent('wide', { paths: ['**/*.ts'], priority: 1 });
    const narrow = colony.intent('narrow', { paths: ['src/a.ts'] });
    expect(taken(colony, colony.agent('a'))).toBe(wide);
    expect(taken(colony, colony.agent('b'))).toBe(narrow);
  });

  it('[T2d] work spreads over regions', () => {
    const colony = new Scenario();
    const file = (region: string, index: number) => ({
      title: `${region}${index}`,
      paths: [`${region}/x/${index}.ts`],
    });
    colony.create([0, 1, 2].flatMap((index) => [file('a', index)]).concat([0, 1, 2].map((index) => file('b', index))));
    const regions = ['1', '2', '3', '4'].map((name) => {
      const { lease } = colony.grant(colony.agent(name));
      return colony.state.leases.get(lease)?.region;
    });
    expect(regions).toEqual(['a/x', 'b/x', 'a/x', 'b/x']);
  });

  it('[T2e] a contended intent that waited for starveAfterMs is offered next, and the next of its kind waits anew', () => {
    const colony = new Scenario({ starveAfterMs: 60_000 });
    const holder = colony.worker('a', { paths: ['src/a/**'] });
    const [one, two] = colony.create([
      { title: 'one', paths: ['src/a/**'] },
      { title: 'two', paths: ['src/a/**'] },
    ]).intents;
    colony.intent('free', { priority: 5, paths: ['src/b/**'] });
    for (let minute = 0; minute < 4; minute += 1) {
      colony.now += 15_000;
      colony.do({ kind: 'heartbeat', ...holder, claims: [] });
    }
    expect(taken(colony, colony.agent('b'))).toBe(one?.id);
    expect(taken(colony, colony.agent('c'))).not.toBe(two?.id);
    expect(taken(colony, colony.agent('d'))).toBe(claimed);
  });

  it('[T2e] an old backlog is not taken for starved: the wait counts from when claims came', () => {
    const colony = new Scenario({ starveAfterMs: 60_000 });
    const first = colony.intent('first', { paths: ['src/a/**'] });
    colony.intent('second', { paths: ['src/a/**'] });
    colony.now += 600_000;
    expect(taken(colony, colony.agent('a'))).toBe(first);
    expect(taken(colony, colony.agent('b'))).toBe(claimed);
  });

  it('[T2g] a contended intent much older than what lands is offered next, whatever repels it; a lower priority waits on', () => {
    const colony = new Scenario({ starveAfterMs: 10_000_000, admission: 'open' });
    landsAfter(colony, 20_000);
    for (const name of ['a', 'b', 'c']) colony.worker(name, { paths: ['src/a/**'] });
    const [one, low] = colony.create([
      { title: 'one', paths: ['src/a/**'] },
      { title: 'low', paths: ['src/a/x.ts'], priority: -1 },
    ]).intents;
    colony.intent('free', { paths: ['src/b/**'] });
    colony.now += 13 * 20_000 - 1;
    refreshClaims(colony);
    expect(taken(colony, colony.agent('early'))).not.toBe(one?.id);
    colony.now += 1;
    refreshClaims(colony);
    expect(taken(colony, colony.agent('late'))).toBe(one?.id);
    expect(taken(colony, colony.agent('later'))).toBe(claimed);
    expect(colony.state.intents.get(low?.id as never)?.state).toBe('open');
  });

  it('[T2g] where far too much comes back overdue intents wait like others, and hide none that are overdue elsewhere', () => {
    const colony = new Scenario({
      starveAfterMs: 10_000_000,
      admission: { floor: 9, ceiling: null, wasteBudget: 0.05 },
    });
    colony.checked = false;
    landsAfter(colony, 20_000);
    colony.worker('holder', { paths: ['src/a/**'] });
    colony.worker('other holder', { paths: ['src/b/**'] });
    // More lines than a take looks at, each of its own paths, so that none is taken for the next of another.
    const lines = Array.from({ length: 70 }, (_, number) => ({
      title: `line ${number}`,
      paths: ['src/a/x.ts', `src/a/${number}.ts`],
    }));
    const [first] = colony.create(lines).intents;
    colony.now += 1;
    const elsewhere = colony.intent('elsewhere', { paths: ['src/b/y.ts'] });
    const comesBack = (redoneMs: number) => {
      const counts = { at: colony.now, returns: 400, works: 400, workedMs: 400_000, redoneMs };
      colony.state.staleness.set('src/a', counts);
    };
    colony.now += 13 * 20_000;
    refreshClaims(colony);
    comesBack(400_000);
    expect(taken(colony, colony.agent('b'))).toBe(elsewhere);
    expect(taken(colony, colony.agent('c'))).toBe(claimed);
    expect(taken(colony, colony.agent('d'), { paths: ['src/a/**'] })).toBe(claimed);
    comesBack(4_000);
    expect(taken(colony, colony.agent('e'))).toBe(first?.id);
  });

  it('[TI5] a claim that ends makes takeable what the others no longer keep waiting, and nothing else does', () => {
    const colony = new Scenario();
    const workers = ['a', 'b', 'c'].map((name) => colony.worker(name, { paths: ['src/a/**'] }));
    const wanted = colony.intent('contended', { paths: ['src/a/x.ts'] });
    const late = colony.agent('late');
    for (const worker of workers) {
      expect(taken(colony, late)).toBe(claimed);
      colony.do({ kind: 'release', ...worker, why: null });
      colony.do({ kind: 'edit-intent', intent: worker.intent, change: { state: 'abandoned' } });
    }
    expect(taken(colony, late)).toBe(wanted);
  });

  it('[T6a] [T6b] a wait is named and paced by the number of waiting agents', () => {
    const colony = new Scenario();
    const agent = colony.agent('a');
    const pause = (waitingAgents: number) => colony.take(agent, { waitingAgents });
    expect(pause(0)).toEqual({ kind: 'wait', reason: 'no open intent', retryAfterMs: 1_000 });
    expect(pause(1_000)).toMatchObject({ retryAfterMs: 5_000 });
    expect(pause(1_000_000)).toMatchObject({ retryAfterMs: 60_000 });
  });

  it('[T6c] agents are woken when claims fade or a wait has grown long', () => {
    const colony = new Scenario({ starveAfterMs: 60_000 });
    const holder = colony.worker('a', { paths: ['src/a/**'] });
    colony.intent('clash', { paths: ['src/a/**'] });
    colony.pass(1_000);
    expect(colony.kinds()).toEqual([]);
    colony.now += 50_000;
    colony.do({ kind: 'heartbeat', ...holder, claims: [] });
    expect(colony.kinds()).toEqual([]);
    colony.pass(350_000);
    expect(colony.kinds()).toEqual(['work-available']);
  });

  it('[T6c] creating, reopening and releasing wake agents once', () => {
    const colony = new Scenario();
    colony.create([{ title: 'a' }, { title: 'b' }]);
    expect(colony.kinds()).toEqual(['work-available']);
    const worker = colony.worker('a');
    colony.do({ kind: 'release', ...worker, why: null });
    expect(colony.kinds()).toEqual(['work-available']);
  });

  it('[T6d] [T9] too many takes in flight make an unnamed take wait', () => {
    const colony = new Scenario();
    const intent = colony.intent('a');
    const agent = colony.agent('a');
    expect(taken(colony, agent, { takesInFlight: 128 })).toBe('colony busy: too many takes in flight');
    expect(taken(colony, agent, { takesInFlight: 128, intent })).toBe(intent);
  });

  it('[T9] a named take skips claims, not leases', () => {
    const colony = new Scenario();
    const holder = colony.worker('a', { paths: ['src/a/**'] });
    const clash = colony.intent('clash', { paths: ['src/a/**'] });
    const agent = colony.agent('b');
    expect(colony.refused(takeCommand(agent, { intent: holder.intent }))).toEqual({
      code: 'intent_not_open',
      intent: holder.intent,
      state: 'taken',
    });
    expect(taken(colony, agent, { intent: clash })).toBe(clash);
    colony.do({ kind: 'complete', ...holder, why: 'done' });
    expect(colony.refused(takeCommand(agent, { intent: holder.intent }))).toMatchObject({
      code: 'intent_not_open',
      state: 'closed',
    });
    expect(colony.refused(takeCommand(agent, { intent: 'int_nope' })).code).toBe('unknown_intent');
  });

  it('[A3] leases per agent are bounded, and unknown or stopped agents take nothing', () => {
    const colony = new Scenario({ limits: { leasesPerAgent: 1 } });
    colony.create([{}, {}]);
    const agent = colony.agent('a');
    colony.grant(agent);
    expect(colony.refused(takeCommand(agent))).toEqual({ code: 'limit_reached', limit: 'leasesPerAgent', bound: 1 });
    expect(colony.refused(takeCommand('agt_nope')).code).toBe('unknown_agent');
    colony.do({ kind: 'stop-agent', agent });
    expect(colony.refused(takeCommand(agent)).code).toBe('agent_stopped');
  });
});
