// The agents that administrators are while they push.
//
//   PU1. One name is one agent in a colony, also when its first pushes come at once.
//   PU2. A name is one that an agent could be given by any other call.

import { type AgentId, no, ok, type Result } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import { type ErrorFacts, nameField } from '@firetrident/protocol';
import { errorFacts, refusalFacts } from '../errors.ts';
import { createToken, hashToken } from '../secrets.ts';

/** Kind of these agents, and the name of who gives none. */
const pusherKind = 'git';
const pusherName = 'git';

type Found = Result<AgentId, ErrorFacts>;

/** Finds or makes them, by colony and name. */
export class Pushers {
  readonly #known = new Map<string, Promise<Found>>();

  /** The agent that an administrator is while pushing under a name; made at its first push. */
  async agentOf(colony: Colony, user: string | null): Promise<Found> {
    const name = user ?? pusherName;
    // (PU2)
    const problem = nameField.safeParse(name).error?.issues[0]?.message;
    if (problem !== undefined) {
      return no(errorFacts('invalid_request', null, null, { message: `The user name of the push: ${problem}.` }));
    }
    const key = `${colony.id} ${name}`;
    const known = this.#known.get(key);
    if (known !== undefined) {
      const found = await known;
      // A colony may have been made anew under its id, and the agent may have been stopped.
      if (found.ok && isPusher(colony, found.value, name)) return found;
    }
    // (PU1) Who waited for the same one goes on with what the first of them began.
    const begun = this.#known.get(key);
    if (begun !== undefined && begun !== known) return begun;
    const making = find(colony, name);
    this.#known.set(key, making);
    making.catch(() => {
      // Who asked hears of it by the promise; the next one tries again.
      if (this.#known.get(key) === making) this.#known.delete(key);
    });
    return making;
  }
}

async function find(colony: Colony, name: string): Promise<Found> {
  for (const { id } of colony.state.agents.values()) if (isPusher(colony, id, name)) return ok(id);
  // Nobody is told the token: only who may push as administrator acts as this agent.
  const registered = await colony.submit({
    kind: 'register-agent',
    name,
    agentKind: pusherKind,
    labels: [],
    workspace: 'fork',
    tokenHash: hashToken(createToken('agent')),
    joinTokenHash: null,
  });
  return registered.ok ? ok(registered.value.agent) : no(refusalFacts(registered.error));
}

function isPusher(colony: Colony, id: AgentId, name: string): boolean {
  const agent = colony.state.agents.get(id);
  return agent?.kind === pusherKind && agent.name === name && agent.state !== 'stopped';
}
