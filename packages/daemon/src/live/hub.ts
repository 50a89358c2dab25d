// The live stream of one colony: hears every durable event once and tells all readers.
//
//   HU1. Observers are told in turns: what came since the last turn is framed once, for all of them, and written in
//        slices, so that thousands of sockets do not hold up the colony.
//   HU2. An agent is told its own outcomes and heads-ups only, at once.
//   HU3. A reader that replays joins the turns in the same step in which it has read everything that was told before,
//        so there is neither a gap nor a duplicate (with RE1).

import type { AgentId } from '@firetrident/base';
import type { Event } from '@firetrident/core';
import type { Colony, SequencedEvent } from '@firetrident/engine';
import { closeCodes, type LiveFrame } from '@firetrident/protocol';
import type { MetricsDesk, ReaderCounts } from '../metrics.ts';
import { FrameMaker, withBrief } from './frames.ts';
import type { LiveReader } from './reader.ts';
import { textMessage } from './wire.ts';

/** How long frames for observers are gathered. */
const turnMs = 20;
/** Sockets written to before others get their chance. */
const sliceReaders = 250;
/** Events of one step of a replay. */
const replayEvents = 500;

interface FramedEvent {
  readonly sequence: number;
  readonly message: Buffer;
}

/** The agent whose outcome or heads-up an event is, or null. */
export function ownerOf(event: Event): AgentId | null {
  switch (event.kind) {
    case 'landed':
    case 'unchanged':
    case 'returned':
    case 'rejected':
    case 'superseded':
    case 'heads-up':
      return event.agent;
    default:
      return null;
  }
}

export class LiveHub {
  readonly #colony: Colony;
  readonly #metrics: MetricsDesk;
  readonly #frames: FrameMaker;
  readonly #observers = new Set<LiveReader>();
  readonly #agents = new Map<AgentId, Set<LiveReader>>();
  /** Readers that have not joined yet. */
  readonly #replaying = new Set<LiveReader>();
  readonly #unsubscribe: () => void;
  #lastSequence = 0;
  #gathered: FramedEvent[] = [];
  /** What the turn under way tells. */
  #told: readonly FramedEvent[] = [];
  #turn: NodeJS.Timeout | null = null;
  #isTelling = false;

  constructor(colony: Colony, metrics: MetricsDesk) {
    this.#colony = colony;
    this.#metrics = metrics;
    this.#frames = new FrameMaker(() => colony.state);
    this.#unsubscribe = colony.subscribe((events) => this.#hear(events));
  }

  get counts(): ReaderCounts {
    const agents = [...this.#agents.values()].reduce((sum, readers) => sum + readers.size, 0);
    return { observers: this.#observers.size, agents };
  }

  /** The newest sequence that this hub has heard; 0 before the first. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Adds a reader that wants what comes from now on. */
  join(reader: LiveReader): void {
    if (!reader.isOpen) return;
    if (reader.agent === null) this.#observers.add(reader);
    else {
      const readers = this.#agents.get(reader.agent);
      if (readers === undefined) this.#agents.set(reader.agent, new Set([reader]));
      else readers.add(reader);
    }
  }

  /** Removes a reader. */
  leave(reader: LiveReader): void {
    this.#observers.delete(reader);
    if (reader.agent === null) return;
    const readers = this.#agents.get(reader.agent);
    readers?.delete(reader);
    if (readers?.size === 0) this.#agents.delete(reader.agent);
  }

  /** Tells a reader everything after its cursor, then adds it (HU3). */
  async replay(reader: LiveReader): Promise<void> {
    this.#replaying.add(reader);
    try {
      await this.#tellPast(reader);
    } finally {
      this.#replaying.delete(reader);
    }
  }

  async #tellPast(reader: LiveReader): Promise<void> {
    const frames = new FrameMaker(() => this.#colony.state);
    while (reader.isOpen) {
      const read = await this.#colony.events(reader.cursor, replayEvents);
      if (!read.ok) {
        reader.close(closeCodes.trouble, `${read.error.code}; resume with after=${reader.cursor}`);
        return;
      }
      const events = read.value;
      if (events.length === 0 && this.#lastSequence <= reader.cursor) {
        // Without waiting in between: nothing can be heard before the reader has joined (HU3).
        this.join(reader);
        return;
      }
      for (const sequenced of events) {
        const message = await this.#replayed(frames, sequenced, reader);
        reader.tell(message, sequenced.sequence);
        if (message !== null) this.#metrics.framesSent(this.#colony.id, 1);
        await reader.drained();
      }
    }
  }

  /** Closes every reader and hears no more. */
  close(): void {
    this.#unsubscribe();
    if (this.#turn !== null) clearTimeout(this.#turn);
    for (const reader of this.#readers()) {
      if (this.#observers.has(reader)) this.#tellRest(reader, [...this.#told, ...this.#gathered]);
      reader.sayGoodbye();
    }
    this.#observers.clear();
    this.#agents.clear();
  }

  *#readers(): Iterable<LiveReader> {
    yield* [...this.#observers, ...this.#replaying];
    for (const readers of [...this.#agents.values()]) yield* [...readers];
  }

  async #replayed(frames: FrameMaker, sequenced: SequencedEvent, reader: LiveReader): Promise<Buffer | null> {
    const frame = frames.frame(sequenced);
    if (frame === null) return null;
    if (reader.agent === null) return textMessage(JSON.stringify(frame));
    if (ownerOf(sequenced.event) !== reader.agent) return null;
    if (frame.type !== 'returned') return textMessage(JSON.stringify(frame));
    const known = frames.brief(frame.proposal);
    if (known !== null) return textMessage(JSON.stringify(withBrief(frame, known)));
    // The cycle's intention lies before the first event of this replay: the archive knows the brief.
    const status = await this.#colony.outcome(frame.proposal, 0);
    const brief = status.ok && status.value.state === 'returned' ? status.value.brief : null;
    return textMessage(JSON.stringify(withBrief(frame, brief)));
  }

  #hear(events: readonly SequencedEvent[]): void {
    const last = events.at(-1);
    if (last === undefined) return;
    const hasObservers = this.#observers.size > 0;
    let toldAgents = 0;
    for (const sequenced of events) {
      const readers = this.#concerned(sequenced.event);
      if (!hasObservers && readers === undefined) {
        this.#frames.pass(sequenced.event);
        continue;
      }
      const frame = this.#frames.frame(sequenced);
      if (frame === null) continue;
      if (hasObservers)
        this.#gathered.push({ sequence: sequenced.sequence, message: textMessage(JSON.stringify(frame)) });
      if (readers !== undefined) toldAgents += this.#tellOwner(frame, sequenced, readers);
    }
    if (toldAgents > 0) this.#metrics.framesSent(this.#colony.id, toldAgents);
    this.#lastSequence = last.sequence;
    this.#metrics.happened(
      this.#colony.id,
      events.map(({ event }) => event),
      last.sequence,
    );
    if (this.#gathered.length > 0 && this.#turn === null && !this.#isTelling) {
      this.#turn = setTimeout(() => void this.#tellObservers(), turnMs);
    }
  }

  /** Sockets of the agent that an event concerns, when it has any. */
  #concerned(event: Event): Set<LiveReader> | undefined {
    const owner = ownerOf(event) ?? (event.kind === 'agent-stopped' ? event.agent : null);
    return owner === null ? undefined : this.#agents.get(owner);
  }

  /** Tells the agent concerned (HU2) and answers how many frames that took; a stopped agent's sockets are closed. */
  #tellOwner(frame: LiveFrame, { sequence, event }: SequencedEvent, readers: Set<LiveReader>): number {
    if (event.kind === 'agent-stopped') {
      for (const reader of [...readers]) reader.close(closeCodes.agentStopped, 'the agent was stopped');
      return 0;
    }
    const brief = event.kind === 'returned' ? this.#frames.brief(event.proposal) : null;
    const message = textMessage(JSON.stringify(withBrief(frame, brief)));
    for (const reader of readers) reader.tell(message, sequence);
    return readers.size;
  }

  /** One turn (HU1); turns follow each other until nothing is gathered. */
  async #tellObservers(): Promise<void> {
    this.#turn = null;
    this.#isTelling = true;
    while (this.#gathered.length > 0) {
      const told = this.#gathered;
      this.#told = told;
      this.#gathered = [];
      const whole = Buffer.concat(told.map(({ message }) => message));
      let written = 0;
      for (const reader of [...this.#observers]) {
        if (reader.cursor < (told[0] as FramedEvent).sequence)
          reader.tell(whole, (told.at(-1) as FramedEvent).sequence);
        else this.#tellRest(reader, told);
        written += 1;
        if (written % sliceReaders === 0) await new Promise((resolve) => setImmediate(resolve));
      }
      this.#metrics.framesSent(this.#colony.id, told.length * written);
    }
    this.#told = [];
    this.#isTelling = false;
  }

  /** For a reader that has been told a part of it already. */
  #tellRest(reader: LiveReader, told: readonly FramedEvent[]): void {
    const rest = told.filter(({ sequence }) => sequence > reader.cursor);
    const last = rest.at(-1);
    if (last !== undefined) reader.tell(Buffer.concat(rest.map(({ message }) => message)), last.sequence);
  }
}
