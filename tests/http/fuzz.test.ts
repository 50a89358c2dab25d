// Twenty thousand bad calls over every endpoint: half are valid but for one field, half are anything at all.
//
// None may be answered with a status of 500 or more, none may move trunk, and afterwards the colony works as before.

import { randomBytes } from 'node:crypto';
import { type Endpoint, type EndpointName, endpoints, errorCatalogue } from '@firetrident/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenBody } from '../support/broken-bodies.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { requestExamples } from '../support/request-examples.ts';
import { Scene, type SceneAgent, type SceneLease } from '../support/scene.ts';

/** Calls that are sent at the same time, and how often. */
const together = 20;
const rounds = 400;

const rows = (Object.entries(endpoints) as [EndpointName, Endpoint][]).filter(([name]) => name !== 'live');
const oid = randomBytes(20).toString('hex');

interface FuzzCall {
  readonly name: EndpointName;
  readonly path: string;
  readonly body: unknown;
  readonly token: 'right' | 'none' | 'admin' | 'agent' | 'made-up';
  /** Whether it must be refused, rather than only be answered. */
  readonly isBroken: boolean;
}

let daemon: TestDaemon;
let scene: Scene;
let agent: SceneAgent;
let lease: SceneLease;

beforeAll(async () => {
  daemon = await startTestDaemon({ logLevel: 'warn' });
  scene = await Scene.open(daemon, 'fuzz', { 'a.txt': 'a\n', 'src/b.ts': 'export const b = 1;\n' });
  agent = await scene.agent('fuzzer');
  await scene.land('Something to look at', [{ path: 'c.txt', content: 'c\n' }], agent);
  lease = await scene.take('Fuzz', agent);
});
afterAll(() => daemon.stop());

/** Bodies of work with real ids, which the colony would accept as they are. */
function acceptable(name: EndpointName): unknown[] {
  const named = { lease: lease.lease, epoch: lease.epoch };
  const write = { path: 'new.txt', content: 'new\n' };
  switch (name) {
    case 'heartbeat':
      return [{ ...named, claims: ['src/**'] }];
    case 'release':
      return [{ ...named, why: 'no reason' }];
    case 'complete':
    case 'fail':
      return [{ ...named, why: 'a reason' }];
    case 'propose':
      return [
        {
          ...named,
          base: lease.base,
          title: 'T',
          message: 'M',
          writes: [write, { path: 'a.txt', delete: true }],
          reads: [{ path: 'a.txt' }, { dir: 'src' }, { glob: 'src/*' }, { path: 'src/b.ts', lines: [1, 1] }],
        },
      ];
    default:
      return (requestExamples as Record<string, unknown[]>)[name] ?? [{}];
  }
}

/** A propose that only the colony can know to be wrong. */
function wrongPropose(): fc.Arbitrary<unknown> {
  const valid = acceptable('propose')[0] as Record<string, unknown>;
  const path = fc.constantFrom(
    '../x',
    '/x',
    'a//b',
    './a',
    'a/.',
    '.git/x',
    'src/.GIT/x',
    '',
    'a\u0000',
    'a/',
    'a.txt/below',
  );
  return fc.oneof(
    fc.integer({ min: lease.epoch + 1, max: 2 ** 40 }).map((epoch) => ({ ...valid, epoch })),
    fc.constantFrom('lse_zz', 'lse_1').map((id) => ({ ...valid, lease: id })),
    fc.constant({ ...valid, base: oid }),
    fc.constant({ ...valid, base: { proposal: 'prp_zz' } }),
    path.map((each) => ({ ...valid, writes: [{ path: each, content: 'x' }] })),
    path.map((each) => ({ ...valid, reads: [{ path: each, symbol: 'x' }], writes: [{ path: '', content: '' }] })),
    fc.constant({ ...valid, writes: [{ path: 'x', blob: oid }] }),
    fc.constant({ ...valid, writes: [{ path: 'a.txt', content: 'x', was: oid }] }),
    fc.constant({ ...valid, writes: [{ path: 'A.TXT', content: 'x' }] }),
    fc.constant({
      ...valid,
      writes: [
        { path: 'd', content: 'x' },
        { path: 'd/e', content: 'x' },
      ],
    }),
    fc.constant({
      ...valid,
      writes: [
        { path: 'x', content: '1' },
        { path: 'x', content: '2' },
      ],
    }),
    fc.constant({ ...valid, reads: [{ path: 'a.txt', at: oid }] }),
    fc.constant({ ...valid, reads: [{ glob: '[' }] }),
    fc.constant({ ...valid, reads: [{ path: 'src/b.ts', lines: [5, 900] }], writes: [] }),
  );
}

const odd = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    '..',
    '.',
    '%',
    '%2e%2e',
    '%00',
    'int_1',
    'agt_zz',
    'prp_1',
    'lnd_zz',
    '-1',
    '1e9',
    'a.txt',
    '[',
    'null',
    'x'.repeat(300),
  ),
);

function addressOf(endpoint: Endpoint, segment: string): string {
  return endpoint.path
    .replace(':colony', 'fuzz')
    .replace(/:(intent|agent|proposal|landing|attention)/, segment)
    .replace('*path', segment);
}

/** Valid but for one field. */
const broken: fc.Arbitrary<FuzzCall> = fc
  .constantFrom(
    ...rows.filter(([name, { request }]) => request !== null && request !== 'bytes' && name !== 'setDecidePolicy'),
  )
  .chain(([name, endpoint]) => {
    const bodies = fc.constantFrom(...acceptable(name)).chain((body) => brokenBody(body).map((made) => made.body));
    return bodies.map(
      (body): FuzzCall => ({ name, path: addressOf(endpoint, 'zz'), body, token: 'right', isBroken: true }),
    );
  });

/** Anything at all, at an address of the table. */
const anything: fc.Arbitrary<FuzzCall> = fc
  .record({
    row: fc.constantFrom(...rows),
    segment: odd,
    query: fc.option(
      fc.dictionary(fc.constantFrom('limit', 'after', 'at', 'path', 'line', 'waitMs', 'lease', 'x'), odd),
      { nil: {} },
    ),
    body: fc.oneof(
      fc.jsonValue({ maxDepth: 6 }),
      fc.string({ unit: 'binary' }),
      fc.dictionary(odd, fc.jsonValue({ maxDepth: 3 })),
    ),
    token: fc.constantFrom('right', 'right', 'right', 'none', 'admin', 'agent', 'made-up'),
  })
  .map(({ row: [name, endpoint], segment, query, body, token }): FuzzCall => {
    const fields = new URLSearchParams(
      Object.entries(query ?? {}).map(([key, value]): [string, string] => [key, value.toWellFormed()]),
    );
    const path = `${addressOf(endpoint, encodeURIComponent(segment.toWellFormed()).replace(/%25/g, '%'))}?${fields}`;
    // An empty object makes a colony, which takes long and is not what is tried here.
    const sent = name === 'createColony' ? [body] : body;
    return {
      name,
      path,
      body: endpoint.request === null ? undefined : sent,
      token: token as FuzzCall['token'],
      isBroken: false,
    };
  });

/** Looking at odd places: well formed queries, of which some name something. */
const looking: fc.Arbitrary<FuzzCall> = fc
  .record({
    name: fc.constantFrom('readFile' as const, 'readTree' as const, 'why' as const),
    path: fc.oneof(
      odd,
      fc.constantFrom('', 'a.txt', 'src', 'src/', 'src/b.ts', 'a.txt/', 'src/b.ts/x', '/a.txt', 'src/../a.txt'),
    ),
    at: fc.constantFrom('', oid, 'tip'),
    line: fc.oneof(fc.integer({ min: -2, max: 4 }), fc.constantFrom(2 ** 31, 99_999_999)),
    token: fc.constantFrom('admin' as const, 'agent' as const),
  })
  .map(({ name, path, at, line, token }): FuzzCall => {
    const sent = encodeURIComponent(path.toWellFormed());
    const commit = at === 'tip' ? `?at=${lease.base}` : at === '' ? '' : `?at=${at}`;
    const address =
      name === 'why' ? `/why?path=${sent}&line=${line}` : `/${name === 'readFile' ? 'files' : 'tree'}/${sent}${commit}`;
    return { name, path: `/api/colonies/fuzz${address}`, body: undefined, token, isBroken: false };
  });

/** Proposals whose form is right and whose content is not. */
const wrongWork: fc.Arbitrary<FuzzCall> = fc
  .constant('propose' as const)
  .chain((name) =>
    wrongPropose().map(
      (body): FuzzCall => ({ name, path: '/api/colonies/fuzz/propose', body, token: 'right', isBroken: true }),
    ),
  );

async function send(call: FuzzCall): Promise<void> {
  const { method, authorization } = endpoints[call.name];
  const tokens = { admin: daemon.adminToken, agent: agent.token, none: null, 'made-up': 'ft_agent_made-up' };
  const right = authorization === 'agent' ? agent.token : daemon.adminToken;
  const token = call.token === 'right' ? right : tokens[call.token];
  const answer = await daemon.call(method, call.path, call.body, token);
  const said = `${method} ${call.path} ${JSON.stringify(call.body)} answered ${answer.status} ${answer.bytes.toString('utf8')}`;
  if (answer.status >= 500) throw new Error(said);
  if (answer.status >= 400) {
    const { code } = answer.body.error;
    if (!Object.hasOwn(errorCatalogue, code)) throw new Error(said);
    if (errorCatalogue[code as keyof typeof errorCatalogue].status !== answer.status) throw new Error(said);
  } else if (call.isBroken && answer.body?.state !== 'superseded') throw new Error(said);
}

test('eight thousand bad calls are answered, none with a failure, and none moves trunk', {
  timeout: 600_000,
}, async () => {
  const tip = scene.tip();
  let sent = 0;
  const calls = fc.array(
    fc.oneof(
      { arbitrary: broken, weight: 5 },
      { arbitrary: wrongWork, weight: 1 },
      { arbitrary: anything, weight: 4 },
      { arbitrary: looking, weight: 2 },
    ),
    { minLength: together, maxLength: together, size: 'max' },
  );
  await fc.assert(
    fc.asyncProperty(calls, async (batch) => {
      sent += batch.length;
      await Promise.all(batch.map(send));
    }),
    { numRuns: rounds },
  );
  expect(sent).toBeGreaterThanOrEqual(8_000);
  expect(scene.tip()).toBe(tip);
  expect(daemon.log.filter((line) => line.includes('a call failed'))).toEqual([]);
  const after = await scene.land('After all that', [{ path: 'after.txt', content: 'works\n' }]);
  expect(scene.tip()).toBe(after.commit);
});
