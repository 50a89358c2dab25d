// Who calls, and whether that token allows this call.
//
//   AU1. Tokens are compared and looked up by their SHA-256 only.
//   AU2. An agent's token is good in its own colony; the core checks that a lease is its own.
//   AU3. The token of a stopped agent is dead.
//   AU4. A caller without a good token learns nothing: not even which colonies exist.

import type { IncomingMessage } from 'node:http';
import { no, ok, type Result } from '@firetrident/base';
import { type Agent, agentByTokenHash } from '@firetrident/core';
import type { Colony } from '@firetrident/engine';
import type { Authorization, ErrorFacts } from '@firetrident/protocol';
import { errorFacts } from './errors.ts';
import { hashToken, sameHash } from './secrets.ts';

/** Someone whose token is good. A join token's goodness is for the core to say. */
export type Caller =
  | { readonly kind: 'admin' }
  /** Ids of agents are unique within a colony only, so the colony belongs to it. */
  | { readonly kind: 'agent'; readonly colony: Colony; readonly agent: Agent }
  | { readonly kind: 'join'; readonly tokenHash: string }
  | { readonly kind: 'nobody' };

export type AdminCaller = Extract<Caller, { kind: 'admin' }>;
export type AgentCaller = Extract<Caller, { kind: 'agent' }>;

/** Longest token that is looked at. */
const tokenCharacters = 200;

/** The token of a call, or null when there is none in the one form that is taken. */
export function bearerToken(request: IncomingMessage): string | null {
  const header = request.headers.authorization;
  if (header === undefined || header.length > tokenCharacters + 7) return null;
  return /^bearer ([\x21-\x7e]+)$/i.exec(header)?.[1] ?? null;
}

/** Says who holds a token (AU1), and whether it is good for a call (AU2, AU4). */
export class Gate {
  readonly #adminHash: string;
  readonly #colonies: () => readonly Colony[];

  constructor(adminHash: string, colonies: () => readonly Colony[]) {
    this.#adminHash = adminHash;
    this.#colonies = colonies;
  }

  /** Whether the token is the administrator's. */
  isAdmin(token: string): boolean {
    return sameHash(hashToken(token), this.#adminHash);
  }

  /**
   * Who calls, for an endpoint with this authorization. `place` is the colony in the address, `nowhere` when there is
   * no such colony, and `daemon` when the address names none.
   */
  admit(
    token: string | null,
    place: Colony | 'nowhere' | 'daemon',
    authorization: Authorization,
  ): Result<Caller, ErrorFacts> {
    if (authorization === 'none') return ok({ kind: 'nobody' });
    if (token === null) return no(errorFacts('unauthorized'));
    if (this.isAdmin(token)) return adminMay(authorization);
    const tokenHash = hashToken(token);
    if (token.startsWith('ft_join_')) {
      if (typeof place === 'string') return no(errorFacts('unauthorized'));
      return authorization === 'join' ? ok({ kind: 'join', tokenHash }) : no(errorFacts('forbidden'));
    }
    const caller = this.#agentOf(tokenHash);
    if (caller === null) return no(errorFacts('unauthorized'));
    const isHere = place === 'daemon' || place === caller.colony;
    return isHere && authorization !== 'admin' && authorization !== 'join' ? ok(caller) : no(errorFacts('forbidden'));
  }

  /** The agent of any colony that holds the token; the core forgets the token of a stopped one (AU3). */
  #agentOf(tokenHash: string): AgentCaller | null {
    for (const colony of this.#colonies()) {
      const agent = agentByTokenHash(colony.state, tokenHash);
      if (agent !== null) return { kind: 'agent', colony, agent };
    }
    return null;
  }
}

function adminMay(authorization: Authorization): Result<Caller, ErrorFacts> {
  if (authorization !== 'agent') return ok({ kind: 'admin' });
  const hint = 'This call is an agent’s: register one with POST agents, and send its token.';
  return no(errorFacts('forbidden', null, null, { hint }));
}
