// A colony as a person makes it with `firetrident up`, the scripted model, and one vendor's agent between them, with a home
// of its own.
//
//   AS1. An agent sees of this machine's environment only where programs are; no key, no setting, no home of a person.

import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client } from '@firetrident/client';
import { agentPrograms, agentsDirectory, programFolder } from '../../tools/agents/catalogue.ts';
import { type CommandLineScene, mortalScene } from '../cli/scene.ts';
import { git } from '../support/git-repository.ts';
import { type ScriptedModel, startScriptedModel } from './model/scripted-model.ts';
import { type Outside, startOutside } from './outside.ts';
import { type Vendor, vendorSettings } from './vendor-settings.ts';

const entry = fileURLToPath(new URL('../../packages/cli/src/main.mjs', import.meta.url));
const colony = 'web';

/** How a program ended. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

interface Parts {
  readonly scene: CommandLineScene;
  readonly model: ScriptedModel;
  readonly outside: Outside;
  readonly home: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Everything that one test plays on. */
export class Stage {
  readonly model: ScriptedModel;
  readonly outside: Outside;
  readonly #parts: Parts;
  readonly #running = new Set<ChildProcess>();

  private constructor(parts: Parts) {
    this.#parts = parts;
    this.model = parts.model;
    this.outside = parts.outside;
  }

  static async open(vendor: Vendor, files: Readonly<Record<string, string>>): Promise<Stage> {
    const [scene, model, outside] = await Promise.all([mortalScene(files), startScriptedModel(), startOutside()]);
    await scene.run(0, ['init', '--id', colony]);
    // Not among temporary files, where one vendor's agent does not want to live.
    mkdirSync(agentsDirectory, { recursive: true });
    const home = mkdtempSync(join(agentsDirectory, 'home-'));
    // (AS1)
    const folders = [
      ...agentPrograms.map(programFolder),
      dirname(process.execPath),
      '/usr/local/bin',
      '/usr/bin',
      '/bin',
    ];
    const environment = {
      PATH: folders.join(':'),
      HOME: home,
      USER: 'tester',
      LANG: 'C.UTF-8',
      ...outside.environment,
      ...vendorSettings[vendor]({ home, project: scene.repository, model: model.url }),
    };
    return new Stage({ scene, model, outside, home, environment });
  }

  /** Runs the command line of this product in the environment of the agent, to which it hands that on. */
  readonly firetrident = (args: readonly string[]): Promise<ProgramEnd> =>
    this.program(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...args]);

  /** Adds an intent, and answers its id. */
  async intent(title: string, body = ''): Promise<`int_${string}`> {
    const { intents } = await this.#client.call('createIntents', {
      parts: { colony },
      body: { intents: [{ title, body }] },
    });
    const [made] = intents;
    if (made === undefined) throw new Error(`no intent was made of ${title}`);
    return made.id;
  }

  /** The state of an intent. */
  async stateOf(intent: `int_${string}`): Promise<string> {
    const client = this.#client;
    return (await client.call('readIntent', { parts: { colony, intent } })).state;
  }

  /** Lands a change of one file as another agent. */
  async landAsAnother(title: string, write: { readonly path: string; readonly content: string }): Promise<void> {
    const client = this.#client;
    const parts = { colony };
    const intent = await this.intent(title);
    const { token } = await client.call('registerAgent', { parts, body: { name: 'another' } });
    const another = new Client({ ...this.#access, token });
    const taken = await another.call('take', { parts, body: { intent } });
    if (!('lease' in taken)) throw new Error(`nothing was given: ${JSON.stringify(taken)}`);
    const { id: lease, epoch } = taken.lease;
    const body = { lease, epoch, base: taken.base.commit, writes: [write] };
    const outcome = await another.call('propose', { parts, body, query: { waitMs: 60_000 } });
    if (outcome.state !== 'landed') throw new Error(`${title} did not land: ${JSON.stringify(outcome)}`);
  }

  /** Starts a program of the vendor in the project, with nothing on its standard input, and waits for its end. */
  readonly program = async (name: string, args: readonly string[]): Promise<ProgramEnd> => {
    const { scene, environment: env } = this.#parts;
    const child = spawn(name, [...args], { cwd: scene.repository, env, stdio: ['ignore', 'pipe', 'pipe'] });
    this.#running.add(child);
    const ended = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    const [code, output, errors] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
    this.#running.delete(child);
    return { code, output, errors };
  };

  /** A file of trunk, asked of git. */
  trunkFile(path: string): string {
    return this.#parts.scene.trunkFile(colony, path);
  }

  /** The landing at the tip of trunk, from its lineage note. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into notes that they themselves judge
  note(): any {
    const repository = join(this.#data, 'colonies', colony, 'trunk.git');
    return JSON.parse(git(repository, ['notes', '--ref=firetrident', 'show', 'main'])).landings[0];
  }

  /** Ends everything, an agent that hangs too. */
  async close(): Promise<void> {
    for (const child of this.#running) child.kill('SIGKILL');
    const { scene, model, outside, home } = this.#parts;
    await Promise.all([model.close(), outside.close(), scene.remove()]);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }

  get #client(): Client {
    return new Client(this.#access);
  }

  get #data(): string {
    return join(this.#parts.scene.repository, '.firetrident');
  }

  get #access() {
    const { url } = JSON.parse(readFileSync(join(this.#data, 'daemon.json'), 'utf8')) as { url: string };
    return { url, token: readFileSync(join(this.#data, 'admin-token'), 'utf8').trim() };
  }
}
