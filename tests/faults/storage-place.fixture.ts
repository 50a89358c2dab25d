// What the tests of full and read-only disks run inside a mount namespace of their own: daemons whose data lies on a
// small or read-only file system. Says as JSON what happened. Arguments: the scenario, the directory.

import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client, ClientError } from '@firetrident/client';
import { type DaemonProcess, startDaemonProcess } from './daemon-process.ts';
import { type Ending, repositoryViolations } from './repository-check.ts';

type Facts = Record<string, unknown>;

const colony = 'place';
const agentCount = 4;
/** Refusals that are waited for before room is made. */
const refusalsWanted = 25;

interface Sent {
  readonly proposal: string;
  readonly path: string;
  readonly content: string;
}

/** Agents at work on a daemon, with everything that was acknowledged and every refusal by status, code and hint. */
class Work {
  readonly admin: Client;
  readonly sent: Sent[] = [];
  readonly refusals = new Map<string, number>();
  readonly #url: string;
  readonly #bytes: number;
  #tokens: string[] = [];
  #changes = 0;

  constructor({ url, adminToken }: DaemonProcess, bytes: number) {
    this.admin = new Client({ url, token: adminToken, attempts: 1 });
    this.#url = url;
    this.#bytes = bytes;
  }

  async found(): Promise<void> {
    await this.admin.call('createColony', { body: { id: colony, empty: true } });
    for (let number = 0; number < agentCount; number += 1) {
      const body = { name: `agent ${number}` };
      this.#tokens.push((await this.admin.call('registerAgent', { parts: { colony }, body })).token);
    }
  }

  /** One change of every agent; a refusal is noted and not repeated. */
  async round(): Promise<void> {
    await Promise.all(this.#tokens.map((token) => this.#change(token).catch((error: unknown) => this.#note(error))));
  }

  async #change(token: string): Promise<void> {
    this.#changes += 1;
    const number = this.#changes;
    const client = new Client({ url: this.#url, token, attempts: 1 });
    const parts = { colony };
    const body = { intents: [{ title: `change ${number}` }] };
    const intent = (await this.admin.call('createIntents', { parts, body })).intents[0]?.id;
    if (intent === undefined) throw new Error('an intent was made');
    const taken = await client.call('take', { parts, body: { intent } });
    if ('wait' in taken) return;
    const path = `d${number % 8}/f${number}.txt`;
    const content = `${randomBytes(this.#bytes / 2).toString('hex')}\n`;
    const { lease, base } = taken;
    const { proposal } = await client.call('propose', {
      parts,
      body: { lease: lease.id, epoch: lease.epoch, base: base.commit, writes: [{ path, content }] },
    });
    this.sent.push({ proposal, path, content });
  }

  #note(error: unknown): void {
    if (!(error instanceof ClientError)) throw error;
    const what = error.kind === 'refused' ? `${error.status} ${error.code}: ${error.hint}` : error.kind;
    this.refusals.set(what, (this.refusals.get(what) ?? 0) + 1);
  }

  get refused(): number {
    return [...this.refusals.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Calls that only look; gives their statuses. */
  async look(): Promise<number[]> {
    const statuses: number[] = [];
    for (const name of ['readColony', 'listLandings', 'listIntents', 'listAttention'] as const) {
      await this.admin.call(name, { parts: { colony } }).then(
        () => statuses.push(200),
        (error: ClientError) => statuses.push(error.status ?? 0),
      );
    }
    return statuses;
  }

  /** Waits for the outcome of everything acknowledged; gives what stock git contradicts, and how much landed. */
  async settled(): Promise<{ readonly landed: number; readonly violations: readonly string[] }> {
    const endings: Ending[] = [];
    for (const { proposal, path, content } of this.sent) {
      const ask = () => this.admin.call('readProposal', { parts: { colony, proposal }, query: { waitMs: 5_000 } });
      let status = await ask();
      while (status.state === 'queued') status = await ask();
      endings.push({ proposal, state: status.state, commit: status.commit ?? null, path, content });
    }
    const { repository } = await this.admin.call('readColony', { parts: { colony } });
    const landed = endings.filter(({ state }) => state === 'landed').length;
    return { landed, violations: repositoryViolations(repository, endings) };
  }

  async attention(): Promise<string[]> {
    const { attention } = await this.admin.call('listAttention', { parts: { colony } });
    return attention.map(({ kind, message }) => `${kind}: ${message}`);
  }
}

/** Works until the disk is full and stays so, makes room, and works on. */
async function full(directory: string): Promise<Facts> {
  const ballast = join(directory, 'ballast');
  writeFileSync(ballast, Buffer.alloc(5_000_000));
  const daemon = await startDaemonProcess(join(directory, 'data'));
  const work = new Work(daemon, 40_000);
  await work.found();
  while (work.refused < refusalsWanted) await work.round();
  const acknowledged = work.sent.length;
  const looked = await work.look();
  const other = { body: { id: 'other', empty: true } };
  const creating = await work.admin.call('createColony', other).then(
    () => 'made',
    (error: ClientError) => `${error.status} ${error.code}`,
  );
  const refusals = Object.fromEntries(work.refusals);
  rmSync(ballast);
  while (work.sent.length < acknowledged + 8) {
    await work.round();
    await setTimeout(100);
  }
  const settled = await work.settled();
  const log = daemon.log.filter((line) => line.includes('no room') || line.includes('full'));
  const exit = await daemon.stop();
  return { acknowledged, looked, creating, refusals, ...settled, sent: work.sent.length, said: log.length > 0, exit };
}

/** The repository alone becomes read-only while agents work, and is made writable again. */
async function trunkReadOnly(directory: string): Promise<Facts> {
  const daemon = await startDaemonProcess(join(directory, 'data'));
  const work = new Work(daemon, 400);
  await work.found();
  await work.round();
  const before = await work.settled();
  const { repository } = await work.admin.call('readColony', { parts: { colony } });
  execFileSync('mount', ['--bind', repository, repository]);
  execFileSync('mount', ['-o', 'remount,bind,ro', repository]);
  await work.round();
  while ((await work.attention()).length === 0) await setTimeout(50);
  const attention = await work.attention();
  const queued = (await work.admin.call('readColony', { parts: { colony } })).queued;
  execFileSync('mount', ['-o', 'remount,bind,rw', repository]);
  const settled = await work.settled();
  const later = await work.attention();
  const refusals = Object.fromEntries(work.refusals);
  return { before: before.landed, attention, queued, ...settled, later, refusals, exit: await daemon.stop() };
}

/** A start on a directory that is read-only: empty, then with data in it. */
async function readOnlyStart(directory: string): Promise<Facts> {
  const refused = () =>
    startDaemonProcess(join(directory, 'data')).then(
      () => 'started',
      (error: Error) => error.message,
    );
  const remount = (how: string) => execFileSync('mount', ['-o', `remount,bind,${how}`, directory]);
  execFileSync('mount', ['--bind', directory, directory]);
  remount('ro');
  const empty = await refused();
  remount('rw');
  mkdirSync(join(directory, 'data'));
  const daemon = await startDaemonProcess(join(directory, 'data'));
  await new Work(daemon, 400).found();
  const exit = await daemon.stop();
  remount('ro');
  const withData = await refused();
  remount('rw');
  const again = await startDaemonProcess(join(directory, 'data'));
  return { empty, withData, exit, later: await again.stop() };
}

const scenarios: Record<string, (directory: string) => Promise<Facts>> = { full, trunkReadOnly, readOnlyStart };
const [scenario, directory] = process.argv.slice(2);
const facts = await scenarios[scenario ?? '']?.(directory ?? '');
writeSync(1, `${JSON.stringify(facts)}\n`);
