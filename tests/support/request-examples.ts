// A valid body for every endpoint that takes JSON, with every field that the schema knows.
//
// Tests break them in one place at a time; the ids in them have the right form and name nothing.

import type { EndpointName, RequestOf } from '@firetrident/protocol';

const oid = '0123456789abcdef0123456789abcdef01234567';
const lease = { lease: 'lse_1000001', epoch: 3 } as const;
const write = { path: 'src/a.ts', content: 'text\n', mode: '100644', was: oid } as const;

type Examples = { readonly [Name in EndpointName as RequestOf<Name> extends null ? never : Name]: RequestOf<Name>[] };

/** Several bodies where the fields exclude each other. */
export const requestExamples: Examples = {
  changeUpstream: [{ paused: true }],
  setUpstream: [{ url: '/srv/web.git', mode: 'mirror', branch: 'main', pushesPerMinute: 6 }],
  createColony: [
    {
      id: 'web',
      repo: { path: '/srv/web.git' },
      branch: 'main',
      spec: '- [ ] one\n',
      policy: {
        leaseMs: 1_000,
        claimHalfLifeMs: 1_000,
        repairWindowMs: 1_000,
        reservationMs: 1_000,
        starveAfterMs: 1_000,
        regionDepth: 2,
        maxAttempts: 5,
        admission: 'open',
        reads: { default: 'file', paths: { 'docs/**': 'none' } },
        strict: ['package.json'],
        merge: {},
        landing: { commits: 'proposal' },
        decide: { enabled: false },
        checks: [],
        setup: 'npm ci',
        limits: { agents: 10, blobBytes: 1_000 },
      },
    },
    { id: 'web', repo: { url: 'https://example.org/web.git' } },
    { id: 'web', empty: true },
  ],
  deleteColony: [{ confirm: 'web' }],
  setTrunk: [{ paused: true }],
  setPolicy: [{ leaseMs: 1_000, strict: ['a/**'], limits: { agents: 5 } }],
  setDecidePolicy: [{ enabled: false }],
  createIntents: [
    {
      intents: [
        {
          title: 'Tidy the parser',
          body: 'Every file of it.',
          paths: ['src/parser/**'],
          priority: 3,
          after: ['int_1000001'],
          parent: 'int_1000002',
          labels: ['tidy'],
          key: 'parser',
        },
      ],
    },
  ],
  editIntent: [{ title: 'Another', body: 'Text', paths: ['src/**'], priority: 1, labels: ['a'], state: 'abandoned' }],
  registerAgent: [{ name: 'ada', kind: 'command', labels: ['fast'], workspace: 'ref' }],
  createJoinToken: [{ agents: 50, expiresAt: '2030-01-01T00:00:00.000Z' }],
  createTicket: [{ colony: 'web' }],
  stopAgent: [{}],
  resolveAttention: [{}],
  revertLanding: [{}],
  take: [{ waitMs: 0, paths: ['src/**'], labels: ['tidy'], intent: 'int_1000001' }],
  heartbeat: [{ ...lease, claims: ['src/a.ts'], reads: [{ path: 'src/b.ts', blob: null }] }],
  release: [{ ...lease, why: 'elsewhere' }],
  complete: [{ ...lease, why: 'nothing to do' }],
  fail: [{ ...lease, why: 'too hard' }],
  propose: [
    {
      ...lease,
      base: oid,
      title: 'Title',
      message: 'Message',
      key: 'once',
      final: true,
      deriveReads: false,
      writes: [
        write,
        { pathBase64: 'bOk=', contentBase64: 'AAE=' },
        { path: 'b', blob: oid },
        { path: 'c', delete: true, was: null },
      ],
      reads: [
        { path: 'src/b.ts', blob: null, at: oid },
        { dir: 'src' },
        { dirBase64: 'bOk=' },
        { glob: 'src/*.ts' },
        { path: 'src/b.ts', symbol: 'parse', signature: true },
        { pathBase64: 'bOk=', lines: [10, 40] },
      ],
    },
    { ...lease, base: { proposal: 'prp_1000001' }, writes: [write], reads: [] },
  ],
  repair: [
    {
      ...lease,
      proposal: 'prp_1000001',
      answer: 'amend',
      base: oid,
      key: 'twice',
      deriveReads: false,
      writes: [write],
      reads: [{ path: 'src/b.ts' }],
    },
    { ...lease, proposal: 'prp_1000001', answer: 'confirm' },
  ],
};
