// What the shell must do because of an applied command, after its events are durable.

import type { AgentId, IntentId, LandingId, ProposalId } from '@firetrident/base';
import type { ArchivedIntent, ArchivedLanding, ArchivedProposal, ReturnedWork } from './archived.ts';
import type { Preserved } from './model.ts';

/** What is left to do once the events are durable. */
export type Effect =
  /** Lanes hold work and landing is not frozen: start a cycle as soon as the last one is over. */
  | { readonly kind: 'lanes-ready' }
  /** At least one intent became takeable: wake agents that wait. */
  | { readonly kind: 'work-available' }
  /** Keep this content under a ref of its own. */
  | { readonly kind: 'preserve'; readonly preserved: Preserved }
  /** A proposal reached its outcome: tell whoever waits for it. */
  | { readonly kind: 'settled'; readonly proposal: ProposalId; readonly agent: AgentId }
  /** Left the state; must be durable in the archive in the same commit as the events. */
  | {
      readonly kind: 'archive-intent';
      readonly id: IntentId;
      readonly key: string | null;
      readonly row: ArchivedIntent;
    }
  | {
      readonly kind: 'archive-proposal';
      readonly id: ProposalId;
      readonly key: string | null;
      readonly row: ArchivedProposal;
    }
  /** What a return cost; told again when its repair shows how much was lost. */
  | { readonly kind: 'archive-return'; readonly id: ProposalId; readonly row: ReturnedWork }
  | { readonly kind: 'archive-landing'; readonly id: LandingId; readonly row: ArchivedLanding };
