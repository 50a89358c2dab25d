// Reverting a landing: an intent with the reverse change, proposed by the colony itself and landed by the same rules.

import { type AgentId, type IntentId, type LandingId, no, ok, type ProposalId, type Result } from '@firetrident/base';
import type { ArchivedLanding, ResolvedWrite } from '@firetrident/core';
import type { ColonyRefusal } from './colony.ts';
import type { Session } from './session.ts';

/** Kind and name of the agent that proposes reverts. Its token hash is no hash, so nobody can act as it. */
const reverterKind = 'firetrident';
const reverterName = 'firetrident revert';
const noTokenHash = 'revert:none';

type Revert = Result<{ readonly intent: IntentId; readonly proposal: ProposalId }, ColonyRefusal>;

/** Makes the intent and proposes the reverse of what the landing changed. What landed since is merged, or sent back. */
export async function revertLanding(session: Session, id: LandingId): Promise<Revert> {
  const landing = await session.shelf.landing(id);
  if (landing === null) return no({ code: 'unknown_landing', landing: id });
  if (landing.writes.length === 0)
    return no({ code: 'not_revertable', landing: id, problem: 'the landing changed no path that is known' });
  const agent = reverter(session);
  if (!agent.ok) return agent;
  const created = session.submit({
    kind: 'create-intents',
    drafts: [
      {
        title: `Revert: ${landing.intent.title}`.slice(0, 500),
        body: `Takes back landing ${landing.landing} (commit ${landing.commit}).`,
        paths: [],
        priority: 0,
        after: [],
        parent: null,
        labels: ['revert'],
        key: null,
      },
    ],
    archived: new Map(),
    archivedKeys: new Map(),
  });
  if (!created.reply.ok) return created.reply as Revert;
  const intent = created.reply.value.intents[0]?.id as IntentId;
  const taken = session.submit({
    kind: 'take',
    agent: agent.value,
    intent,
    paths: [],
    labels: [],
    waitingAgents: 0,
    takesInFlight: 0,
  });
  if (!taken.reply.ok) return taken.reply as Revert;
  if (taken.reply.value.kind !== 'grant')
    return no({ code: 'not_revertable', landing: id, problem: taken.reply.value.reason });
  const { grant } = taken.reply.value;
  const proposed = session.submit({
    kind: 'propose',
    agent: agent.value,
    lease: grant.lease,
    epoch: grant.epoch,
    base: landing.commit,
    predecessor: null,
    final: true,
    title: null,
    message: null,
    key: null,
    content: { writes: reverseWrites(landing), reads: [] },
  });
  await proposed.durable;
  if (!proposed.reply.ok) return proposed.reply as Revert;
  return ok({ intent, proposal: proposed.reply.value.proposal });
}

/** A revert that came back is for an agent to do: the colony lets go of its lease, and the intent is open again. */
export function releaseReturnedRevert(session: Session, id: ProposalId): void {
  const proposal = session.state.proposals.get(id);
  if (proposal === undefined || proposal.state !== 'returned') return;
  if (session.state.agents.get(proposal.agent)?.tokenHash !== noTokenHash) return;
  const { agent, lease, epoch } = proposal;
  session.submit({
    kind: 'release',
    agent,
    lease,
    epoch,
    why: 'the reverse change no longer fits; an agent has to make it',
  });
}

function reverseWrites(landing: ArchivedLanding): ResolvedWrite[] {
  return landing.writes.map((write) => ({ path: write.path, base: write.after, after: write.before }));
}

function reverter(session: Session): Result<AgentId, ColonyRefusal> {
  for (const agent of session.state.agents.values())
    if (agent.tokenHash === noTokenHash && agent.state !== 'stopped') return ok(agent.id);
  const registered = session.submit({
    kind: 'register-agent',
    name: reverterName,
    agentKind: reverterKind,
    labels: [],
    workspace: 'ref',
    tokenHash: noTokenHash,
    joinTokenHash: null,
  });
  return registered.reply.ok ? ok(registered.reply.value.agent) : (registered.reply as Result<AgentId, ColonyRefusal>);
}
