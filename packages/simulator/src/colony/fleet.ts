// The agents of a simulated colony: they take, work, propose, repair, and sometimes die.
//
//   FL1. An agent does one thing at a time, and all its time is booked: as work, as work done again, or as idle.
//   FL2. An agent that finds no work waits until it is woken. Who waits longest is woken first, until one finds nothing.
//   FL3. An agent that heads-ups made do things again three times finishes before it looks again: what moved meanwhile comes back
//        with its proposal, and three returns earn a reservation. Who only ever begins again never ends.

import { defined } from '@firetrident/base';
import type { Brief, EventOf, Outcome } from '@firetrident/core';
import { WaitingLine } from '../events/waiting-line.ts';
import type { Backlog } from './backlog.ts';
import type { Colony } from './colony.ts';
import { eventKinds } from './event-kinds.ts';
import type { LandedTask } from './options.ts';
import {
  acceptBrief,
  amendmentOf,
  basesOf,
  changeOf,
  footprintOf,
  lookAgain,
  movedIn,
  readsOf,
} from './work-content.ts';
import { type Held, Worker, type WorkerState } from './worker.ts';

/** Heartbeats in the time of a lease. */
const beatsPerLease = 3;
/** Heads-ups under one lease that an agent acts upon at once (FL3). */
const headsUpsHeeded = 3;

/** All agents of one colony. */
export class Fleet {
  readonly workers: Worker[] = [];
  readonly #colony: Colony;
  readonly #backlog: Backlog;
  readonly #byId = new Map<string, Worker>();
  readonly #proposers = new Map<string, Worker>();
  /** Agents that wait for work, the first to wait at the front (FL2). */
  readonly #parked = new WaitingLine();
  #wakePlanned = false;

  constructor(colony: Colony, backlog: Backlog) {
    this.#colony = colony;
    this.#backlog = backlog;
  }

  /** An agent comes and asks for work. */
  join(): void {
    const { queue, options, now } = this.#colony;
    const number = this.workers.length;
    const { agent } = this.#colony.do({
      kind: 'register-agent',
      name: `agent ${number}`,
      agentKind: 'simulated',
      labels: [],
      workspace: 'ref',
      tokenHash: `${number}`,
      joinTokenHash: null,
    });
    const worker = new Worker(number, agent, now);
    this.workers.push(worker);
    this.#byId.set(agent, worker);
    const diesAtMs = options.behaviour?.diesAtMs?.(number) ?? Number.POSITIVE_INFINITY;
    // A stamp of -1: a death is never void.
    if (diesAtMs < options.durationMs) queue.push(Math.max(now, diesAtMs), eventKinds.die, number, -1);
    this.#ask(worker, 0);
  }

  /** Something could be taken. */
  expectWake(): void {
    if (this.#wakePlanned || this.#parked.size === 0) return;
    this.#wakePlanned = true;
    this.#colony.queue.push(this.#colony.now, eventKinds.wake, 0, 0);
  }

  /** Parked agents ask again (FL2). */
  wake(): void {
    this.#wakePlanned = false;
    for (let first = this.#parked.first(); first !== undefined; first = this.#parked.first()) {
      const worker = defined(this.workers[first], `agent ${first}`);
      if (worker.state === 'parked' && !this.#take(worker)) return;
      this.#parked.leave();
    }
  }

  /** What an agent had planned happens, unless it went over to something else meanwhile. */
  happen(kind: number, number: number, stamp: number): void {
    const worker = defined(this.workers[number], `agent ${number}`);
    if (kind === eventKinds.die) this.#die(worker);
    if (worker.stamp !== stamp) return;
    switch (kind) {
      case eventKinds.ask:
        if (!this.#take(worker)) this.#park(worker);
        break;
      case eventKinds.done:
        this.#done(worker);
        break;
      case eventKinds.heartbeat:
        this.#heartbeat(worker);
        break;
    }
  }

  /** A cycle settled a proposal. */
  settle(outcome: Outcome): void {
    if (outcome.kind === 'deferred') return;
    const { tally, now, options } = this.#colony;
    const worker = defined(this.#proposers.get(outcome.proposal), `who proposed ${outcome.proposal}`);
    const held = heldBy(worker);
    this.#proposers.delete(outcome.proposal);
    if (!options.switches.thresholds) this.#forget(worker);
    tally.messaged(now, 1);
    if (outcome.kind === 'returned') {
      tally.returned(now);
      held.open.returns += 1;
      held.returned = { proposal: outcome.proposal, brief: outcome.brief };
      if (worker.state === 'dead') this.#discard(held);
      else this.#mend(worker, held, outcome.brief);
      return;
    }
    tally.landed(now, held.firstProposedAtMs);
    this.#backlog.drop(held.intent);
    options.behaviour?.landed?.(this.#landedTask(worker, held));
    worker.held = null;
    if (worker.state !== 'dead') this.#ask(worker, options.costs.messageMs);
  }

  /** The agent knows nothing of any region, as on its first day: the core has no switch for what it remembers. */
  #forget(worker: Worker): void {
    const { agents } = this.#colony.state;
    const agent = agents.get(worker.id);
    if (agent !== undefined && agent.thresholds.length > 0) agents.set(worker.id, { ...agent, thresholds: [] });
  }

  #landedTask(worker: Worker, { open, hidden, takenAtMs, busyMs }: Held): LandedTask {
    const { trunk, now } = this.#colony;
    const { task, openedAtMs, takes, returns } = open;
    const movedUnseen = hidden.filter((read) => trunk.shownAtTip(read).oid !== read.basis).length;
    return { task, agent: worker.number, openedAtMs, takenAtMs, landedAtMs: now, busyMs, takes, returns, movedUnseen };
  }

  /**
   * A working agent hears of landings. When they matter to it, it does the part of what it has done so far again that
   * moved, and no less than the options say, at once.
   */
  hear({ lease, agent, landings, more }: EventOf<'heads-up'>): void {
    const { tally, now, trunk, options } = this.#colony;
    const worker = defined(this.#byId.get(agent), `the agent ${agent}`);
    const { held } = worker;
    tally.messaged(now, 1);
    if (held === null || held.lease !== lease || !worker.isBusy || held.heeded === headsUpsHeeded) return; // (FL3)
    const isListed = more === 0 && landings.every((landing) => landing.more === 0);
    const paths = new Set(landings.flatMap((landing) => landing.paths.map(({ path }) => path)));
    const moved = lookAgain(held, isListed ? paths : null, trunk);
    if (moved === 0) return;
    const share = Math.max(options.redoShare, Math.min(1, moved / footprintOf(held)));
    const againMs = share * Math.max(0, held.plannedMs - Math.max(0, held.busyUntilMs - now));
    held.heeded += 1;
    held.againMs += againMs;
    held.busyUntilMs += againMs;
  }

  /** Books what is under way when the time is over (FL1). */
  close(): void {
    const { tally, options } = this.#colony;
    for (const worker of this.workers) {
      if (worker.isBusy) this.#book(worker, options.durationMs);
      else if (worker.state !== 'dead') tally.idle(worker.sinceMs, options.durationMs);
    }
  }

  #ask(worker: Worker, afterMs: number): void {
    this.#become(worker, 'asking');
    const { queue, now } = this.#colony;
    queue.push(now + afterMs, eventKinds.ask, worker.number, worker.stamp);
  }

  #park(worker: Worker): void {
    this.#become(worker, 'parked');
    this.#parked.join(worker.number);
  }

  /** Asks for work and begins with it; false when there is none for this agent. */
  #take(worker: Worker): boolean {
    const { tally, now, trunk, options } = this.#colony;
    const { switches, behaviour } = options;
    tally.messaged(now, 2);
    const answer = this.#colony.do({
      kind: 'take',
      agent: worker.id,
      intent: null,
      paths: [],
      labels: [],
      waitingAgents: this.#parked.size,
      takesInFlight: 0,
    });
    if (answer.kind === 'wait') return false;
    const { intent, lease, epoch, base } = answer.grant;
    const open = this.#backlog.take(intent);
    // Claims that are gone as soon as they are made keep nobody away.
    if (!switches.repulsion) this.#colony.do({ kind: 'tick' });
    const hides = behaviour?.hidesReads?.(worker.number) === true;
    const reads = readsOf(open.task, trunk, switches.symbolReads, base);
    worker.held = {
      open,
      intent,
      lease,
      epoch,
      base,
      reads: hides ? [] : reads,
      hidden: hides ? reads : [],
      bases: basesOf(open.task, trunk),
      takenAtMs: now,
      firstProposedAtMs: -1,
      returned: null,
      reread: new Set(),
      rewritten: new Set(),
      busyUntilMs: 0,
      plannedMs: 0,
      againMs: 0,
      heeded: 0,
      workedMs: 0,
      busyMs: 0,
    };
    if (switches.headsUp) this.#recordReads(worker.held);
    this.#work(worker, worker.held, 'working', open.task.workMs);
    return true;
  }

  /** The files that were read were served, so that landings there are heard of. */
  #recordReads({ open, lease, base }: Held): void {
    for (const { path, pathId } of open.task.reads) {
      const file = this.#colony.trunk.file(path, pathId);
      this.#colony.do({ kind: 'record-read', lease, path: file.path, blob: file.tip.oid, at: base });
    }
  }

  /** The agent is busy for a while, and keeps its lease alive meanwhile. */
  #work(worker: Worker, held: Held, state: 'working' | 'repairing', milliseconds: number): void {
    this.#become(worker, state);
    const { queue, now } = this.#colony;
    held.plannedMs = milliseconds;
    held.againMs = 0;
    held.busyUntilMs = now + milliseconds;
    queue.push(held.busyUntilMs, eventKinds.done, worker.number, worker.stamp);
    if (milliseconds > this.#beatMs) queue.push(now + this.#beatMs, eventKinds.heartbeat, worker.number, worker.stamp);
  }

  /** The work is done, unless a heads-up made it longer. */
  #done(worker: Worker): void {
    const held = heldBy(worker);
    if (held.busyUntilMs > this.#colony.now) {
      this.#colony.queue.push(held.busyUntilMs, eventKinds.done, worker.number, worker.stamp);
    } else if (worker.state === 'repairing') {
      this.#repair(worker);
    } else {
      this.#propose(worker);
    }
  }

  get #beatMs(): number {
    return this.#colony.state.policy.leaseMs / beatsPerLease;
  }

  #heartbeat(worker: Worker): void {
    const { tally, queue, now } = this.#colony;
    const { lease, epoch } = heldBy(worker);
    const { reply } = this.#colony.apply({ kind: 'heartbeat', agent: worker.id, lease, epoch, claims: [] });
    tally.messaged(now, 2);
    if (reply.ok) queue.push(now + this.#beatMs, eventKinds.heartbeat, worker.number, worker.stamp);
    else this.#lose(worker);
  }

  #propose(worker: Worker): void {
    const { tally, now, trunk } = this.#colony;
    const held = heldBy(worker);
    if (held.firstProposedAtMs < 0) held.firstProposedAtMs = now;
    const { lease, epoch, base } = held;
    const { reply } = this.#colony.apply({
      kind: 'propose',
      agent: worker.id,
      lease,
      epoch,
      base,
      predecessor: null,
      final: true,
      title: null,
      message: null,
      key: null,
      content: changeOf(held, trunk),
    });
    tally.messaged(now, 2);
    if (reply.ok && reply.value.state === 'queued') this.#wait(worker, reply.value.proposal);
    else this.#lose(worker);
  }

  /** The agent answers a return: it does the part of its work again that moved, and no less than the options say. */
  #mend(worker: Worker, held: Held, brief: Brief): void {
    const { task } = held.open;
    acceptBrief(held, brief);
    const share = Math.max(this.#colony.options.redoShare, Math.min(1, movedIn(brief, held) / footprintOf(held)));
    this.#work(worker, held, 'repairing', share * task.workMs);
  }

  #repair(worker: Worker): void {
    const { tally, now, trunk } = this.#colony;
    const held = heldBy(worker);
    const { proposal } = defined(held.returned, 'the return that is answered');
    const content = amendmentOf(held, trunk);
    const { lease, epoch } = held;
    const { reply } = this.#colony.apply({
      kind: 'repair',
      agent: worker.id,
      lease,
      epoch,
      proposal,
      answer: content === null ? 'confirm' : 'amend',
      base: null,
      key: null,
      content,
    });
    tally.messaged(now, 2);
    held.returned = null;
    if (reply.ok && reply.value.state === 'queued') this.#wait(worker, reply.value.proposal);
    else this.#lose(worker);
  }

  #wait(worker: Worker, proposal: string): void {
    this.#proposers.set(proposal, worker);
    this.#become(worker, 'waiting');
  }

  /** The lease is over: what was worked under it comes to nothing, and the agent asks for something else. */
  #lose(worker: Worker): void {
    this.#ask(worker, this.#colony.options.costs.messageMs);
    this.#discard(heldBy(worker));
    worker.held = null;
  }

  #die(worker: Worker): void {
    const { held } = worker;
    const waits = worker.state === 'waiting';
    this.#become(worker, 'dead');
    // What it proposed may land without it.
    if (held !== null && !waits) this.#discard(held);
  }

  #discard(held: Held): void {
    const { tally, now } = this.#colony;
    tally.discard(now - held.workedMs, now);
    held.workedMs = 0;
  }

  /** Books what a busy agent did up to now: a repair was all done before, of work only what was done again. */
  #book(worker: Worker, untilMs: number): void {
    const { tally } = this.#colony;
    const held = heldBy(worker);
    const again = worker.state === 'repairing' ? Number.POSITIVE_INFINITY : held.againMs;
    const fromMs = Math.max(worker.sinceMs, untilMs - again);
    tally.work(worker.sinceMs, fromMs, false);
    tally.work(fromMs, untilMs, true);
    held.workedMs += fromMs - worker.sinceMs;
    held.busyMs += untilMs - worker.sinceMs;
  }

  /** Goes over to another state and books the time in the one before (FL1). */
  #become(worker: Worker, state: WorkerState): void {
    const { tally, now } = this.#colony;
    if (worker.isBusy) this.#book(worker, now);
    else if (worker.state !== 'dead') {
      tally.idle(worker.sinceMs, now);
    }
    worker.state = state;
    worker.sinceMs = now;
    worker.stamp += 1;
  }
}

function heldBy(worker: Worker): Held {
  return defined(worker.held, 'what the agent holds');
}
