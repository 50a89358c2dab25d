// What a fleet came to: counted from what its agents tell.

import type { AgentEvent } from '@firetrident/agents';
import { never } from '@firetrident/base';
import { percentile } from './render.ts';

/** Figures of one run of a fleet. Counts are of intents, unless the name says otherwise. */
export interface FleetFigures {
  readonly landed: number;
  /** Landed after at least one three-way merge with what others had landed. */
  readonly merged: number;
  readonly unchanged: number;
  /** Returns of proposals. */
  readonly returns: number;
  /** Times that an agent at work heard that its ground had moved. */
  readonly headsUps: number;
  /** Landed after at least one return. */
  readonly repaired: number;
  /** Attempts that failed, were rejected or lost their lease. */
  readonly failedAttempts: number;
  /** Intents with such an attempt that did not end well afterwards. */
  readonly failed: number;
  /** Checkouts whose files were kept, because they were not proposed; and those left as they are, because not all could be kept. */
  readonly captured: number;
  readonly setAside: number;
  /** Tokens that the agents said they used, and what they said it cost in United States dollars. */
  readonly tokens: number;
  readonly costUsd: number;
  /** From the first proposal to the landing, repairs included. */
  readonly timeToLandMs: { readonly p50: number; readonly p99: number };
}

/** Counts the events of a fleet. */
export class FleetTally {
  readonly #working = new Map<string, string>();
  readonly #failed = new Set<string>();
  readonly #landMs: number[] = [];
  #landed = 0;
  #merged = 0;
  #unchanged = 0;
  #returns = 0;
  #repaired = 0;
  #headsUps = 0;
  #failedAttempts = 0;
  #captured = 0;
  #setAside = 0;
  #tokens = 0;
  #costUsd = 0;

  /** Agents at work now. */
  get working(): number {
    return this.#working.size;
  }

  /** Intents that ended. */
  get ended(): number {
    return this.#landed + this.#unchanged;
  }

  add(event: AgentEvent): void {
    switch (event.kind) {
      case 'taken':
        this.#working.set(event.agent, event.intent);
        return;
      case 'landed':
        this.#landed += 1;
        if (event.merged > 0) this.#merged += 1;
        if (event.repairs > 0) this.#repaired += 1;
        this.#landMs.push(event.landMs);
        this.#endWell(event);
        return;
      case 'unchanged':
        this.#unchanged += 1;
        this.#endWell(event);
        return;
      case 'heads-up':
        this.#headsUps += 1;
        return;
      case 'returned':
        this.#returns += 1;
        return;
      case 'failed':
      case 'lost':
        this.#failedAttempts += 1;
        this.#failed.add(event.intent);
        this.#working.delete(event.agent);
        return;
      case 'stopped':
      case 'ended':
        this.#working.delete(event.agent);
        return;
      case 'used':
        this.#tokens += event.usage.tokens;
        this.#costUsd += event.usage.costUsd ?? 0;
        return;
      case 'captured':
        this.#captured += 1;
        return;
      case 'set-aside':
        this.#setAside += 1;
        return;
      case 'activity':
      case 'regenerated':
      case 'rejected':
      case 'waiting':
      case 'proposed':
        return;
      default:
        never(event);
    }
  }

  figures(): FleetFigures {
    return {
      landed: this.#landed,
      merged: this.#merged,
      unchanged: this.#unchanged,
      returns: this.#returns,
      headsUps: this.#headsUps,
      repaired: this.#repaired,
      failedAttempts: this.#failedAttempts,
      failed: this.#failed.size,
      captured: this.#captured,
      setAside: this.#setAside,
      tokens: this.#tokens,
      costUsd: this.#costUsd,
      timeToLandMs: { p50: percentile(this.#landMs, 0.5), p99: percentile(this.#landMs, 0.99) },
    };
  }

  #endWell({ agent, intent }: { readonly agent: string; readonly intent: string }): void {
    this.#failed.delete(intent);
    this.#working.delete(agent);
  }
}
