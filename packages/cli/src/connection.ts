// Which daemon and which colony a command speaks to: a flag, else the environment, else the data directory.

import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@firetrident/client';
import type { CliConfiguration } from './config.ts';
import { exitCodes } from './exit-codes.ts';
import { CommandFailure } from './failure.ts';
import type { DaemonPlace } from './options.ts';

/** The file in a data directory that says where its daemon serves. */
export function daemonFile(data: string): string {
  return join(data, 'daemon.json');
}

/** The file in a data directory that holds the administrator's token. */
export function adminTokenFile(data: string): string {
  return join(data, 'admin-token');
}

/** The data directory that was named, or the usual one. */
export function dataDirectory(configuration: CliConfiguration, place: DaemonPlace): string {
  return place.data === undefined ? configuration.data : resolve(configuration.directory, place.data);
}

/** Address and token of a daemon. */
export interface DaemonAccess {
  readonly url: string;
  readonly token: string;
}

/** A client of the daemon at the address that was named, or of the one that serves the data directory. */
export function connect(configuration: CliConfiguration, place: DaemonPlace): Client {
  return new Client(daemonAccess(configuration, place));
}

/** How to reach the daemon that a command is to speak to. */
export function daemonAccess(configuration: CliConfiguration, place: DaemonPlace): DaemonAccess {
  // A data directory on the command line is meant, whatever the environment says.
  const url = place.url ?? (place.data === undefined ? configuration.url : null);
  const data = dataDirectory(configuration, place);
  if (url !== null) return { url: readAddress(url), token: configuration.token ?? localToken(data, url) };
  const serving = servingAddress(data);
  if (serving === null) {
    const flag = place.data === undefined ? '' : ` --data ${place.data}`;
    throw new CommandFailure(
      `no daemon serves ${data}`,
      `start one with: firetrident up${flag}`,
      exitCodes.unreachable,
    );
  }
  const token = place.data === undefined ? configuration.token : null;
  return { url: serving, token: token ?? requireToken(data) };
}

/** Where the daemon of a data directory said that it serves, or null. It may have been killed since. */
export function servingAddress(data: string): string | null {
  const file = daemonFile(data);
  if (!existsSync(file)) return null;
  try {
    const { url } = JSON.parse(readFileSync(file, 'utf8')) as { url?: unknown };
    if (typeof url === 'string') return url;
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${(error as Error).message}`, 'start the daemon again');
  }
  throw new CommandFailure(`${file} names no address`, 'start the daemon again');
}

function readAddress(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text;
  throw new CommandFailure(
    `"${text}" is no address of a daemon`,
    'it looks like http://127.0.0.1:7400',
    exitCodes.usage,
  );
}

/** The token of the local daemon, which goes to that daemon and to nobody else. */
function localToken(data: string, url: string): string {
  if (url.replace(/\/+$/, '') === servingAddress(data)) return requireToken(data);
  throw new CommandFailure(
    `FT_TOKEN is not set for the daemon at ${url}`,
    'set it to the admin token of that daemon',
    exitCodes.usage,
  );
}

function requireToken(data: string): string {
  const file = adminTokenFile(data);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new CommandFailure(
    `the admin token ${file} is not there`,
    'restart the daemon: it makes a token where none is',
  );
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
