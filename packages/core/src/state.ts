// What is alive in a colony. Terminal things have left for the archive; a bounded memory of them stays, so that a
// question that is on its way when they leave is still answered right.
//
// Never here: clocks, bytes, the archive. Mutable inside, and changed by `evolve` alone.
//
//   ST1. Everything but `index` is data that serialises; `index` can be made again from it.
//   ST2. `settling` is empty between commands.

import type {
  AgentId,
  AttentionId,
  IntentId,
  JoinTokenId,
  LandingId,
  LeaseId,
  Oid,
  PreservedId,
  ProposalId,
  RandomState,
  TreePath,
} from '@firetrident/base';
import { type RegionAdmission, unknownPace, type WriterPace } from './admission.ts';
import type { ArchivedProposal } from './archived.ts';
import type { Quarantine } from './command.ts';
import type { LeaseEnd } from './event.ts';
import { ColonyIndex } from './index-of-state.ts';
import type { Association } from './learning.ts';
import type {
  Agent,
  AttentionItem,
  Cycle,
  Freeze,
  Intent,
  IntentState,
  JoinToken,
  Lease,
  Outcome,
  Preserved,
  Proposal,
  RecordedRead,
  Region,
  Reservation,
  ResolvedWrite,
} from './model.ts';
import { defaultPolicy, type Policy } from './policy.ts';
import type { RecentLanding } from './sigma-index.ts';
import type { RegionStaleness } from './staleness.ts';

/** A live lease. Its recorded reads grow in place: copying them for each would cost their square. */
export interface LiveLease extends Lease {
  readonly recorded: Map<TreePath, RecordedRead>;
}

/** A lease that is over, remembered to tell a late agent from a mistaken one. */
export interface EndedLease {
  readonly intent: IntentId;
  readonly agent: AgentId;
  readonly epoch: number;
  readonly why: LeaseEnd;
}

/** A part of a chain as its agent sent it: what later parts of the same lease build on, landed or not (C5). */
export interface SentPart {
  readonly proposal: ProposalId;
  readonly base: Oid;
  readonly writes: readonly ResolvedWrite[];
}

/** A proposal that left the state a moment ago. */
export interface RecentProposal {
  readonly row: ArchivedProposal;
}

/** An intent that left the state a moment ago. */
export interface RecentIntent {
  readonly key: string | null;
  readonly state: IntentState;
}

/** How often each thing happened, ever. */
export interface Totals {
  readonly landed: number;
  readonly unchanged: number;
  readonly returned: number;
  readonly rejected: number;
  readonly superseded: number;
  readonly external: number;
  readonly intentsLanded: number;
  readonly intentsClosed: number;
  readonly agentsStopped: number;
  /** Work and tokens that were lost by returns, as far as it is known (R5). */
  readonly wastedMs: number;
  readonly wastedTokens: number;
  /** Work on every proposal ever made. */
  readonly workedMs: number;
}

/** Landings of one region in one second. */
export interface LandedSecond {
  readonly second: number;
  readonly region: Region;
  readonly count: number;
}

/** What is known of a region where something happened lately. Times and durations are milliseconds. */
export interface RegionStanding {
  /** As published last. */
  readonly sigma: number;
  readonly inhibition: number;
  /** How long a landing counts. */
  readonly windowMs: number;
  /** How long work took lately, in order. */
  readonly workTimes: readonly number[];
  /** When its lane handed over its last batch; 0 when it may do so at once. */
  readonly tickedAt: number;
  /** When something last happened in it. */
  readonly activeAt: number;
}

/** The live state of one colony. */
export interface ColonyState {
  /** "" until the colony is created. */
  id: string;
  branch: string;
  createdAt: number;
  tip: Oid;
  notes: Oid | null;
  packages: readonly TreePath[];
  policy: Policy;
  /** State of the seeded generator. */
  random: RandomState;
  generation: number;
  /** The last number given out as an id in this generation. */
  counter: number;
  freeze: Freeze | null;
  readonly intents: Map<IntentId, Intent>;
  readonly recentIntents: Map<IntentId, RecentIntent>;
  readonly agents: Map<AgentId, Agent>;
  readonly stoppedAgents: Map<AgentId, number>;
  readonly joinTokens: Map<JoinTokenId, JoinToken>;
  readonly leases: Map<LeaseId, LiveLease>;
  /** Leases that ended with their intent settled, and those that ended otherwise: bounded apart. */
  readonly settledLeases: Map<LeaseId, EndedLease>;
  readonly lostLeases: Map<LeaseId, EndedLease>;
  readonly proposals: Map<ProposalId, Proposal>;
  readonly recentProposals: Map<ProposalId, RecentProposal>;
  /** Parts of chains by lease, in order; gone with the lease. */
  readonly sentParts: Map<LeaseId, readonly SentPart[]>;
  /** Queued proposals in order of arrival, without those of the running cycle and those that are held back. */
  queue: ProposalId[];
  /** Reservations by their lease, the oldest first; what they hold back is in no queue (R4). */
  readonly reservations: Map<LeaseId, Reservation>;
  /** How many proposals at the front of the queue must share one cycle (O4). */
  together: number;
  cycle: Cycle | null;
  /** Proposals of the running cycle in order of arrival. */
  cycleOrder: readonly ProposalId[];
  cycleQuarantined: readonly Quarantine[];
  /** Outcomes of the cycle that is being committed, until each has had its event (ST2). */
  readonly settling: Map<ProposalId, Outcome>;
  readonly attention: Map<AttentionId, AttentionItem>;
  /** Asked for, not yet under a ref. */
  readonly preserving: Map<PreservedId, Preserved>;
  /** Under a ref; the newest ones, without their writes. */
  readonly preserved: Map<PreservedId, Preserved>;
  totals: Totals;
  /** Landings of the last minute, oldest first. */
  landedSeconds: LandedSecond[];
  /** Landings that may still cause returns, oldest first (S1). */
  readonly recentLandings: Map<LandingId, RecentLanding>;
  /** Regions where something happened lately; the one that was looked at longest ago first. */
  readonly standings: Map<Region, RegionStanding>;
  /** σ of the whole colony as published last, and when it was looked at. */
  sigma: number;
  sigmaAt: number;
  /** What each region takes on at once, the one that changed last at the end (T4). */
  readonly admissions: Map<Region, RegionAdmission>;
  /** How much of the work of each region goes stale, in the same order. */
  readonly staleness: Map<Region, RegionStaleness>;
  /** What landings taught about the words of titles, and about paths that change together (T5). */
  readonly titleWords: Map<string, Association>;
  readonly coChanges: Map<TreePath, Association>;
  /** The history from before the colony was learned from. */
  historyLearned: boolean;
  /** What the trunk writer could sustain lately. */
  pace: WriterPace;
  /** Mean time from take to propose, fading; null before the first. */
  workMs: number | null;
  /** Median time from creation to landing of intents, as the latest show it; null before the first. */
  lifeMs: number | null;
  /** The last landing of someone else: answers a repeated report of it. */
  lastExternal: { readonly landing: LandingId; readonly to: Oid } | null;
  /** Follows from the rest (ST1). */
  index: ColonyIndex;
}

/** Bounds of what is only remembered; what is alive is bounded by the policy. */
export const memory = {
  recentIntents: 4_096,
  recentProposals: 2_048,
  stoppedAgents: 20_000,
  settledLeases: 16_384,
  lostLeases: 32_768,
  preserved: 10_000,
  attention: 10_000,
  regions: 4_096,
} as const;

const noOid: Oid = '0000000000000000000000000000000000000000';

/** The state before a colony exists. */
export function emptyState(): ColonyState {
  const admissions = new Map<Region, RegionAdmission>();
  return {
    id: '',
    branch: '',
    createdAt: 0,
    tip: noOid,
    notes: null,
    packages: [],
    policy: defaultPolicy,
    random: 0,
    generation: 0,
    counter: 0,
    freeze: null,
    intents: new Map(),
    recentIntents: new Map(),
    agents: new Map(),
    stoppedAgents: new Map(),
    joinTokens: new Map(),
    leases: new Map(),
    settledLeases: new Map(),
    lostLeases: new Map(),
    proposals: new Map(),
    recentProposals: new Map(),
    sentParts: new Map(),
    queue: [],
    reservations: new Map(),
    together: 0,
    cycle: null,
    cycleOrder: [],
    cycleQuarantined: [],
    settling: new Map(),
    attention: new Map(),
    preserving: new Map(),
    preserved: new Map(),
    totals: {
      landed: 0,
      unchanged: 0,
      returned: 0,
      rejected: 0,
      superseded: 0,
      external: 0,
      intentsLanded: 0,
      intentsClosed: 0,
      agentsStopped: 0,
      wastedMs: 0,
      wastedTokens: 0,
      workedMs: 0,
    },
    landedSeconds: [],
    recentLandings: new Map(),
    standings: new Map(),
    sigma: 0,
    sigmaAt: 0,
    admissions,
    staleness: new Map(),
    titleWords: new Map(),
    coChanges: new Map(),
    historyLearned: false,
    pace: unknownPace,
    workMs: null,
    lifeMs: null,
    lastExternal: null,
    index: new ColonyIndex(defaultPolicy, [], admissions),
  };
}

/** Remembers `key` in a bounded map; returns what had to be forgotten for it. */
export function remember<K, V>(map: Map<K, V>, key: K, value: V, bound: number): readonly [K, V] | null {
  map.set(key, value);
  if (map.size <= bound) return null;
  const oldest = map.entries().next();
  if (oldest.done === true) return null;
  map.delete(oldest.value[0]);
  return oldest.value;
}
