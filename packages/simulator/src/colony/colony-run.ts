// This system in simulated time: agents that take, work, propose and repair against the production core.
//
// The core decides everything that it decides in the daemon. Simulated are the agents, the bytes, the clock and the costs.
//
//   CR1. The same options give the same tally: nothing is read but the options, the workload and the seed.
//   CR2. Nothing of a command outlives it: events and effects are dropped as soon as they were acted upon.
//   CR3. Every open intent stands for one task of the workload, with its written files as predicted paths.

import { assert, defined, type IntentId, type ProposalId } from '@firetrident/base';
import {
  type Applied,
  apply,
  type ColonyState,
  type Command,
  defaultPolicy,
  emptyState,
  type IntentState,
  type Policy,
  type Proposal,
  type Replies,
} from '@firetrident/core';
import { EventQueue } from '../events/event-queue.ts';
import { Tally } from '../measure/tally.ts';
import type { PolicyOptions } from '../policy.ts';
import type { Costs } from './costs.ts';
import type { Switches } from './switches.ts';
import { Trunk } from './trunk-facts.ts';
import { amendmentOf, basesOf, changeOf, movedShare, readsOf } from './work-content.ts';
import { type Held, type OpenTask, Worker } from './worker.ts';
import { landCycle, type PlannedCycle, planCycle } from './writer.ts';

/** What a run of this system is given. */
export interface ColonyOptions extends PolicyOptions {
  readonly switches: Switches;
  readonly costs: Costs;
}

const kinds = { ask: 0, worked: 1, repaired: 2, cycle: 3, commit: 4, tick: 5, heartbeat: 6, wake: 7 } as const;

/** Time between two looks at what has become due. */
const tickMs = 1_000;
/** Intents that are created in one command. */
const intentsAtOnce = 256;
/** Simulated time between two reports of progress. */
const progressMs = 10_000;

/** One run of one colony. */
export class ColonyRun {
  readonly tally: Tally;
  readonly #options: ColonyOptions;
  readonly #state: ColonyState = emptyState();
  readonly #queue = new EventQueue();
  readonly #trunk = new Trunk();
  readonly #workers: Worker[] = [];
  readonly #open = new Map<IntentId, OpenTask>();
  readonly #proposers = new Map<ProposalId, Worker>();
  /** Agents that wait for work, the first to wait at the front. */
  #parked: Worker[] = [];
  #wakePlanned = false;
  #cyclePlanned = false;
  #planned: PlannedCycle | null = null;
  #cycleProposals: ReadonlyMap<ProposalId, Proposal> = new Map();
  #cycles = 0;
  #takeable = 0;

  constructor(options: ColonyOptions) {
    this.#options = options;
    this.tally = new Tally(options);
  }

  /** Runs to the end of the time. */
  run(): Tally {
    const { durationMs, progress } = this.#options;
    this.#found();
    let reportedMs = 0;
    while (this.#queue.pop() && this.#queue.atMs < durationMs) {
      this.tally.events += 1;
      this.#happen();
      if (progress !== undefined && this.#queue.atMs >= reportedMs + progressMs) {
        reportedMs = this.#queue.atMs;
        progress(reportedMs);
      }
    }
    this.#close();
    return this.tally;
  }

  get #now(): number {
    return this.#queue.atMs;
  }

  #found(): void {
    const { agents, openTasks, seed } = this.#options;
    const policy = policyOf(this.#options);
    this.#do({
      kind: 'create-colony',
      id: 'colony',
      branch: 'main',
      tip: 't',
      notes: null,
      packages: [],
      policy,
      seed,
    });
    this.#do({ kind: 'boot' });
    this.#topUp(openTasks);
    for (let number = 0; number < agents; number += 1) {
      const { agent } = this.#do({
        kind: 'register-agent',
        name: `agent ${number}`,
        agentKind: 'simulated',
        labels: [],
        workspace: 'ref',
        tokenHash: `${number}`,
        joinTokenHash: null,
      });
      this.#workers.push(new Worker(number, agent, 0));
      this.#queue.push(0, kinds.ask, number, 0);
    }
    this.#queue.push(tickMs, kinds.tick, 0, 0);
  }

  #happen(): void {
    const { kind, subject, stamp } = this.#queue;
    switch (kind) {
      case kinds.cycle:
        this.#startCycle();
        return;
      case kinds.commit:
        this.#commitCycle();
        return;
      case kinds.wake:
        this.#wake();
        return;
      case kinds.tick:
        this.#queue.push(this.#now + tickMs, kinds.tick, 0, 0);
        this.#do({ kind: 'tick' });
        return;
    }
    const worker = defined(this.#workers[subject], `agent ${subject}`);
    if (worker.stamp !== stamp) return;
    switch (kind) {
      case kinds.ask:
        if (!this.#take(worker)) this.#park(worker);
        return;
      case kinds.worked:
        this.#propose(worker);
        return;
      case kinds.repaired:
        this.#repair(worker);
        return;
      case kinds.heartbeat:
        this.#heartbeat(worker);
        return;
    }
  }

  /** Applies a command and does what its effects ask (CR2). */
  #apply<C extends Command>(command: C): Applied<C['kind']> {
    const applied = apply(this.#state, command, this.#now);
    for (const effect of applied.effects) {
      if (effect.kind === 'lanes-ready') this.#planCycle(this.#options.costs.coalesceMs);
      else if (effect.kind === 'work-available') this.#planWake();
    }
    return applied;
  }

  #do<C extends Command>(command: C): Replies[C['kind']] {
    const { reply } = this.#apply(command);
    assert(reply.ok, `${command.kind} is not refused: ${JSON.stringify(reply)}`);
    return reply.value as Replies[C['kind']];
  }

  /** Opens tasks until `wanted` are on offer (CR3). */
  #topUp(wanted: number): void {
    while (this.#takeable < wanted) {
      const count = Math.min(intentsAtOnce, wanted - this.#takeable);
      const tasks = Array.from({ length: count }, () => this.#options.workload.next());
      const drafts = tasks.map((task) => ({
        title: `task ${task.id}`,
        body: '',
        paths: task.files.map((file) => this.#trunk.file(file.path, file.pathId).path),
        priority: 0,
        after: [],
        parent: null,
        labels: [],
        key: null,
      }));
      const { intents } = this.#do({ kind: 'create-intents', drafts, archived: noArchive, archivedKeys: noKeys });
      for (const [index, { id }] of intents.entries()) {
        const task = defined(tasks[index], 'the task of an intent');
        this.#open.set(id, { task, openedAtMs: this.#now, taken: false });
      }
      this.#takeable += count;
    }
  }

  #planWake(): void {
    if (this.#wakePlanned || this.#parked.length === 0) return;
    this.#wakePlanned = true;
    this.#queue.push(this.#now, kinds.wake, 0, 0);
  }

  /** Parked agents ask again, oldest first, until one of them finds nothing. */
  #wake(): void {
    this.#wakePlanned = false;
    let woken = 0;
    for (const worker of this.#parked) {
      if (!this.#take(worker)) break;
      woken += 1;
    }
    if (woken > 0) this.#parked = this.#parked.slice(woken);
  }

  #park(worker: Worker): void {
    this.#become(worker, 'parked');
    this.#parked.push(worker);
  }

  /** Asks for work and begins with it; false when there is none for this agent. */
  #take(worker: Worker): boolean {
    const { switches, workload: _workload, openTasks } = this.#options;
    this.tally.messaged(this.#now, 2);
    const answer = this.#do({
      kind: 'take',
      agent: worker.id,
      intent: null,
      paths: [],
      labels: [],
      waitingAgents: this.#parked.length,
      takesInFlight: 0,
    });
    if (answer.kind === 'wait') return false;
    const { intent, lease, epoch, base } = answer.grant;
    const open = defined(this.#open.get(intent), `the task of ${intent}`);
    if (!open.taken) this.tally.waited(this.#now, open.openedAtMs);
    open.taken = true;
    this.#takeable -= 1;
    if (!switches.repulsion) this.#do({ kind: 'tick' });
    worker.held = {
      open,
      intent,
      lease,
      epoch,
      base,
      reads: readsOf(open.task, this.#trunk, switches.symbolReads, base),
      bases: basesOf(open.task, this.#trunk),
      takenAtMs: this.#now,
      firstProposedAtMs: -1,
      returned: null,
      workedMs: 0,
    };
    this.#become(worker, 'working');
    this.#busy(worker, kinds.worked, open.task.workMs);
    this.#topUp(openTasks);
    return true;
  }

  /** The agent is busy for a while, and keeps its lease alive meanwhile. */
  #busy(worker: Worker, then: number, milliseconds: number): void {
    this.#queue.push(this.#now + milliseconds, then, worker.number, worker.stamp);
    const beat = this.#state.policy.leaseMs / 3;
    if (milliseconds > beat) this.#queue.push(this.#now + beat, kinds.heartbeat, worker.number, worker.stamp);
  }

  #heartbeat(worker: Worker): void {
    const held = heldBy(worker);
    const { reply } = this.#apply({
      kind: 'heartbeat',
      agent: worker.id,
      lease: held.lease,
      epoch: held.epoch,
      claims: [],
    });
    this.tally.messaged(this.#now, 2);
    if (!reply.ok) {
      this.#lose(worker);
      return;
    }
    const beat = this.#state.policy.leaseMs / 3;
    this.#queue.push(this.#now + beat, kinds.heartbeat, worker.number, worker.stamp);
  }

  #propose(worker: Worker): void {
    const held = heldBy(worker);
    this.#book(worker, held, false);
    if (held.firstProposedAtMs < 0) held.firstProposedAtMs = this.#now;
    const { reply } = this.#apply({
      kind: 'propose',
      agent: worker.id,
      lease: held.lease,
      epoch: held.epoch,
      base: held.base,
      predecessor: null,
      final: true,
      title: null,
      message: null,
      key: null,
      content: changeOf(held, this.#trunk),
    });
    this.tally.messaged(this.#now, 2);
    if (!reply.ok || reply.value.state !== 'queued') {
      this.#lose(worker);
      return;
    }
    this.#proposers.set(reply.value.proposal, worker);
    this.#become(worker, 'waiting');
  }

  #repair(worker: Worker): void {
    const held = heldBy(worker);
    const { proposal, brief } = defined(held.returned, 'the return that is answered');
    this.#book(worker, held, true);
    const amends = brief.writes.length > 0;
    const { reply } = this.#apply({
      kind: 'repair',
      agent: worker.id,
      lease: held.lease,
      epoch: held.epoch,
      proposal,
      answer: amends ? 'amend' : 'confirm',
      base: null,
      key: null,
      content: amends ? amendmentOf(held, brief, this.#trunk) : null,
    });
    this.tally.messaged(this.#now, 2);
    if (!reply.ok || reply.value.state !== 'queued') {
      this.#lose(worker);
      return;
    }
    held.returned = null;
    this.#proposers.set(reply.value.proposal, worker);
    this.#become(worker, 'waiting');
  }

  /** The lease is over: what was worked under it comes to nothing, and the agent asks for something else. */
  #lose(worker: Worker): void {
    const held = heldBy(worker);
    this.tally.discard(this.#now - held.workedMs, this.#now);
    worker.held = null;
    this.#askSoon(worker);
  }

  #askSoon(worker: Worker): void {
    this.#become(worker, 'asking');
    this.#queue.push(this.#now + this.#options.costs.messageMs, kinds.ask, worker.number, worker.stamp);
  }

  #planCycle(afterMs: number): void {
    if (this.#cyclePlanned || this.#planned !== null) return;
    this.#cyclePlanned = true;
    this.#queue.push(this.#now + afterMs, kinds.cycle, 0, 0);
  }

  #startCycle(): void {
    this.#cyclePlanned = false;
    const { cycle } = this.#do({ kind: 'start-cycle' });
    if (cycle === null) return;
    const { costs, switches } = this.#options;
    const proposals = new Map<ProposalId, Proposal>();
    for (const id of this.#state.cycleOrder)
      proposals.set(id, defined(this.#state.proposals.get(id), `proposal ${id}`));
    this.#cycles += 1;
    this.#cycleProposals = proposals;
    this.#planned = planCycle(this.#state, this.#trunk, this.#cycles, !switches.merge);
    this.#do({ kind: 'intend-cycle', ...this.#planned, quarantined: [] });
    const took = costs.cycleMs + costs.proposalMs * proposals.size;
    this.#queue.push(this.#now + took, kinds.commit, 0, 0);
  }

  #commitCycle(): void {
    const planned = defined(this.#planned, 'the planned cycle');
    landCycle(this.#trunk, planned, this.#cycleProposals);
    this.#planned = null;
    this.#do({ kind: 'commit-cycle', cycle: planned.cycle });
    for (const outcome of planned.intention.outcomes) {
      if (outcome.kind === 'deferred') continue;
      const worker = defined(this.#proposers.get(outcome.proposal), `who proposed ${outcome.proposal}`);
      this.#proposers.delete(outcome.proposal);
      this.tally.messaged(this.#now, 1);
      if (outcome.kind === 'returned') this.#returned(worker, outcome.proposal, outcome.brief);
      else this.#settled(worker);
    }
    this.#cycleProposals = new Map();
  }

  #settled(worker: Worker): void {
    const held = heldBy(worker);
    this.tally.landed(this.#now, held.firstProposedAtMs);
    this.#open.delete(held.intent);
    worker.held = null;
    this.#askSoon(worker);
  }

  #returned(worker: Worker, proposal: ProposalId, brief: NonNullable<Held['returned']>['brief']): void {
    const held = heldBy(worker);
    this.tally.returned(this.#now);
    held.returned = { proposal, brief };
    const { task } = held.open;
    const share = Math.max(this.#options.redoShare, movedShare(task, brief));
    this.#become(worker, 'repairing');
    this.#busy(worker, kinds.repaired, share * task.workMs);
  }

  /** Books the working time that ends now. */
  #book(worker: Worker, held: Held, redone: boolean): void {
    this.tally.work(worker.sinceMs, this.#now, redone);
    held.workedMs += this.#now - worker.sinceMs;
  }

  /** Changes the state of an agent; a time in which it did not work is idle time. */
  #become(worker: Worker, state: Worker['state']): void {
    if (worker.state !== 'working' && worker.state !== 'repairing') this.tally.idle(worker.sinceMs, this.#now);
    worker.become(state, this.#now);
  }

  /** Books what is under way when the time is over. */
  #close(): void {
    const { durationMs } = this.#options;
    for (const worker of this.#workers) {
      if (worker.state === 'working' || worker.state === 'repairing') {
        this.tally.work(worker.sinceMs, durationMs, worker.state === 'repairing');
      } else if (worker.state !== 'gone') {
        this.tally.idle(worker.sinceMs, durationMs);
      }
    }
    for (const { taken, openedAtMs } of this.#open.values()) if (!taken) this.tally.waited(durationMs, openedAtMs);
  }
}

const noArchive: ReadonlyMap<IntentId, IntentState> = new Map();
const noKeys: ReadonlyMap<string, IntentId> = new Map();

function heldBy(worker: Worker): Held {
  return defined(worker.held, 'what the agent holds');
}

/** The rules of the colony: the defaults, with bounds for as many agents as there are. */
function policyOf({ agents, openTasks, switches }: ColonyOptions): Policy {
  const plenty = agents + openTasks + intentsAtOnce;
  return {
    ...defaultPolicy,
    claimHalfLifeMs: switches.repulsion ? defaultPolicy.claimHalfLifeMs : 0.001,
    limits: {
      ...defaultPolicy.limits,
      agents: Math.max(agents, defaultPolicy.limits.agents),
      liveIntents: Math.max(plenty, defaultPolicy.limits.liveIntents),
      queuedProposals: Math.max(agents, defaultPolicy.limits.queuedProposals),
      pathsPerIntent: 1_024,
    },
  };
}
