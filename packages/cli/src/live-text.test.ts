import type { LiveFrame } from '@firetrident/protocol';
import { describe, expect, it } from 'vitest';
import { liveText } from './live-text.ts';

const oid = 'abcdef0123456789abcdef0123456789abcdef01';
const common = { seq: 1, at: '2026-01-01T00:00:00.000Z' };
const outcome = { proposal: 'prp_1', intent: 'int_1', agent: 'agt_1' } as const;

const cases: [Record<string, unknown>, string | null][] = [
  [{ type: 'colony', change: 'policy' }, 'the policy changed'],
  [{ type: 'trunk', change: 'rewound', commit: oid }, 'landing stands still: trunk was rewritten by someone else'],
  [{ type: 'intent', intent: 'int_1', change: 'created', title: 'A\nB' }, 'int_1 created "A B"'],
  [{ type: 'intent', intent: 'int_1', change: 'blocked', reason: 'too hard' }, 'int_1 blocked: too hard'],
  [{ type: 'agent', agent: 'agt_1', change: 'registered', name: 'ada' }, 'agt_1 registered "ada"'],
  [
    { type: 'take', lease: 'lse_1', intent: 'int_1', agent: 'agt_1', epoch: 1, base: oid, expiresAt: common.at },
    'agt_1 took int_1 at abcdef012345',
  ],
  [
    { type: 'claim', lease: 'lse_1', agent: 'agt_1', claims: ['a', 'b', 'c', 'd', 'e'] },
    'agt_1 works on a, b, c and 2 more',
  ],
  [{ type: 'claim', lease: 'lse_1', claims: [], ended: 'evaporated' }, null],
  [
    { type: 'release', lease: 'lse_1', agent: 'agt_1', intent: 'int_1', why: 'released' },
    'agt_1 let go of int_1: released',
  ],
  [
    { type: 'propose', ...outcome, lease: 'lse_1', base: oid, region: 'src', writes: 1, reads: 2 },
    'agt_1 proposed prp_1 for int_1: 1 write, 2 reads',
  ],
  [
    { type: 'propose', ...outcome, lease: 'lse_1', base: oid, region: 'src', writes: 2, reads: 0, repairOf: 'prp_0' },
    'agt_1 proposed prp_1 for int_1: 2 writes, 0 reads, repairing prp_0',
  ],
  [{ type: 'cycle', cycle: 'cyc_1', change: 'started', proposals: 3 }, null],
  [
    { type: 'landed', ...outcome, landing: 'lnd_1', commit: oid, region: 'src', merged: ['a', 'b'] },
    'prp_1 landed as lnd_1, abcdef012345, 2 files merged',
  ],
  [{ type: 'unchanged', ...outcome }, 'prp_1 had nothing left to change'],
  [{ type: 'returned', ...outcome, expiresAt: common.at, causes: ['lnd_1'] }, 'prp_1 came back, because of lnd_1'],
  [{ type: 'returned', ...outcome, expiresAt: common.at }, 'prp_1 came back'],
  [
    { type: 'rejected', ...outcome, expiresAt: common.at, reasons: [{ code: 'quarantined', message: 'wrong tree' }] },
    'prp_1 was rejected: wrong tree',
  ],
  [{ type: 'superseded', ...outcome, lease: 'lse_1', preserved: null }, 'prp_1 came after its lease had ended'],
  [{ type: 'deferred', proposal: 'prp_1' }, 'prp_1 waits for the next cycle'],
  [
    { type: 'external', landing: 'lnd_1', from: oid, to: oid, commits: 2, title: 'Fix', paths: 1 },
    '2 commits from elsewhere "Fix", 1 path',
  ],
  [{ type: 'preserved', preserved: 'prs_1', commit: oid, why: 'superseded' }, 'kept prs_1 as abcdef012345: superseded'],
  [
    {
      type: 'sigma',
      sigma: 2.5,
      regions: [
        { region: 'src/a', sigma: 30, inhibition: 8, laneDelayMs: 8000 },
        { region: 'src/b', sigma: 0.5, inhibition: 1, laneDelayMs: 0 },
      ],
    },
    'σ src/a: 30, lands every 8 s, src/b: 0.5',
  ],
  [
    {
      type: 'heads-up',
      lease: 'lse_1',
      agent: 'agt_1',
      intent: 'int_1',
      trunk: oid,
      landings: [
        { landing: 'lnd_1', intent: { id: null, title: 'T' }, paths: [{ path: 'src/a.ts', why: 'read' }], more: 1 },
      ],
      more: 0,
    },
    'agt_1 hears that src/a.ts, and more that is not listed changed',
  ],
  [{ type: 'sigma', sigma: 0, regions: [] }, null],
  [{ type: 'attention', attention: 'att_1', change: 'raised', message: 'look' }, 'att_1 waits for a person: look'],
];

describe('a frame as a line', () => {
  it.each(cases)('%j', (frame, text) => {
    expect(liveText({ ...common, ...frame } as LiveFrame)).toBe(text);
  });
});
