// Tickets: short-lived, one-use stand-ins for a token, because a browser cannot send a header with a WebSocket.
//
//   TI1. A ticket opens one socket of one colony, once, within its life.
//   TI2. The number of live tickets is bounded.

import { wireLimits } from '@firetrident/protocol';
import type { Caller } from './auth.ts';
import { createToken, hashToken } from './secrets.ts';

/** Most tickets that are good at once (TI2). */
const ticketsMax = 10_000;

interface Ticket {
  readonly colony: string;
  readonly caller: Caller;
  readonly expiresAt: number;
}

/** The tickets of one daemon. Times are milliseconds of the caller's clock. */
export class TicketOffice {
  readonly #tickets = new Map<string, Ticket>();

  /** A fresh ticket, or null when too many are good already (TI2). */
  issue(colony: string, caller: Caller, now: number): { readonly ticket: string; readonly expiresAt: number } | null {
    this.#expire(now);
    if (this.#tickets.size >= ticketsMax) return null;
    const ticket = createToken('ticket');
    const expiresAt = now + wireLimits.ticketMs;
    this.#tickets.set(hashToken(ticket), { colony, caller, expiresAt });
    return { ticket, expiresAt };
  }

  /** Whose ticket it is; it is spent by this (TI1). Null when it is not good for this colony. */
  redeem(ticket: string, colony: string, now: number): Caller | null {
    const hash = hashToken(ticket);
    const found = this.#tickets.get(hash);
    this.#tickets.delete(hash);
    return found !== undefined && found.expiresAt > now && found.colony === colony ? found.caller : null;
  }

  #expire(now: number): void {
    // Insertion order is the order of expiry, because every ticket lives equally long.
    for (const [hash, ticket] of this.#tickets) {
      if (ticket.expiresAt > now) return;
      this.#tickets.delete(hash);
    }
  }
}
