// Intents and agents, on the way in and on the way out.

import type { Agent, ArchivedIntent, Intent, IntentChange, IntentDraft } from '@firetrident/core';
import type { AgentResponse, IntentResponse, ParsedRequestOf } from '@firetrident/protocol';
import { timeText } from './times.ts';

/** An intent as the colony takes it: the wire's fields are the core's, defaults filled in. */
export function intentDraft(sent: ParsedRequestOf<'createIntents'>['intents'][number]): IntentDraft {
  return { ...sent };
}

/** A change of an intent. */
export function intentChange(sent: ParsedRequestOf<'editIntent'>): IntentChange {
  return { ...sent };
}

/** One intent, live or archived. */
export function intentBody(intent: Intent | ArchivedIntent): IntentResponse {
  return {
    id: intent.id,
    ...(intent.key === null ? {} : { key: intent.key }),
    title: intent.title,
    body: intent.body,
    paths: [...intent.paths],
    learnedPaths: [...(intent.learnedPaths ?? [])],
    priority: intent.priority,
    after: [...intent.after],
    waitingOn: 'waitingOn' in intent ? [...intent.waitingOn] : [],
    parent: intent.parent,
    labels: [...intent.labels],
    state: intent.state,
    createdAt: timeText(intent.createdAt),
    returns: intent.returns,
    attempts: intent.attempts,
    lease: 'lease' in intent ? intent.lease : null,
    duplicateOf: [...intent.duplicateOf],
    reason: intent.reason,
    landings: [...intent.landings],
  };
}

/** One agent. Its token's hash stays here. */
export function agentBody(agent: Agent): AgentResponse {
  const { id, name, kind, workspace, state } = agent;
  return {
    id,
    name,
    kind,
    labels: [...agent.labels],
    workspace,
    state,
    registeredAt: timeText(agent.registeredAt),
    leases: [...agent.leases],
  };
}
