import { describe, expect, it } from 'vitest';
import { fieldView } from './field.ts';
import { oid, policyWith, Scenario, write } from './scenario.ts';
import { memory } from './state.ts';
import {
  agentByTokenHash,
  colonyCounters,
  intentByKey,
  joinTokenByHash,
  lanesView,
  nextDeadline,
  proposalByKey,
} from './views.ts';

const registration = { kind: 'register-agent', agentKind: 'k', labels: [], workspace: 'ref' } as const;

describe('agents', () => {
  it('[A1] an agent is found by the hash of its token until it is stopped', () => {
    const colony = new Scenario();
    const agent = colony.agent('a');
    expect(agentByTokenHash(colony.state, 'hash of a')).toMatchObject({ id: agent, state: 'idle', name: 'a' });
    expect(colony.agent('a')).toBe(agent);
    colony.do({ kind: 'stop-agent', agent });
    expect(agentByTokenHash(colony.state, 'hash of a')).toBeNull();
  });

  it('[A2] a join token registers as many agents as it was made for, until it expires', () => {
    const colony = new Scenario();
    colony.do({ kind: 'create-join-token', tokenHash: 'j', agents: 2, expiresAt: colony.now + 1_000 });
    const register = (name: string) => ({ ...registration, name, tokenHash: name, joinTokenHash: 'j' });
    colony.do(register('a'));
    colony.do(register('b'));
    expect(colony.refused(register('c')).code).toBe('join_token_spent');
    colony.do(register('a'));
    expect(joinTokenByHash(colony.state, 'j', colony.now)).toMatchObject({ remaining: 0 });
    colony.now += 1_000;
    expect(colony.refused(register('c')).code).toBe('unknown_join_token');
    expect(joinTokenByHash(colony.state, 'j', colony.now)).toBeNull();
    colony.do({ kind: 'tick' });
    expect(colony.state.joinTokens.size).toBe(0);
    expect(colony.refused({ ...register('c'), joinTokenHash: 'nope' }).code).toBe('unknown_join_token');
  });

  it('[A2] [A3] usable join tokens and agents are bounded; of spent tokens the oldest are forgotten', () => {
    const colony = new Scenario({ limits: { joinTokens: 1, agents: 4 } });
    const token = (tokenHash: string) =>
      ({ kind: 'create-join-token', tokenHash, agents: 1, expiresAt: null }) as const;
    for (const name of ['a', 'b', 'c']) {
      colony.do(token(`j${name}`));
      expect(colony.refused(token('more'))).toMatchObject({ limit: 'joinTokens', bound: 1 });
      colony.do({ ...registration, name, tokenHash: name, joinTokenHash: `j${name}` });
    }
    expect([...colony.state.joinTokens.values()].map(({ tokenHash }) => tokenHash)).toEqual(['jc']);
    colony.agent('d');
    expect(colony.refused({ ...registration, name: 'e', tokenHash: 'e', joinTokenHash: null })).toMatchObject({
      limit: 'agents',
      bound: 4,
    });
  });
});

describe('trunk as others move it', () => {
  const push = {
    kind: 'record-external',
    from: oid(0),
    to: oid(7),
    commits: 2,
    title: 'push',
    writes: [{ path: 'src/a/x.ts', before: null, after: null }],
  } as const;

  it('[L6a] a foreign push is a landing by external, and told twice it is one', () => {
    const colony = new Scenario();
    const { landing } = colony.do(push);
    expect(colony.state.tip).toBe(oid(7));
    expect(colony.effects).toMatchObject([
      {
        kind: 'archive-landing',
        id: landing,
        row: {
          commit: oid(7),
          external: { from: oid(0), commits: 2 },
          agent: { id: null, name: 'external' },
          region: 'src/a',
        },
      },
    ]);
    expect(colony.do(push)).toEqual({ landing });
    expect(colony.state.totals.external).toBe(1);
  });

  it('[L6b] rewritten history stops landing until it is accepted', () => {
    const colony = new Scenario();
    colony.propose(colony.worker('a'), [write('a')]);
    colony.do({ kind: 'record-rewound', found: oid(8) });
    colony.do({ kind: 'record-rewound', found: oid(8) });
    expect([...colony.state.attention.values()].map(({ kind }) => kind)).toEqual(['trunk-rewound']);
    expect(colony.do({ kind: 'start-cycle' }).cycle).toBeNull();
    colony.do({ kind: 'set-paused', paused: true, tip: oid(9) });
    expect(colony.state.freeze).toEqual({ kind: 'rewound', found: oid(8) });
    colony.do({ kind: 'set-paused', paused: false, tip: oid(9) });
    expect(colony.state).toMatchObject({ freeze: null, tip: oid(9) });
    expect(colony.state.attention.size).toBe(0);
    expect(colony.kinds()).toEqual(['lanes-ready']);
  });

  it('[O4a] pausing keeps the tip, and only what stands still can be resumed', () => {
    const colony = new Scenario();
    const pause = (paused: boolean) => ({ kind: 'set-paused', paused, tip: oid(9) }) as const;
    expect(colony.refused(pause(false)).code).toBe('landing_not_frozen');
    colony.do(pause(true));
    expect(colony.apply(pause(true)).events).toEqual([]);
    colony.do(pause(false));
    expect(colony.state.tip).toBe(oid(0));
  });
});

describe('policy and attention', () => {
  it('[G1] a change of policy applies to regions and urgency from then on', () => {
    const colony = new Scenario();
    colony.intent('a', { paths: ['src/a/b/**'] });
    const holder = colony.worker('h', { paths: ['lib/x/**'] });
    colony.intent('b', { paths: ['lib/x/y.ts'] });
    colony.do({ kind: 'set-policy', policy: policyWith({ regionDepth: 1 }) });
    const { lease } = colony.grant(colony.agent('t'));
    expect(colony.state.leases.get(lease)?.region).toBe('src');
    expect(colony.take(colony.agent('u'))).toMatchObject({ kind: 'wait' });
    expect(colony.state.leases.get(holder.lease)?.region).toBe('lib/x');
  });

  it('[A3] attention is raised, resolved, and bounded by forgetting the oldest', () => {
    const colony = new Scenario();
    const raise = { kind: 'raise-attention', attention: 'storage', message: 'disk full' } as const;
    const { attention } = colony.do(raise);
    colony.do({ kind: 'resolve-attention', attention });
    expect(colony.refused({ kind: 'resolve-attention', attention })).toEqual({ code: 'unknown_attention', attention });
    colony.checked = false;
    const oldest = colony.do(raise).attention;
    for (let item = 0; item < memory.attention; item += 1) colony.do(raise);
    expect(colony.state.attention.size).toBe(memory.attention);
    expect(colony.state.attention.has(oldest)).toBe(false);
  });

  it('[C2a] what is remembered of the past is bounded', () => {
    const colony = new Scenario();
    colony.checked = false;
    for (let round = 0; round < memory.recentProposals + 10; round += 1) {
      colony.propose(colony.worker(`w${round}`, { key: `k${round}` }), [write('a')], { key: 'k' });
      if (round % 100 === 99) colony.cycle();
    }
    colony.cycle();
    expect(colony.state.recentProposals.size).toBe(memory.recentProposals);
    expect(colony.state.index.proposalKeys.size).toBe(memory.recentProposals);
    colony.check();
  }, 60_000);
});

describe('views', () => {
  it('[C1a] the field shows claims with their strength, leases, queues and recent landings', () => {
    const colony = new Scenario();
    const first = colony.worker('a', { paths: ['src/a/**'] });
    const second = colony.worker('b', { paths: ['src/a/**', 'docs/x.md'] });
    colony.now += 300_000;
    colony.do({ kind: 'heartbeat', ...second, claims: [] });
    colony.propose(second, [write('lib/a.ts')]);
    const field = fieldView(colony.state, colony.now);
    expect(field.paths[0]).toEqual({ path: 'src/a/**', intensity: 1.5, agents: [first.agent, second.agent] });
    const quiet = { landedPerMin: 0, sigma: 0, inhibition: 1, laneDelayMs: 0 };
    expect(field.regions).toEqual([
      { region: 'docs', claims: 1, intensity: 1, inFlight: 1, admitted: 3, queued: 0, ...quiet },
      { region: 'lib', claims: 0, intensity: 0, inFlight: 0, admitted: 3, queued: 1, ...quiet },
      { region: 'src/a', claims: 2, intensity: 1.5, inFlight: 1, admitted: 3, queued: 0, ...quiet },
    ]);
    colony.cycle();
    const landed = (now: number) =>
      fieldView(colony.state, now).regions.find(({ region }) => region === 'lib')?.landedPerMin ?? 0;
    expect(landed(colony.now)).toBe(1);
    expect(landed(colony.now + 61_000)).toBe(0);
  });

  it('[L7] counters tell intents, agents and proposals by state, also those that are over', () => {
    const colony = new Scenario();
    const [a, b, c] = ['a', 'b', 'c'].map((name) => colony.worker(name, { key: name }));
    if (a === undefined || b === undefined || c === undefined) throw new Error('three workers');
    colony.propose(a, [write('a')], { key: 'p' });
    colony.cycle();
    colony.propose(b, [write('b')], { key: 'p' });
    colony.do({ kind: 'complete', ...c, why: 'w' });
    colony.do({ kind: 'stop-agent', agent: c.agent });
    colony.intent('open');
    const counters = colonyCounters(colony.state);
    expect(counters.intents).toEqual({
      open: 1,
      taken: 0,
      proposed: 1,
      landed: 1,
      closed: 1,
      blocked: 0,
      abandoned: 0,
    });
    expect(counters.agents).toEqual({ idle: 1, working: 1, stopped: 1 });
    expect(counters.proposals).toEqual({ queued: 1, landed: 1, unchanged: 0, returned: 0, rejected: 0, superseded: 0 });
    expect(counters).toMatchObject({ landings: 1, takeable: 1, leases: 1 });
    expect(lanesView(colony.state)).toEqual([{ region: '.', queued: 1, inCycle: 0, oldestAt: colony.now }]);
    expect([intentByKey(colony.state, 'a'), intentByKey(colony.state, 'b')]).toEqual([a.intent, b.intent]);
    expect(proposalByKey(colony.state, b.agent, 'p')).toBe(colony.state.queue[0]);
  });

  it('[C2d] [C1c] the next deadline is the first lease to run out or claim to go', () => {
    const colony = new Scenario();
    expect(nextDeadline(colony.state)).toBeNull();
    const worker = colony.worker('a', { paths: ['a'] });
    expect(nextDeadline(colony.state)).toBe(colony.now + 600_000);
    colony.propose(worker, [write('a')]);
    expect(nextDeadline(colony.state)).toBe(colony.now + 1_296_579);
    colony.cycle();
    expect(nextDeadline(colony.state)).toBeNull();
  });
});
