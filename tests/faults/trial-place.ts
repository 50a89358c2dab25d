// What is left after a kill, judged from the outside: files, references, processes and the states of intents.

import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@firetrident/client';
import { git } from '../support/git-repository.ts';

/** A file that an agent had written before it, its runner or its daemon was killed. */
export interface WrittenFile {
  readonly kind: string;
  /** The lease that it belongs to; its name and its content. */
  readonly token: string;
}

/** Where a written file is kept. */
export type Keeping = 'trunk' | 'preserved' | 'captured' | 'checkout' | 'lost';

/** What agents noted in the ledger, without what they took back themselves. */
export function writtenFiles(ledger: string): WrittenFile[] {
  const file = join(ledger, 'written');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  const gone = new Set(lines.filter((line) => line.startsWith('gone ')).map((line) => line.slice(5)));
  const files = new Map<string, WrittenFile>();
  for (const line of lines) {
    const [kind = '', token = ''] = line.split(' ');
    if (!gone.has(token)) files.set(token, { kind, token });
  }
  return [...files.values()];
}

function blobOf(token: string): string {
  const content = `${token}\n`;
  return createHash('sha1').update(`blob ${content.length}\0${content}`).digest('hex');
}

/** Objects that are reachable in a repository from these revisions. */
function reachable(repository: string, revisions: readonly string[]): string {
  return existsSync(repository) ? git(repository, ['rev-list', '--objects', ...revisions]) : '';
}

/** Where each file is kept: by the content of what git can reach, or by a checkout that the next start looks into. */
export function keepings(
  files: readonly WrittenFile[],
  { trunk, fleets }: { readonly trunk: string; readonly fleets: string },
): Map<string, Keeping> {
  const tip = git(trunk, ['ls-tree', '-r', 'main']);
  const preserved = reachable(trunk, ['--all', '--not', 'main']);
  const captured = reachable(join(fleets, 'captured.git'), ['--all']);
  const found = new Map<string, Keeping>();
  for (const { token } of files) {
    const blob = blobOf(token);
    if (tip.includes(blob)) found.set(token, 'trunk');
    else if (preserved.includes(blob)) found.set(token, 'preserved');
    else if (captured.includes(blob)) found.set(token, 'captured');
    else found.set(token, isInCheckout(fleets, token) ? 'checkout' : 'lost');
  }
  return found;
}

/** Whether a checkout of a fleet holds the file, in its files or in a repository inside. */
function isInCheckout(fleets: string, token: string): boolean {
  for (const run of readdirSync(fleets).filter((name) => name.startsWith('run-'))) {
    const folder = join(fleets, run, 'checkouts');
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      const places = [`out/${token}.txt`, `inner/${token}.txt`].map((path) => join(folder, name, path));
      if (places.some((place) => existsSync(place))) return true;
      if (existsSync(join(folder, name, '.git/objects', blobOf(token).slice(0, 2), blobOf(token).slice(2))))
        return true;
    }
  }
  return false;
}

/** Processes that a trial has left: agents and what they started, by their marker; gits and runners, by where they are at work. */
export function leftProcesses(marker: string, fleets: string): string[] {
  const left: string[] = [];
  for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    try {
      const line = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const place = readlinkSync(`/proc/${id}/cwd`);
      const isOfAgent = line.includes(marker) && !line.includes('trial-runner');
      if (isOfAgent || place.startsWith(fleets)) left.push(`${id} ${line.slice(0, 120)}`);
    } catch {
      // It ended while it was looked at, or is a zombie.
    }
  }
  return left;
}

/** Intents that nobody would go on with: held under a lease of an agent that no fleet knows of. */
export async function ownerless(client: Client, colony: string, fleets: string): Promise<string[]> {
  const known = new Set<string>();
  for (const run of readdirSync(fleets).filter((name) => name.startsWith('run-'))) {
    const file = join(fleets, run, 'agents.json');
    if (existsSync(file)) for (const id of JSON.parse(readFileSync(file, 'utf8')).agents as string[]) known.add(id);
  }
  const { agents } = await client.call('listAgents', { parts: { colony } });
  const working = agents.filter(({ state, id }) => state === 'working' && !known.has(id));
  return working.map(({ id, leases }) => `${id} holds ${leases.join(', ')} and no fleet knows of it`);
}
