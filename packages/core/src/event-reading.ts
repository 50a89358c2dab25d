// Events as a journal gives them back, also those that an earlier version wrote.
//
// It never knows where they come from.
//
// Invariants:
//   ER1. What an earlier version did not write yet has the value that it meant then: no tokens were declared, and a
//        field of the policy that nobody could set is at its default.

import type { Json } from '@firetrident/base';
import type { Event } from './event.ts';
import { defaultPolicy, type Policy } from './policy.ts';

/** The event that was written as `json` by this version or an earlier one (ER1). */
export function readEvent(json: Json): Event {
  const event = json as unknown as Event;
  switch (event.kind) {
    case 'proposed':
      return { ...event, tokens: (event.tokens as number | undefined) ?? 0 };
    case 'colony-created':
    case 'policy-set':
      return { ...event, policy: completePolicy(event.policy) };
    default:
      return event;
  }
}

/** A policy that an earlier version wrote, with what nobody could set then at its default (ER1). */
export function completePolicy(policy: Policy): Policy {
  const { landing, limits } = defaultPolicy;
  return {
    ...defaultPolicy,
    ...policy,
    landing: { ...landing, ...policy.landing },
    limits: { ...limits, ...policy.limits },
  };
}
