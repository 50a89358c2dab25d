// The cycles of a colony: one after the other, each with everything that queued while the last one ran.
//
// Order of a cycle: plan and verify in the room; the intention becomes durable while the pack becomes durable; notes
// ref; trunk ref; the journal says landed. The refs move only after both the intention and the pack are durable.
//
// Invariants:
//   CL1. One cycle at a time.
//   CL2. The refs move only after the cycle's intention and its pack are durable.
//   CL3. A cycle that could not finish leaves its proposals queued, and says why.
//   CL4. A cycle of which nobody can tell whether it landed ends the session: opening it again finds out.
//   CL5. While another program holds a ref's lock, the built cycle waits and nothing is built again.
//   CL6. What nobody expects of a cycle ends the session, loudly: memory is not to be trusted then.
//   CL7. A lane that rests is asked again when its interval is over, not before.
//   CL8. What a look found counts only while trunk is, for the colony, where it was when the look began.
//   CL9. While nobody can tell whether a cycle landed, and asking again may tell, it stays under way: no other begins, and
//        it is asked about ever less often.
//   CL10. A cycle is over for the next one when its refs have moved and its commit is on the way into the journal, which keeps that
//        order: the refs move again only after the commit is durable (CL2), and nobody hears of it before (SE2).

import type { AttentionId, CycleId } from '@firetrident/base';
import { defined, landingOf } from '@firetrident/base';
import { type AttentionKind, type Cycle, cycleProposals, missingPredecessors, type RefMove } from '@firetrident/core';
import type { CycleFigures } from './colony.ts';
import { CycleTimes } from './cycle-times.ts';
import { recordForeign } from './foreign-landing.ts';
import { LandingStages } from './landing-stages.ts';
import type { EnginePorts } from './ports.ts';
import { finishCycle } from './recovery.ts';
import type { Session } from './session.ts';
import {
  type CycleAnswer,
  type CycleEntry,
  type CycleRequest,
  type Doubt,
  type MoveAnswer,
  type RoomFigures,
  StorageFailureError,
} from './trunk-service.ts';

/** First and longest pause after a storage failure. */
const firstBackOffMs = 250;
const longestBackOffMs = 15_000;
/** First and longest pause before trying again when another program holds a ref's lock. */
const firstLockedMs = 50;
const longestLockedMs = 1_000;
/** A lock held this long is brought to a person's attention. */
const lockedAttentionMs = 10_000;

/** When the parts of a cycle began, milliseconds of the engine's clock. */
interface CycleMoments {
  readonly startedAt: number;
  readonly plannedAt: number;
  readonly writtenAt: number;
  readonly movedAt: number;
}

type Planned = Extract<CycleAnswer, { kind: 'planned' }>;

export class CycleLoop {
  readonly #ports: EnginePorts;
  /** The session that serves; null while there is none. */
  readonly #session: () => Session | null;
  readonly #times = new CycleTimes();
  /** Where the time of proposals goes. */
  readonly stages = new LandingStages();
  #running: Promise<void> | null = null;
  /** Until the commit of the last cycle is durable, or the session over (CL10). */
  #ending: Promise<void> = Promise.resolve();
  #again = false;
  #stopped = false;
  #backOffMs = 0;
  #cancelRetry: (() => void) | null = null;
  #cancelLane: (() => void) | null = null;
  /** The cycle in doubt that was told of last. */
  #doubted: CycleId | null = null;
  /** What the next cycle that ends well puts right. */
  #raised: AttentionId | null = null;

  constructor(ports: EnginePorts, session: () => Session | null) {
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
    const session = this.#session();
    if (this.#running !== null || this.#stopped || session === null) return;
    const { tip } = session.state;
    // Whether the cycle in doubt moved trunk is found out first (CL9).
    if (session.state.cycle !== null) return;
    const change = await this.#ports.trunk.foreign(tip);
    // Whatever moved trunk here meanwhile, a cycle or an administrator who accepted it, knew more than this look (CL8).
    const isStale = this.#running !== null || this.#stopped || session.state.tip !== tip;
    if (change !== null && !isStale) await recordForeign(this.#ports, session, change);
  }

  /** Lets the cycle under way finish and starts no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#again = false;
    this.#cancelRetry?.();
    this.#cancelLane?.();
    await this.#running;
    await this.#ending;
  }

  get figures(): CycleFigures {
    return this.#times.figures;
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stopped) {
      this.#again = false;
      const session = this.#session();
      if (session === null || session.over) return;
      const ran = await this.#oneCycle(session).catch((error: unknown) => {
        // Whatever became of the cycle, recovery settles it when the session is opened again.
        if (!session.over) session.break(error); // (CL6)
        return false;
      });
      if (ran) this.#again = true;
    }
  }

  /** Runs one cycle; answers whether there may be another at once. */
  async #oneCycle(session: Session): Promise<boolean> {
    const left = session.state.cycle;
    if (left !== null) return this.#settleLeft(session, left);
    const started = session.submit({ kind: 'start-cycle' });
    if (!started.reply.ok) return false;
    const { cycle, readyAt } = started.reply.value;
    this.#awaitLane(readyAt);
    if (cycle === null) return false;
    this.#ports.reached('cycle-started');
    try {
      return await this.#runCycle(session, cycle);
    } catch (error) {
      // The room may hold what it planned for a session that ended meanwhile, and would take nothing from the next one.
      if (session.over) await this.#ports.trunk.discard(cycle).catch(() => undefined);
      if (session.over || !(error instanceof StorageFailureError)) throw error;
      return this.#failed(session, cycle, error);
    }
  }

  /** The disk failed and nothing has moved (CL3). */
  async #failed(session: Session, cycle: CycleId, error: StorageFailureError): Promise<false> {
    await this.#abandon(session, cycle, error.message);
    this.#backOff(session, error.isTold ? null : 'storage', `${error.message}. ${error.hint}`);
    return false;
  }

  async #runCycle(session: Session, cycle: CycleId): Promise<boolean> {
    const { clock, trunk } = this.#ports;
    const startedAt = clock.now();
    const request = cycleRequest(session, cycle, startedAt);
    const answer = await trunk.plan(request);
    if (answer.kind === 'foreign') {
      await this.#abandon(session, cycle, 'trunk was moved by someone else');
      await recordForeign(this.#ports, session, answer.change);
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
    if (answer.refs !== null) {
      if (!(await this.#moveRefs(session, cycle, answer.refs))) return false;
      this.#ports.reached('refs-moved');
    }
    const movedAt = clock.now();
    const committed = session.submit({ kind: 'commit-cycle', cycle });
    if (answer.refs === null) await trunk.discard(cycle);
    // (CL10)
    const moments = { startedAt, plannedAt, writtenAt, movedAt };
    this.#ending = committed.durable
      .then(() => this.#committed(session, request, answer.figures, moments))
      .catch((error: unknown) => {
        // A session that is over says so to the next cycle (SE3).
        if (!session.over) session.break(error); // (CL6)
      });
    return true;
  }

  /** What a cycle made true is durable. */
  #committed(session: Session, request: CycleRequest, figures: RoomFigures, at: CycleMoments): void {
    this.#ports.reached('commit-durable');
    this.#recovered(session);
    const endedAt = this.#ports.clock.now();
    const times = {
      planMs: at.plannedAt - at.startedAt,
      buildMs: figures.buildMs,
      verifyMs: figures.verifyMs,
      writeMs: at.writtenAt - at.plannedAt,
      refsMs: at.movedAt - at.writtenAt,
      journalMs: endedAt - at.movedAt,
      cycleMs: endedAt - at.startedAt,
      queuedMs: request.entries.reduce((sum, { proposal }) => sum + (at.startedAt - proposal.proposedAt), 0),
      proposals: request.entries.length,
      batches: batchSizes(request),
    };
    this.#times.note(times, figures);
    const newsMs = Math.min(times.journalMs, session.cycleNewsMs);
    // (LS1)
    this.stages.settled(times.proposals, times.queuedMs, {
      plan: Math.max(0, times.planMs - times.buildMs - times.verifyMs),
      build: times.buildMs,
      verify: times.verifyMs,
      write: times.writeMs,
      refs: times.refsMs,
      journal: times.journalMs - newsMs,
      news: newsMs,
    });
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

  /** Whether the refs moved; otherwise the cycle was abandoned. */
  async #moveRefs(session: Session, cycle: CycleId, refs: RefMove): Promise<boolean> {
    const moved = await this.#moveWhenFree(session, cycle).catch((error: unknown) =>
      this.#settleDoubt(session, refs, error),
    );
    switch (moved.kind) {
      case 'moved':
        return true;
      case 'stale': {
        await this.#abandon(session, cycle, `${moved.ref} was moved to ${moved.found} by someone else`);
        const change = await this.#ports.trunk.foreign(session.state.tip);
        if (change === null) this.#backOff(session, 'landing-frozen', notesMoved(moved.ref, moved.found, refs));
        else await recordForeign(this.#ports, session, change);
        this.#again = change !== null;
        return false;
      }
      case 'locked':
        await this.#abandon(session, cycle, `${moved.ref} is locked by another program`);
        return false;
      case 'unknown':
        await this.#ports.trunk.discard(cycle);
        this.#stayInDoubt(session, cycle, moved);
        return false;
    }
  }

  /** Moves the refs as soon as nobody else holds a lock (CL5); `locked` only when the loop is stopped meanwhile. */
  async #moveWhenFree(session: Session, cycle: CycleId): Promise<MoveAnswer> {
    const { clock, log, trunk } = this.#ports;
    const since = clock.now();
    for (let waitMs = firstLockedMs; ; waitMs = Math.min(longestLockedMs, waitMs * 2)) {
      const moved = await trunk.move(cycle);
      if (moved.kind !== 'locked' || this.#stopped || session.over) return moved;
      if (waitMs === firstLockedMs) log.warn('a ref is locked by another program; landing waits', { ref: moved.ref });
      if (clock.now() - since >= lockedAttentionMs) this.#raise(session, 'landing-frozen', lockHeld(moved.ref));
      await new Promise<void>((resolve) => clock.after(waitMs, resolve));
    }
  }

  /** A move that failed: if nothing moved, the cycle is given up as usual; otherwise it stays (CL9), or the session ends (CL4). */
  async #settleDoubt(session: Session, refs: RefMove, error: unknown): Promise<Doubt> {
    if (!(error instanceof StorageFailureError)) throw error;
    // A second failure tells no more than the first: nobody knows what moved.
    const found = await this.#ports.trunk.recover(refs).catch(() => null);
    if (found?.kind === 'unknown') return found;
    if (found?.kind !== 'rolled-back') session.fail(error);
    throw error;
  }

  /** A cycle that was left under way because nobody could tell whether it landed: asks again (CL9). */
  async #settleLeft(session: Session, { id, intention }: Cycle): Promise<boolean> {
    const refs = defined(intention?.refs, `refs that cycle ${id} may have moved`);
    const found = await this.#ports.trunk.recover(refs).catch((error: unknown): Doubt => {
      if (!(error instanceof StorageFailureError)) throw error;
      return { kind: 'unknown', problem: `${error.message}. ${error.hint}`, isTold: false };
    });
    if (session.over) return false;
    if (found.kind === 'unknown') {
      this.#stayInDoubt(session, id, found);
      return false;
    }
    this.#ports.log.info('a cycle is in doubt no more', { cycle: id, branch: found.kind });
    if (found.kind !== 'finished') await this.#abandon(session, id, 'it did not land');
    else {
      await finishCycle(this.#ports, session, defined(session.state.cycle, `cycle ${id}`));
      this.#recovered(session);
    }
    return true;
  }

  /** It is told once of each cycle (CL9). */
  #stayInDoubt(session: Session, cycle: CycleId, { problem, isTold }: Doubt): void {
    const isKnown = this.#doubted === cycle;
    this.#doubted = cycle;
    this.#backOff(session, isTold ? null : 'landing-frozen', problem, isKnown);
  }

  /** Its proposals queue again, first in line (CL3). */
  async #abandon(session: Session, cycle: CycleId, reason: string): Promise<void> {
    await this.#ports.trunk.discard(cycle);
    if (!session.over) await session.submit({ kind: 'abandon-cycle', cycle, reason }).durable;
  }

  #backOff(session: Session, kind: AttentionKind | null, problem: string, isKnown = false): void {
    if (kind !== null) this.#raise(session, kind, problem);
    this.#backOffMs = Math.min(longestBackOffMs, Math.max(firstBackOffMs, this.#backOffMs * 2));
    if (!isKnown)
      this.#ports.log.error('a cycle could not land; it will be tried again', { problem, retryMs: this.#backOffMs });
    this.#retryAfter(this.#backOffMs);
  }

  /** Tells a person once; nothing is told twice before a cycle ended well. */
  #raise(session: Session, attention: AttentionKind, message: string): void {
    if (this.#raised !== null || session.over) return;
    const raised = session.submit({ kind: 'raise-attention', attention, message });
    if (raised.reply.ok) this.#raised = raised.reply.value.attention;
  }

  /** A cycle ended well: nobody needs to look any more. */
  #recovered(session: Session): void {
    this.#backOffMs = 0;
    if (this.#raised === null) return;
    if (session.state.attention.has(this.#raised))
      session.submit({ kind: 'resolve-attention', attention: this.#raised });
    this.#raised = null;
    this.#ports.log.info('landing goes on');
  }

  #retryAfter(delayMs: number): void {
    if (this.#stopped) return;
    this.#cancelRetry = this.#ports.clock.after(delayMs, () => {
      this.#cancelRetry = null;
      this.kick();
    });
  }

  /** Kicks when the first lane that rests may tick; null when none is (CL7). */
  #awaitLane(readyAt: number | null): void {
    this.#cancelLane?.();
    this.#cancelLane = null;
    if (readyAt === null || this.#stopped) return;
    const delayMs = Math.max(0, readyAt - this.#ports.clock.now());
    this.#cancelLane = this.#ports.clock.after(delayMs, () => {
      this.#cancelLane = null;
      this.kick();
    });
  }
}

function lockHeld(ref: string): string {
  return `${ref} has been locked by another program for a while, and landing waits for it. If nothing works on the repository, remove ${ref}.lock from it.`;
}

function notesMoved(ref: string, found: string, { oldNotes }: RefMove): string {
  const back = oldNotes === null ? `git update-ref -d ${ref}` : `git update-ref ${ref} ${oldNotes}`;
  return `${ref} belongs to the colony, and someone moved it to ${found}. Landing goes on after: ${back}`;
}

/** How many proposals each batch of a cycle has. */
function batchSizes({ entries }: CycleRequest): number[] {
  const sizes = new Map<CycleEntry['batch'], number>();
  for (const { batch } of entries) sizes.set(batch, (sizes.get(batch) ?? 0) + 1);
  return [...sizes.values()];
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
