// Agents: registered, listed, stopped; join tokens.

import { type AgentId, no, ok } from '@firetrident/base';
import { agentBody } from '../convert/intents.ts';
import { timeTextOrNull, timeValue } from '../convert/times.ts';
import type { HandlersOf } from '../endpoint-types.ts';
import { errorFacts } from '../errors.ts';
import { createToken, hashToken } from '../secrets.ts';
import { answered } from './answer.ts';

/** Handlers of agents. */
export function agentHandlers(): HandlersOf<'registerAgent' | 'listAgents' | 'stopAgent' | 'createJoinToken'> {
  return {
    registerAgent: async ({ colony, caller, body }) => {
      const token = createToken('agent');
      const registered = await colony.submit({
        kind: 'register-agent',
        name: body.name,
        agentKind: body.kind,
        labels: body.labels,
        workspace: body.workspace,
        tokenHash: hashToken(token),
        joinTokenHash: caller.kind === 'join' ? caller.tokenHash : null,
      });
      return answered(registered, ({ agent }) => ({ agentId: agent, token }));
    },
    listAgents: async ({ colony }) => ok({ body: { agents: [...colony.state.agents.values()].map(agentBody) } }),
    stopAgent: async ({ colony, caller, segments }) => {
      const agent = segments.agent as AgentId;
      if (caller.kind === 'agent' && caller.agent.id !== agent) return no(errorFacts('forbidden', agent));
      return answered(await colony.submit({ kind: 'stop-agent', agent }), () => ({
        agentId: agent,
        state: 'stopped' as const,
      }));
    },
    createJoinToken: async ({ colony, body }) => {
      const token = createToken('join');
      const expiresAt = body.expiresAt === null ? null : timeValue(body.expiresAt);
      const { agents } = body;
      const tokenHash = hashToken(token);
      return answered(await colony.submit({ kind: 'create-join-token', tokenHash, agents, expiresAt }), () => ({
        token,
        agents,
        expiresAt: timeTextOrNull(expiresAt),
      }));
    },
  };
}
