// Agents of a colony in memory, as tests of the engine need them: registered, and at work on an intent of their own.

import type { AgentId, IntentId } from '@firetrident/base';
import type { IntentDraft, LeaseGrant } from '@firetrident/core';
import type { Colony } from '@firetrident/engine';

/** The value of an answer that must be yes. */
export function yes<T>(answer: { ok: true; value: T } | { ok: false; error: { code: string } }): T {
  if (!answer.ok) throw new Error(`refused: ${answer.error.code}`);
  return answer.value;
}

/** The command that registers an agent of a name that nobody else has. */
export function registration(name: string) {
  const described = { agentKind: 'test', labels: [], workspace: 'ref', joinTokenHash: null } as const;
  return { kind: 'register-agent', ...described, name, tokenHash: name } as const;
}

/** An intent that says nothing but its title, and names no paths. */
export function plainDraft(title: string): IntentDraft {
  return { title, body: '', paths: [], priority: 0, after: [], parent: null, labels: [], key: null };
}

/** An agent with the lease on an intent of its own. */
export interface Worker {
  readonly agent: AgentId;
  readonly intent: IntentId;
  readonly grant: LeaseGrant;
}

/** A registered agent that has taken an intent of its own, which has its name as title. */
export async function worker(colony: Colony, name: string): Promise<Worker> {
  const { agent } = yes(await colony.submit(registration(name)));
  const created = yes(await colony.createIntents([plainDraft(name)]));
  const intent = created.intents[0]?.id as IntentId;
  const taken = yes(await colony.take({ agent, intent, paths: [], labels: [], waitMs: 0 }));
  if (taken.kind !== 'grant') throw new Error(taken.reason);
  return { agent, intent, grant: taken.grant };
}
