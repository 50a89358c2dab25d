// How agents and join tokens change.

import { defined } from '@firetrident/base';
import type { EventOf } from './event.ts';
import { dropAgentWhenDone } from './evolve-put.ts';
import { takeId } from './identity.ts';
import type { ColonyState } from './state.ts';

/** A new agent, idle; its join token has one use less. */
export function agentRegistered(state: ColonyState, event: EventOf<'agent-registered'>): void {
  takeId(state, event.agent);
  const { agent: id, name, agentKind: kind, labels, workspace, tokenHash, joinToken, at } = event;
  const fresh = { state: 'idle', registeredAt: at, leases: [], thresholds: [], idleSince: at } as const;
  state.agents.set(id, { id, name, kind, labels, workspace, tokenHash, joinToken, ...fresh });
  state.index.agentTokens.set(tokenHash, id);
  if (joinToken === null) return;
  const token = defined(state.joinTokens.get(joinToken), `join token ${joinToken}`);
  state.joinTokens.set(joinToken, { ...token, remaining: token.remaining - 1 });
}

/** The token dies at once; the agent itself stays while something of it is still queued. */
export function agentStopped(state: ColonyState, event: EventOf<'agent-stopped'>): void {
  const agent = defined(state.agents.get(event.agent), `agent ${event.agent}`);
  state.agents.set(agent.id, { ...agent, state: 'stopped' });
  state.index.agentTokens.delete(agent.tokenHash);
  state.totals = { ...state.totals, agentsStopped: state.totals.agentsStopped + 1 };
  dropAgentWhenDone(state, agent.id, event.at);
}

/** A new join token. */
export function joinTokenCreated(state: ColonyState, event: EventOf<'join-token-created'>): void {
  takeId(state, event.joinToken);
  const { joinToken: id, tokenHash, agents: remaining, expiresAt } = event;
  state.joinTokens.set(id, { id, tokenHash, remaining, expiresAt });
  state.index.joinTokens.set(tokenHash, id);
}

/** A join token is gone. */
export function joinTokenEnded(state: ColonyState, event: EventOf<'join-token-ended'>): void {
  const token = defined(state.joinTokens.get(event.joinToken), `join token ${event.joinToken}`);
  state.joinTokens.delete(token.id);
  state.index.joinTokens.delete(token.tokenHash);
}
