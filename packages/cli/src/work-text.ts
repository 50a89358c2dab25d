// The work of a checkout that `take` made, for a person: whose lease, until when, and what comes next.

import { oneLine } from '@firetrident/base';
import { Client } from '@firetrident/client';
import { reservedText } from './brief-text.ts';
import { servingAddress } from './connection.ts';
import type { WorkState } from './work-state.ts';

/** What the colony says of a checkout's work; `expiresAt` is null while the clock of the lease stands still. */
export interface WorkStanding {
  readonly intent: WorkState['intent'];
  readonly lease: string;
  readonly expiresAt: string | null;
  /** What was proposed last and is not settled, or came back; null for nothing. */
  readonly proposal: string | null;
  readonly state: 'working' | 'queued' | 'returned';
  /** Until when what it needs is kept still; null without a reservation. */
  readonly reservedUntil: string | null;
}

/** A client that speaks as the agent of a checkout. */
export function workClient(work: WorkState, url?: string): Client {
  return new Client({ url: url ?? servingAddress(work.data) ?? work.url, token: work.token });
}

/** Asks the colony how the work stands, and keeps its lease by doing so. Rejects as calls do, when the lease is over too. */
export async function workStanding(work: WorkState): Promise<WorkStanding> {
  const client = workClient(work);
  const parts = { colony: work.colony };
  const { lease, epoch, intent } = work;
  const { expiresAt } = await client.call('heartbeat', { parts, body: { lease, epoch } });
  const proposal = work.pending?.id ?? work.returned?.id ?? null;
  const status = proposal === null ? null : await client.call('readProposal', { parts: { ...parts, proposal } });
  const state = work.returned !== null ? 'returned' : status?.state === 'queued' ? 'queued' : 'working';
  return { intent, lease, expiresAt, proposal, state, reservedUntil: status?.reserved?.until ?? null };
}

/** The same in words. */
export function standingText(standing: WorkStanding): string {
  const { intent, lease, expiresAt, proposal, state, reservedUntil } = standing;
  const lines = [`Work here: ${intent.id}  ${oneLine(intent.title, 200)}`];
  lines.push(expiresAt === null ? `Lease ${lease}: its clock stands still` : `Lease ${lease}: runs until ${expiresAt}`);
  if (state === 'queued') lines.push(`Proposed: ${proposal} is queued; for its outcome: firetrident propose`);
  else if (state === 'returned')
    lines.push(`Came back: ${proposal}; look through the files, then: firetrident propose`);
  else if (proposal !== null) lines.push(`Proposed: ${proposal} is settled; for its outcome: firetrident propose`);
  const reserved = reservedUntil === null ? '' : reservedText(reservedUntil);
  return `${lines.join('\n')}\n${reserved}`;
}
