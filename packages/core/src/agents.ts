// Registering and stopping agents, and the join tokens that let them register themselves.

import { type AgentId, type JoinTokenId, ok } from '@firetrident/base';
import { type Applying, type Decision, done } from './applying.ts';
import type { CommandOf } from './command.ts';
import { leaseOf } from './evolve-put.ts';
import { nextId } from './identity.ts';
import { endLease, reopenIntent } from './lease-end.ts';
import type { Agent, JoinToken } from './model.ts';
import type { Refusal } from './refusal.ts';
import type { ColonyState } from './state.ts';

/** Registers an agent, vouched for by a join token or by an administrator (A1). */
export function registerAgent(applying: Applying, command: CommandOf<'register-agent'>): Decision<'register-agent'> {
  const { state } = applying;
  const { name, agentKind, labels, workspace, tokenHash, joinTokenHash } = command;
  // The same token again is the same request again.
  const known = state.index.agentTokens.get(tokenHash);
  if (known !== undefined) return ok({ agent: known });
  const token = joinTokenHash === null ? null : usableToken(applying, joinTokenHash);
  if (token !== null && 'code' in token) return applying.refuse(token);
  const bound = state.policy.limits.agents;
  if (state.agents.size >= bound) return applying.refuse({ code: 'limit_reached', limit: 'agents', bound });
  const agent = nextId(state, 'agt');
  const joinToken = token === null ? null : token.id;
  applying.emit({ kind: 'agent-registered', agent, name, agentKind, labels, workspace, tokenHash, joinToken });
  if (token?.remaining === 1) forgetSpentTokens(applying);
  return ok({ agent });
}

function usableToken({ state, now }: Applying, hash: string): JoinToken | Refusal {
  const id = state.index.joinTokens.get(hash);
  const token = id === undefined ? undefined : state.joinTokens.get(id);
  if (token === undefined || isExpired(token, now)) return { code: 'unknown_join_token' };
  return token.remaining > 0 ? token : { code: 'join_token_spent' };
}

/** Whether a join token's time is over. */
export function isExpired(token: JoinToken, now: number): boolean {
  return token.expiresAt !== null && token.expiresAt <= now;
}

/** Spent tokens are remembered, to be told from unknown ones, as many as there may be usable ones (A2). */
function forgetSpentTokens(applying: Applying): void {
  const spent = [...applying.state.joinTokens.values()].filter((token) => token.remaining === 0);
  const excess = Math.max(0, spent.length - applying.state.policy.limits.joinTokens);
  for (const token of spent.slice(0, excess)) applying.emit({ kind: 'join-token-ended', joinToken: token.id });
}

/** Creates a join token for a number of agents (A2). */
export function createJoinToken(
  applying: Applying,
  command: CommandOf<'create-join-token'>,
): Decision<'create-join-token'> {
  const { state, now } = applying;
  const { tokenHash, agents, expiresAt } = command;
  if (state.index.joinTokens.has(tokenHash)) return done;
  let usable = 0;
  for (const token of state.joinTokens.values()) if (token.remaining > 0 && !isExpired(token, now)) usable += 1;
  const bound = state.policy.limits.joinTokens;
  if (usable >= bound) return applying.refuse({ code: 'limit_reached', limit: 'joinTokens', bound });
  const joinToken: JoinTokenId = nextId(state, 'jtk');
  applying.emit({ kind: 'join-token-created', joinToken, tokenHash, agents, expiresAt });
  return done;
}

/** Ends join tokens whose time is over. */
export function expireJoinTokens(applying: Applying): void {
  for (const token of [...applying.state.joinTokens.values()]) {
    if (isExpired(token, applying.now)) applying.emit({ kind: 'join-token-ended', joinToken: token.id });
  }
}

/**
 * Stops an agent: everything that it holds is released at once (C1d). What it has queued still lands; until then the
 * lease stays without its claims. Stopping a stopped agent changes nothing.
 */
export function stopAgent(applying: Applying, command: CommandOf<'stop-agent'>): Decision<'stop-agent'> {
  const { state } = applying;
  const agent = state.agents.get(command.agent);
  if (agent === undefined || agent.state === 'stopped') {
    const stopped = agent !== undefined || state.stoppedAgents.has(command.agent);
    return stopped ? done : applying.refuse({ code: 'unknown_agent', agent: command.agent });
  }
  applying.emit({ kind: 'agent-stopped', agent: agent.id });
  for (const id of agent.leases) {
    const lease = leaseOf(state, id);
    if (lease.state === 'proposed') {
      if (lease.claims.length > 0) applying.emit({ kind: 'claims-ended', lease: id, why: 'agent-stopped' });
    } else {
      endLease(applying, id, 'agent-stopped', 'agent-stopped');
      reopenIntent(applying, lease.intent, false, null);
    }
  }
  return done;
}

/** The agent that acts, or why it cannot. */
export function actingAgent(state: ColonyState, id: AgentId): Agent | Refusal {
  const agent = state.agents.get(id);
  if (agent !== undefined && agent.state !== 'stopped') return agent;
  const stopped = agent !== undefined || state.stoppedAgents.has(id);
  return { code: stopped ? 'agent_stopped' : 'unknown_agent', agent: id };
}

/** Tells a refusal from anything that has no code. */
export function isRefusal<T extends object>(value: T | Refusal): value is Refusal {
  return 'code' in value;
}
