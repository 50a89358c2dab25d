// Bad calls at every endpoint of the table: the right status and code, and nothing applied.

import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { type Endpoint, type EndpointName, endpoints } from '@firetrident/protocol';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../../../tests/support/daemon.ts';
import { requestExamples } from '../../../tests/support/request-examples.ts';
import { Scene, type SceneAgent } from '../../../tests/support/scene.ts';

const rows = Object.entries(endpoints) as [EndpointName, Endpoint][];
const guarded = rows.filter(([, { authorization }]) => authorization !== 'none');
const withJson = rows.filter(([, { request }]) => request !== null && request !== 'bytes');

let daemon: TestDaemon;
let scene: Scene;
let agent: SceneAgent;
let stranger: SceneAgent;
let sequenceBefore = 0;
let tipBefore = '';
let stoppedToken = '';

beforeAll(async () => {
  daemon = await startTestDaemon();
  scene = await Scene.open(daemon, 'calls', { 'a.txt': 'a\n' });
  agent = await scene.agent('ada');
  stranger = await (await Scene.open(daemon, 'other', { 'a.txt': 'a\n' })).agent('eve');
  const gone = await scene.agent('gone');
  await scene.expect(200, 'POST', `/agents/${gone.id}/stop`, {});
  stoppedToken = gone.token;
  sequenceBefore = await scene.sequence();
  tipBefore = scene.tip();
});
afterAll(() => daemon.stop());

/** Address of an endpoint on the colony, with ids that name nothing. */
function addressOf({ path }: Endpoint, colony = 'calls'): string {
  return path
    .replace(':colony', colony)
    .replace(':intent', 'int_zz')
    .replace(':agent', 'agt_zz')
    .replace(':proposal', 'prp_zz')
    .replace(':landing', 'lnd_zz')
    .replace(':attention', 'att_zz')
    .replace('*path', 'a.txt');
}

/** A body that the endpoint's schema accepts. */
function bodyOf(name: EndpointName, { request }: Endpoint): unknown {
  if (request === null) return undefined;
  if (request === 'bytes') return Buffer.from('bytes');
  return (requestExamples as Record<string, unknown[]>)[name]?.[0];
}

/** The token that an endpoint takes. */
function rightToken({ authorization }: Endpoint): string {
  return authorization === 'agent' ? agent.token : daemon.adminToken;
}

async function refusal(name: EndpointName, token: string | null, body: unknown, address: string) {
  const answer = await daemon.call(endpoints[name].method, address, body, token);
  return [answer.status, answer.body?.error?.code];
}

/** Sends raw bytes as a body with these headers, which fetch would not let through. */
function sendRaw(method: string, path: string, headers: Record<string, string>, parts: readonly Buffer[]) {
  return new Promise<{ status: number; code: string }>((resolve, reject) => {
    const length = parts.reduce((sum, part) => sum + part.length, 0);
    const framed = 'transfer-encoding' in headers ? headers : { 'content-length': String(length), ...headers };
    const sent = httpRequest(`${daemon.url}${path}`, { method, headers: framed }, (response) => {
      const heard: Buffer[] = [];
      response.on('data', (part: Buffer) => heard.push(part));
      response.on('end', () => {
        const text = Buffer.concat(heard).toString();
        resolve({ status: response.statusCode ?? 0, code: JSON.parse(text).error.code });
      });
    });
    sent.on('error', reject);
    for (const part of parts) sent.write(part);
    sent.end();
  });
}

describe('tokens', () => {
  test.each(guarded)('%s without a token, with a made-up one, or a stopped agent’s: 401', async (name, endpoint) => {
    const address = addressOf(endpoint);
    const body = bodyOf(name, endpoint);
    expect(await refusal(name, null, body, address)).toEqual([401, 'unauthorized']);
    for (const token of ['nonsense', 'ft_agent_made-up', `${daemon.adminToken}x`, 'ft_admin_made-up', stoppedToken]) {
      expect(await refusal(name, token, body, address)).toEqual([401, 'unauthorized']);
    }
  });

  test.each(guarded)('[AU2] %s with an agent’s token of another colony: 403', async (name, endpoint) => {
    const got = await refusal(name, stranger.token, bodyOf(name, endpoint), addressOf(endpoint));
    expect(got).toEqual([403, 'forbidden']);
  });

  test.each(guarded.filter(([, { authorization }]) => ['admin', 'join'].includes(authorization)))(
    '%s with an agent’s own token: 403',
    async (name, endpoint) => {
      expect(await refusal(name, agent.token, bodyOf(name, endpoint), addressOf(endpoint))).toEqual([403, 'forbidden']);
    },
  );

  test.each(guarded.filter(([, { authorization }]) => authorization === 'agent'))(
    '%s with the administrator’s token: 403',
    async (name, endpoint) => {
      expect(await refusal(name, daemon.adminToken, bodyOf(name, endpoint), addressOf(endpoint))).toEqual([
        403,
        'forbidden',
      ]);
    },
  );

  test.each(guarded.filter(([, { authorization }]) => authorization !== 'join'))(
    '%s with a join token: refused',
    async (name, endpoint) => {
      const [status] = await refusal(name, 'ft_join_made-up', bodyOf(name, endpoint), addressOf(endpoint));
      expect([401, 403]).toContain(status);
    },
  );

  test('a join token that does not exist registers nobody', async () => {
    expect(await refusal('registerAgent', 'ft_join_made-up', { name: 'x' }, '/api/colonies/calls/agents')).toEqual([
      401,
      'unknown_join_token',
    ]);
  });

  test('[AU2] a ticket is for the agent’s own colony', async () => {
    expect(await refusal('createTicket', stranger.token, { colony: 'calls' }, '/api/tickets')).toEqual([
      403,
      'forbidden',
    ]);
  });

  test('[AU4] without a good token a colony that exists and one that does not look the same', async () => {
    for (const token of [null, 'nonsense']) {
      const one = await daemon.call('GET', '/api/colonies/calls', undefined, token);
      const none = await daemon.call('GET', '/api/colonies/nowhere', undefined, token);
      expect([none.status, none.body]).toEqual([one.status, one.body]);
    }
  });
});

describe('addresses and methods', () => {
  test.each(rows.filter(([, { path }]) => path.includes(':colony')))('%s of no colony: 404', async (name, endpoint) => {
    const address = addressOf(endpoint, 'nowhere');
    expect(await refusal(name, daemon.adminToken, bodyOf(name, endpoint), address)).toEqual(
      endpoint.authorization === 'agent' ? [403, 'forbidden'] : [404, 'unknown_colony'],
    );
  });

  test.each(rows.filter(([, { path }]) => /:(intent|agent|proposal|landing|attention)/.test(path)))(
    '%s of an id that names nothing: 404',
    async (name, endpoint) => {
      const [status, code] = await refusal(name, daemon.adminToken, bodyOf(name, endpoint), addressOf(endpoint));
      expect(status).toBe(404);
      expect(code).toMatch(/^unknown_(intent|agent|proposal|landing|attention)$/);
    },
  );

  test.each([
    '/',
    '/api',
    '/api/colony',
    '/api/colonies/calls/nothing',
    '/api/colonies/calls/intents/a/b',
    '/metrics/x',
  ])('[HA3] GET %s: 404', async (path) => {
    const answer = await daemon.call('GET', path);
    expect([answer.status, answer.body.error.code, answer.body.error.value]).toEqual([404, 'not_found', path]);
  });

  test.each(rows)('[HA3] the address of %s does not take every method, and says which', async (_, endpoint) => {
    const address = addressOf(endpoint);
    const options = await daemon.call('OPTIONS', address, undefined, null);
    expect(options.status).toBe(204);
    const allowed = options.headers.get('allow')?.split(', ') ?? [];
    expect(allowed).toContain(endpoint.method);
    const wrong = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((method) => !allowed.includes(method));
    expect(wrong.length).toBeGreaterThan(0);
    for (const method of wrong) {
      const answer = await daemon.call(method, address, method === 'GET' ? undefined : {});
      expect([answer.status, answer.body.error.code]).toEqual([405, 'method_not_allowed']);
      expect(answer.headers.get('allow')).toBe(options.headers.get('allow'));
    }
  });

  test('the live address without an upgrade: 426', async () => {
    const answer = await daemon.call('GET', '/api/colonies/calls/live');
    expect([answer.status, answer.body.error.code]).toEqual([426, 'upgrade_required']);
  });

  test('a page of another origin: 403', async () => {
    const headers = { origin: 'https://evil.example', authorization: `Bearer ${daemon.adminToken}` };
    expect(await sendRaw('GET', '/api/colonies', headers, [])).toEqual({ status: 403, code: 'origin_refused' });
    const own = await fetch(`${daemon.url}/api/health`, { headers: { origin: daemon.url } });
    expect([own.status, own.headers.get('access-control-allow-origin')]).toEqual([200, daemon.url]);
  });
});

describe('what is not a call', () => {
  function speak(text: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = new URL(daemon.url);
      let heard = '';
      const socket = connect(Number(port), hostname, () => socket.write(text));
      socket.on('data', (part) => {
        heard += part.toString();
      });
      socket.on('close', () => resolve(heard));
      socket.on('error', reject);
    });
  }

  test.each([
    ['nonsense\r\n\r\n', 400, 'malformed_call'],
    ['GET / HTTP/1.1\r\nhost: a b\u0001\r\n\r\n', 400, 'malformed_call'],
    [`GET /${'x'.repeat(40_000)} HTTP/1.1\r\nhost: x\r\n\r\n`, 431, 'head_too_large'],
  ])('is answered and ended (%#)', async (text, status, code) => {
    const answer = await speak(text);
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)).error.code).toBe(code);
  });

  test('dot segments in an address do not lead elsewhere', async () => {
    const call = (path: string) =>
      speak(
        `GET ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${daemon.adminToken}\r\nconnection: close\r\n\r\n`,
      );
    expect(await call('/api/colonies/calls/files/../../../../metrics')).toContain('"code":"invalid_address"');
    expect(await call('/api/colonies/calls/files/a/../../x')).toContain('"code":"path_outside"');
  });
});

describe('queries and bodies', () => {
  test.each(rows.filter(([name]) => name !== 'live'))('%s with an unknown query field: 422', async (name, endpoint) => {
    const address = `${addressOf(endpoint)}?surprise=1`;
    const answer = await daemon.call(endpoint.method, address, bodyOf(name, endpoint), rightToken(endpoint));
    expect([answer.status, answer.body.error.code]).toEqual([422, 'invalid_request']);
    const { problems } = answer.body.error.details;
    expect(problems.map(({ field }: { field: string }) => field)).toContain('surprise');
  });

  test.each(withJson)('%s with a body that is not JSON: 400', async (_, endpoint) => {
    const headers = { authorization: `Bearer ${rightToken(endpoint)}`, 'content-type': 'application/json' };
    for (const body of ['{', '"\ud800'.slice(0, 1), '[1,]', `${'['.repeat(50_000)}`]) {
      const sent = await sendRaw(endpoint.method, addressOf(endpoint), headers, [Buffer.from(body)]);
      expect(sent).toEqual({ status: 400, code: 'invalid_json' });
    }
  });

  test.each(withJson)('%s with JSON that is no object, or has a field too many: 422', async (name, endpoint) => {
    if (name === 'setDecidePolicy') return;
    const bodies = [[], 'text', 7, null, { ...(bodyOf(name, endpoint) as object), surprise: 1 }];
    for (const body of bodies) {
      const answer = await daemon.call(endpoint.method, addressOf(endpoint), body, rightToken(endpoint));
      expect([answer.status, answer.body.error.code]).toEqual([422, 'invalid_request']);
    }
  });

  test.each(withJson)('%s in another form than JSON: 415', async (_, endpoint) => {
    const authorization = `Bearer ${rightToken(endpoint)}`;
    for (const type of [{ 'content-type': 'application/xml' }, { 'content-type': 'multipart/form-data; boundary=x' }]) {
      const sent = await sendRaw(endpoint.method, addressOf(endpoint), { authorization, ...type }, [Buffer.from('{}')]);
      expect(sent).toEqual({ status: 415, code: 'unsupported_media_type' });
    }
    const zipped = { authorization, 'content-type': 'application/json', 'content-encoding': 'gzip' };
    expect(await sendRaw(endpoint.method, addressOf(endpoint), zipped, [Buffer.from('{}')])).toMatchObject({
      status: 415,
    });
  });

  test.each(rows.filter(([, { request }]) => request !== null))(
    '[BO1] %s with a body over its bound, announced or not: 413',
    async (_, endpoint) => {
      const headers = { authorization: `Bearer ${rightToken(endpoint)}`, 'content-type': 'application/json' };
      const announced = { ...headers, 'content-length': String(endpoint.bodyBytes + 1) };
      const sent = await new Promise<number>((resolve, reject) => {
        const call = httpRequest(`${daemon.url}${addressOf(endpoint)}`, {
          method: endpoint.method,
          headers: announced,
        });
        call.on('response', (response) => {
          resolve(response.statusCode ?? 0);
          call.destroy();
        });
        call.on('error', reject);
        call.flushHeaders();
      });
      expect(sent).toBe(413);
      if (endpoint.bodyBytes > 2_000_000) return;
      const part = Buffer.alloc(65_536, 0x20);
      const parts = Array.from({ length: Math.ceil(endpoint.bodyBytes / part.length) + 1 }, () => part);
      const chunked = { ...headers, 'transfer-encoding': 'chunked' };
      expect(await sendRaw(endpoint.method, addressOf(endpoint), chunked, parts)).toEqual({
        status: 413,
        code: 'body_too_large',
      });
    },
  );

  test('what common clients send unless told otherwise is taken as JSON', async () => {
    for (const type of [
      'text/plain;charset=UTF-8',
      'application/x-www-form-urlencoded',
      'application/merge-patch+json',
    ]) {
      const headers = { authorization: `Bearer ${daemon.adminToken}`, 'content-type': type };
      const sent = await sendRaw('POST', '/api/colonies/calls/trunk', headers, [Buffer.from('{"paused":1}')]);
      expect(sent).toEqual({ status: 422, code: 'invalid_request' });
    }
  });
});

describe('colonies', () => {
  test.each([
    [{ id: 'calls', empty: true }, 409, 'colony_exists'],
    [{ id: 'Bad Id', empty: true }, 422, 'invalid_request'],
    [{ id: '../x', empty: true }, 422, 'invalid_request'],
    [{ repo: { path: '/nowhere/at/all' } }, 422, 'repository_unusable'],
    [{ repo: { path: '/x', url: 'https://x' } }, 422, 'invalid_request'],
    [{ repo: { url: 'ext::sh -c touch% /tmp/firetrident-was-here' } }, 422, 'invalid_request'],
    [{ repo: { path: '--upload-pack=touch /tmp/firetrident-was-here' } }, 422, 'repository_unusable'],
    [{ empty: true, branch: '-x' }, 422, 'invalid_request'],
    [{ empty: true, branch: 'a..b' }, 422, 'invalid_request'],
    [{ empty: true, spec: 'no headings' }, 422, 'invalid_request'],
    [{ empty: true, policy: { merge: { 'a.toml': 'keys:sets' } } }, 422, 'policy_not_supported'],
    [{ empty: true, policy: { admission: { floor: 0 } } }, 422, 'invalid_request'],
    [{ empty: true, policy: { strict: ['['] } }, 422, 'glob_invalid'],
    [{ empty: true, policy: { leaseMs: 0 } }, 422, 'invalid_request'],
  ])('%j makes none', async (body, status, code) => {
    const before = (await daemon.expect(200, 'GET', '/api/colonies')).colonies.length;
    const answer = await daemon.call('POST', '/api/colonies', body);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect((await daemon.expect(200, 'GET', '/api/colonies')).colonies.length).toBe(before);
  });

  test.each([
    [{ merge: { 'a.toml': 'keys:sets' } }, 'policy_not_supported', 'merge'],
    [{ checks: ['x'] }, 'policy_not_supported', 'checks'],
    [{ decide: { enabled: true } }, 'policy_not_supported', 'decide'],
    [{ reads: { paths: { '[': 'none' } } }, 'glob_invalid', '['],
    [{ leaseMs: 1, colour: 1 }, 'invalid_request', 'colour'],
  ])('the policy %j is refused whole', async (policy, code, value) => {
    const error = await scene.refused(422, code, 'PATCH', '/policy', policy);
    expect(error.value).toBe(value);
  });

  test('a deletion must repeat the id', async () => {
    await scene.refused(409, 'confirmation_mismatch', 'DELETE', '', { confirm: 'other' });
  });
});

test('nothing of all this was applied', async () => {
  expect(await scene.sequence()).toBe(sequenceBefore);
  expect(scene.tip()).toBe(tipBefore);
  expect(daemon.log.filter((line) => line.includes('a call failed'))).toEqual([]);
});
