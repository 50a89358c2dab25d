// Thousands of calls to a colony at work, over HTTP and the sockets of its agents: half of them mean something, made from
// what earlier answers showed, and half are such calls broken in one place.
//
// Trunk moves here, by landings and nothing else. Failing calls are printed whole; the draws are seeded, though what they
// meet depends on how the calls under way fall together.

import {
  answerFrame,
  type Endpoint,
  type EndpointName,
  endpoints,
  errorCatalogue,
  type FrameCall,
  frameCalls,
  liveFrame,
} from '@firetrident/protocol';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { brokenBody } from '../support/broken-bodies.ts';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { git } from '../support/git-repository.ts';
import { Draws, type KnownLease, LivingWorld } from '../support/living-world.ts';
import { requestExamples } from '../support/request-examples.ts';
import { Scene, type SceneAgent } from '../support/scene.ts';

const callCount = 6_000;
const together = 16;
const agentCount = 8;
const seed = 20_261_129;

/** What the calls are mostly about, by how often it is drawn. */
const weights: Readonly<Partial<Record<EndpointName, number>>> = {
  take: 14,
  propose: 24,
  repair: 10,
  release: 1,
  complete: 1,
  fail: 1,
  setTrunk: 1,
  createIntents: 8,
  heartbeat: 3,
  readProposal: 10,
  readFile: 4,
  revertLanding: 1,
  // Import and deletion of colonies take long; they are only tried broken.
  createColony: 0,
  deleteColony: 0,
  live: 0,
};

const names = (Object.keys(endpoints) as EndpointName[]).flatMap((name) =>
  Array.from({ length: weights[name] ?? 2 }, () => name),
);

const draw = fc.record({
  name: fc.constantFrom(...names),
  agent: fc.nat(agentCount - 1),
  numbers: fc.array(fc.nat(1_000_000), { minLength: 12, maxLength: 12 }),
  damage: fc.constantFrom('none', 'none', 'none', 'none', 'body', 'body', 'token', 'address', 'text', 'colony'),
  overSocket: fc.boolean(),
});
type Draw = typeof draw extends fc.Arbitrary<infer Value> ? Value : never;

let daemon: TestDaemon;
let scene: Scene;
const agents: SceneAgent[] = [];
const sockets: AgentSocket[] = [];
let world: LivingWorld;

beforeAll(async () => {
  daemon = await startTestDaemon({ logLevel: 'warn' });
  const files = { 'a.txt': 'a\n', 'src/b.ts': 'export const b = 1;\n', 'src/c.ts': "export { b } from './b.ts';\n" };
  scene = await Scene.open(daemon, 'alive', files, { leaseMs: 20_000, repairWindowMs: 20_000 });
  world = new LivingWorld(scene.tip());
  for (let index = 0; index < agentCount; index += 1) {
    const agent = await scene.agent(`agent ${index}`);
    agents.push(agent);
    sockets.push(await AgentSocket.open(agent));
  }
});
afterAll(() => daemon.stop());

/** An agent's socket: calls by id, and a check of every frame. */
class AgentSocket {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number | null, (text: string) => void>();
  #next = 0;
  #seq = 0;
  /** What was wrong with a frame, if anything was. */
  problem: string | null = null;

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => this.#hear(String(data)));
    socket.addEventListener('close', ({ code }) => {
      this.problem ??= `closed with ${code}`;
      for (const answer of this.#waiting.values()) answer(`{"closed":${code}}`);
    });
  }

  static async open(agent: SceneAgent): Promise<AgentSocket> {
    const { ticket } = await daemon.expect(201, 'POST', '/api/tickets', { colony: scene.id }, agent.token);
    const socket = new WebSocket(`${daemon.url.replace('http', 'ws')}${scene.address}/live?ticket=${ticket}`);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve);
      socket.addEventListener('error', reject);
    });
    return new AgentSocket(socket);
  }

  /** Calls; gives the text of the answer. */
  call(call: FrameCall, body: unknown): Promise<string> {
    this.#next += 1;
    return this.#exchange(this.#next, JSON.stringify({ id: this.#next, call, body }));
  }

  #exchange(id: number, text: string): Promise<string> {
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      this.#socket.send(text);
    });
  }

  /** Sends what is no call at all; its answers carry no id. */
  throwAt(text: string): void {
    this.#socket.send(text);
  }

  #hear(text: string): void {
    const frame = JSON.parse(text);
    if (frame.seq === undefined) {
      if (!answerFrame.safeParse(frame).success) this.problem = text;
      this.#waiting.get(frame.id)?.(text);
      this.#waiting.delete(frame.id);
      return;
    }
    const checked = liveFrame.safeParse(frame);
    if (!checked.success || frame.seq <= this.#seq) this.problem = `after ${this.#seq}: ${text}`;
    this.#seq = frame.seq;
  }
}

const paths = ['a.txt', 'src/b.ts', 'src/c.ts', 'new.txt', 'src/deep/new.ts', 'link', 'data.bin'];

function writes(draws: Draws): object[] {
  return Array.from({ length: draws.below(3) + 1 }, (_, index) => {
    const path = paths[(draws.below(paths.length) + index * 2) % paths.length];
    switch (draws.below(7)) {
      case 0:
        return { path, delete: true };
      case 1:
        return { path, blob: draws.recent(world.blobs, '0'.repeat(40)) };
      case 2:
        return { path, contentBase64: Buffer.from([0, draws.below(256)]).toString('base64'), mode: '100755' };
      case 3:
        return { path: `made/${draws.below(1_000_000)}.ts`, content: `export const made = ${draws.below(9)};\n` };
      default:
        return { path, content: `export const b = ${draws.below(5)};\n` };
    }
  });
}

function reads(draws: Draws): object[] {
  const at = draws.recent(world.commits, '');
  const kinds = [
    [],
    [{ path: 'a.txt' }],
    [{ dir: 'src' }, { glob: 'src/**' }],
    [{ path: 'src/c.ts', symbol: 'b' }],
    [{ path: 'src/b.ts', lines: [1, 1], at }],
    [{ path: 'nowhere' }],
  ];
  return draws.pick(kinds, []);
}

/** A body that may mean something now; null when nothing is known that it could be about. */
function bodyFor(name: EndpointName, agent: number, draws: Draws): object | null | undefined {
  const lease: KnownLease | undefined = world.leaseFor(agent, draws);
  const held =
    lease === undefined ? null : { lease: lease.lease, epoch: lease.epoch - (draws.below(15) === 0 ? 1 : 0) };
  const key = draws.below(4) === 0 ? { key: `key ${draws.below(40)}` } : {};
  switch (name) {
    case 'take':
      return draws.below(3) === 0 ? { intent: draws.recent(world.known('int'), 'int_none') } : {};
    case 'heartbeat':
      return held && { ...held, claims: draws.below(2) === 0 ? [] : ['src/**', draws.pick(paths, 'x')] };
    case 'release':
      return held;
    case 'complete':
    case 'fail':
      return held && { ...held, why: 'a reason' };
    case 'propose': {
      if (lease === undefined) return null;
      const part = { proposal: draws.recent(world.known('prp'), 'prp_none') };
      const base =
        draws.below(5) === 0 ? part : draws.below(4) === 0 ? draws.recent(world.commits, lease.base) : lease.base;
      const sent = { base, writes: writes(draws), reads: reads(draws), deriveReads: draws.below(2) === 0 };
      return { ...held, ...key, ...sent, final: draws.below(3) > 0 };
    }
    case 'repair': {
      const back = world.returnFor(agent, draws);
      if (back === undefined) return null;
      const answer = draws.pick(['confirm', 'amend', 'redo'] as const, 'redo');
      const sent = answer === 'confirm' ? {} : { writes: writes(draws), reads: reads(draws) };
      const { lease: leaseId, epoch } = back.lease;
      return { lease: leaseId, epoch, proposal: back.proposal, answer, ...key, ...sent };
    }
    case 'createIntents': {
      const after = draws.below(3) === 0 ? [draws.recent(world.known('int'), 'int_none')] : [];
      const title = `Work ${draws.below(1_000_000)}`;
      return {
        intents: [
          { title, paths: [draws.pick(paths, 'x')], priority: draws.below(3), after, ...key },
          { title: `${title} more` },
        ],
      };
    }
    case 'editIntent':
      return draws.pick<object>([{ state: 'open' }, { state: 'abandoned' }, { title: 'Renamed' }, { priority: 9 }], {});
    case 'setTrunk':
      return { paused: draws.below(4) === 0 };
    case 'setPolicy':
      return draws.pick<object>(
        [
          { landing: { commits: 'batch' } },
          { landing: { commits: 'proposal' } },
          { strict: ['data.bin'] },
          { strict: [] },
        ],
        {},
      );
    case 'createTicket':
      return { colony: scene.id };
    default:
      return (requestExamples as Record<string, object[]>)[name]?.[0];
  }
}

/** The address of a call, with ids that mean something where there are any. */
function addressFor({ path }: Endpoint, agent: number, draws: Draws): string {
  const file = draws.pick(paths, 'a.txt');
  const at = draws.below(3) === 0 ? `?at=${draws.recent(world.commits, '')}` : '';
  // The agents that sockets stand on are not stopped: another one is.
  const stopped = draws.pick(
    world.known('agt').filter((id) => agents.every((each) => each.id !== id)),
    'agt_none',
  );
  const filled = path
    .replace(':colony', scene.id)
    .replace(':intent', draws.recent(world.known('int'), 'int_none'))
    .replace(':agent', stopped)
    .replace(':proposal', draws.recent(world.known('prp'), 'prp_none'))
    .replace(':landing', draws.recent(world.known('lnd'), 'lnd_none'))
    .replace(':attention', draws.pick(world.known('att'), 'att_none'));
  if (path.endsWith('/files/*path')) return filled.replace('*path', file) + at;
  if (path.endsWith('/tree/*path')) return filled.replace('*path', draws.pick(['', 'src', 'made'], '')) + at;
  if (path.endsWith('/why')) return `${filled}?path=${file}&line=1`;
  if (path.endsWith('/proposals/:proposal')) return `${filled}?waitMs=${draws.below(200)}`;
  return agent < 0 ? path : filled;
}

const oddSegments = ['%2e%2e%2f%2e%2e', '%00', '%ff%fe', '%zz', '%252e', '..;/', '%2fetc', 'a%0ab', '\u00e9', '%c0%ae'];

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: unknown;
  readonly token: string | null;
  /** Whether it has to be refused. */
  readonly isBroken: boolean;
}

/** The call of a draw; null when nothing is there yet that it could be about. */
function callOf({ name, agent, numbers, damage }: Draw): Sent | null {
  const draws = new Draws(numbers);
  const endpoint: Endpoint = endpoints[name];
  const isOf = (...kinds: string[]) => kinds.includes(endpoint.authorization);
  const own = (agents[agent] as SceneAgent).token;
  const token = isOf('none') ? null : isOf('agent') || (isOf('any') && draws.below(2) === 0) ? own : daemon.adminToken;
  const isBytes = endpoint.request === 'bytes';
  const body = isBytes
    ? Buffer.from(`bytes ${draws.below(9)}`)
    : endpoint.request === null
      ? undefined
      : bodyFor(name, agent, draws);
  if (body === null) return null;
  const call = { method: endpoint.method, path: addressFor(endpoint, agent, draws), body, token };
  switch (damage) {
    case 'body': {
      if (endpoint.request === null || isBytes || name === 'setDecidePolicy') return { ...call, isBroken: false };
      const [broken] = fc.sample(brokenBody(body), { numRuns: 1, seed: numbers[0] ?? 0 });
      return { ...call, body: broken?.body, isBroken: true };
    }
    case 'token': {
      const wrong = draws.pick([null, 'ft_agent_made-up', `${own}x`, 'nonsense'], null);
      return { ...call, token: wrong, isBroken: !isOf('none') };
    }
    case 'address': {
      const odd = draws.pick(oddSegments, '%00');
      return { ...call, path: `${call.path.replace(/\/[^/?]*(\?|$)/, `/${odd}$1`)}`, isBroken: false };
    }
    case 'text': {
      if (endpoint.request === null || isBytes) return { ...call, isBroken: false };
      const text = JSON.stringify(body);
      return { ...call, body: Buffer.from(text.slice(0, draws.below(text.length - 1) + 1)), isBroken: true };
    }
    case 'colony': {
      const path = call.path.replace(`/${scene.id}`, draws.pick(['/nowhere', '/ALIVE', '/..', '/'], '/nowhere'));
      return { ...call, path, isBroken: path !== call.path };
    }
    default:
      return { ...call, isBroken: false };
  }
}

function judge(said: string, status: number | null, text: string, isBroken: boolean): void {
  const code = text.startsWith('{') ? (JSON.parse(text).error?.code as string | undefined) : undefined;
  const entry = code === undefined ? undefined : errorCatalogue[code as keyof typeof errorCatalogue];
  const isError = status === null ? code !== undefined : status >= 400;
  const isForm = !isError || ['message', 'next', 'hint'].every((field) => JSON.parse(text).error[field] !== '');
  const isKnown =
    !isError || (entry !== undefined && (status === null || entry.status === status) && entry.status < 500);
  if (text.startsWith('{"closed"')) throw new Error(`the socket closed on ${said}`);
  if (!isForm || !isKnown || (isBroken && !isError)) throw new Error(`${said} was answered ${status} ${text}`);
}

async function make(drawn: Draw): Promise<void> {
  const call = callOf(drawn);
  if (call === null) return;
  const { name, agent, damage } = drawn;
  const sentLease = (call.body as { lease?: string } | undefined)?.lease;
  const shown = `${call.method} ${call.path} ${JSON.stringify(call.body)} (${damage}, agent ${agent})`;
  const socket = sockets[agent] as AgentSocket;
  if (drawn.overSocket && name in frameCalls && (damage === 'none' || damage === 'body')) {
    const text = await socket.call(name as FrameCall, call.body);
    judge(`frame ${shown}`, null, text, call.isBroken);
    const { result, ...rest } = JSON.parse(text);
    world.learn(JSON.stringify(result ?? rest), agent, sentLease);
    return;
  }
  if (damage === 'text') socket.throwAt(String(call.body));
  const answer = await daemon.call(call.method, call.path, call.body, call.token);
  judge(shown, answer.status, answer.bytes.toString('utf8'), call.isBroken);
  if (damage === 'none' && answer.body !== null) world.learn(answer.bytes.toString('utf8'), agent, sentLease);
}

/** What the colony says of its landings and of itself, and then the commits of trunk, the newest first. */
async function looked() {
  const { landings } = await scene.expect(200, 'GET', '/landings?limit=1000');
  const page = await scene.expect(200, 'GET', '');
  return [landings, page, git(scene.repository, ['rev-list', '--first-parent', 'main']).trim().split('\n')] as const;
}

test('a colony at work answers every call by the catalogue, and trunk moves by its landings only', {
  timeout: 600_000,
}, async () => {
  const draws = fc.sample(draw, { numRuns: callCount, seed });
  const start = git(scene.repository, ['rev-list', '--count', 'main']).trim();
  let next = 0;
  const caller = async () => {
    for (let drawn = draws[next++]; drawn !== undefined; drawn = draws[next++]) await make(drawn);
  };
  await Promise.all(Array.from({ length: together }, caller));
  expect(sockets.map(({ problem }) => problem)).toEqual(sockets.map(() => null));
  expect(daemon.log.filter((line) => line.includes('a call failed'))).toEqual([]);

  await scene.call('POST', '/trunk', { paused: false });
  await scene.expect(200, 'PATCH', '/policy', { landing: { commits: 'proposal' } });
  const last = await scene.land('The last of all', [{ path: 'last.txt', content: 'last\n' }]);
  // What waited for a slowed lane may land after the last of all: looked at until nothing landed meanwhile.
  let [landings, page, commits] = await looked();
  for (let tries = 0; tries < 100 && landings[0].commit !== commits[0]; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    [landings, page, commits] = await looked();
  }
  const landed = new Set(landings.map(({ commit }: { commit: string }) => commit));
  expect(landed.has(last.commit)).toBe(true);
  expect(commits.slice(0, -Number(start)).filter((commit) => !landed.has(commit))).toEqual([]);
  expect(page.landings).toBe(landings.length);
  // Enough of it meant something.
  expect([page.landings > 30, page.proposals.returned > 30, page.proposals.superseded > 5]).toEqual([true, true, true]);
  expect(await daemon.expect(200, 'GET', '/api/health', undefined, null)).toMatchObject({ status: 'serving' });
  git(scene.repository, ['fsck', '--strict']);
});
