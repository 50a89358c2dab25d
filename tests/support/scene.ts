// A colony on a test daemon with the few steps that most stories over HTTP are made of.

import { join } from 'node:path';
import { type Endpoint, endpoints } from '@firetrident/protocol';
import type { TestAnswer, TestDaemon } from './daemon.ts';
import { type FileContent, git, makeRepository } from './git-repository.ts';

/** A registered agent. */
export interface SceneAgent {
  readonly id: string;
  readonly token: string;
}

/** A lease of an agent. */
export interface SceneLease {
  readonly agent: SceneAgent;
  readonly intent: string;
  readonly lease: string;
  readonly epoch: number;
  readonly base: string;
}

/** One colony. Every answer is checked against the schema of its endpoint. */
export class Scene {
  readonly daemon: TestDaemon;
  readonly id: string;
  /** Address of the colony. */
  readonly address: string;
  /** Directory of its bare repository. */
  readonly repository: string;

  private constructor(daemon: TestDaemon, id: string, repository: string) {
    this.daemon = daemon;
    this.id = id;
    this.address = `/api/colonies/${id}`;
    this.repository = repository;
  }

  /** Makes a colony from these files. */
  static async open(
    daemon: TestDaemon,
    id: string,
    files: Readonly<Record<string, FileContent>>,
    policy: object = {},
  ): Promise<Scene> {
    const source = join(daemon.directory, `source-${id}`);
    makeRepository(source, files);
    const made = await daemon.expect(201, 'POST', '/api/colonies', { id, repo: { path: source }, policy });
    return new Scene(daemon, id, made.repository);
  }

  /** A colony that is there already. */
  static async of(daemon: TestDaemon, id: string): Promise<Scene> {
    const { repository } = await daemon.expect(200, 'GET', `/api/colonies/${id}`);
    return new Scene(daemon, id, repository);
  }

  /** Makes a call below the colony's address; checks the form of the answer. */
  async call(method: string, path: string, body?: unknown, token?: string | null): Promise<TestAnswer> {
    const answer = await this.daemon.call(method, `${this.address}${path}`, body, token);
    if (answer.body !== null) checkForm(method, `${this.address}${path}`, answer);
    return answer;
  }

  /** Makes a call that must answer with this status; gives its body. */
  async expect(status: number, method: string, path: string, body?: unknown, token?: string | null) {
    const answer = await this.call(method, path, body, token);
    if (answer.status === status) return answer.body;
    throw new Error(`${method} ${path} answered ${answer.status}, not ${status}: ${answer.bytes.toString('utf8')}`);
  }

  /** Makes a call that must be refused with this status and code; gives the error. */
  async refused(status: number, code: string, method: string, path: string, body?: unknown, token?: string | null) {
    const answer = await this.call(method, path, body, token);
    if (answer.status === status && answer.body?.error?.code === code) return answer.body.error;
    throw new Error(
      `${method} ${path} answered ${answer.status} ${answer.bytes.toString('utf8')}, not ${status} ${code}`,
    );
  }

  async agent(name: string): Promise<SceneAgent> {
    const { agentId, token } = await this.expect(201, 'POST', '/agents', { name });
    return { id: agentId, token };
  }

  async intent(title: string, more: object = {}): Promise<string> {
    const { intents } = await this.expect(201, 'POST', '/intents', { intents: [{ title, ...more }] });
    return intents[0].id;
  }

  /** Registers an agent unless one is given, makes an intent, and takes it. */
  async take(title: string, agent?: SceneAgent): Promise<SceneLease> {
    const intent = await this.intent(title);
    const who = agent ?? (await this.agent(`agent of ${title}`));
    const taken = await this.expect(200, 'POST', '/take', { intent }, who.token);
    return { agent: who, intent, lease: taken.lease.id, epoch: taken.lease.epoch, base: taken.base.commit };
  }

  /** Body of a propose under a lease. */
  propose(lease: SceneLease, writes: readonly object[], more: object = {}): object {
    return { lease: lease.lease, epoch: lease.epoch, base: lease.base, writes, ...more };
  }

  /** Takes, proposes and waits until it landed; gives the status. */
  async land(title: string, writes: readonly object[], agent?: SceneAgent) {
    const lease = await this.take(title, agent);
    const status = await this.outcome(lease, this.propose(lease, writes));
    if (status.state !== 'landed') throw new Error(`${title} did not land: ${JSON.stringify(status)}`);
    return { ...status, lease };
  }

  /** Proposes and waits for the outcome. */
  async outcome(lease: SceneLease, body: object) {
    const answer = await this.call('POST', '/propose?waitMs=60000', body, lease.agent.token);
    if (answer.status !== 200) throw new Error(`propose answered ${answer.status} ${answer.bytes.toString('utf8')}`);
    return answer.body;
  }

  /** The newest commit of trunk, asked of git. */
  tip(): string {
    return git(this.repository, ['rev-parse', 'refs/heads/main']).trim();
  }

  /** The newest sequence of the colony's journal. */
  async sequence(): Promise<number> {
    const colony = this.daemon.running.colonies.get(this.id);
    let sequence = 0;
    for (;;) {
      const events = await colony?.events(sequence, 1_000);
      const last = events?.ok === true ? events.value.at(-1) : undefined;
      if (last === undefined) return sequence;
      sequence = last.sequence;
    }
  }
}

/** The row of the endpoint table that an address belongs to. */
function endpointOf(method: string, path: string): Endpoint | undefined {
  const target = path.split('?')[0] ?? '';
  return Object.values<Endpoint>(endpoints).find((endpoint) => {
    const pattern = endpoint.path.replace(/\/\*path$/, '(/.*)?').replace(/:\w+/g, '[^/]+');
    return endpoint.method === method && new RegExp(`^${pattern}$`).test(target);
  });
}

/** Throws when an answer does not have the form that the endpoint table promises. */
function checkForm(method: string, path: string, answer: TestAnswer): void {
  const endpoint = endpointOf(method, path);
  if (answer.status >= 400) {
    const { code, message, next, hint } = answer.body.error;
    if ([code, message, next, hint].some((text) => typeof text !== 'string'))
      throw new Error(JSON.stringify(answer.body));
    return;
  }
  if (endpoint === undefined || typeof endpoint.response === 'string') return;
  const checked = endpoint.response.safeParse(answer.body);
  if (!checked.success) throw new Error(`${method} ${path} answered in another form: ${checked.error.message}`);
}
