// The policies that can be compared, and what running one means.
//
//   PO1. A policy sees the agents, the tasks and the clock that its options give it, and nothing else: the same options, the same tally.

import type { Tally } from './measure/tally.ts';
import type { Workload } from './workload/task.ts';

/** This system, and this system without one of its parts each. */
export const colonyPolicies = [
  'firetrident',
  'firetrident-without-heads-up',
  'firetrident-without-merge',
  'firetrident-with-file-reads',
  'firetrident-without-repulsion',
  'firetrident-without-adaptive-admission',
  'firetrident-without-thresholds',
] as const;

/** What else can coordinate agents. */
export const peerPolicies = [
  'locks-oldest-200',
  'locks-all',
  'fifo-batch',
  'speculative',
  'published-rules',
  'no-conflict',
] as const;

/** Every policy by name. */
export const policyNames = [...colonyPolicies, ...peerPolicies] as const;

/** A policy of this system. */
export type ColonyPolicy = (typeof colonyPolicies)[number];
/** A policy of somebody else; `no-conflict` is the bound where nobody ever disturbs anybody. */
export type PeerPolicy = (typeof peerPolicies)[number];
/** A policy by name. */
export type PolicyName = (typeof policyNames)[number];

/** What a run of a policy is given. */
export type PolicyOptions = {
  readonly agents: number;
  /** Seed of what the policy itself draws. Tasks and work times are drawn by the workload. */
  readonly seed: number;
  /** Simulated time in all, warm-up included. */
  readonly durationMs: number;
  /** The part at the beginning that is not counted. */
  readonly warmupMs: number;
  /** A stream that nobody drew from yet. */
  readonly workload: Workload;
  /** Open tasks that are kept on offer: whenever one is taken, the next of the stream is opened. */
  readonly openTasks: number;
  /**
   * Least share of the work that a repair does again, from 0 to 1: 0.1 unless asked otherwise. A repair redoes the share of the
   * footprint that moved, and never less than this. Locks redo half of the work on a failed read, or this share if it is more.
   */
  readonly redoShare: number;
  /** Hears the simulated time now and then. */
  readonly progress?: (nowMs: number) => void;
};

/** Runs one policy to the end of its time (PO1). */
export type PolicyRun = (options: PolicyOptions) => Tally;
