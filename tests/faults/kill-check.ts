// What must hold after any number of kills: nothing acknowledged lost, nothing landed twice, trunk and notes agree.

import type { Client } from '@firetrident/client';
import { type Acknowledged, loadColony } from './load.ts';
import { type Ending, repositoryViolations } from './repository-check.ts';

/** Every violation found, as sentences; none is what a test expects. */
export async function violations(client: Client, acknowledged: ReadonlyMap<string, Acknowledged>): Promise<string[]> {
  const { repository } = await client.call('readColony', { parts: { colony: loadColony } });
  const found: string[] = [];
  const endings: Ending[] = [];
  for (const { proposal, path, content, outcome } of acknowledged.values()) {
    if (outcome === null) {
      found.push(`${proposal} was acknowledged and has no outcome`);
      continue;
    }
    const status = await client.call('readProposal', { parts: { colony: loadColony, proposal } });
    if (status.state !== outcome.state) found.push(`${proposal} was told ${outcome.state} and is now ${status.state}`);
    endings.push({ proposal, state: outcome.state, commit: outcome.commit, path, content });
  }
  return [...found, ...repositoryViolations(repository, endings)];
}
