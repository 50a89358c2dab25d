// Runs one landing story through the public HTTP interface of a daemon.

import { join } from 'node:path';
import { expect } from 'vitest';
import type { TestDaemon } from '../support/daemon.ts';
import { type FileContent, git, gitBytes, makeRepository } from '../support/git-repository.ts';

type CaseWrite = string | null | { readonly content: string; readonly mode: string };

/** One step of a story; exactly one of the verbs is there. */
interface CaseStep {
  readonly take?: string;
  readonly propose?: string;
  readonly refused?: string;
  readonly repair?: string;
  readonly pause?: boolean;
  readonly settle?: boolean;
  readonly expire?: string;
  readonly intent?: string;
  readonly writes?: Readonly<Record<string, CaseWrite>>;
  readonly reads?: readonly object[];
  readonly key?: string;
  readonly code?: string;
  readonly answer?: string;
}

interface CaseExpectation {
  readonly state: string;
  readonly merged?: readonly string[];
  readonly unchanged?: readonly string[];
  readonly landings?: number;
  readonly returns?: number;
  readonly preserved?: boolean;
  readonly reads?: readonly {
    readonly path?: string;
    readonly dir?: string;
    readonly symbol?: string;
    readonly causedBy: string;
  }[];
  readonly writes?: readonly { readonly path: string; readonly kind: string; readonly causedBy: string }[];
}

export interface LandingCase {
  readonly name: string;
  readonly why: string;
  readonly base: Readonly<Record<string, FileContent>>;
  readonly steps: readonly CaseStep[];
  readonly expect: Readonly<Record<string, CaseExpectation>> & {
    readonly order?: readonly string[];
    readonly exactlyOneOf?: readonly string[];
  };
  readonly trunk?: Readonly<Record<string, FileContent | null>>;
}

interface CaseAgent {
  readonly id: string;
  readonly token: string;
  readonly intent: string;
  readonly lease: string;
  readonly epoch: number;
  readonly base: string;
  readonly proposals: string[];
}

/** Plays one story and checks everything that it expects. */
export class CaseRunner {
  readonly #daemon: TestDaemon;
  readonly #story: LandingCase;
  readonly #colony: string;
  readonly #agents = new Map<string, CaseAgent>();
  readonly #intents = new Map<string, string>();
  #repository = '';

  constructor(daemon: TestDaemon, story: LandingCase) {
    this.#daemon = daemon;
    this.#story = story;
    this.#colony = `/api/colonies/${story.name}`;
  }

  async play(): Promise<void> {
    const source = join(this.#daemon.directory, `source-${this.#story.name}`);
    makeRepository(source, this.#story.base);
    await this.#daemon.expect(201, 'POST', '/api/colonies', { id: this.#story.name, repo: { path: source } });
    this.#repository = (await this.#daemon.expect(200, 'GET', this.#colony)).repository;
    for (const step of this.#story.steps) await this.#step(step);
    await this.#check();
  }

  async #step(step: CaseStep): Promise<void> {
    if (step.take !== undefined) return this.#take(step.take, step.intent);
    if (step.propose !== undefined) return this.#propose(step.propose, step);
    if (step.refused !== undefined) return this.#refused(step.refused, step);
    if (step.repair !== undefined) return this.#repair(step.repair, step);
    if (step.pause !== undefined) {
      await this.#daemon.expect(200, 'POST', `${this.#colony}/trunk`, { paused: step.pause });
      return;
    }
    if (step.settle !== undefined) return this.#settle();
    if (step.expire !== undefined) return this.#expire(step.expire);
    throw new Error(`unknown step ${JSON.stringify(step)}`);
  }

  async #take(name: string, titled: string | undefined): Promise<void> {
    const title = titled ?? `work of ${name}`;
    const intent = this.#intents.get(title) ?? (await this.#createIntent(title));
    const { agentId, token } = await this.#daemon.expect(201, 'POST', `${this.#colony}/agents`, { name });
    const taken = await this.#daemon.expect(200, 'POST', `${this.#colony}/take`, { intent }, token);
    const { lease, base } = taken;
    this.#agents.set(name, {
      id: agentId,
      token,
      intent,
      lease: lease.id,
      epoch: lease.epoch,
      base: base.commit,
      proposals: [],
    });
  }

  async #createIntent(title: string): Promise<string> {
    const { intents } = await this.#daemon.expect(201, 'POST', `${this.#colony}/intents`, { intents: [{ title }] });
    this.#intents.set(title, intents[0].id);
    return intents[0].id;
  }

  #body(agent: CaseAgent, step: CaseStep): object {
    return {
      lease: agent.lease,
      epoch: agent.epoch,
      ...(step.key === undefined ? {} : { key: step.key }),
      writes: Object.entries(step.writes ?? {}).map(([path, write]) => {
        if (write === null) return { path, delete: true };
        return typeof write === 'string' ? { path, content: write } : { path, ...write };
      }),
      reads: step.reads ?? [],
    };
  }

  async #propose(name: string, step: CaseStep): Promise<void> {
    const agent = this.#agent(name);
    const answer = await this.#daemon.call(
      'POST',
      `${this.#colony}/propose`,
      { ...this.#body(agent, step), base: agent.base },
      agent.token,
    );
    expect([200, 202], JSON.stringify(answer.body)).toContain(answer.status);
    agent.proposals.push(answer.body.proposal);
  }

  async #refused(name: string, step: CaseStep): Promise<void> {
    const agent = this.#agent(name);
    const answer = await this.#daemon.call(
      'POST',
      `${this.#colony}/propose`,
      { ...this.#body(agent, step), base: agent.base },
      agent.token,
    );
    expect(answer.body.error?.code, JSON.stringify(step)).toBe(step.code);
    expect(answer.status).toBe(422);
  }

  async #repair(name: string, step: CaseStep): Promise<void> {
    const agent = this.#agent(name);
    const proposal = agent.proposals[agent.proposals.length - 1];
    const { writes, reads, ...rest } = this.#body(agent, step) as { writes: unknown[]; reads: unknown[] };
    const content = step.answer === 'confirm' ? {} : { writes, reads };
    const body = { ...rest, ...content, proposal, answer: step.answer };
    const answer = await this.#daemon.call('POST', `${this.#colony}/repair`, body, agent.token);
    expect([200, 202], JSON.stringify(answer.body)).toContain(answer.status);
    agent.proposals.push(answer.body.proposal);
  }

  async #settle(): Promise<void> {
    for (const agent of this.#agents.values())
      for (const proposal of agent.proposals) await this.#outcome(agent, proposal);
  }

  async #outcome(agent: CaseAgent, proposal: string) {
    for (;;) {
      const status = await this.#daemon.expect(
        200,
        'GET',
        `${this.#colony}/proposals/${proposal}?waitMs=10000`,
        undefined,
        agent.token,
      );
      if (status.state !== 'queued') return status;
    }
  }

  /** Lets a lease run out: its last heartbeat gives it hardly any time. */
  async #expire(name: string): Promise<void> {
    const { intent, lease, epoch, token } = this.#agent(name);
    await this.#daemon.expect(200, 'PATCH', `${this.#colony}/policy`, { leaseMs: 1 });
    await this.#daemon.expect(200, 'POST', `${this.#colony}/heartbeat`, { lease, epoch }, token);
    await this.#daemon.expect(200, 'PATCH', `${this.#colony}/policy`, { leaseMs: 600_000 });
    for (;;) {
      const { intents } = await this.#daemon.expect(200, 'GET', `${this.#colony}/intents?state=open`);
      if (intents.some((open: { id: string }) => open.id === intent)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  #agent(name: string): CaseAgent {
    const agent = this.#agents.get(name);
    if (agent === undefined) throw new Error(`no agent ${name}`);
    return agent;
  }

  async #landings(): Promise<{ landing: string; proposal: string; commit: string }[]> {
    return (await this.#daemon.expect(200, 'GET', `${this.#colony}/landings?limit=100`)).landings;
  }

  async #check(): Promise<void> {
    const { order, exactlyOneOf, ...expected } = this.#story.expect;
    const landings = await this.#landings();
    for (const [name, expectation] of Object.entries(expected))
      await this.#checkAgent(this.#agent(name), expectation as CaseExpectation, landings);
    if (order !== undefined) {
      const landed = [...landings].reverse().map((landing) => this.#nameOf(landing.proposal));
      expect(landed).toEqual(order);
    }
    if (exactlyOneOf !== undefined) {
      const states = await Promise.all(exactlyOneOf.map(async (name) => (await this.#last(this.#agent(name))).state));
      expect(states.sort()).toEqual(['landed', ...exactlyOneOf.slice(1).map(() => 'returned')]);
    }
    for (const [path, file] of Object.entries(this.#finalFiles())) this.#checkFile(path, file);
    git(this.#repository, ['fsck', '--strict']);
  }

  #last(agent: CaseAgent) {
    return this.#outcome(agent, agent.proposals[agent.proposals.length - 1] as string);
  }

  #nameOf(proposal: string): string | undefined {
    return [...this.#agents].find(([, agent]) => agent.proposals.includes(proposal))?.[0];
  }

  async #checkAgent(
    agent: CaseAgent,
    expected: CaseExpectation,
    landings: readonly { landing: string; proposal: string; commit: string }[],
  ): Promise<void> {
    const last = await this.#last(agent);
    expect(last.state, JSON.stringify(last)).toBe(expected.state);
    if (expected.merged !== undefined) expect(last.merged).toEqual(expected.merged);
    if (expected.unchanged !== undefined) expect(last.unchanged).toEqual(expected.unchanged);
    const own = landings.filter((landing) => agent.proposals.includes(landing.proposal));
    if (expected.landings !== undefined) expect(own.length).toBe(expected.landings);
    if (expected.returns !== undefined) {
      const states = await Promise.all(
        [...new Set(agent.proposals)].map(async (proposal) => (await this.#outcome(agent, proposal)).state),
      );
      expect(states.filter((state) => state === 'returned').length).toBe(expected.returns);
    }
    const causedBy = (landing: string) => this.#nameOf(landings.find((one) => one.landing === landing)?.proposal ?? '');
    if (expected.reads !== undefined) {
      const named = last.brief.reads.map((read: { landing: string }) => ({
        ...read,
        causedBy: causedBy(read.landing),
      }));
      expect(named).toEqual(expected.reads.map((read) => expect.objectContaining(read)));
    }
    if (expected.writes !== undefined) {
      const named = last.brief.writes.map((write: { landing: string }) => ({
        ...write,
        causedBy: causedBy(write.landing),
      }));
      expect(named).toEqual(expected.writes.map((write) => expect.objectContaining(write)));
    }
    if (expected.preserved === true) await this.#checkPreserved(agent);
  }

  async #checkPreserved(agent: CaseAgent): Promise<void> {
    const { preserved } = await this.#daemon.expect(200, 'GET', `${this.#colony}/preserved`);
    const mine = preserved.find((one: { agent: string }) => one.agent === agent.id);
    expect(mine).toBeDefined();
    expect(git(this.#repository, ['rev-parse', mine.ref]).trim()).toBe(mine.commit);
    const proposed = this.#story.steps.find(
      (step) => step.propose !== undefined && this.#agent(step.propose) === agent,
    );
    for (const [path, content] of Object.entries(proposed?.writes ?? {})) {
      expect(git(this.#repository, ['show', `${mine.ref}:${path}`])).toBe(content);
    }
  }

  /** The story's trunk, and the files of base that no story step writes. */
  #finalFiles(): Record<string, FileContent | null> {
    const written = new Set(this.#story.steps.flatMap((step) => Object.keys(step.writes ?? {})));
    const untouched = Object.entries(this.#story.base).filter(([path]) => !written.has(path));
    return { ...Object.fromEntries(untouched), ...this.#story.trunk };
  }

  #checkFile(path: string, file: FileContent | null): void {
    const listed = git(this.#repository, ['ls-tree', 'main', '--', path]).trim();
    if (file === null) {
      expect(listed, path).toBe('');
      return;
    }
    const content = typeof file === 'string' ? file : file.content;
    expect(gitBytes(this.#repository, ['show', `main:${path}`]).toString('utf8'), path).toBe(content);
    if (typeof file !== 'string') expect(listed.slice(0, 6), path).toBe(file.mode);
  }
}
