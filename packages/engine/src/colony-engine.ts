// The engine of one colony: the session, its desks, its cycles and timers, behind the `Colony` interface.
//
// Composes; the rules are in the core, the bytes in the room, the order of durability in the session.
//
// Invariants:
//   CE1. Nothing is answered from a session that is over: it is opened again from what is durable, or refused by name.
//   CE2. Listeners hear every event of the journal once and in order, also those that became durable by an append of
//        which that was not known.

import {
  type AgentId,
  assert,
  type IntentId,
  type LandingId,
  never,
  no,
  type Oid,
  ok,
  type PreservedId,
  type ProposalId,
  type Result,
  type TreePath,
} from '@firetrident/base';
import {
  type ArchivedIntent,
  type ArchivedLanding,
  type ColonyState,
  type CommandReply,
  type Effect,
  type HeadsUpsOfLease,
  type Intent,
  type IntentDraft,
  type LeaseGrant,
  type Preserved,
  type ProposalStatus,
  proposalStatus,
  unheard,
} from '@firetrident/core';
import { type Journal, JournalError } from '@firetrident/journal';
import { Background } from './background.ts';
import type {
  Answer,
  Colony,
  ColonyRefusal,
  CycleFigures,
  FileAnswer,
  LandingAnswer,
  PlainCommand,
  PreservedAnswer,
  ProposeRequest,
  RepairRequest,
  SequencedEvent,
  TakeAnswer,
  TakeRequest,
  TreeAnswer,
  WhyAnswer,
} from './colony.ts';
import { CycleLoop } from './cycle-loop.ts';
import { DeadlineTimer } from './deadline-timer.ts';
import { createIntents, findIntent, pageIntents } from './intents.ts';
import { landingAnswer, preservedContents, sequencedEvents } from './looking.ts';
import { type OwnWork, startOwnWork, withdrawOwnWork } from './own-work.ts';
import type { EnginePorts } from './ports.ts';
import { preserve } from './preservation.ts';
import { fitsStaging, ProposalDesk } from './proposals.ts';
import { type Founding, openSession, strayHolder } from './recovery.ts';
import { releaseReturnedRevert, revertLanding } from './revert.ts';
import type { Session, SessionListener } from './session.ts';
import { TakeDesk } from './take-desk.ts';
import { type Trouble, troubleOf } from './trouble.ts';
import { StorageFailureError } from './trunk-service.ts';
import { WaitingDesk } from './waiting-desk.ts';

/** How often trunk is looked at for pushes by someone else. */
const foreignLookMs = 1_000;
/** How often packs are counted, and consolidated when there are many. */
const maintenanceMs = 20_000;
/** How long an upload waits for a proposal that names it. */
const uploadMs = 3_600_000;
/** Longest wait of a superseded answer for its content's ref. */
const preserveWaitMs = 10_000;
/** Pause before content that could not be preserved is tried again. */
const preserveRetryMs = 5_000;
/** Events read at once when listeners have missed some. */
const missedPage = 1_000;
/** Pause before a session that failed is opened again. */
const reopenMs = 2_000;

/** Opens a colony: recovers what is durable and begins to serve. */
export async function openColony(
  ports: EnginePorts,
  id: string,
  repository: string,
  founding: Founding | null,
): Promise<Colony> {
  const engine = new ColonyEngine(ports, id, repository);
  await engine.open(founding);
  return engine;
}

class ColonyEngine implements Colony {
  readonly id: string;
  readonly repository: string;
  readonly #ports: EnginePorts;
  readonly #takes: TakeDesk;
  readonly #outcomes: WaitingDesk<ProposalId>;
  readonly #preservations: WaitingDesk<PreservedId>;
  readonly #proposals: ProposalDesk;
  readonly #cycles: CycleLoop;
  readonly #deadlines: DeadlineTimer;
  readonly #listeners = new Set<(events: readonly SequencedEvent[]) => void>();
  readonly #background: Background;
  /** The last event that listeners have heard, or that was there before them; null before the first opening. */
  #heardSequence: number | null = null;
  #session: Session | null = null;
  #lastState: ColonyState | null = null;
  #trouble: Trouble | null = null;
  #closing = false;
  /** The opening of a session after a failure, while it is under way. */
  #reopening: Promise<void> | null = null;
  #uploads = 0;

  constructor(ports: EnginePorts, id: string, repository: string) {
    this.id = id;
    this.repository = repository;
    this.#ports = ports;
    this.#takes = new TakeDesk(ports.clock, () => this.#session);
    this.#outcomes = new WaitingDesk(ports.clock);
    this.#preservations = new WaitingDesk(ports.clock);
    this.#cycles = new CycleLoop(ports, () => this.#session);
    this.#proposals = new ProposalDesk(ports, this.#cycles.stages);
    this.#deadlines = new DeadlineTimer(ports.clock, () => this.#session);
    this.#background = new Background(ports.clock, ports.log);
  }

  get state(): ColonyState {
    return (this.#session ?? { state: this.#lastState as ColonyState }).state;
  }

  get figures(): CycleFigures {
    return this.#cycles.figures;
  }

  get stages(): Colony['stages'] {
    return this.#cycles.stages.sums;
  }

  get journal() {
    const session = this.#session;
    return { sequence: session?.commit.durable ?? 0, snapshotSequence: session?.snapshotSequence ?? 0 };
  }

  now(): number {
    return this.#ports.clock.now();
  }

  async open(founding: Founding | null): Promise<void> {
    await this.#openSession(founding);
    this.#background.every(foreignLookMs, () => this.#cycles.lookForForeign());
    this.#background.every(maintenanceMs, async () => {
      if (this.#session === null) return;
      const { packs, joined, repacked } = await this.#ports.trunk.maintain();
      if (joined > 0 || repacked) this.#ports.log.info('packs consolidated', { packs, joined, repacked });
    });
  }

  async submit<C extends PlainCommand>(command: C): Answer<CommandReply<C>> {
    return this.#guarded(async (session) => {
      const submitted = session.submit(command);
      await submitted.durable;
      return submitted.reply as Result<CommandReply<C>, ColonyRefusal>;
    });
  }

  setPaused(paused: boolean): Answer<null> {
    return this.#guarded(async (session) => {
      // What is accepted is what stands now, not what was found when landing froze.
      const change =
        session.state.freeze?.kind === 'rewound' ? await this.#ports.trunk.foreign(session.state.tip) : null;
      const tip = change === null ? session.state.tip : change.tip;
      const submitted = session.submit({ kind: 'set-paused', paused, tip });
      await submitted.durable;
      return submitted.reply as Result<null, ColonyRefusal>;
    });
  }

  createIntents(drafts: readonly IntentDraft[]) {
    return this.#guarded((session) => createIntents(session, drafts));
  }

  intent(id: IntentId): Answer<Intent | ArchivedIntent> {
    return this.#guarded((session) => findIntent(session, id));
  }

  intents(options: { state: Intent['state'] | null; limit: number; after: IntentId | null }) {
    return this.#guarded(async (session) => ok(await pageIntents(session, options)));
  }

  take(request: TakeRequest): Answer<TakeAnswer> {
    return this.#guarded(() => this.#takes.take(request));
  }

  startWork(agent: AgentId, draft: IntentDraft): Answer<OwnWork> {
    return this.#guarded((session) => startOwnWork(session, agent, draft));
  }

  withdrawWork(agent: AgentId, held: Pick<LeaseGrant, 'lease' | 'epoch'>): Answer<null> {
    return this.#guarded((session) => withdrawOwnWork(session, agent, held));
  }

  headsUps(agent: AgentId): readonly HeadsUpsOfLease[] {
    const session = this.#session;
    if (session === null || session.over || this.#closing || unheard(session.state, agent).length === 0) return [];
    // Nobody waits until this is durable: after a crash the agent is told again.
    const { reply } = session.submit({ kind: 'hear', agent });
    return reply.ok ? reply.value.headsUps : [];
  }

  propose(request: ProposeRequest): Answer<ProposalStatus> {
    return this.#guarded(async (session) => {
      const status = await this.#proposals.propose(session, request);
      if (status.ok && status.value.state === 'superseded') await this.#untilPreserved(session, status.value.preserved);
      return status;
    });
  }

  /** A superseded answer means that the content can be fetched already. */
  async #untilPreserved(session: Session, id: PreservedId | null): Promise<void> {
    if (id === null || !session.state.preserving.has(id)) return;
    await this.#preservations.wait(id, preserveWaitMs);
  }

  repair(request: RepairRequest): Answer<ProposalStatus> {
    return this.#guarded((session) => this.#proposals.repair(session, request));
  }

  async outcome(proposal: ProposalId, waitMs: number): Answer<ProposalStatus> {
    return this.#guarded(async (session) => {
      if (session.state.proposals.get(proposal)?.state === 'queued' && waitMs > 0)
        await this.#outcomes.wait(proposal, waitMs);
      const status = await this.#status(this.#live(), proposal);
      if (status === null) return no({ code: 'unknown_proposal', proposal });
      await this.#live().commit.barrier();
      return ok(status);
    });
  }

  putBlob(bytes: Uint8Array): Answer<Oid> {
    return this.#guarded(async (session) => {
      const bound = session.state.policy.limits.blobBytes;
      if (bytes.length > bound) return no({ code: 'blob_too_large', bytes: bytes.length, bound });
      const oid = this.#ports.blobHash(bytes);
      if (!fitsStaging(session, [{ oid, bytes }]))
        return no({ code: 'staging_full', bound: session.state.policy.limits.stagedBytes });
      this.#uploads += 1;
      const holder = `upload-${this.#uploads}`;
      await session.hold(holder, [{ oid, bytes }]);
      this.#ports.clock.after(uploadMs, () => session.letGo(holder));
      await session.save(oid);
      return ok(oid);
    });
  }

  readFile(request: Parameters<Colony['readFile']>[0]): Answer<FileAnswer> {
    return this.#guarded(async (session) => {
      const lease = request.lease === null ? undefined : session.state.leases.get(request.lease);
      const commit = request.at ?? lease?.base ?? session.state.tip;
      const file = await this.#ports.trunk.readFile(request.path, commit);
      const absent = !file.ok && file.error.code === 'unknown_path';
      if (lease !== undefined && (file.ok || absent)) {
        const seen = file.ok ? { blob: file.value.entry.oid, at: file.value.commit } : { blob: null, at: commit };
        const how = request.source === 'mcp' ? { source: request.source } : {};
        const recorded = session.submit({ kind: 'record-read', lease: lease.id, path: request.path, ...seen, ...how });
        // What is not recorded is not served: it would be read without counting.
        if (!recorded.reply.ok) return recorded.reply as Result<FileAnswer, ColonyRefusal>;
        await recorded.durable;
      }
      return file;
    });
  }

  readTree(request: { path: TreePath; at: Oid | null; lease: `lse_${string}` | null }): Answer<TreeAnswer> {
    return this.#guarded(async (session) => {
      const lease = request.lease === null ? undefined : session.state.leases.get(request.lease);
      return this.#ports.trunk.readTree(request.path, request.at ?? lease?.base ?? session.state.tip);
    });
  }

  landings(options: { after: LandingId | null; limit: number }): Answer<ArchivedLanding[]> {
    return this.#guarded(async (session) => ok(await session.shelf.landings(options.after, options.limit)));
  }

  landing(id: LandingId): Answer<LandingAnswer> {
    return this.#guarded(async (session) => {
      const landing = await landingAnswer(session, await session.shelf.landing(id));
      return landing === null ? no({ code: 'unknown_landing', landing: id }) : ok(landing);
    });
  }

  revert(landing: LandingId): Answer<{ readonly intent: IntentId; readonly proposal: ProposalId }> {
    return this.#guarded((session) => revertLanding(session, landing));
  }

  why(path: TreePath, line: number): Answer<WhyAnswer> {
    return this.#guarded(async (session) => {
      const blame = await this.#ports.trunk.blame(path, line, session.state.tip);
      if (!blame.ok) return blame;
      const landing = await landingAnswer(session, await session.shelf.landingByCommit(blame.value.commit));
      return ok({ path, line, ...blame.value, landing });
    });
  }

  preserved(): Answer<PreservedAnswer[]> {
    return this.#guarded(async (session) => ok(await preservedContents(session)));
  }

  events(after: number, limit: number): Answer<SequencedEvent[]> {
    return this.#guarded(async (session) => ok(await sequencedEvents(session.journal, after, limit)));
  }

  subscribe(listener: (events: readonly SequencedEvent[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    this.#takes.releaseAll();
    await this.#cycles.stop();
    this.#outcomes.releaseAll();
    this.#background.stop();
    this.#deadlines.cancel();
    await this.#reopening;
    const session = this.#session;
    if (session !== null && !session.over) {
      await session
        .snapshot(false)
        .catch((error: unknown) =>
          this.#ports.log.warn('no snapshot could be kept at closing; the events stand', { problem: String(error) }),
        );
    }
    await session?.journal.close();
    await this.#ports.trunk.close();
  }

  async #status(session: Session, id: ProposalId): Promise<ProposalStatus | null> {
    return proposalStatus(session.state, id) ?? (await session.shelf.proposal(id))?.status ?? null;
  }

  /** The session that serves now, after a wait; only inside `#guarded`. */
  #live(): Session {
    if (this.#session === null)
      throw new StorageFailureError(this.#trouble?.problem ?? 'the colony is closed', this.#trouble?.hint ?? '', true);
    return this.#session;
  }

  /** Refuses by name while there is no session, and when a port fails under the request (CE1). */
  #guarded<T>(work: (session: Session) => Promise<Result<T, ColonyRefusal>>): Answer<T> {
    if (this.#closing) return Promise.resolve(no({ code: 'colony_closing' }));
    const session = this.#session;
    if (session === null) return Promise.resolve(no(this.#unavailable()));
    try {
      return work(session).catch(this.#refusalOf);
    } catch (error) {
      return Promise.reject(error).catch(this.#refusalOf);
    }
  }

  /** What stopped a call, as a refusal; throws what is a fault. */
  readonly #refusalOf = (error: unknown): Result<never, ColonyRefusal> => {
    // The ports close under what is still waiting for them.
    if (this.#closing) return no({ code: 'colony_closing' });
    if (!(error instanceof JournalError || error instanceof StorageFailureError)) throw error;
    return no({ code: 'storage_unavailable', problem: error.message, hint: error.hint });
  };

  #unavailable(): ColonyRefusal {
    const { problem, hint } = this.#trouble ?? { problem: 'the colony is not open', hint: 'try again' };
    return { code: 'storage_unavailable', problem, hint };
  }

  async #openSession(founding: Founding | null): Promise<void> {
    const journal = await this.#ports.openJournal();
    if (!journal.ok) throw new StorageFailureError(journal.error.problem, journal.error.hint, journal.error.retry);
    let opened: Session | undefined;
    const listener: SessionListener = {
      durable: (events) => this.#heard(events),
      effect: (effect) => this.#act(effect),
      failed: (error) => this.#fail(opened, error),
    };
    const session = await this.#tellMissed(journal.value)
      .then(() => openSession(this.#ports, journal.value, founding, listener))
      .catch(async (error: unknown) => {
        // The journal can be opened again only once it was let go.
        await journal.value.close();
        throw error;
      });
    opened = session;
    if (session.over) {
      await journal.value.close();
      throw new StorageFailureError('storage failed while the colony was opened', 'see the log of the daemon', true);
    }
    if (this.#closing) return journal.value.close();
    this.#session = session;
    this.#lastState = session.state;
    this.#trouble = null;
    this.#ports.clock.after(uploadMs, () => session.letGo(strayHolder));
    this.#deadlines.watch();
    for (const preserved of session.state.preserving.values()) this.#preserve(session, preserved);
    this.#cycles.kick();
    this.#takes.wake();
  }

  /** Tells what a failed append made durable all the same (CE2). */
  async #tellMissed(journal: Journal): Promise<void> {
    this.#heardSequence ??= journal.opening.sequence;
    while (this.#heardSequence < journal.opening.sequence) {
      const missed = await sequencedEvents(journal, this.#heardSequence, missedPage);
      assert(missed.length > 0, 'the journal holds every event up to its sequence');
      this.#heard(missed);
    }
  }

  #heard(events: readonly SequencedEvent[]): void {
    this.#heardSequence = events.at(-1)?.sequence ?? this.#heardSequence;
    for (const listener of this.#listeners) listener(events);
    if (this.#session !== null) this.#deadlines.watch();
  }

  #act(effect: Effect): void {
    switch (effect.kind) {
      case 'lanes-ready':
        if (this.#session !== null) this.#cycles.kick();
        return;
      case 'work-available':
        this.#takes.wake();
        return;
      case 'preserve':
        if (this.#session !== null) this.#preserve(this.#session, effect.preserved);
        return;
      case 'settled':
        this.#outcomes.settled(effect.proposal);
        if (this.#session?.over === false) releaseReturnedRevert(this.#session, effect.proposal);
        return;
      case 'archive-intent':
      case 'archive-proposal':
      case 'archive-landing':
      case 'archive-return':
        // In the journal already, with the events.
        return;
      default:
        never(effect);
    }
  }

  /** Keeps content under its ref, at the second attempt or a later one when storage fails. */
  #preserve(session: Session, preserved: Preserved): void {
    const { id } = preserved;
    preserve(this.#ports, session, preserved)
      .then(() => this.#preservations.settled(id))
      .catch((error: unknown) => {
        const { problem } = troubleOf(error);
        this.#ports.log.error('content could not be preserved yet; it is kept in the journal', { id, problem });
        this.#ports.clock.after(preserveRetryMs, () => {
          const isDue = this.#session === session && session.state.preserving.has(id);
          if (isDue && !this.#closing) this.#preserve(session, preserved);
        });
      });
  }

  /** The session is over: everybody is told, and the colony opens again from what is durable. */
  #fail(session: Session | undefined, error: unknown): void {
    if (this.#closing || session === undefined || this.#session !== session) return;
    this.#trouble = troubleOf(error);
    this.#session = null;
    const { problem, hint } = this.#trouble;
    this.#ports.log.error('storage failed; the colony stops answering until it can be opened again', { problem, hint });
    this.#outcomes.releaseAll();
    this.#reopenLater(session);
  }

  #reopenLater(session: Session | null): void {
    this.#background.after(reopenMs, () => {
      this.#reopening = this.#reopen(session).catch((error: unknown) => {
        this.#trouble = troubleOf(error);
        this.#ports.log.error('the colony could not be opened again yet', { problem: this.#trouble.problem });
        this.#reopenLater(null);
      });
    });
  }

  async #reopen(session: Session | null): Promise<void> {
    if (this.#closing) return;
    await session?.journal.close();
    await this.#openSession(null);
    if (this.#session !== null) this.#ports.log.info('the colony serves again');
  }
}
