// Terminal things, found by id or key: the newest from memory, the rest from the journal's archive.
//
// Invariants:
//   AS1. A thing that left the state is found here at once, durable or not: the shelf keeps the newest rows in memory,
//        far longer than an append takes.

import type { AgentId, IntentId, LandingId, Oid, ProposalId } from '@firetrident/base';
import {
  type ArchivedIntent,
  type ArchivedLanding,
  type ArchivedProposal,
  type Effect,
  proposalKey,
  type ReturnedWork,
} from '@firetrident/core';
import type { ArchiveRow, Journal } from '@firetrident/journal';

/** Rows kept in memory per kind. An append holds at most a cycle's worth, a small part of this. */
const keptRows = 2_048;

/** Returns of one landing that are looked at. */
const returnsAtMost = 10_000;

type Kind = 'intent' | 'proposal' | 'landing';

class Recent {
  readonly #byId = new Map<string, ArchiveRow>();
  readonly #byKey = new Map<string, string>();

  put(row: ArchiveRow): void {
    this.#byId.set(row.id, row);
    for (const key of row.keys) this.#byKey.set(key, row.id);
    if (this.#byId.size > keptRows) this.#forgetOldest();
  }

  byId(id: string): string | null {
    return this.#byId.get(id)?.body ?? null;
  }

  byKey(key: string): string | null {
    const id = this.#byKey.get(key);
    return id === undefined ? null : this.byId(id);
  }

  #forgetOldest(): void {
    for (const [id, row] of this.#byId) {
      this.#byId.delete(id);
      for (const key of row.keys) if (this.#byKey.get(key) === id) this.#byKey.delete(key);
      return;
    }
  }
}

/** Looks up and collects archived rows. */
export class ArchiveShelf {
  readonly #journal: Journal;
  readonly #recent: Readonly<Record<Kind, Recent>> = {
    intent: new Recent(),
    proposal: new Recent(),
    landing: new Recent(),
  };

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** The row of an archiving effect; null for every other effect. It is findable from now on (AS1). */
  rowOf(effect: Effect): ArchiveRow | null {
    switch (effect.kind) {
      case 'archive-intent':
        return this.#shelve('intent', effect.id, effect.key === null ? [] : [effect.key], effect.row);
      case 'archive-proposal':
        return this.#shelve(
          'proposal',
          effect.id,
          effect.key === null ? [] : [proposalKey(effect.row.agent, effect.key)],
          effect.row,
        );
      case 'archive-landing':
        return this.#shelve('landing', effect.id, [effect.row.commit], effect.row);
      case 'archive-return': {
        const { id, row } = effect;
        return { kind: 'return', id, keys: row.causes, body: JSON.stringify(row) };
      }
      default:
        return null;
    }
  }

  #shelve(kind: Kind, id: string, keys: readonly string[], body: unknown): ArchiveRow {
    const row = { kind, id, keys, body: JSON.stringify(body) };
    this.#recent[kind].put(row);
    return row;
  }

  intent(id: IntentId): Promise<ArchivedIntent | null> {
    return this.#byId<ArchivedIntent>('intent', id);
  }

  intentByKey(key: string): Promise<ArchivedIntent | null> {
    return this.#byKey<ArchivedIntent>('intent', key);
  }

  proposal(id: ProposalId): Promise<ArchivedProposal | null> {
    return this.#byId<ArchivedProposal>('proposal', id);
  }

  proposalByKey(agent: AgentId, key: string): Promise<ArchivedProposal | null> {
    return this.#byKey<ArchivedProposal>('proposal', proposalKey(agent, key));
  }

  landing(id: LandingId): Promise<ArchivedLanding | null> {
    return this.#byId<ArchivedLanding>('landing', id);
  }

  landingByCommit(commit: Oid): Promise<ArchivedLanding | null> {
    return this.#byKey<ArchivedLanding>('landing', commit);
  }

  /** Durable accounts of the returns that a landing caused, the newest first, at most 10,000. */
  async returnsBecauseOf(landing: LandingId): Promise<ReturnedWork[]> {
    const bodies = await this.#journal.archivedAllByKey('return', landing, returnsAtMost);
    return bodies.map((body) => JSON.parse(body) as ReturnedWork);
  }

  /** Durable landings, newest first. */
  async landings(after: LandingId | null, limit: number): Promise<ArchivedLanding[]> {
    return this.#page<ArchivedLanding>('landing', after, limit);
  }

  /** Durable archived intents, the last archived first. */
  async intents(after: IntentId | null, limit: number): Promise<ArchivedIntent[]> {
    return this.#page<ArchivedIntent>('intent', after, limit);
  }

  async #page<T>(kind: Kind, after: string | null, limit: number): Promise<T[]> {
    const options = after === null ? { limit } : { beforeId: after, limit };
    const rows = await this.#journal.archivedPage(kind, options);
    return rows.map((row) => JSON.parse(row.body) as T);
  }

  async #byId<T>(kind: Kind, id: string): Promise<T | null> {
    const body = this.#recent[kind].byId(id) ?? (await this.#journal.archived(kind, id)) ?? this.#recent[kind].byId(id);
    return body === null ? null : (JSON.parse(body) as T);
  }

  async #byKey<T>(kind: Kind, key: string): Promise<T | null> {
    const body =
      this.#recent[kind].byKey(key) ?? (await this.#journal.archivedByKey(kind, key)) ?? this.#recent[kind].byKey(key);
    return body === null ? null : (JSON.parse(body) as T);
  }
}
