// One stretch of a colony's life between opening its journal and losing or closing it: the state, and the only way
// to change it.
//
// Knows the order in which things become durable. Knows nothing of requests, cycles or surfaces.
//
// Invariants:
//   SE1. Every event of the state is appended to the journal, in the order in which it was applied.
//   SE2. Effects run, and listeners hear, only after the events behind them are durable, in order.
//   SE3. After a failed append the session is over: the state may be ahead of what is durable, so nothing more is
//        answered from it. So it is when a port left in doubt what is true, or when a command broke off half-way: the
//        state may then hold what the journal will never have.
//   SE4. A snapshot that fails ends nothing: the events say the same, and the next one is taken a while later.
//   SE5. A snapshot under load is written piece by piece between the commands, and is of the moment in which it began.

import type { Oid } from '@firetrident/base';
import { concatBytes, utf8 } from '@firetrident/base';
import {
  type Applied,
  type ArchivedLanding,
  apply,
  type ColonyState,
  type Command,
  type CommandReply,
  type Effect,
  type Event,
  snapshotText,
} from '@firetrident/core';
import type { ArchiveRow, Journal } from '@firetrident/journal';
import { ArchiveShelf } from './archive-shelf.ts';
import { BlobLedger } from './blob-ledger.ts';
import type { SequencedEvent } from './colony.ts';
import { GroupCommit } from './group-commit.ts';
import type { EnginePorts } from './ports.ts';
import { type Trouble, troubleOf } from './trouble.ts';
import { type StagedBlob, StorageFailureError } from './trunk-service.ts';

/** Bytes of a snapshot that are handed to the journal together. */
const snapshotPartBytes = 262_144;
/** Rows of the archive restored in one append. */
const restorePage = 1_000;
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
  #cycleNewsMs = 0;
  /** Why the session is over; null while it is not (SE3). */
  #ended: Trouble | null = null;

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
    return this.#ended !== null;
  }

  /** How long everybody's being told of the last cycle that ended well took, in milliseconds. */
  get cycleNewsMs(): number {
    return this.#cycleNewsMs;
  }

  /** The last event that a snapshot covers, or is about to. */
  get snapshotSequence(): number {
    return this.#snapshotAt;
  }

  /**
   * Applies a command at once and appends its events (SE1), with the staged bytes that they name. Throws a
   * StorageFailureError when the session is over (SE3).
   */
  submit<C extends Command>(command: C): Submitted<C> {
    if (this.#ended !== null) throw new StorageFailureError(this.#ended.problem, this.#ended.hint, true);
    const applied = this.#unbroken(() => apply(this.state, command, this.#ports.clock.now()));
    const reply = applied.reply as Submitted<C>['reply'];
    if (applied.events.length === 0) {
      const { effects } = applied;
      const reached = this.commit.barrier();
      if (effects.length === 0) return { reply, durable: this.#watched(reached) };
      const acted = reached.then(() => this.#unbroken(() => this.#act(effects)));
      return { reply, durable: this.#watched(acted) };
    }
    const first = this.commit.sequence + 1;
    const named = applied.events.flatMap((event) => this.#holdBlobs(event));
    const archive: ArchiveRow[] = [];
    for (const effect of applied.effects) {
      const row = this.shelf.rowOf(effect);
      if (row !== null) archive.push(row);
    }
    const dropped = this.#releaseBlobs(applied.events, applied.effects);
    const part = {
      events: applied.events.map((event) => JSON.stringify(event)),
      blobs: this.blobs.takeUnsaved(named),
      droppedBlobs: dropped,
      archive,
    };
    const durable = this.commit.add(part).then(() => this.#unbroken(() => this.#afterDurable(first, applied, dropped)));
    return { reply, durable: this.#watched(durable) };
  }

  /** Ends the session because a port left in doubt what is true; opening it again finds out (SE3). */
  fail(error: unknown): void {
    this.#end(error);
  }

  /** Ends the session because an assumption of ours does not hold, and says so (SE3). */
  break(error: unknown): void {
    this.#end(error);
    this.#ports.broken(error);
  }

  /**
   * Hands bytes to the room, held by `holder` from before the first moment on: others may let go of the same blob at
   * any time. `named` are blobs that were sent before. When it fails, nothing is held.
   */
  async hold(holder: string, blobs: readonly StagedBlob[], named: readonly Oid[] = []): Promise<void> {
    this.blobs.hold(holder, [...new Set([...blobs.map(({ oid }) => oid), ...named])]);
    for (const { oid, bytes } of blobs) this.blobs.put(oid, bytes);
    try {
      await this.#ports.trunk.stage(blobs);
    } catch (error) {
      this.letGo(holder);
      throw error;
    }
  }

  /** Puts landings into the archive that were known before there was a journal, in this order. */
  async restoreLandings(rows: readonly ArchivedLanding[]): Promise<void> {
    for (let at = 0; at < rows.length; at += restorePage) {
      const archive = rows.slice(at, at + restorePage).flatMap((row) => {
        return this.shelf.rowOf({ kind: 'archive-landing', id: row.landing, row }) ?? [];
      });
      await this.#watched(this.commit.add({ events: [], blobs: [], droppedBlobs: [], archive }));
    }
  }

  /** Makes the bytes of an upload durable on their own. They are held already. */
  save(oid: Oid): Promise<void> {
    const blobs = this.blobs.takeUnsaved([oid]);
    if (blobs.length === 0) return this.#watched(this.commit.barrier());
    return this.#watched(this.commit.add({ events: [], blobs, droppedBlobs: [], archive: [] }));
  }

  /** Ends a hold that no event ends: an upload that ran out, a request that is over. */
  letGo(holder: string): void {
    const dropped = this.blobs.release(holder);
    if (dropped.length === 0 || this.over) return;
    this.#watched(this.commit.add({ events: [], blobs: [], droppedBlobs: dropped, archive: [] }));
    this.#unstage(dropped);
  }

  /** Writes a snapshot of what was submitted so far: in one piece, or with `paced` between the commands (SE5). */
  async snapshot(paced: boolean): Promise<void> {
    const sequence = this.commit.sequence;
    const pieces = snapshotText(this.state);
    this.#snapshotAt = sequence;
    await this.commit.barrier();
    await this.journal.putSnapshot(sequence, this.#snapshotParts(pieces, paced));
  }

  /** Pieces of a snapshot as bytes, in parts of a size worth a crossing; with `paced` one piece at a time (SE5). */
  async *#snapshotParts(pieces: Iterable<string>, paced: boolean): AsyncIterable<Uint8Array> {
    let parts: Uint8Array[] = [];
    let bytes = 0;
    for (const piece of pieces) {
      const part = utf8(piece);
      parts.push(part);
      bytes += part.length;
      if (paced) await new Promise<void>((resolve) => this.#ports.clock.after(0, resolve));
      if (bytes < snapshotPartBytes) continue;
      yield concatBytes(parts);
      parts = [];
      bytes = 0;
    }
    if (bytes > 0) yield concatBytes(parts);
  }

  /** Holds the blobs that an event needs, and names them. */
  #holdBlobs(event: Event): Oid[] {
    const need = needOf(event);
    if (need === null) return [];
    const oids = writtenBlobs(need.writes);
    this.blobs.hold(need.holder, oids);
    return oids;
  }

  #act(effects: readonly Effect[]): void {
    for (const effect of effects) this.#listener.effect(effect);
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
    const toldAt = this.#ports.clock.now();
    this.#listener.durable(applied.events.map((event, index) => ({ sequence: first + index, event })));
    this.#act(applied.effects);
    if (applied.events[0]?.kind === 'cycle-committed') this.#cycleNewsMs = this.#ports.clock.now() - toldAt;
    if (dropped.length > 0) this.#unstage(dropped);
    if (this.commit.sequence - this.#snapshotAt >= snapshotEveryEvents) {
      // (SE4)
      this.snapshot(true).catch((error: unknown) =>
        this.#ports.log.warn('a snapshot could not be kept; the events stand', { problem: String(error) }),
      );
    }
  }

  /** Ends the session when the promise rejects, whether or not somebody waits for it. */
  #watched(durable: Promise<void>): Promise<void> {
    durable.catch((error: unknown) => this.#end(error));
    return durable;
  }

  /** What throws in here was assumed not to, and may have been half done (SE3). */
  #unbroken<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.break(error);
      throw error;
    }
  }

  #unstage(oids: readonly Oid[]): void {
    const free = oids.filter((oid) => !this.blobs.isHeld(oid));
    this.#ports.trunk.unstage(free).catch((error: unknown) => this.#end(error));
  }

  #end(error: unknown): void {
    if (this.#ended !== null) return;
    this.#ended = troubleOf(error);
    this.#listener.failed(error);
  }
}

/** What holds the blobs that an event writes, until it lands or is preserved; null for events that need none. */
function needOf(event: Event): { readonly holder: string; readonly writes: Writes } | null {
  switch (event.kind) {
    case 'proposed':
      return { holder: event.proposal, writes: event.writes };
    case 'preserve-asked':
      return { holder: event.preserved, writes: event.writes };
    case 'superseded':
      return event.preserved === null ? null : { holder: event.preserved, writes: event.writes };
    default:
      return null;
  }
}

type Writes = readonly { readonly after: { readonly oid: Oid } | null }[];

function writtenBlobs(writes: Writes): Oid[] {
  return [...new Set(writes.flatMap((write) => (write.after === null ? [] : [write.after.oid])))];
}
