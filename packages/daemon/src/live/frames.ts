// From the events of a colony to the frames of its live stream.
//
//   LF1. The switch is exhaustive: an event without a decision about its frame does not compile.
//   LF2. A frame is made of its event, of the intention of the cycle under way, and of what is remembered of a lease;
//        a field whose source is not known any more is left out, never guessed.

import { type LandingId, type LeaseId, never, type ProposalId } from '@firetrident/base';
import { type Brief, type ColonyState, type Event, type EventOf, laneDelayOf, type Outcome } from '@firetrident/core';
import type { SequencedEvent } from '@firetrident/engine';
import type { LiveFrame } from '@firetrident/protocol';
import { headsUpBody } from '../convert/notices.ts';
import { listedPath } from '../convert/paths.ts';
import { briefBody } from '../convert/proposals.ts';
import { timeText, timeTextOrNull } from '../convert/times.ts';

type FrameBody = LiveFrame extends infer Each ? (Each extends LiveFrame ? Omit<Each, 'seq' | 'at'> : never) : never;

/** Makes the frames of one run through the events, in order. */
export class FrameMaker {
  readonly #state: () => ColonyState;
  #outcomes = new Map<ProposalId, Outcome>();

  constructor(state: () => ColonyState) {
    this.#state = state;
  }

  /** An event that nobody hears of. Every event must pass here or be made a frame, in order (LF2). */
  pass(event: Event): void {
    if (event.kind === 'cycle-intended') {
      this.#outcomes = new Map(event.intention.outcomes.map((outcome) => [outcome.proposal, outcome]));
    }
  }

  /** The frame of an event for observers, or null when it has none. */
  frame({ sequence, event }: SequencedEvent): LiveFrame | null {
    this.pass(event);
    const body = this.#body(event);
    return body === null ? null : ({ seq: sequence, at: timeText(event.at), ...body } as LiveFrame);
  }

  /** Why a proposal came back in the cycle under way, or null when that is not known here. */
  brief(proposal: ProposalId): Brief | null {
    const outcome = this.#outcomes.get(proposal);
    return outcome?.kind === 'returned' ? outcome.brief : null;
  }

  /** (LF1) */
  #body(event: Event): FrameBody | null {
    switch (event.kind) {
      case 'colony-created':
        return { type: 'colony', change: 'created' };
      case 'booted':
        return { type: 'colony', change: 'started', generation: event.generation };
      case 'policy-set':
        return { type: 'colony', change: 'policy' };
      case 'paused':
        return { type: 'trunk', change: 'paused' };
      case 'resumed':
        return { type: 'trunk', change: 'resumed', commit: event.tip };
      case 'trunk-rewound':
        return { type: 'trunk', change: 'rewound', commit: event.found };
      case 'intent-created':
      case 'intent-edited':
      case 'intent-opened':
      case 'intent-landed':
      case 'intent-closed':
      case 'intent-blocked':
      case 'intent-abandoned':
        return intentFrame(event);
      case 'agent-registered':
      case 'agent-stopped':
      case 'join-token-created':
      case 'join-token-ended':
        return agentFrame(event);
      case 'taken':
      case 'heartbeat':
      case 'claims-ended':
      case 'read-recorded':
      case 'lease-ended':
        return this.#leaseFrame(event);
      case 'heads-up':
        return headsUpFrame(event);
      case 'heard':
      case 'history-learned':
        return null;
      case 'proposed':
      case 'superseded':
      case 'preserve-asked':
      case 'preserved':
        return this.#proposalFrame(event);
      case 'cycle-started':
      case 'cycle-intended':
      case 'cycle-committed':
      case 'cycle-abandoned':
        return this.#cycleFrame(event);
      case 'landed':
      case 'unchanged':
      case 'returned':
      case 'rejected':
      case 'deferred':
      case 'external-landed':
        return this.#outcomeFrame(event);
      case 'reserved':
      case 'held-back':
      case 'reservation-ended':
        return this.#reservationFrame(event);
      case 'sigma-evaluated':
        return sigmaFrame(event);
      case 'attention-raised':
      case 'attention-resolved':
        return attentionFrame(event);
      default:
        return never(event);
    }
  }

  /** Whose lease it is, as far as it is remembered. */
  #holder(id: LeaseId) {
    const { leases, settledLeases, lostLeases } = this.#state();
    const lease = leases.get(id) ?? settledLeases.get(id) ?? lostLeases.get(id);
    return lease === undefined ? {} : { agent: lease.agent, intent: lease.intent };
  }

  #leaseFrame(
    event: EventOf<'taken' | 'heartbeat' | 'claims-ended' | 'read-recorded' | 'lease-ended'>,
  ): FrameBody | null {
    switch (event.kind) {
      case 'taken': {
        const { lease, intent, agent, epoch, base } = event;
        return { type: 'take', lease, intent, agent, epoch, base, expiresAt: timeText(event.expiresAt) };
      }
      case 'heartbeat': {
        // A heartbeat that claims nothing more tells observers nothing.
        if (event.claims.length === 0) return null;
        const { lease, claims } = event;
        const expiresAt = timeTextOrNull(event.expiresAt);
        return { type: 'claim', lease, ...this.#holder(lease), claims: [...claims], expiresAt };
      }
      case 'claims-ended':
        return { type: 'claim', lease: event.lease, ...this.#holder(event.lease), claims: [], ended: event.why };
      case 'read-recorded':
        return null;
      case 'lease-ended':
        return { type: 'release', lease: event.lease, ...this.#holder(event.lease), why: event.why };
      default:
        return never(event);
    }
  }

  #proposalFrame(event: EventOf<'proposed' | 'superseded' | 'preserve-asked' | 'preserved'>): FrameBody | null {
    switch (event.kind) {
      case 'proposed':
        return {
          type: 'propose',
          proposal: event.proposal,
          lease: event.lease,
          ...this.#holder(event.lease),
          base: event.base,
          region: event.region,
          writes: event.writes.length,
          reads: event.reads.length,
          ...(event.repairOf === null ? {} : { repairOf: event.repairOf }),
          ...(event.answer === null ? {} : { answer: event.answer }),
        };
      case 'superseded': {
        const { proposal, intent, agent, lease, preserved } = event;
        return { type: 'superseded', proposal, intent, agent, lease, preserved };
      }
      case 'preserve-asked': {
        const { preserved, agent, intent, proposal, why } = event;
        return { type: 'preserved', preserved, agent, intent, proposal, why };
      }
      case 'preserved':
        return { type: 'preserved', preserved: event.preserved, commit: event.commit };
      default:
        return never(event);
    }
  }

  #reservationFrame(event: EventOf<'reserved' | 'held-back' | 'reservation-ended'>): FrameBody {
    const about = { type: 'reservation', lease: event.lease, ...this.#holder(event.lease) } as const;
    switch (event.kind) {
      case 'reserved': {
        const { proposal, region, until } = event;
        return { ...about, change: 'began', proposal, region, until: timeText(until) };
      }
      case 'held-back':
        return { ...about, change: 'held-back', heldBack: [...event.proposals] };
      case 'reservation-ended':
        return { ...about, change: 'ended', why: event.why };
      default:
        return never(event);
    }
  }

  #cycleFrame(
    event: EventOf<'cycle-started' | 'cycle-intended' | 'cycle-committed' | 'cycle-abandoned'>,
  ): FrameBody | null {
    const { cycle } = event;
    switch (event.kind) {
      case 'cycle-started': {
        const proposals = event.batches.reduce((sum, batch) => sum + batch.proposals.length, 0);
        return { type: 'cycle', cycle, change: 'started', proposals };
      }
      case 'cycle-intended':
        return { type: 'cycle', cycle, change: 'intended', proposals: event.intention.outcomes.length };
      case 'cycle-committed': {
        const count = (kind: Outcome['kind']) =>
          [...this.#outcomes.values()].filter((outcome) => outcome.kind === kind).length;
        if (this.#outcomes.size === 0) return null;
        return {
          type: 'metric',
          cycle,
          landed: count('landed'),
          unchanged: count('unchanged'),
          returned: count('returned'),
          rejected: count('rejected'),
          deferred: count('deferred'),
        };
      }
      case 'cycle-abandoned':
        return { type: 'cycle', cycle, change: 'abandoned', reason: event.reason };
      default:
        return never(event);
    }
  }

  #outcomeFrame(
    event: EventOf<'landed' | 'unchanged' | 'returned' | 'rejected' | 'deferred' | 'external-landed'>,
  ): FrameBody {
    switch (event.kind) {
      case 'landed': {
        const { proposal, landing, commit, intent, agent, region } = event;
        const known = this.#outcomes.get(proposal);
        const paths =
          known?.kind === 'landed'
            ? { merged: known.merged.map(listedPath), unchanged: known.unchanged.map(listedPath) }
            : {};
        return { type: 'landed', proposal, intent, agent, landing, commit, region, ...paths };
      }
      case 'unchanged': {
        const { proposal, intent, agent } = event;
        const known = this.#outcomes.get(proposal);
        const paths = known?.kind === 'unchanged' ? { unchanged: known.unchanged.map(listedPath) } : {};
        return { type: 'unchanged', proposal, intent, agent, ...paths };
      }
      case 'returned': {
        const { proposal, intent, agent } = event;
        const brief = this.brief(proposal);
        const causes = brief === null ? {} : { causes: causesOf(brief) };
        return { type: 'returned', proposal, intent, agent, expiresAt: timeText(event.expiresAt), ...causes };
      }
      case 'rejected': {
        const { proposal, intent, agent } = event;
        const reasons = event.reasons.map(({ code, message, path }) => ({
          code,
          message,
          ...(path === null ? {} : { path: listedPath(path) }),
        }));
        return { type: 'rejected', proposal, intent, agent, expiresAt: timeText(event.expiresAt), reasons };
      }
      case 'deferred':
        return { type: 'deferred', proposal: event.proposal };
      case 'external-landed': {
        const { landing, from, to, commits, title, writes } = event;
        return { type: 'external', landing, from, to, commits, title, paths: writes.length };
      }
      default:
        return never(event);
    }
  }
}

/** The frame with the brief that an agent gets of its own return. */
export function withBrief(frame: LiveFrame, brief: Brief | null): LiveFrame {
  if (frame.type !== 'returned' || brief === null) return frame;
  return { ...frame, causes: causesOf(brief), brief: briefBody(brief) };
}

/** Landings that a brief names, each once. */
function causesOf(brief: Brief): LandingId[] {
  const causes = [...brief.reads, ...brief.writes].map(({ cause }) => cause.landing);
  return [...new Set(causes.filter((cause) => cause !== null))];
}

function intentFrame(
  event: EventOf<
    | 'intent-created'
    | 'intent-edited'
    | 'intent-opened'
    | 'intent-landed'
    | 'intent-closed'
    | 'intent-blocked'
    | 'intent-abandoned'
  >,
): FrameBody {
  const { intent } = event;
  switch (event.kind) {
    case 'intent-created':
      return { type: 'intent', intent, change: 'created', state: 'open', title: event.draft.title };
    case 'intent-edited':
      return {
        type: 'intent',
        intent,
        change: 'edited',
        ...(event.change.title === undefined ? {} : { title: event.change.title }),
      };
    case 'intent-opened': {
      const { attempts, reason } = event;
      return { type: 'intent', intent, change: 'opened', state: 'open', attempts, reason };
    }
    case 'intent-landed':
      return { type: 'intent', intent, change: 'landed', state: 'landed' };
    case 'intent-closed':
      return { type: 'intent', intent, change: 'closed', state: 'closed', reason: event.reason };
    case 'intent-blocked': {
      const { attempts, reason } = event;
      return { type: 'intent', intent, change: 'blocked', state: 'blocked', attempts, reason };
    }
    case 'intent-abandoned':
      return { type: 'intent', intent, change: 'abandoned', state: 'abandoned', reason: event.reason };
    default:
      return never(event);
  }
}

function agentFrame(
  event: EventOf<'agent-registered' | 'agent-stopped' | 'join-token-created' | 'join-token-ended'>,
): FrameBody {
  switch (event.kind) {
    case 'agent-registered':
      return { type: 'agent', agent: event.agent, change: 'registered', name: event.name, kind: event.agentKind };
    case 'agent-stopped':
      return { type: 'agent', agent: event.agent, change: 'stopped' };
    case 'join-token-created':
      return { type: 'agent', change: 'invited' };
    case 'join-token-ended':
      return { type: 'agent', change: 'invitation-ended' };
    default:
      return never(event);
  }
}

function headsUpFrame({ lease, agent, intent, trunk, landings, more }: EventOf<'heads-up'>): FrameBody {
  return { type: 'heads-up', lease, agent, intent, trunk, landings: landings.map(headsUpBody), more };
}

function sigmaFrame({ sigma, regions }: EventOf<'sigma-evaluated'>): FrameBody {
  const changed = regions.map((region) => ({ ...region, laneDelayMs: laneDelayOf(region.inhibition) }));
  return { type: 'sigma', sigma, regions: changed };
}

function attentionFrame(event: EventOf<'attention-raised' | 'attention-resolved'>): FrameBody {
  const { attention } = event;
  if (event.kind === 'attention-resolved') return { type: 'attention', attention, change: 'resolved' };
  return {
    type: 'attention',
    attention,
    change: 'raised',
    kind: event.attentionKind,
    message: event.message,
    ...(event.proposal === null ? {} : { proposal: event.proposal }),
    ...(event.intent === null ? {} : { intent: event.intent }),
  };
}
