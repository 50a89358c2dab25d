// Fetches the agents of the catalogue with npm, each into a folder of its own.
//
//   AI1. A folder appears by one rename once its program could be started, so an interrupted fetch leaves none.
//   AI2. What is there is not fetched again; nothing asks the network then.
//   AI3. Of all install scripts only the catalogued package's own runs, and only where it has one that is needed.

import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { withLock } from '../entry/lock.mjs';
import { runQuietly } from '../entry/processes.mjs';
import { childEnvironment, sayWaiting } from '../entry/toolchain.mjs';
import {
  type AgentProgram,
  agentFolder,
  agentPrograms,
  agentsDirectory,
  type CataloguedAgent,
  catalogue,
} from './catalogue.ts';

const hint = 'Check the network and the npm configuration, then start again.';
const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', '--loglevel=error'];

/** Fetches what is missing, and says so on standard error. */
export async function installAgents(): Promise<void> {
  if (agentPrograms.every(isThere)) return; // (AI2)
  await mkdir(agentsDirectory, { recursive: true });
  await withLock(join(agentsDirectory, 'lock'), sayWaiting, async (held) => {
    for (const name of await readdir(agentsDirectory)) {
      if (name.startsWith('fetch-')) await rm(join(agentsDirectory, name), { recursive: true, force: true });
    }
    for (const program of agentPrograms) {
      if (!isThere(program)) await fetchAgent(program, (pid) => held.installing(pid));
    }
  });
}

function isThere(program: AgentProgram): boolean {
  return existsSync(agentFolder(program));
}

async function fetchAgent(program: AgentProgram, started: (pid: number) => void): Promise<void> {
  const agent: CataloguedAgent = catalogue[program];
  const wanted = `${agent.package}@${agent.version}`;
  process.stderr.write(`firetrident: fetching ${wanted} with npm\n`);
  const staging = await mkdtemp(join(agentsDirectory, 'fetch-'));
  await writeFile(join(staging, 'package.json'), '{"private":true}\n');
  const running = { cwd: staging, env: childEnvironment(process.execPath), started, hint };
  await runQuietly('npm', ['install', ...options, wanted], running);
  if (agent.hasInstallScript) await runQuietly('npm', ['rebuild', '--foreground-scripts', agent.package], running); // (AI3)
  // What a program keeps in its home is none of the person's.
  const alone = { ...running, env: { ...running.env, HOME: staging } };
  await runQuietly(join(staging, 'node_modules/.bin', program), ['--version'], alone);
  await rename(staging, agentFolder(program)); // (AI1)
}
