// A simulated agent: what it works on, and since when.

import type { AgentId, IntentId, LeaseId, Oid, ProposalId } from '@firetrident/base';
import type { Brief, ResolvedRead } from '@firetrident/core';
import type { Task } from '../workload/task.ts';
import type { FileVersion } from './file-versions.ts';

/** `parked`: waits for work. `working` and `repairing`: busy. `waiting`: for the outcome of a proposal. */
export type WorkerState = 'parked' | 'asking' | 'working' | 'waiting' | 'repairing' | 'gone';

/** A task that is open or under way. */
export interface OpenTask {
  readonly task: Task;
  readonly openedAtMs: number;
  taken: boolean;
}

/** What an agent holds under one lease. */
export interface Held {
  readonly open: OpenTask;
  readonly intent: IntentId;
  readonly lease: LeaseId;
  readonly epoch: number;
  readonly base: Oid;
  /** What it read, and the versions that it changes, as they were when it began. */
  readonly reads: readonly ResolvedRead[];
  readonly bases: readonly FileVersion[];
  readonly takenAtMs: number;
  firstProposedAtMs: number;
  /** The return that it answers. */
  returned: { readonly proposal: ProposalId; readonly brief: Brief } | null;
  /** Working time under this lease so far, and what of it was redoing. */
  workedMs: number;
}

/** One simulated agent. */
export class Worker {
  readonly number: number;
  readonly id: AgentId;
  state: WorkerState = 'asking';
  /** Since when it is in its state. */
  sinceMs: number;
  /** Raised whenever its state changes: events of earlier states are void. */
  stamp = 0;
  held: Held | null = null;

  constructor(number: number, id: AgentId, sinceMs: number) {
    this.number = number;
    this.id = id;
    this.sinceMs = sinceMs;
  }

  /** Goes over to another state. */
  become(state: WorkerState, nowMs: number): void {
    this.state = state;
    this.sinceMs = nowMs;
    this.stamp += 1;
  }
}
