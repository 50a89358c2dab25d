// Frames: every kind of event has its decision, and every frame has its documented form.

import { type ColonyState, type Event, type EventKind, emptyState } from '@firetrident/core';
import { liveFrame } from '@firetrident/protocol';
import { describe, expect, test } from 'vitest';
import { FrameMaker, withBrief } from './frames.ts';
import { ownerOf } from './hub.ts';

const oid = '0123456789abcdef0123456789abcdef01234567';
const ids = { proposal: 'prp_1', intent: 'int_1', agent: 'agt_1', lease: 'lse_1' } as const;
const brief = {
  trunk: oid,
  reads: [
    {
      read: { kind: 'file', path: 'a\udce9', at: oid, basis: null },
      now: oid,
      cause: { landing: 'lnd_1', intent: { id: 'int_2', title: 'Other' } },
      diff: '',
    },
  ],
  writes: [],
} as const;
const state = emptyState();

/** One event of each kind; a new kind without one does not compile. */
const events: { readonly [Kind in EventKind]: Omit<Extract<Event, { kind: Kind }>, 'at' | 'kind'> } = {
  'colony-created': { id: 'x', branch: 'main', tip: oid, notes: null, packages: [], policy: state.policy, seed: 1 },
  booted: { generation: 2 },
  'policy-set': { policy: state.policy },
  paused: {},
  resumed: { tip: oid },
  'intent-created': {
    intent: 'int_1',
    draft: { title: 'T', body: '', paths: [], priority: 0, after: [], parent: null, labels: [], key: null },
    waitingOn: [],
    duplicateOf: [],
  },
  'intent-edited': { intent: 'int_1', change: { title: 'U' } },
  'history-learned': { changes: [] },
  'intent-opened': { intent: 'int_1', attempts: 1, reason: null },
  'intent-landed': { intent: 'int_1' },
  'intent-closed': { intent: 'int_1', reason: 'so' },
  'intent-blocked': { intent: 'int_1', attempts: 5, reason: 'so' },
  'intent-abandoned': { intent: 'int_1', reason: null },
  'agent-registered': {
    agent: 'agt_1',
    name: 'ada',
    agentKind: 'command',
    labels: [],
    workspace: 'ref',
    tokenHash: 'secret hash',
    joinToken: null,
  },
  'agent-stopped': { agent: 'agt_1' },
  'join-token-created': { joinToken: 'jtk_1', tokenHash: 'secret hash', agents: 3, expiresAt: null },
  'join-token-ended': { joinToken: 'jtk_1' },
  taken: { ...ids, epoch: 1, base: oid, expiresAt: 5 } as never,
  heartbeat: { lease: 'lse_1', expiresAt: null, claims: ['a/**'] },
  'claims-ended': { lease: 'lse_1', why: 'evaporated' },
  'read-recorded': { lease: 'lse_1', path: 'a', blob: oid, seen: oid },
  'heads-up': {
    lease: 'lse_1',
    agent: 'agt_1',
    intent: 'int_1',
    trunk: oid,
    landings: [
      { landing: 'lnd_1', intent: { id: null, title: 'T' }, paths: [{ path: 'a\udce9', why: 'read' }], more: 2 },
    ],
    more: 1,
  },
  heard: { agent: 'agt_1' },
  'lease-ended': { lease: 'lse_1', why: 'expired' },
  proposed: {
    proposal: 'prp_1',
    lease: 'lse_1',
    base: oid,
    predecessor: null,
    final: true,
    title: null,
    message: null,
    key: null,
    writes: [],
    reads: [],
    region: 'src',
    repairOf: 'prp_0',
    answer: 'amend',
    tokens: 0,
    returns: [],
  },
  superseded: { ...ids, base: oid, key: null, writes: [], preserved: 'prs_1' },
  'cycle-started': { cycle: 'cyc_1', batches: [{ id: 'bat_1', region: 'src', proposals: ['prp_1'] }] },
  'cycle-intended': {
    cycle: 'cyc_1',
    intention: { refs: null, outcomes: [{ kind: 'returned', proposal: 'prp_1', brief }] },
    quarantined: [],
  } as never,
  'cycle-committed': { cycle: 'cyc_1' },
  'cycle-abandoned': { cycle: 'cyc_1', reason: 'disk full' },
  landed: {
    proposal: 'prp_1',
    intent: 'int_1',
    agent: 'agt_1',
    cycle: 'cyc_1',
    landing: 'lnd_1',
    commit: oid,
    region: 'src',
  },
  unchanged: { proposal: 'prp_1', intent: 'int_1', agent: 'agt_1' },
  returned: { proposal: 'prp_1', intent: 'int_1', agent: 'agt_1', expiresAt: 9 },
  rejected: {
    proposal: 'prp_1',
    intent: 'int_1',
    agent: 'agt_1',
    expiresAt: 9,
    reasons: [{ code: 'quarantined', message: 'no', path: 'a\udce9' }],
  },
  deferred: { proposal: 'prp_1' },
  reserved: { proposal: 'prp_1', lease: 'lse_1', region: 'src', until: 9 },
  'held-back': { lease: 'lse_1', proposals: ['prp_2'] },
  'reservation-ended': { lease: 'lse_1', why: 'settled' },
  'external-landed': { landing: 'lnd_1', from: oid, to: oid, commits: 1, title: 'T', writes: [] },
  'sigma-evaluated': { sigma: 1.5, regions: [{ region: 'src', sigma: 3, inhibition: 3 }] },
  'trunk-rewound': { found: oid },
  'preserve-asked': { ...ids, preserved: 'prs_1', base: oid, writes: [], why: 'superseded' } as never,
  preserved: { preserved: 'prs_1', commit: oid },
  'attention-raised': {
    attention: 'att_1',
    attentionKind: 'quarantined',
    message: 'look',
    proposal: 'prp_1',
    intent: null,
  },
  'attention-resolved': { attention: 'att_1' },
};

const all = Object.entries(events).map(([kind, fields], index) => ({
  sequence: index + 1,
  event: { kind, at: 1_000 + index, ...fields } as Event,
}));

function maker(): FrameMaker {
  return new FrameMaker((): ColonyState => state);
}

describe('frames', () => {
  test.each(all)('[LF1] the frame of $event.kind has its documented form', ({ sequence, event }) => {
    const frame = maker().frame({ sequence, event });
    if (frame === null) expect(['read-recorded', 'heard', 'history-learned', 'cycle-committed']).toContain(event.kind);
    else expect(liveFrame.safeParse(JSON.parse(JSON.stringify(frame)))).toMatchObject({ success: true });
    expect(JSON.stringify(frame)).not.toContain('secret hash');
    expect(JSON.stringify(frame).isWellFormed()).toBe(true);
  });

  test('[LF2] an outcome takes its details from the intention of its cycle', () => {
    const frames = maker();
    const told = (kind: EventKind) => {
      const sequenced = all.find(({ event }) => event.kind === kind);
      if (sequenced === undefined) throw new Error(`no ${kind}`);
      return frames.frame(sequenced);
    };
    expect(told('returned')).not.toHaveProperty('causes');
    told('cycle-intended');
    expect(told('cycle-committed')).toMatchObject({ type: 'metric', returned: 1, landed: 0 });
    const returned = told('returned');
    expect(returned).toMatchObject({ causes: ['lnd_1'] });
    if (returned === null) throw new Error('no frame');
    expect(withBrief(returned, frames.brief('prp_1'))).toMatchObject({ brief: { reads: [{ pathBase64: 'Yek=' }] } });
    expect(frames.brief('prp_2')).toBeNull();
  });

  test('[HU2] exactly the outcomes and heads-ups have an owner', () => {
    const owned = all.filter(({ event }) => ownerOf(event) !== null).map(({ event }) => event.kind);
    expect(owned).toEqual(['heads-up', 'superseded', 'landed', 'unchanged', 'returned', 'rejected']);
  });

  test('a heartbeat that claims nothing more has no frame', () => {
    const event: Event = { kind: 'heartbeat', at: 1, lease: 'lse_1', expiresAt: 5, claims: [] };
    expect(maker().frame({ sequence: 1, event })).toBeNull();
  });
});
