// Where ids and epochs come from.
//
//   ID1. An id is composed of the boot generation and a counter; the counter follows from the events alone.
//   ID2. Epochs of an intent rise strictly and are never given out again, not even after a torn journal tail: each
//        generation has a range of its own.

import { assert, composeId, type IdPrefix } from '@firetrident/base';
import type { Intent } from './model.ts';
import type { ColonyState } from './state.ts';

/** Epochs of one generation, per intent. */
const epochsPerGeneration = 2 ** 20;

/** The id that the next event may name; evolving that event takes it (ID1). */
export function nextId<P extends IdPrefix>(state: ColonyState, prefix: P, ahead = 1): `${P}_${string}` {
  return composeId(prefix, state.generation, state.counter + ahead);
}

/** Takes an id that an event gave out (ID1, EV2). */
export function takeId(state: ColonyState, id: string): void {
  const number = id.slice(id.indexOf('_') + 1);
  const generation = state.generation.toString(36);
  assert(number.startsWith(generation), `the id ${id} belongs to boot generation ${state.generation}`);
  const counter = Number.parseInt(number.slice(generation.length), 36);
  if (counter > state.counter) state.counter = counter;
}

/** The epoch of the next lease of an intent (ID2). */
export function nextEpoch(state: ColonyState, intent: Intent): number {
  return Math.max(intent.epoch + 1, state.generation * epochsPerGeneration);
}
