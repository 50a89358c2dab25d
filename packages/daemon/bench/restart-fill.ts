// Fills a data directory for the restart bench, through the engine's own commands, and then waits to be killed.
//
// The last snapshot is as far back as the engine ever lets it be when this says so.

import type { AgentId, IntentId } from '@firetrident/base';
import { defaultPolicy, type LeaseGrant } from '@firetrident/core';
import { type Colony, snapshotEveryEvents } from '@firetrident/engine';
import { openColonies } from '../src/compose.ts';

const [data = '', eventsText = '', intentsText = '', leasesText = ''] = process.argv.slice(2);
const wanted = { events: Number(eventsText), openIntents: Number(intentsText), leases: Number(leasesText) };
/** Commands submitted together: they share appends. */
const together = 2_000;

const silent = {
  info: () => undefined,
  warn: () => undefined,
  error: (message: string, facts?: object) => console.error(message, facts),
};
const broken = (error: unknown) => {
  throw error;
};
const colonies = await openColonies({ dataDirectory: data, log: silent, broken });
const made = await colonies.create({ id: 'restart', source: { kind: 'empty' }, branch: null, policy: defaultPolicy });
if (!made.ok) throw new Error(made.error.code);
const colony = made.value;

await createIntents(colony, wanted.openIntents + wanted.leases);
const grants = await takeLeases(colony, wanted.leases);
while (!isFarFromSnapshot(colony)) await heartbeats(colony, grants);
console.log(JSON.stringify(colony.journal));
// The engine's own timers do not keep the process alive; this does, until it is killed.
setInterval(() => undefined, 1_000);

/** Whether enough events are there and the next snapshot is due with the next commands. */
function isFarFromSnapshot({ journal }: Colony): boolean {
  const distance = journal.sequence - journal.snapshotSequence;
  return journal.sequence >= wanted.events && distance > snapshotEveryEvents - 2 * together;
}

async function createIntents(target: Colony, count: number): Promise<void> {
  for (let start = 0; start < count; start += 500) {
    const drafts = Array.from({ length: Math.min(500, count - start) }, (_, index) => ({
      title: `piece of work ${start + index}`,
      body: 'What to do, in a sentence of ordinary length, as a person would write it.',
      paths: [`src/part${(start + index) % 200}/**`],
      priority: index % 5,
      after: [] as IntentId[],
      parent: null,
      labels: ['bench'],
      key: null,
    }));
    const created = await target.createIntents(drafts);
    if (!created.ok) throw new Error(created.error.code);
  }
}

async function takeLeases(target: Colony, count: number): Promise<{ agent: AgentId; grant: LeaseGrant }[]> {
  const taken: { agent: AgentId; grant: LeaseGrant }[] = [];
  const { intents } = { intents: [...target.state.intents.keys()] };
  for (let number = 0; number < count; number += 1) {
    const registered = await target.submit({
      kind: 'register-agent',
      name: `agent ${number}`,
      agentKind: 'bench',
      labels: [],
      workspace: 'ref',
      tokenHash: `hash ${number}`,
      joinTokenHash: null,
    });
    if (!registered.ok) throw new Error(registered.error.code);
    const { agent } = registered.value;
    const answer = await target.take({ agent, intent: intents[number] ?? null, paths: [], labels: [], waitMs: 0 });
    if (!answer.ok || answer.value.kind !== 'grant') throw new Error('no lease');
    taken.push({ agent, grant: answer.value.grant });
  }
  return taken;
}

async function heartbeats(target: Colony, leases: readonly { agent: AgentId; grant: LeaseGrant }[]): Promise<void> {
  const beats = Array.from({ length: together }, (_, index) => {
    const { agent, grant } = leases[index % leases.length] as { agent: AgentId; grant: LeaseGrant };
    return target.submit({ kind: 'heartbeat', agent, lease: grant.lease, epoch: grant.epoch, claims: [] });
  });
  for (const beat of await Promise.all(beats)) if (!beat.ok) throw new Error(beat.error.code);
}
