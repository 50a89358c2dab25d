// The only way in which the state changes: one event at a time.
//
//   EV1. Evolving depends on the state and the event alone, so replaying the journal gives the same state again.
//   EV2. Every event that gives out an id takes it from the counter (ID1).

import type { Event, EventKind, EventOf } from './event.ts';
import { agentRegistered, agentStopped, joinTokenCreated, joinTokenEnded } from './evolve-agents.ts';
import {
  attentionRaised,
  attentionResolved,
  booted,
  colonyCreated,
  externalLanded,
  paused,
  policySet,
  resumed,
  trunkRewound,
} from './evolve-colony.ts';
import {
  cycleAbandoned,
  cycleCommitted,
  cycleIntended,
  cycleStarted,
  deferred,
  landed,
  rejected,
  returned,
  unchanged,
} from './evolve-cycles.ts';
import {
  historyLearned,
  intentAbandoned,
  intentBlocked,
  intentCreated,
  intentEdited,
  intentOpened,
  intentSettled,
} from './evolve-intents.ts';
import { claimsEnded, headsUp, heard, heartbeat, leaseEnded, readRecorded, taken } from './evolve-leases.ts';
import { preserveAsked, preservedUnderRef, proposed, superseded } from './evolve-proposals.ts';
import { heldBack, reservationEnded, reserved } from './evolve-reservations.ts';
import { sigmaEvaluated } from './evolve-sigma.ts';
import type { ColonyState } from './state.ts';

type Changes = { readonly [K in EventKind]: (state: ColonyState, event: EventOf<K>) => void };

/** One change for each kind of event: the type makes the list exhaustive. */
const changes: Changes = {
  'colony-created': colonyCreated,
  booted,
  'policy-set': policySet,
  paused,
  resumed,
  'intent-created': intentCreated,
  'intent-edited': intentEdited,
  'history-learned': historyLearned,
  'intent-opened': intentOpened,
  'intent-landed': intentSettled,
  'intent-closed': intentSettled,
  'intent-blocked': intentBlocked,
  'intent-abandoned': intentAbandoned,
  'agent-registered': agentRegistered,
  'agent-stopped': agentStopped,
  'join-token-created': joinTokenCreated,
  'join-token-ended': joinTokenEnded,
  taken,
  heartbeat,
  'claims-ended': claimsEnded,
  'read-recorded': readRecorded,
  'heads-up': headsUp,
  heard,
  'lease-ended': leaseEnded,
  proposed,
  superseded,
  'cycle-started': cycleStarted,
  'cycle-intended': cycleIntended,
  'cycle-committed': cycleCommitted,
  'cycle-abandoned': cycleAbandoned,
  landed,
  unchanged,
  returned,
  rejected,
  deferred,
  reserved,
  'held-back': heldBack,
  'reservation-ended': reservationEnded,
  'external-landed': externalLanded,
  'sigma-evaluated': sigmaEvaluated,
  'trunk-rewound': trunkRewound,
  'preserve-asked': preserveAsked,
  preserved: preservedUnderRef,
  'attention-raised': attentionRaised,
  'attention-resolved': attentionResolved,
};

/** Changes `state` by one event (EV1). */
export function evolve(state: ColonyState, event: Event): void {
  const change = changes[event.kind] as (state: ColonyState, event: Event) => void;
  change(state, event);
}

/** Changes `state` by many events, oldest first. */
export function evolveAll(state: ColonyState, events: Iterable<Event>): void {
  for (const event of events) evolve(state, event);
}
