// The cycles of a colony: one after the other, each with everything that queued while the last one ran.
//
// Order of a cycle: plan and verify in the room; the intention becomes durable while the pack becomes durable; notes
// ref; trunk ref; the journal says landed. The refs move only after both the intention and the pack are durable.
//
// Invariants:
//   CL1. One cycle at a time.
//   CL2. The refs move only after the cycle's intention and its pack are durable.
//   CL3. A cycle that could not finish leaves its proposals queued, and says why.

import type { CycleId } from '@firetrident/base';
import { defined, landingOf } from '@firetrident/base';
import { cycleProposals, missingPredecessors } from '@firetrident/core';
import type { CycleFigures } from './colony.ts';
import type { EnginePorts } from './ports.ts';
import type { Session } from './session.ts';
import {
  type CycleAnswer,
  type CycleEntry,
  type CycleRequest,
  type ForeignChange,
  StorageFailureError,
} from './trunk-service.ts';

/** Cycles whose figures are kept. */
const figureWindow = 128;
/** First and longest pause after a storage failure. */
const firstBackOffMs = 250;
const longestBackOffMs = 15_000;
/** Pause before trying again when another program holds a ref's lock. */
const lockedRetryMs = 50;

interface PhaseTimes {
  readonly planMs: number;
  readonly writeMs: number;
  readonly refsMs: number;
  readonly journalMs: number;
  readonly cycleMs: number;
  readonly proposals: number;
}

type Planned = Extract<CycleAnswer, { kind: 'planned' }>;

export class CycleLoop {
  readonly #ports: EnginePorts;
  readonly #session: () => Session;
  readonly #times: PhaseTimes[] = [];
  #running: Promise<void> | null = null;
  #again = false;
  #stopped = false;
  #backOffMs = 0;
  #cancelRetry: (() => void) | null = null;

  constructor(ports: EnginePorts, session: () => Session) {
    this.#ports = ports;
    this.#session = session;
  }

  /** There may be work: runs cycles until there is none (CL1). */
  kick(): void {
    if (this.#stopped || this.#cancelRetry !== null) return;
    this.#again = true;
    this.#running ??= this.#run().finally(() => {
      this.#running = null;
      if (this.#again) this.kick();
    });
  }

  /** Looks whether someone else moved trunk, outside of any cycle. */
  async lookForForeign(): Promise<void> {
    if (this.#running !== null || this.#stopped) return;
    const session = this.#session();
    const change = await this.#ports.trunk.foreign(session.state.tip);
    if (change !== null && this.#running === null && !this.#stopped) await this.#recordForeign(session, change);
  }

  /** Lets the cycle under way finish and starts no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#again = false;
    this.#cancelRetry?.();
    await this.#running;
  }

  get figures(): CycleFigures {
    const count = this.#times.length;
    const mean = (of: (times: PhaseTimes) => number) =>
      count === 0 ? 0 : this.#times.reduce((sum, times) => sum + of(times), 0) / count;
    return {
      cycles: count,
      planMs: mean((times) => times.planMs),
      writeMs: mean((times) => times.writeMs),
      refsMs: mean((times) => times.refsMs),
      journalMs: mean((times) => times.journalMs),
      cycleMs: mean((times) => times.cycleMs),
      proposalsPerCycle: mean((times) => times.proposals),
    };
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const session = this.#session();
      if (session.over) return;
      const ran = await this.#oneCycle(session);
      if (ran) this.#again = true;
    }
  }

  /** Runs one cycle; answers whether there may be another at once. */
  async #oneCycle(session: Session): Promise<boolean> {
    const started = session.submit({ kind: 'start-cycle' });
    if (!started.reply.ok || started.reply.value.cycle === null) return false;
    const { cycle } = started.reply.value;
    this.#ports.reached('cycle-started');
    try {
      const again = await this.#runCycle(session, cycle);
      this.#backOffMs = 0;
      return again;
    } catch (error) {
      if (!(error instanceof StorageFailureError)) throw error;
      await this.#abandon(session, cycle, error.message);
      this.#backOff(session, error);
      return false;
    }
  }

  async #runCycle(session: Session, cycle: CycleId): Promise<boolean> {
    const { clock, trunk } = this.#ports;
    const startedAt = clock.now();
    const request = cycleRequest(session, cycle, startedAt);
    const answer = await trunk.plan(request);
    if (answer.kind === 'foreign') {
      await this.#abandon(session, cycle, 'trunk was moved by someone else');
      await this.#recordForeign(session, answer.change);
      return true;
    }
    const plannedAt = clock.now();
    const intended = session.submit({
      kind: 'intend-cycle',
      cycle,
      intention: { refs: answer.refs, outcomes: answer.outcomes },
      quarantined: answer.quarantined,
    });
    await this.#makeDurable(cycle, answer, intended.durable);
    const writtenAt = clock.now();
    if (answer.refs !== null && !(await this.#moveRefs(session, cycle))) return false;
    if (answer.refs !== null) this.#ports.reached('refs-moved');
    const movedAt = clock.now();
    const committed = session.submit({ kind: 'commit-cycle', cycle });
    if (answer.refs === null) await trunk.discard(cycle);
    await committed.durable;
    this.#ports.reached('commit-durable');
    const endedAt = clock.now();
    this.#note({
      planMs: plannedAt - startedAt,
      writeMs: writtenAt - plannedAt,
      refsMs: movedAt - writtenAt,
      journalMs: endedAt - movedAt,
      cycleMs: endedAt - startedAt,
      proposals: request.entries.length,
    });
    return true;
  }

  /** Intention and pack become durable side by side (CL2). */
  async #makeDurable(cycle: CycleId, answer: Planned, intended: Promise<void>): Promise<void> {
    const written = answer.refs === null ? Promise.resolve() : this.#ports.trunk.write(cycle);
    const [intention, pack] = await Promise.allSettled([
      intended.then(() => this.#ports.reached('intention-durable')),
      written.then(() => this.#ports.reached('pack-written')),
    ]);
    if (intention.status === 'rejected') throw intention.reason;
    if (pack.status === 'rejected') throw pack.reason;
  }

  async #moveRefs(session: Session, cycle: CycleId): Promise<boolean> {
    const moved = await this.#ports.trunk.move(cycle);
    switch (moved.kind) {
      case 'moved':
        return true;
      case 'stale': {
        await this.#abandon(session, cycle, `trunk was moved to ${moved.found} by someone else`);
        const change = await this.#ports.trunk.foreign(session.state.tip);
        if (change !== null) await this.#recordForeign(session, change);
        this.#again = true;
        return false;
      }
      case 'locked':
        this.#ports.log.warn('a ref is locked by another program; landing tries again', { ref: moved.ref });
        await this.#abandon(session, cycle, `${moved.ref} is locked by another program`);
        this.#retryAfter(lockedRetryMs);
        return false;
    }
  }

  /** Its proposals queue again, first in line (CL3). */
  async #abandon(session: Session, cycle: CycleId, reason: string): Promise<void> {
    await this.#ports.trunk.discard(cycle);
    if (!session.over) await session.submit({ kind: 'abandon-cycle', cycle, reason }).durable;
  }

  async #recordForeign(session: Session, change: ForeignChange): Promise<void> {
    if (change.kind === 'rewound') {
      this.#ports.log.error('trunk was rewritten by someone else; landing is frozen', { found: change.tip });
      await session.submit({ kind: 'record-rewound', found: change.tip }).durable;
      return;
    }
    const recorded = session.submit({
      kind: 'record-external',
      from: session.state.tip,
      to: change.tip,
      commits: change.commits,
      title: change.title,
      writes: change.writes,
    });
    await recorded.durable;
    if (recorded.reply.ok) {
      await this.#ports.trunk.recordExternal(recorded.reply.value.landing, change.title, change.writes, change.tip);
    }
    this.#ports.log.info('trunk was moved by someone else; recorded as an external landing', { to: change.tip });
  }

  #backOff(session: Session, error: StorageFailureError): void {
    if (this.#backOffMs === 0 && !session.over) {
      session.submit({ kind: 'raise-attention', attention: 'storage', message: `${error.message}. ${error.hint}` });
    }
    this.#backOffMs = Math.min(longestBackOffMs, Math.max(firstBackOffMs, this.#backOffMs * 2));
    this.#ports.log.error('a cycle could not be written; it will be tried again', {
      problem: error.message,
      hint: error.hint,
      retryMs: this.#backOffMs,
    });
    this.#retryAfter(this.#backOffMs);
  }

  #retryAfter(delayMs: number): void {
    if (this.#stopped) return;
    this.#cancelRetry = this.#ports.clock.after(delayMs, () => {
      this.#cancelRetry = null;
      this.kick();
    });
  }

  #note(times: PhaseTimes): void {
    this.#times.push(times);
    if (this.#times.length > figureWindow) this.#times.shift();
  }
}

/** What the room needs to plan a cycle, from the state. */
export function cycleRequest(session: Session, cycle: CycleId, now: number): CycleRequest {
  const { state } = session;
  const current = defined(state.cycle, 'the cycle under way');
  const batchOf = new Map(current.batches.flatMap((batch) => batch.proposals.map((id) => [id, batch.id] as const)));
  const entries = cycleProposals(state).map((proposal): CycleEntry => {
    const intent = defined(state.intents.get(proposal.intent), `intent ${proposal.intent}`);
    const agent = defined(state.agents.get(proposal.agent), `agent ${proposal.agent}`);
    return {
      proposal,
      landing: landingOf(proposal.id),
      batch: defined(batchOf.get(proposal.id), `batch of ${proposal.id}`),
      intent: { id: intent.id, title: intent.title, body: intent.body },
      agent: { id: agent.id, name: agent.name, kind: agent.kind },
    };
  });
  return {
    cycle,
    tip: state.tip,
    notes: state.notes,
    now,
    colony: state.id,
    policy: state.policy,
    entries,
    returnedPredecessors: [...missingPredecessors(state)],
  };
}
