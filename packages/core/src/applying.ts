// One command on its way: what it has made happen so far, and what everything that it does is done through.
//
//   AP1. A handler refuses before its first event. Each event changes the state at once.

import { assert, no, ok, type Result } from '@firetrident/base';
import type { CommandKind, Replies } from './command.ts';
import type { Effect } from './effect.ts';
import type { Event } from './event.ts';
import { evolve } from './evolve.ts';
import type { Refusal } from './refusal.ts';
import type { ColonyState } from './state.ts';

/** An event without its time. */
export type EventBody = Event extends infer E ? (E extends Event ? Omit<E, 'at'> : never) : never;

/** What a handler answers. */
export type Decision<K extends CommandKind> = Result<Replies[K], Refusal>;

/** A command that is being applied at one moment of one state. */
export class Applying {
  readonly state: ColonyState;
  /** The time of everything that this command makes happen. */
  readonly now: number;
  readonly events: Event[] = [];
  readonly effects: Effect[] = [];

  constructor(state: ColonyState, now: number) {
    this.state = state;
    this.now = now;
  }

  /** Makes an event happen (AP1). */
  emit(body: EventBody): void {
    const event = { ...body, at: this.now } as Event;
    evolve(this.state, event);
    this.events.push(event);
  }

  effect(effect: Effect): void {
    this.effects.push(effect);
  }

  /** Refuses the command (AP1). */
  refuse(refusal: Refusal): { readonly ok: false; readonly error: Refusal } {
    assert(this.events.length === 0, 'a refusal comes before any event');
    return no(refusal);
  }
}

/** The answer of commands that have nothing to say. */
export const done: { readonly ok: true; readonly value: null } = ok(null);
