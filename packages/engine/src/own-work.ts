// Work that an agent brings along: an intent of its own, taken by it in the same step.
//
// Invariants:
//   OW1. Nobody else can be given the intent between its creation and its take.
//   OW2. An agent that may take no more creates nothing.
//   OW3. Work that was withdrawn before anything of it was proposed goes on when its agent brings it again; what somebody
//        abandoned does not.

import { type AgentId, defined, type IntentId, no, ok, type Result } from '@firetrident/base';
import type { IntentDraft, IntentState, LeaseGrant } from '@firetrident/core';
import type { ColonyRefusal } from './colony.ts';
import { archivedFor } from './intents.ts';
import type { Session } from './session.ts';

/** An intent of an agent's own. `grant` is null when the key names one that was there before and is not open. */
export interface OwnWork {
  readonly intent: IntentId;
  readonly state: IntentState;
  readonly grant: LeaseGrant | null;
}

/** Label of an intent whose agent took it back before anything of it was proposed (OW3). */
const withdrawnLabel = 'withdrawn';

/** Creates the intent, or finds it by its key, and takes it unless it is taken or over (OW1). */
export async function startOwnWork(
  session: Session,
  agent: AgentId,
  draft: IntentDraft,
): Promise<Result<OwnWork, ColonyRefusal>> {
  const drafts = [draft];
  const known = await archivedFor(session, drafts);
  // (OW2)
  const bound = session.state.policy.limits.leasesPerAgent;
  const held = session.state.agents.get(agent)?.leases.length ?? 0;
  if (held >= bound) return no({ code: 'limit_reached', limit: 'leasesPerAgent', bound });
  const created = session.submit({ kind: 'create-intents', drafts, ...known });
  if (!created.reply.ok) return created.reply as Result<OwnWork, ColonyRefusal>;
  const { id: intent, state } = defined(created.reply.value.intents[0], 'the intent of the draft');
  if (state !== 'open' && !reopened(session, intent, draft)) {
    await created.durable;
    return ok({ intent, state, grant: null });
  }
  const command = { kind: 'take' as const, agent, intent, paths: [], labels: [], waitingAgents: 0, takesInFlight: 0 };
  const taken = session.submit(command);
  await taken.durable;
  if (!taken.reply.ok) return taken.reply as Result<OwnWork, ColonyRefusal>;
  const { value } = taken.reply;
  return ok({ intent, state: 'taken', grant: value.kind === 'grant' ? value.grant : null });
}

/** Opens a withdrawn intent again, as the draft says it now (OW3); false where it was not withdrawn. */
function reopened(session: Session, intent: IntentId, { title, body, paths, labels }: IntentDraft): boolean {
  const known = session.state.intents.get(intent);
  if (known?.state !== 'abandoned' || !known.labels.includes(withdrawnLabel)) return false;
  const change = { title, body, paths, labels, state: 'open' as const };
  return session.submit({ kind: 'edit-intent', intent, change }).reply.ok;
}

/** Takes work of an agent's own back: its intent is abandoned and its lease ends, unless something of it was proposed (OW3). */
export async function withdrawOwnWork(
  session: Session,
  agent: AgentId,
  { lease, epoch }: Pick<LeaseGrant, 'lease' | 'epoch'>,
): Promise<Result<null, ColonyRefusal>> {
  const held = session.state.leases.get(lease);
  // Whose lease ended has nothing to take back: the intent may be somebody else's by now.
  if (held === undefined || held.agent !== agent || held.epoch !== epoch || held.proposals.length > 0) return ok(null);
  const { labels } = defined(session.state.intents.get(held.intent), 'the intent of a live lease');
  const change = { state: 'abandoned' as const, labels: [...new Set([...labels, withdrawnLabel])] };
  const edited = session.submit({ kind: 'edit-intent', intent: held.intent, change });
  await edited.durable;
  return edited.reply.ok ? ok(null) : (edited.reply as Result<null, ColonyRefusal>);
}
