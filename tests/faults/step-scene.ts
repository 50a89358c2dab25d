// A colony on a daemon that dies at a step, and on the daemon that is started after it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IntentId, LeaseId } from '@firetrident/base';
import { Client, ClientError } from '@firetrident/client';
import { git, temporaryDirectory } from '../support/git-repository.ts';
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts';
import { type Ending, repositoryViolations } from './repository-check.ts';
import type { Step } from './step-names.ts';

const program = new URL('./step-daemon.ts', import.meta.url).pathname;
const colony = 'steps';

/** A taken intent. */
export interface SceneLease {
  readonly client: Client;
  readonly lease: LeaseId;
  readonly epoch: number;
  readonly base: string;
}

interface Sent {
  readonly client: Client;
  readonly proposal: string;
  readonly path: string;
  readonly content: string;
}

/** The story of one step: before the kill, the kill, and what a fresh start makes of it. */
export class StepScene {
  readonly #place = temporaryDirectory('firetrident-step-');
  readonly #step: Step;
  readonly #tokens: string[] = [];
  #daemon: DaemonProcess | null = null;
  #sent: Sent[] = [];
  #intents = 0;

  constructor(step: Step) {
    this.#step = step;
  }

  /** The administrator's client to the daemon that runs now. */
  get admin(): Client {
    const { url, adminToken } = this.#running;
    return new Client({ url, token: adminToken, attempts: 1 });
  }

  /** Log lines of the daemon that runs now. */
  get log(): readonly string[] {
    return this.#running.log;
  }

  get #running(): DaemonProcess {
    if (this.#daemon === null) throw new Error('a daemon runs');
    return this.#daemon;
  }

  /** Bare repository that may be an upstream. */
  get elsewhere(): string {
    return join(this.#place.path, 'elsewhere.git');
  }

  /** Lets landings wait until they stand elsewhere. */
  async follow(): Promise<void> {
    git(this.#place.path, ['init', '-q', '--bare', '-b', 'main', this.elsewhere]);
    const body = { url: this.elsewhere, mode: 'upstream', pushesPerMinute: 300 } as const;
    await this.admin.call('setUpstream', { parts: { colony }, body });
  }

  /** Starts the daemon that will die, with a colony, agents, and one landing so that notes are there. */
  async found(): Promise<void> {
    const environment = { FAULT_STEP: this.#step, FAULT_ARMED_FILE: this.#armedFile };
    this.#daemon = await startDaemonProcess(this.#data, { program, environment });
    await this.admin.call('createColony', { body: { id: colony, empty: true } });
    for (let number = 0; number < 5; number += 1) {
      const { token } = await this.admin.call('registerAgent', {
        parts: { colony },
        body: { name: `agent ${number}` },
      });
      this.#tokens.push(token);
    }
    await this.propose(await this.take(0), 'base.txt', 'base\n');
    await this.settle();
  }

  /** The step kills from now on. */
  arm(): void {
    writeFileSync(this.#armedFile, '');
  }

  /** Does something that the daemon does not survive; what it answers, if anything, is of no account. */
  async dieBy(deed: () => Promise<unknown>): Promise<void> {
    await deed().catch((error: unknown) => {
      if (!(error instanceof ClientError)) throw error;
    });
    if ((await this.#running.ended) !== null) throw new Error('the daemon was to be killed by a signal');
  }

  /** SIGTERM. */
  async terminate(): Promise<void> {
    await this.#running.stop();
  }

  /** Starts a plain daemon on what was left. */
  async restart(): Promise<void> {
    this.#daemon = await startDaemonProcess(this.#data);
  }

  /** Takes a fresh intent. */
  async take(agent: number): Promise<SceneLease> {
    const token = this.#tokens[agent] as string;
    this.#intents += 1;
    const { intents } = await this.admin.call('createIntents', {
      parts: { colony },
      body: { intents: [{ title: `work ${this.#intents}` }] },
    });
    const client = new Client({ url: this.#running.url, token, attempts: 1 });
    const intent = intents[0]?.id as IntentId;
    const taken = await client.call('take', { parts: { colony }, body: { intent } });
    if ('wait' in taken) throw new Error(taken.wait.reason);
    return { client, lease: taken.lease.id, epoch: taken.lease.epoch, base: taken.base.commit };
  }

  /** Proposes one file, and keeps what was acknowledged. */
  async propose({ client, lease, epoch, base }: SceneLease, path: string, content: string): Promise<string> {
    const body = { lease, epoch, base, writes: [{ path, content }] };
    const { proposal } = await client.call('propose', { parts: { colony }, body });
    this.#sent.push({ client, proposal, path, content });
    return proposal;
  }

  async release({ client, lease, epoch }: SceneLease): Promise<void> {
    await client.call('release', { parts: { colony }, body: { lease, epoch } });
  }

  async pause(paused: boolean): Promise<void> {
    await this.admin.call('setTrunk', { parts: { colony }, body: { paused } });
  }

  /** Waits for the outcome of everything that was acknowledged; gives the states in order of proposing. */
  async settle(): Promise<string[]> {
    return (await this.#endings()).map(({ state }) => state);
  }

  async #endings(): Promise<Ending[]> {
    // A connection kept from before a kill may lead to nobody: what only asks is asked again.
    const { url, adminToken } = this.#running;
    const client = new Client({ url, token: adminToken });
    const endings: Ending[] = [];
    for (const { proposal, path, content } of this.#sent) {
      const parts = { colony, proposal };
      let status = await client.call('readProposal', { parts, query: { waitMs: 5_000 } });
      while (status.state === 'queued') status = await client.call('readProposal', { parts, query: { waitMs: 5_000 } });
      const commit = status.state === 'landed' ? (status.commit ?? null) : null;
      endings.push({ proposal, state: status.state, commit, path, content });
    }
    return endings;
  }

  /** Everything that stock git and the daemon contradict; none is what a test expects. */
  async violations(): Promise<string[]> {
    const endings = await this.#endings();
    const { landings } = await this.admin.call('listLandings', { parts: { colony } });
    const told = endings.filter(({ state }) => state === 'landed').length;
    const repository = await this.repository();
    const garbage = /^garbage: (\d+)$/m.exec(git(repository, ['count-objects', '-v']))?.[1];
    const { preserved } = await this.admin.call('listPreserved', { parts: { colony } });
    return [
      ...repositoryViolations(repository, endings, preserved),
      ...(garbage === '0' ? [] : [`${garbage} files in the object folders belong to nothing`]),
      ...(landings.length === told ? [] : [`${told} proposals landed, and there are ${landings.length} landings`]),
    ];
  }

  async repository(): Promise<string> {
    return (await this.admin.call('readColony', { parts: { colony } })).repository;
  }

  /** Content of a path on a ref, by stock git. */
  async show(ref: string, path: string): Promise<string> {
    return git(await this.repository(), ['show', `${ref}:${path}`]);
  }

  /** Branches of recovery that the log names. */
  branches(): string[] {
    return this.log.flatMap((line) => /"branch":"([a-z-]+)"/.exec(line)?.[1] ?? []);
  }

  /** Stops what runs and removes the files. */
  async end(): Promise<void> {
    await this.#daemon?.kill();
    this.#place.remove();
  }

  get #data(): string {
    return join(this.#place.path, 'data');
  }

  get #armedFile(): string {
    return join(this.#place.path, 'armed');
  }
}
