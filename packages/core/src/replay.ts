// The state that a list of events leads to.

import type { Event } from './event.ts';
import { evolveAll } from './evolve.ts';
import { type ColonyState, emptyState } from './state.ts';

/** The state after `events`, oldest first, from the beginning of a colony (EV1). */
export function replay(events: Iterable<Event>): ColonyState {
  const state = emptyState();
  evolveAll(state, events);
  return state;
}
