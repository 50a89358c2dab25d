// `firetrident init`: makes a colony from a repository.

import { basename, resolve } from 'node:path';
import type { Client } from '@firetrident/client';
import type { Command } from 'commander';
import { connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import { type DaemonPlace, daemonCommand } from '../options.ts';
import type { CommandSettings } from '../program.ts';

interface InitOptions extends DaemonPlace {
  readonly repo?: string;
  readonly empty?: boolean;
  readonly id?: string;
  readonly branch?: string;
  readonly setup?: string;
  readonly json?: boolean;
}

/** The command `init`. */
export function initCommand(settings: CommandSettings): Command {
  return daemonCommand('init', 'make a colony from a repository (default: the current one)')
    .option('--repo <path or url>', 'repository to import; it is not touched')
    .option('--empty', 'begin with an empty trunk')
    .option('--id <name>', 'name of the colony (default: the folder of the repository)')
    .option('--branch <name>', 'branch to land on (default: the one that the repository has checked out)')
    .option('--setup <command>', 'what makes a fresh checkout ready, for example "npm ci"')
    .action((options: InitOptions) => init(settings, options));
}

async function init(settings: CommandSettings, options: InitOptions): Promise<void> {
  const { configuration, output } = settings;
  if (options.repo !== undefined && options.empty === true) {
    throw new CommandFailure('--repo and --empty exclude each other', 'give one of them', exitCodes.usage);
  }
  const source = options.repo ?? (options.empty === true ? null : configuration.repository);
  if (source === null && options.empty !== true) {
    throw new CommandFailure(
      'there is no repository here',
      'name one with --repo, or begin with --empty',
      exitCodes.usage,
    );
  }
  const client = connect(configuration, options);
  const id = options.id ?? colonyName(source ?? configuration.directory);
  const { branch, setup } = options;
  const colony = await createColony(client, {
    id,
    source: source === null ? null : resolveSource(configuration.directory, source),
    ...(branch === undefined ? {} : { branch }),
    ...(setup === undefined ? {} : { setup }),
  });
  if (options.json === true) {
    output.write(`${JSON.stringify(colony)}\n`);
    return;
  }
  output.write(`Colony ${colony.id}: trunk ${colony.trunk.branch} at ${colony.trunk.commit.slice(0, 12)}\n`);
  output.write(`Repository: ${colony.repository}\nNext: firetrident intents add "what to do"\n`);
}

/** What a colony is made from; without a source its trunk is empty. */
export interface ColonyDraft {
  readonly id: string;
  readonly source: string | null;
  readonly branch?: string;
  readonly setup?: string;
}

/** Makes a colony. */
export function createColony(client: Client, draft: ColonyDraft) {
  const { id, source, branch, setup } = draft;
  return client.call('createColony', {
    body: {
      id,
      ...(source === null ? { empty: true } : { repo: isAddress(source) ? { url: source } : { path: source } }),
      ...(branch === undefined ? {} : { branch }),
      ...(setup === undefined ? {} : { policy: { setup } }),
    },
  });
}

/** A path made absolute; an address as it is. */
export function resolveSource(directory: string, text: string): string {
  return isAddress(text) ? text : resolve(directory, text);
}

/** Whether git would fetch this from elsewhere: an address with a scheme, or the short form of ssh. */
function isAddress(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^[^/\s]+@[^/\s]+:/.test(text);
}

/** A colony's name from that of a folder or address. */
export function colonyName(source: string): string {
  const name = basename(source.replace(/\/+$/, '').replace(/\/\.git$/, ''), '.git')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .slice(0, 40)
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'colony' : name;
}
