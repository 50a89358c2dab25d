// A colony of a live scenario: made on a repository with given files, worked on by agents that do as they are told.
//
//   SC1. The colony is deleted when the scenario is over, held or not, unless it is to stay.

import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@firetrident/client';
import type { ProposalStatusResponse, TakeGrantedResponse } from '@firetrident/protocol';
import type { LiveTarget } from './own-daemon.ts';

const outcomeMs = 60_000;

/** Where a scenario plays. */
export interface ScenarioPlace {
  readonly target: LiveTarget;
  /** Id of the colony that is made for it. */
  readonly colony: string;
  readonly keep: boolean;
  readonly progress?: (text: string) => void;
}

/** An agent with its lease. */
export interface AtWork {
  readonly client: Client;
  readonly granted: TakeGrantedResponse;
}

/** A file as a change writes it. */
export interface ScenarioWrite {
  readonly path: string;
  readonly content: string;
}

/** Makes the colony, plays, and deletes it (SC1). Rejects when a call is refused. */
export async function onScenarioColony<T>(
  place: ScenarioPlace,
  files: readonly ScenarioWrite[],
  play: (colony: ScenarioColony) => Promise<T>,
): Promise<T> {
  const admin = new Client({ url: place.target.url, token: place.target.adminToken });
  const { colony, keep } = place;
  const origin = await mkdtemp(join(tmpdir(), 'firetrident-scenario-'));
  try {
    await makeOrigin(origin, files);
    await admin.call('createColony', { body: { id: colony, repo: { path: origin } } });
  } finally {
    await rm(origin, { recursive: true, force: true });
  }
  try {
    return await play(new ScenarioColony(admin, colony));
  } finally {
    if (!keep) await admin.call('deleteColony', { parts: { colony }, body: { confirm: colony } });
  }
}

/** A repository that holds the files already: landings that bring them would count in the figures. */
async function makeOrigin(directory: string, files: readonly ScenarioWrite[]): Promise<void> {
  for (const { path, content } of files) {
    await mkdir(dirname(join(directory, path)), { recursive: true });
    await writeFile(join(directory, path), content);
  }
  const person = ['-c', 'user.name=bench', '-c', 'user.email=bench@firetrident.invalid'];
  for (const args of [
    ['init', '--quiet', '-b', 'main'],
    ['add', '.'],
    [...person, 'commit', '--quiet', '-m', 'the files of the scenario'],
  ])
    await promisify(execFile)('git', args, { cwd: directory });
}

/** The colony with what agents do on it. */
export class ScenarioColony {
  readonly admin: Client;
  readonly id: string;
  readonly parts: { readonly colony: string };

  constructor(admin: Client, id: string) {
    this.admin = admin;
    this.id = id;
    this.parts = { colony: id };
  }

  /** A registered agent. */
  async agent(name: string): Promise<Client> {
    const { token } = await this.admin.call('registerAgent', { parts: this.parts, body: { name, kind: 'bench' } });
    return new Client({ url: this.admin.url, token });
  }

  /** An intent on one path, taken by an agent, by its name. */
  async atWork(client: Client, title: string, path: string): Promise<AtWork> {
    const { parts } = this;
    const created = await this.admin.call('createIntents', { parts, body: { intents: [{ title, paths: [path] }] } });
    const intent = created.intents[0]?.id;
    if (intent === undefined) throw new Error('an intent was made without an id');
    const granted = await client.call('take', { parts, body: { intent } });
    if ('wait' in granted) throw new Error(`a named take waits: ${granted.wait.reason}`);
    return { client, granted };
  }

  /** Reads a file under the lease of the agent. */
  async read({ client }: AtWork, path: string): Promise<void> {
    await client.file(this.id, path);
  }

  /** Proposes, and waits for the outcome. */
  propose({ client, granted }: AtWork, writes: readonly ScenarioWrite[]): Promise<ProposalStatusResponse> {
    const { lease, base } = granted;
    const body = { lease: lease.id, epoch: lease.epoch, base: base.commit, writes: [...writes] };
    return client.call('propose', { parts: this.parts, query: { waitMs: outcomeMs }, body });
  }

  /** Says of a proposal that came back that the work still holds, and waits for the outcome. */
  confirm({ client, granted }: AtWork, proposal: ProposalStatusResponse['proposal']): Promise<ProposalStatusResponse> {
    const { id: lease, epoch } = granted.lease;
    const body = { lease, epoch, proposal, answer: 'confirm' as const };
    return client.call('repair', { parts: this.parts, query: { waitMs: outcomeMs }, body });
  }
}
