// Under which lease a push is proposed: of the intent that it names, or of one that it brings along.
//
//   PK1. The same work pushed again goes on under the lease that it has; work that is over begins anew.
//   PK2. A lease of somebody else is never touched.
//   PK3. What a push took for itself it gives back when nothing of it was proposed.

import type { AgentId, IntentId, LeaseId, Oid, ProposalId } from '@firetrident/base';
import { no, ok, type Result } from '@firetrident/base';
import type { ArchivedIntent, Intent, IntentDraft, Lease } from '@firetrident/core';
import type { Colony } from '@firetrident/engine';
import { refusalText } from './push-words.ts';
import type { PushedChange, PushedCommit } from './pushed-change.ts';

/** A lease to propose under. */
export interface PushWork {
  readonly intent: { readonly id: IntentId; readonly title: string };
  readonly lease: LeaseId;
  readonly epoch: number;
  /** The one return that this push answers; null when nothing came back. */
  readonly returned: ProposalId | null;
  /** The intent was made of the push itself. */
  readonly isOwn: boolean;
  /** The lease was taken for this push, and not before it. */
  readonly isTaken: boolean;
}

/** An intent that landed or closed before: what is pushed may be on trunk already. */
export interface OverWork {
  readonly over: IntentId;
}

type Found = Result<PushWork | OverWork, string>;

// Blanks only: what also takes line ends looks at a run of empty lines once from each of them.
const trailer = /^[ \t]*FT-Intent:[ \t]*(int_[0-9A-Za-z_]+)[ \t]*\r?$/gim;
const keySubjectCharacters = 120;

/** The intent that the commits name by their trailers; null when they name none. */
export function namedIntent(commits: readonly PushedCommit[]): Result<IntentId | null, string> {
  const named = new Set(
    commits.flatMap(({ body }) => [...body.matchAll(trailer)].map((match) => match[1] as IntentId)),
  );
  if (named.size > 1) {
    return no(`the commits name ${named.size} intents (${[...named].join(', ')}); push for one at a time`);
  }
  return ok([...named][0] ?? null);
}

/** The text of a commit without the lines that name its intent: the landing names it by itself. */
export function withoutTrailer(body: string): string {
  return body.replace(trailer, '').trim();
}

/** Finds or takes the work of a push (PK1). An error is a sentence for the client. */
export async function findWork(
  colony: Colony,
  agent: AgentId,
  change: PushedChange,
  named: IntentId | null,
): Promise<Found> {
  if (named !== null) return workOf(colony, agent, named, false);
  const head = change.commits.at(-1) as PushedCommit;
  const key = `push ${agent} ${head.subject.slice(0, keySubjectCharacters)}`;
  const first = await ownWork(colony, agent, draftOf(change, key));
  // Another change under the same subject is work of its own, told by its commit.
  return first.ok && 'over' in first.value ? ownWork(colony, agent, draftOf(change, keyOf(key, head.oid))) : first;
}

function keyOf(key: string, head: Oid): string {
  return `${key} ${head}`;
}

function draftOf({ commits, parts }: PushedChange, key: string): IntentDraft {
  const head = commits.at(-1) as PushedCommit;
  const paths = [...new Set(parts.flatMap(({ writes }) => writes.map(({ path }) => path)))];
  return {
    title: head.subject || `Push of ${head.oid}`,
    body: withoutTrailer(head.body),
    paths: paths.filter((path) => path.isWellFormed()),
    priority: 0,
    after: [],
    parent: null,
    labels: ['push'],
    key,
  };
}

async function ownWork(colony: Colony, agent: AgentId, draft: IntentDraft): Promise<Found> {
  // A push may touch more than an intent may predict: then it predicts nothing.
  const fits = draft.paths.length <= colony.state.policy.limits.pathsPerIntent;
  const started = await colony.startWork(agent, fits ? draft : { ...draft, paths: [] });
  if (!started.ok) return no(refusalText(started.error));
  const { intent, grant, state } = started.value;
  if (grant !== null) {
    const { lease, epoch } = grant;
    return ok({ intent: { id: intent, title: draft.title }, lease, epoch, returned: null, isOwn: true, isTaken: true });
  }
  // What was given up is not brought back by a push that happens to have the same subject.
  return state === 'abandoned' || state === 'blocked' ? ok({ over: intent }) : workOf(colony, agent, intent, true);
}

/** The agent's lease of an intent, or a fresh one. */
async function workOf(colony: Colony, agent: AgentId, id: IntentId, isOwn: boolean): Promise<Found> {
  const found = await colony.intent(id);
  if (!found.ok) return no(refusalText(found.error));
  const intent = found.value;
  const lease = leaseOf(colony, intent);
  if (lease === null) return takeWork(colony, agent, intent, isOwn);
  // (PK2)
  if (lease.agent !== agent) {
    const holder = colony.state.agents.get(lease.agent)?.name ?? lease.agent;
    return no(`${id} is with ${holder} now; push for another intent, or wait until it is open again`);
  }
  const named = { id, title: intent.title };
  const [only, ...more] = lease.proposals;
  const proposal = only === undefined ? undefined : colony.state.proposals.get(only);
  if (lease.state !== 'returned') {
    return ok({ intent: named, lease: lease.id, epoch: lease.epoch, returned: null, isOwn, isTaken: false });
  }
  if (more.length === 0 && proposal?.final === true) {
    return ok({ intent: named, lease: lease.id, epoch: lease.epoch, returned: proposal.id, isOwn, isTaken: false });
  }
  // Several parts came back: they are kept, and the work begins anew.
  const why = 'pushed anew after a return';
  const released = await colony.submit({ kind: 'release', agent, lease: lease.id, epoch: lease.epoch, why });
  return released.ok ? takeWork(colony, agent, { ...intent, state: 'open' }, isOwn) : no(refusalText(released.error));
}

function leaseOf(colony: Colony, intent: Intent | ArchivedIntent): Lease | null {
  const live = colony.state.intents.get(intent.id)?.lease ?? null;
  return live === null ? null : (colony.state.leases.get(live) ?? null);
}

async function takeWork(
  colony: Colony,
  agent: AgentId,
  intent: Pick<Intent, 'id' | 'title' | 'state'>,
  isOwn: boolean,
): Promise<Found> {
  if (intent.state === 'landed' || intent.state === 'closed') return ok({ over: intent.id });
  const taken = await colony.take({ agent, intent: intent.id, paths: [], labels: [], waitMs: 0 });
  if (!taken.ok) return no(refusalText(taken.error));
  if (taken.value.kind === 'wait') return no(`${intent.id} cannot be taken now: ${taken.value.reason}; push again`);
  const { lease, epoch } = taken.value.grant;
  return ok({ intent: { id: intent.id, title: intent.title }, lease, epoch, returned: null, isOwn, isTaken: true });
}

/** Gives back what a push took of which nothing was proposed (PK3): an intent of its own goes with its lease. */
export async function giveBack(colony: Colony, agent: AgentId, work: PushWork): Promise<void> {
  const { lease, epoch, isOwn, isTaken } = work;
  if (!isTaken) return;
  // When this is refused, the lease is over or has work on it, and there is nothing to give back.
  if (isOwn) await colony.withdrawWork(agent, { lease, epoch });
  else await colony.submit({ kind: 'release', agent, lease, epoch, why: 'what was pushed for it was refused' });
}
