// Which daemon and which colony a command speaks to.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@firetrident/client';
import { adminTokenPath } from '@firetrident/daemon';
import type { CliConfiguration } from './config.ts';
import { exitCodes } from './exit-codes.ts';
import { CommandFailure } from './failure.ts';

/** The file in a data directory that says where its daemon serves. */
export function daemonFile(data: string): string {
  return join(data, 'daemon.json');
}

/** A client of the daemon that FT_URL and FT_TOKEN name, or of the one that serves the data directory. */
export function connect(configuration: CliConfiguration, data: string = configuration.data): Client {
  if (configuration.url !== null) {
    if (configuration.token === null) {
      throw new CommandFailure(
        'FT_URL is set and FT_TOKEN is not',
        'set FT_TOKEN to the admin token of that daemon',
        exitCodes.usage,
      );
    }
    return new Client({ url: configuration.url, token: configuration.token });
  }
  const file = daemonFile(data);
  if (!existsSync(file)) {
    throw new CommandFailure(`no daemon serves ${data}`, 'start one with: firetrident up', exitCodes.unreachable);
  }
  const { url } = JSON.parse(readFileSync(file, 'utf8')) as { url: string };
  const token = configuration.token ?? readFileSync(adminTokenPath(data), 'utf8').trim();
  return new Client({ url, token });
}

/** The colony that was named, or the only one there is. */
export async function chooseColony(client: Client, named: string | undefined): Promise<string> {
  if (named !== undefined) return named;
  const { colonies } = await client.call('listColonies');
  const only = colonies[0];
  if (colonies.length === 1 && only !== undefined) return only.id;
  if (colonies.length === 0) throw new CommandFailure('there is no colony yet', 'make one with: firetrident init');
  throw new CommandFailure(
    'there are several colonies',
    `name one with --colony: ${colonies.map((colony) => colony.id).join(', ')}`,
  );
}
