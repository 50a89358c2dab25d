// `firetrident init`: makes a colony from a repository.

import { basename, resolve } from 'node:path';
import { Command } from 'commander';
import { connect } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import type { CommandSettings } from '../program.ts';

interface InitOptions {
  readonly repo?: string;
  readonly empty?: boolean;
  readonly id?: string;
  readonly branch?: string;
  readonly setup?: string;
  readonly data?: string;
  readonly json?: boolean;
}

export function initCommand(settings: CommandSettings): Command {
  return new Command('init')
    .description('make a colony from a repository (default: the current one)')
    .option('--repo <path or url>', 'repository to import; it is not touched')
    .option('--empty', 'begin with an empty trunk')
    .option('--id <name>', 'name of the colony (default: the folder of the repository)')
    .option('--branch <name>', 'branch to land on (default: the one that the repository has checked out)')
    .option('--setup <command>', 'what makes a fresh checkout ready, for example "npm ci"')
    .option('--data <directory>', 'data directory of the daemon')
    .option('--json', 'print the colony as JSON')
    .action((options: InitOptions) => init(settings, options));
}

async function init(settings: CommandSettings, options: InitOptions): Promise<void> {
  const { configuration, output } = settings;
  const source = options.repo ?? (options.empty === true ? null : configuration.repository);
  if (source === null && options.empty !== true) {
    throw new CommandFailure('there is no repository here', 'name one with --repo, or begin with --empty', exitCodes.usage);
  }
  const client = connect(configuration, options.data);
  const id = options.id ?? colonyName(source ?? configuration.directory);
  const colony = await client.call('createColony', {
    body: {
      id,
      ...(source === null ? { empty: true } : { repo: repositorySource(source) }),
      ...(options.branch === undefined ? {} : { branch: options.branch }),
      ...(options.setup === undefined ? {} : { policy: { setup: options.setup } }),
    },
  });
  if (options.json === true) output.write(`${JSON.stringify(colony)}\n`);
  else {
    output.write(`Colony ${colony.id}: trunk ${colony.trunk.branch} at ${colony.trunk.commit.slice(0, 12)}\n`);
    output.write(`Repository: ${colony.repository}\nNext: firetrident intents add "what to do"\n`);
  }
}

/** A path on this machine, or an address for git. */
export function repositorySource(text: string): { path: string } | { url: string } {
  const isAddress = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || /^[^/\s]+@[^/\s]+:/.test(text);
  return isAddress ? { url: text } : { path: resolve(text) };
}

/** A colony's name from that of a folder or address. */
export function colonyName(source: string): string {
  const name = basename(source.replace(/\/+$/, ''), '.git')
    .toLowerCase()
    .replace(/[^a-z0-9-]+/g, '-')
    .replace(/^-+|-+$/g, '');
  return name === '' ? 'colony' : name.slice(0, 40);
}
