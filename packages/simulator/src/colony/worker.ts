// A simulated agent: what it works on, and since when.

import type { AgentId, IntentId, LeaseId, Oid, ProposalId } from '@firetrident/base';
import type { Brief, ResolvedRead } from '@firetrident/core';
import type { Task } from '../workload/task.ts';
import type { FileVersion } from './file-versions.ts';

/** `parked`: waits for work. `working` and `repairing`: busy. `waiting`: for the outcome of a proposal. */
export type WorkerState = 'absent' | 'asking' | 'parked' | 'working' | 'waiting' | 'repairing' | 'dead';

/** A task that has not landed yet. */
export interface OpenTask {
  readonly task: Task;
  readonly openedAtMs: number;
  /** How often it was taken, and how often it came back. */
  takes: number;
  returns: number;
}

/** A return that an agent answers. */
export interface Returned {
  readonly proposal: ProposalId;
  readonly brief: Brief;
}

/** What an agent holds under one lease. */
export interface Held {
  readonly open: OpenTask;
  readonly intent: IntentId;
  readonly lease: LeaseId;
  readonly epoch: number;
  readonly base: Oid;
  /** What it read, and the versions that it changes, as it saw them last. */
  readonly reads: ResolvedRead[];
  readonly bases: FileVersion[];
  /** What it read and says nothing of. */
  readonly hidden: readonly ResolvedRead[];
  readonly takenAtMs: number;
  /** When it first proposed; negative before. */
  firstProposedAtMs: number;
  returned: Returned | null;
  /** Places of the reads that it looked at again since the return, and of the files that it changed again. */
  readonly reread: Set<number>;
  readonly rewritten: Set<number>;
  /** When it is done with what it does, as far as it knows. */
  busyUntilMs: number;
  /** What it does now would take so long if nothing moved, and so long it did things again because something did. */
  plannedMs: number;
  againMs: number;
  /** Heads-ups that made it do something again. */
  heeded: number;
  /** Working time under this lease that was not redoing. */
  workedMs: number;
  /** What the agent worked on it in all, repairs included. */
  busyMs: number;
}

/** One simulated agent. */
export class Worker {
  readonly number: number;
  readonly id: AgentId;
  state: WorkerState = 'absent';
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

  get isBusy(): boolean {
    return this.state === 'working' || this.state === 'repairing';
  }
}
