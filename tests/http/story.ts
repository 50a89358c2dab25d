// Short stories over HTTP: a colony, and workers that take, propose and repair.
//
// Every answer is checked against the schema of its endpoint by the scene below; a step that is answered otherwise than
// the story says throws with what was answered.

import { join } from 'node:path';
import type { TestAnswer, TestDaemon } from '../support/daemon.ts';
import { type FileContent, git, gitBytes } from '../support/git-repository.ts';
import { Scene, type SceneAgent } from '../support/scene.ts';

/** What becomes of a path: text, null to delete it, or the fields of a write. */
export type Put = string | null | object;
export type Puts = Readonly<Record<string, Put>>;

/** The writes of a request. */
export function writesOf(puts: Puts): object[] {
  return Object.entries(puts).map(([path, put]) => {
    if (put === null) return { path, delete: true };
    return typeof put === 'string' ? { path, content: put } : { path, ...put };
  });
}

/** Lines "1" to "9", with some of them replaced: text in which changes are easily kept apart. */
export function nineLines(changed: Readonly<Record<number, string>> = {}): string {
  return Array.from({ length: 9 }, (_, index) => `${changed[index + 1] ?? `line ${index + 1}`}\n`).join('');
}

let stories = 0;

/** A colony of its own. */
export class Story {
  readonly scene: Scene;

  private constructor(scene: Scene) {
    this.scene = scene;
  }

  /** Makes a colony from these files. */
  static async open(
    daemon: TestDaemon,
    files: Readonly<Record<string, FileContent>> = { 'README.md': '# Story\n' },
    policy: object = {},
  ): Promise<Story> {
    stories += 1;
    return new Story(await Scene.open(daemon, `story-${stories}`, files, policy));
  }

  /** A colony that is there already. */
  static async of(daemon: TestDaemon, id: string): Promise<Story> {
    return new Story(await Scene.of(daemon, id));
  }

  /** Makes an administrator's call; answers its body. */
  admin(status: number, method: string, path: string, body?: unknown) {
    return this.scene.expect(status, method, path, body);
  }

  policy(change: object) {
    return this.admin(200, 'PATCH', '/policy', change);
  }

  pause() {
    return this.admin(200, 'POST', '/trunk', { paused: true });
  }

  resume() {
    return this.admin(200, 'POST', '/trunk', { paused: false });
  }

  register(name = 'ada', more: object = {}): Promise<SceneAgent> {
    return this.admin(201, 'POST', '/agents', { name, ...more }).then(({ agentId, token }) => ({ id: agentId, token }));
  }

  intent(title: string, more: object = {}): Promise<string> {
    return this.scene.intent(title, more);
  }

  /** Where an intent stands. */
  read(intent: string) {
    return this.admin(200, 'GET', `/intents/${intent}`);
  }

  /** Asks for work as an agent; the raw answer. */
  ask(agent: SceneAgent, wish: object = {}) {
    return this.scene.expect(200, 'POST', '/take', wish, agent.token);
  }

  /** Takes: the intent that is named, or the one that is given. */
  async take(agent: SceneAgent, wish: object = {}): Promise<Worker> {
    const taken = await this.ask(agent, wish);
    if (taken.lease === undefined) throw new Error(`nothing was given: ${JSON.stringify(taken)}`);
    return new Worker(this, agent, taken);
  }

  /** A fresh agent at work on a fresh intent. */
  async work(title: string, more: object = {}): Promise<Worker> {
    const intent = await this.intent(title, more);
    return this.take(await this.register(`agent of ${title.split('\n')[0]}`), { intent });
  }

  /** Lands a change by a fresh agent. */
  async land(title: string, puts: Puts, more: object = {}) {
    return (await this.work(title)).landed(puts, more);
  }

  /** A file at the tip of trunk, asked of git. */
  file(path: string): string {
    return git(this.scene.repository, ['show', `main:${path}`]);
  }

  bytes(path: string): Buffer {
    return gitBytes(this.scene.repository, ['show', `main:${path}`]);
  }

  /** Mode of a path at the tip; "" when nothing is there. */
  mode(path: string): string {
    return git(this.scene.repository, ['ls-tree', 'main', '--', path]).slice(0, 6);
  }

  git(...args: string[]): string {
    return git(this.scene.repository, args).trim();
  }

  /** Someone without the colony commits and pushes with stock git. */
  pushByHand(title: string, files: Readonly<Record<string, string>>, more: readonly string[] = []): string {
    stories += 1;
    const clone = join(this.scene.daemon.directory, `clone-${stories}`);
    git(this.scene.daemon.directory, ['clone', '-q', this.scene.repository, clone]);
    for (const [path, content] of Object.entries(files)) {
      const blob = git(clone, ['hash-object', '-w', '--stdin'], Buffer.from(content)).trim();
      git(clone, ['update-index', '--add', '--cacheinfo', `100644,${blob},${path}`]);
    }
    git(clone, ['commit', '-q', '-m', title, ...more]);
    git(clone, ['push', '-q', '--force', 'origin', 'HEAD:main']);
    return git(clone, ['rev-parse', 'HEAD']).trim();
  }

  /** Asks until `holds`; for what only time brings about. */
  async until<T>(ask: () => Promise<T>, holds: (answer: T) => boolean): Promise<T> {
    for (;;) {
      const answer = await ask();
      if (holds(answer)) return answer;
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  }

  /** The landings of proposals, in the order of trunk. */
  async order(...workers: readonly Worker[]): Promise<string[]> {
    const { landings } = await this.admin(200, 'GET', '/landings?limit=1000');
    const intents = new Set(workers.map((worker) => worker.intent));
    const own = landings.filter(({ intent }: { intent: string }) => intents.has(intent));
    return own.map(({ title }: { title: string }) => title).reverse();
  }
}

/** An agent at work under one lease. */
export class Worker {
  readonly story: Story;
  readonly agent: SceneAgent;
  readonly intent: string;
  readonly lease: string;
  readonly epoch: number;
  readonly base: string;
  readonly expiresAt: string;
  /** The proposal that was sent last. */
  last = '';

  // biome-ignore lint/suspicious/noExplicitAny: the form of the answer was checked when it came
  constructor(story: Story, agent: SceneAgent, taken: any) {
    this.story = story;
    this.agent = agent;
    this.intent = taken.intent.id;
    this.lease = taken.lease.id;
    this.epoch = taken.lease.epoch;
    this.expiresAt = taken.lease.expiresAt;
    this.base = taken.base.commit;
  }

  get holder(): { lease: string; epoch: number } {
    return { lease: this.lease, epoch: this.epoch };
  }

  call(method: string, path: string, body?: unknown): Promise<TestAnswer> {
    return this.story.scene.call(method, path, body, this.agent.token);
  }

  expect(status: number, method: string, path: string, body?: unknown) {
    return this.story.scene.expect(status, method, path, body, this.agent.token);
  }

  /** Makes a call that carries the lease and must be refused. */
  refused(status: number, code: string, verb: string, body: object = {}) {
    return this.story.scene.refused(status, code, 'POST', `/${verb}`, { ...this.holder, ...body }, this.agent.token);
  }

  /** A propose that must be refused. */
  proposeRefused(status: number, code: string, puts: Puts, more: object = {}) {
    return this.refused(status, code, 'propose', { base: this.base, writes: writesOf(puts), ...more });
  }

  /** Proposes without waiting; gives the id. */
  async send(puts: Puts, more: object = {}): Promise<string> {
    const body = { ...this.holder, base: this.base, writes: writesOf(puts), ...more };
    const { proposal } = await this.expect(202, 'POST', '/propose', body);
    this.last = proposal;
    return proposal;
  }

  /** Proposes and waits for the outcome. */
  async propose(puts: Puts, more: object = {}) {
    const body = { ...this.holder, base: this.base, writes: writesOf(puts), ...more };
    const status = await this.expect(200, 'POST', '/propose?waitMs=60000', body);
    this.last = status.proposal;
    return status;
  }

  /** The outcome of a proposal, once it has one. */
  outcome(proposal = this.last) {
    const ask = () => this.expect(200, 'GET', `/proposals/${proposal}?waitMs=60000`);
    return this.story.until(ask, ({ state }) => state !== 'queued');
  }

  /** Answers the last return and waits for the outcome. */
  async repair(answer: 'confirm' | 'amend' | 'redo', puts: Puts = {}, more: object = {}) {
    const content = answer === 'confirm' ? {} : { writes: writesOf(puts) };
    const body = { ...this.holder, proposal: this.last, answer, ...content, ...more };
    const status = await this.expect(200, 'POST', '/repair?waitMs=60000', body);
    this.last = status.proposal;
    return status;
  }

  landed(puts: Puts, more: object = {}) {
    return this.propose(puts, more).then((status) => inState('landed', status));
  }

  returned(puts: Puts, more: object = {}) {
    return this.propose(puts, more).then((status) => inState('returned', status));
  }

  /** Has `inBetween` happen, so that whatever this worker read or wrote there has moved; then proposes. */
  async late(inBetween: () => Promise<unknown>, puts: Puts, more: object = {}) {
    await inBetween();
    return this.propose(puts, more);
  }

  heartbeat(claims: readonly string[] = []) {
    return this.expect(200, 'POST', '/heartbeat', { ...this.holder, claims });
  }

  /** Lets the lease run out: its last heartbeat gives it hardly any time. */
  async expire(): Promise<void> {
    await this.story.policy({ leaseMs: 1 });
    await this.heartbeat();
    await this.story.policy({ leaseMs: 600_000 });
    await this.story.until(
      () => this.story.read(this.intent),
      ({ state }) => state === 'open',
    );
  }

  release() {
    return this.expect(200, 'POST', '/release', this.holder);
  }

  complete(why = 'nothing to do') {
    return this.expect(200, 'POST', '/complete', { ...this.holder, why });
  }

  fail(why = 'too hard') {
    return this.expect(200, 'POST', '/fail', { ...this.holder, why });
  }

  stop() {
    return this.story.admin(200, 'POST', `/agents/${this.agent.id}/stop`, {});
  }

  /** Reads a file over HTTP, which counts as a read. */
  async open(path: string, at?: string): Promise<string> {
    const answer = await this.call('GET', `/files/${path}${at === undefined ? '' : `?at=${at}`}`);
    return answer.bytes.toString('utf8');
  }

  /** What is kept of this worker's work, once a ref holds it. */
  async preserved() {
    const ask = async () => {
      const { preserved } = await this.story.admin(200, 'GET', '/preserved');
      return preserved.find(({ agent }: { agent: string }) => agent === this.agent.id);
    };
    return this.story.until(ask, (kept) => kept !== undefined);
  }
}

// biome-ignore lint/suspicious/noExplicitAny: the form of the answer was checked when it came
function inState(state: string, status: any) {
  if (status.state !== state) throw new Error(`not ${state}: ${JSON.stringify(status)}`);
  return status;
}
