// One stretch of a colony's life between opening its journal and losing or closing it: the state, and the only way
// to change it.
//
// Knows the order in which things become durable. Knows nothing of requests, cycles or surfaces.
//
// Invariants:
//   SE1. Every event of the state is appended to the journal, in the order in which it was applied.
//   SE2. Effects run, and listeners hear, only after the events behind them are durable, in order.
//   SE3. After a failed append the session is over: the state may be ahead of what is durable, so nothing more is
//        answered from it. So it is when a port left in doubt what is true.
//   SE4. A snapshot that fails ends nothing: the events say the same, and the next one is taken a while later.

import type { Oid } from '@firetrident/base';
import { utf8 } from '@firetrident/base';
import {
  type Applied,
  apply,
  type ColonyState,
  type Command,
  type CommandReply,
  type Effect,
  type Event,
  serialiseState,
} from '@firetrident/core';
import type { ArchiveRow, Journal } from '@firetrident/journal';
import { ArchiveShelf } from './archive-shelf.ts';
import { BlobLedger } from './blob-ledger.ts';
import type { SequencedEvent } from './colony.ts';
import { GroupCommit } from './group-commit.ts';
import type { EnginePorts } from './ports.ts';
import type { StagedBlob } from './trunk-service.ts';

/** Events between two snapshots: a restart replays at most about twice as many. */
export const snapshotEveryEvents = 50_000;

/** What the engine does about effects and failures. */
export interface SessionListener {
  durable(events: readonly SequencedEvent[]): void;
  effect(effect: Effect): void;
  failed(error: unknown): void;
}

/** The answer to a command, and when it may be given. */
export interface Submitted<C extends Command> {
  readonly reply: Applied['reply'] & ({ readonly ok: true; readonly value: CommandReply<C> } | { readonly ok: false });
  /** Resolves once everything that the reply rests on is durable. */
  readonly durable: Promise<void>;
}

export class Session {
  readonly state: ColonyState;
  readonly journal: Journal;
  readonly shelf: ArchiveShelf;
  readonly blobs = new BlobLedger();
  readonly commit: GroupCommit;
  readonly #ports: EnginePorts;
  readonly #listener: SessionListener;
  #snapshotAt: number;
  #over = false;

  constructor(ports: EnginePorts, journal: Journal, state: ColonyState, snapshotAt: number, listener: SessionListener) {
    this.#ports = ports;
    this.journal = journal;
    this.state = state;
    this.shelf = new ArchiveShelf(journal);
    this.commit = new GroupCommit(journal);
    this.#snapshotAt = snapshotAt;
    this.#listener = listener;
    for (const proposal of state.proposals.values()) this.blobs.hold(proposal.id, writtenBlobs(proposal.writes));
    for (const preserved of state.preserving.values()) this.blobs.hold(preserved.id, writtenBlobs(preserved.writes));
  }

  /** Whether this session is over (SE3). */
  get over(): boolean {
    return this.#over;
  }

  /** The last event that a snapshot covers, or is about to. */
  get snapshotSequence(): number {
    return this.#snapshotAt;
  }

  /** Applies a command at once and appends its events (SE1). `staged` are bytes that the command may refer to. */
  submit<C extends Command>(command: C, staged: readonly StagedBlob[] = []): Submitted<C> {
    const applied = apply(this.state, command, this.#ports.clock.now());
    const reply = applied.reply as Submitted<C>['reply'];
    if (applied.events.length === 0) return { reply, durable: this.#watched(this.commit.barrier()) };
    const first = this.commit.sequence + 1;
    for (const event of applied.events) this.#holdBlobs(event);
    const archive: ArchiveRow[] = [];
    for (const effect of applied.effects) {
      const row = this.shelf.rowOf(effect);
      if (row !== null) archive.push(row);
    }
    const dropped = this.#releaseBlobs(applied.events, applied.effects);
    const part = {
      events: applied.events.map((event) => JSON.stringify(event)),
      blobs: staged.filter((blob) => this.blobs.isHeld(blob.oid)),
      droppedBlobs: dropped,
      archive,
    };
    const durable = this.commit.add(part).then(() => this.#afterDurable(first, applied, dropped));
    return { reply, durable: this.#watched(durable) };
  }

  /** Ends the session because a port left in doubt what is true; opening it again finds out (SE3). */
  fail(error: unknown): void {
    this.#end(error);
  }

  /** Makes bytes durable on their own: an upload, held by `holder`. */
  stage(holder: string, blobs: readonly StagedBlob[]): Promise<void> {
    this.blobs.hold(
      holder,
      blobs.map((blob) => blob.oid),
    );
    return this.#watched(this.commit.add({ events: [], blobs, droppedBlobs: [], archive: [] }));
  }

  /** Ends a hold that no event ends: an upload that ran out, a request that is over. */
  letGo(holder: string): void {
    const dropped = this.blobs.release(holder);
    if (dropped.length === 0 || this.#over) return;
    this.#watched(this.commit.add({ events: [], blobs: [], droppedBlobs: dropped, archive: [] }));
    this.#unstage(dropped);
  }

  /** Writes a snapshot of what is durable; used at a clean close. */
  async snapshot(): Promise<void> {
    const sequence = this.commit.sequence;
    const body = utf8(JSON.stringify(serialiseState(this.state)));
    this.#snapshotAt = sequence;
    await this.commit.barrier();
    await this.journal.putSnapshot(sequence, body);
  }

  #holdBlobs(event: Event): void {
    if (event.kind === 'proposed') this.blobs.hold(event.proposal, writtenBlobs(event.writes));
    else if (event.kind === 'preserve-asked') this.blobs.hold(event.preserved, writtenBlobs(event.writes));
  }

  #releaseBlobs(events: readonly Event[], effects: readonly Effect[]): Oid[] {
    const dropped: Oid[] = [];
    for (const effect of effects)
      if (effect.kind === 'archive-proposal') dropped.push(...this.blobs.release(effect.id));
    for (const event of events) if (event.kind === 'preserved') dropped.push(...this.blobs.release(event.preserved));
    return dropped.filter((oid) => !this.blobs.isHeld(oid));
  }

  /** (SE2) */
  #afterDurable(first: number, applied: Applied, dropped: readonly Oid[]): void {
    this.#listener.durable(applied.events.map((event, index) => ({ sequence: first + index, event })));
    for (const effect of applied.effects) this.#listener.effect(effect);
    if (dropped.length > 0) this.#unstage(dropped);
    if (this.commit.sequence - this.#snapshotAt >= snapshotEveryEvents) {
      // (SE4)
      this.snapshot().catch((error: unknown) =>
        this.#ports.log.warn('a snapshot could not be kept; the events stand', { problem: String(error) }),
      );
    }
  }

  /** Ends the session when the promise rejects, whether or not somebody waits for it. */
  #watched(durable: Promise<void>): Promise<void> {
    durable.catch((error: unknown) => this.#end(error));
    return durable;
  }

  #unstage(oids: readonly Oid[]): void {
    const free = oids.filter((oid) => !this.blobs.isHeld(oid));
    this.#ports.trunk.unstage(free).catch((error: unknown) => this.#end(error));
  }

  #end(error: unknown): void {
    if (this.#over) return;
    this.#over = true;
    this.#listener.failed(error);
  }
}

function writtenBlobs(writes: readonly { readonly after: { readonly oid: Oid } | null }[]): Oid[] {
  return [...new Set(writes.flatMap((write) => (write.after === null ? [] : [write.after.oid])))];
}
