// The tests with real agents: fetches what the catalogue names, then runs tests/agents and nothing else. Apart from
// `npm test`, because it needs the network once, 2.1 GB of disk, and minutes. Arguments go to vitest: `npm run test:agents -- -t claude`.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { agentPrograms, catalogue, cataloguedOn } from './agents/catalogue.ts';
import { installAgents } from './agents/install.ts';
import { EntryError } from './entry/failure.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

async function main(vitestArguments: readonly string[]): Promise<void> {
  await installAgents();
  const versions = agentPrograms.map((program) => `${program} ${catalogue[program].version}`);
  console.log(`Agents of ${cataloguedOn}: ${versions.join(', ')}`);
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs');
  const options = ['run', '--config', 'tests/agents/vitest.config.ts', ...vitestArguments];
  const child = spawn(process.execPath, [vitest, ...options], { cwd: root, stdio: 'inherit' });
  const [code] = await once(child, 'close');
  process.exitCode = code ?? 1;
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof EntryError)) throw error;
  process.stderr.write(`firetrident: ${error.message}\n  ${error.hint}\n`);
  process.exitCode = 1;
}
