// What a journal in memory keeps: the part that outlives its handles, as a disk outlives a process.
// It never knows who owns it; handles check epochs and sequences before they apply anything.

import type { Oid } from '@firetrident/base';
import type { ArchiveRow, JournalBatch } from './port.ts';
import { type EventRecord, eventChecksum } from './record.ts';

interface ArchivedRow {
  readonly ordinal: number;
  readonly keys: readonly string[];
  readonly body: string;
}

/** The archived rows of one kind. */
class Shelf {
  readonly #rows = new Map<string, ArchivedRow>();
  readonly #order: string[] = [];
  readonly #idsByKey = new Map<string, Set<string>>();

  put({ id, keys, body }: ArchiveRow): void {
    const before = this.#rows.get(id);
    for (const key of before?.keys ?? []) this.#idsByKey.get(key)?.delete(id);
    for (const key of keys) {
      const ids = this.#idsByKey.get(key) ?? new Set<string>();
      this.#idsByKey.set(key, ids.add(id));
    }
    if (before === undefined) this.#order.push(id);
    this.#rows.set(id, { ordinal: before?.ordinal ?? this.#order.length - 1, keys: [...keys], body });
  }

  body(id: string): string | null {
    return this.#rows.get(id)?.body ?? null;
  }

  bodyByKey(key: string): string | null {
    let newest: ArchivedRow | null = null;
    for (const id of this.#idsByKey.get(key) ?? []) {
      const row = this.#rows.get(id);
      if (row !== undefined && (newest === null || row.ordinal > newest.ordinal)) newest = row;
    }
    return newest?.body ?? null;
  }

  bodiesByKey(key: string, limit: number): string[] {
    const rows = [...(this.#idsByKey.get(key) ?? [])]
      .map((id) => this.#rows.get(id))
      .filter((row) => row !== undefined);
    return rows
      .sort((left, right) => right.ordinal - left.ordinal)
      .slice(0, limit)
      .map((row) => row.body);
  }

  page(beforeId: string | undefined, limit: number): { id: string; body: string }[] {
    const end = beforeId === undefined ? this.#order.length : (this.#rows.get(beforeId)?.ordinal ?? 0);
    const ids = this.#order.slice(Math.max(0, end - limit), end).reverse();
    return ids.map((id) => ({ id, body: this.body(id) ?? '' }));
  }
}

/** The durable half of a journal in memory. Several handles may be opened on it, one after another. */
export class MemoryStore {
  epoch = 0;
  readonly records: EventRecord[] = [];
  readonly #blobs = new Map<Oid, Uint8Array>();
  readonly #shelves = new Map<string, Shelf>();
  #snapshots: { readonly sequence: number; readonly body: Uint8Array }[] = [];

  /** Applies a whole batch. The caller has checked epoch and sequence. */
  apply(batch: JournalBatch): void {
    for (const body of batch.events) {
      const sequence = this.records.length + 1;
      this.records.push({ sequence, body, checksum: eventChecksum(sequence, body) });
    }
    for (const oid of batch.droppedBlobs) this.#blobs.delete(oid);
    for (const { oid, bytes } of batch.blobs) if (!this.#blobs.has(oid)) this.#blobs.set(oid, bytes.slice());
    for (const row of batch.archive) {
      const shelf = this.#shelves.get(row.kind) ?? new Shelf();
      this.#shelves.set(row.kind, shelf);
      shelf.put(row);
    }
  }

  /** Keeps a snapshot; of all, the two with the highest sequences stay. */
  putSnapshot(sequence: number, body: Uint8Array): void {
    const others = this.#snapshots.filter((snapshot) => snapshot.sequence !== sequence);
    others.push({ sequence, body });
    this.#snapshots = others.sort((left, right) => right.sequence - left.sequence).slice(0, 2);
  }

  latestSnapshot(): { sequence: number; body: Uint8Array } | null {
    const latest = this.#snapshots[0];
    return latest === undefined ? null : { sequence: latest.sequence, body: latest.body.slice() };
  }

  blob(oid: Oid): Uint8Array | null {
    return this.#blobs.get(oid)?.slice() ?? null;
  }

  blobs(): Oid[] {
    return [...this.#blobs.keys()].sort();
  }

  shelf(kind: string): Shelf {
    return this.#shelves.get(kind) ?? new Shelf();
  }
}
