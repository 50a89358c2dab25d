// Making one pack of many small ones, by copying their entries as they are.
//
// Stock git, asked to do that, walks the history for the names of what it packs and looks for similar objects. That is
// worth its time where nothing else goes on; while hundreds of cycles land in a minute it would never catch up.
//
// Invariants:
//   PJ1. Every object of the packs is in the joined one, with the same bytes and the same checksum, once.
//   PJ2. Packs go only when the joined one is durable under its name.
//   PJ3. A pack that holds deltas, whose bytes fail their checksum, or that is gone meanwhile, is named, and
//        nothing has changed then.

import type { ObjectCodec } from './codec.ts';
import type { Disk } from './disk.ts';
import { oidLength, oidText } from './oid-bytes.ts';
import { nameWrittenPack, retirePacks, unnamedPackPath } from './pack-file.ts';
import { packIndexHeadLength, packIndexLength, packIndexPlaces, writePackIndex } from './pack-index-write.ts';
import { compareIds, objectsMax, sortedPositions } from './pack-order.ts';
import { packHeaderLength, writePackHeader } from './pack-write.ts';

/** Bytes that are read, written and synced together: little enough to keep nobody's sync waiting. */
const windowBytes = 2 << 20;
/** What an index has of each object. */
const bytesPerObject = packIndexLength(1) - packIndexLength(0);
/** An entry of at least this type is a delta. */
const firstDeltaType = 6;

/** How joining ended. Names are those of packs, without "pack-" and ending. */
export type JoinOutcome =
  | { readonly kind: 'joined'; readonly packName: string }
  | { readonly kind: 'unfit'; readonly packName: string; readonly why: 'delta' | 'damaged' | 'gone' };

/** Joins packs without holding its caller up. */
export interface PackJoiner {
  /** Joins the packs with these names in a folder. */
  join(packFolder: string, packNames: readonly string[]): Promise<JoinOutcome>;
}

type UnfitOutcome = Extract<JoinOutcome, { kind: 'unfit' }>;

/** Stops joining; `joinPacks` turns it into its outcome (PJ3). */
class UnfitPack extends Error {
  readonly outcome: UnfitOutcome;

  constructor(packName: string, why: UnfitOutcome['why']) {
    super(`pack ${packName} cannot be joined: ${why}`);
    this.outcome = { kind: 'unfit', packName, why };
  }
}

/** The objects of one pack, numbered in the order of their places, from `first` on among those of all packs. */
interface Source {
  readonly packName: string;
  readonly first: number;
  readonly count: number;
  /** Where each entry begins, and behind the last one where the last ends. */
  readonly starts: Uint32Array;
}

/** Objects of all packs by position: pack after pack, in the order in which they lie there. */
interface Objects {
  readonly ids: Uint8Array;
  readonly sums: Uint32Array;
  /** Where each entry is in the joined pack. */
  readonly offsets: Uint32Array;
}

/** Joins packs of whole objects, of a million objects and less than 2 GiB in all (PJ1 to PJ3). Throws DiskError. */
export function joinPacks(
  disk: Disk,
  codec: ObjectCodec,
  packFolder: string,
  packNames: readonly string[],
): JoinOutcome {
  const unnamed = unnamedPackPath(packFolder);
  try {
    const { sources, objects } = listAll(disk, packFolder, packNames);
    const order = withoutRepeated(objects.ids, sortedPositions(objects.ids, objects.sums.length));
    disk.remove(unnamed);
    const checksum = codec.sha1(copied(disk, codec, packFolder, sources, objects, order));
    disk.append(unnamed, checksum);
    disk.sync(unnamed);
    const index = new Uint8Array(packIndexLength(order.length));
    writePackIndex(index, objects, order, checksum, codec);
    const joinedName = oidText(checksum);
    nameWrittenPack(disk, packFolder, joinedName, index);
    // git's own list of what lies in which pack would name packs that are gone.
    disk.remove(`${packFolder}/multi-pack-index`);
    const replaced = packNames.filter((packName) => packName !== joinedName);
    retirePacks(disk, packFolder, replaced);
    return { kind: 'joined', packName: joinedName };
  } catch (error) {
    if (!(error instanceof UnfitPack)) throw error;
    disk.remove(unnamed);
    return error.outcome;
  }
}

function present<T>(value: T | null, packName: string): T {
  if (value === null) throw new UnfitPack(packName, 'gone');
  return value;
}

/** Reads the indexes of all packs, one after the other. */
function listAll(
  disk: Disk,
  packFolder: string,
  packNames: readonly string[],
): { readonly sources: readonly Source[]; readonly objects: Objects } {
  const lengths = packNames.map((packName) => present(disk.size(`${packFolder}/pack-${packName}.idx`), packName));
  // As many as fit an index of that length: what is no index is found out when it is read.
  const counts = lengths.map((length) => Math.max(0, Math.floor((length - packIndexLength(0)) / bytesPerObject)));
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total > objectsMax) throw new RangeError(`${total} objects are too many for one pack`);
  const objects: Objects = {
    ids: new Uint8Array(total * oidLength),
    sums: new Uint32Array(total),
    offsets: new Uint32Array(total),
  };
  const buffer = new Uint8Array(Math.max(...lengths));
  const keys = new Float64Array(Math.max(...counts));
  let first = 0;
  const sources = packNames.map((packName, pack) => {
    const target = buffer.subarray(0, lengths[pack]);
    const read = present(disk.readInto(`${packFolder}/pack-${packName}.idx`, 0, target), packName);
    const size = present(disk.size(`${packFolder}/pack-${packName}.pack`), packName);
    if (size < packHeaderLength + oidLength) throw new UnfitPack(packName, 'damaged');
    const source = listObjects(packName, target.subarray(0, read), size, first, objects, keys);
    first += source.count;
    return source;
  });
  return { sources, objects };
}

function countOf(index: Uint8Array, packName: string): number {
  const isIndex = index.length >= packIndexLength(0);
  const count = isIndex ? new DataView(index.buffer, index.byteOffset).getUint32(packIndexHeadLength - 4) : 0;
  if (!isIndex || index.length !== packIndexLength(count)) throw new UnfitPack(packName, 'damaged');
  return count;
}

/** Fills in the ids and checksums of a pack's objects. `keyRoom` is for sorting them. */
function listObjects(
  packName: string,
  index: Uint8Array,
  size: number,
  first: number,
  objects: Objects,
  keyRoom: Float64Array,
): Source {
  const view = new DataView(index.buffer, index.byteOffset, index.byteLength);
  const count = countOf(index, packName);
  const { names, sums, offsets } = packIndexPlaces(count);
  const keys = keyRoom.subarray(0, count);
  for (let rank = 0; rank < count; rank += 1) {
    keys[rank] = view.getUint32(offsets + rank * 4) * objectsMax + rank;
  }
  keys.sort();
  const starts = new Uint32Array(count + 1);
  for (let at = 0; at < count; at += 1) {
    const key = keys[at] as number;
    const rank = key % objectsMax;
    starts[at] = (key - rank) / objectsMax;
    const id = names + rank * oidLength;
    objects.ids.set(index.subarray(id, id + oidLength), (first + at) * oidLength);
    objects.sums[first + at] = view.getUint32(sums + rank * 4);
  }
  starts[count] = size - oidLength;
  return { packName, first, count, starts };
}

/** The order without all but the first of equal ids (PJ1), in the same memory. */
function withoutRepeated(ids: Uint8Array, order: Float64Array): Float64Array {
  let kept = 0;
  for (const position of order) {
    if (kept > 0 && compareIds(ids, order[kept - 1] as number, position) === 0) continue;
    order[kept] = position;
    kept += 1;
  }
  return order.subarray(0, kept);
}

/** Writes header and entries, and gives each part that was written. Notes where the entries are. */
function* copied(
  disk: Disk,
  codec: ObjectCodec,
  packFolder: string,
  sources: readonly Source[],
  objects: Objects,
  order: Float64Array,
): Generator<Uint8Array> {
  const unnamed = unnamedPackPath(packFolder);
  const isKept = new Uint8Array(objects.sums.length);
  for (const position of order) isKept[position] = 1;
  const header = new Uint8Array(packHeaderLength);
  writePackHeader(header, order.length);
  disk.append(unnamed, header);
  yield header;
  let length = packHeaderLength;
  // One for all: what a thread drops outside of its heap it keeps for long.
  let buffer = new Uint8Array(windowBytes);
  for (const source of sources) {
    const path = `${packFolder}/pack-${source.packName}.pack`;
    for (let at = 0; at < source.count; ) {
      const start = source.starts[at] as number;
      let end = at + 1;
      while (end < source.count && (source.starts[end + 1] as number) - start <= windowBytes) end += 1;
      const bytes = (source.starts[end] as number) - start;
      if (buffer.length < bytes) buffer = new Uint8Array(bytes);
      const window = buffer.subarray(0, bytes);
      const read = present(disk.readInto(path, start, window), source.packName);
      if (read !== bytes) throw new UnfitPack(source.packName, 'damaged');
      const part = keptEntries(window, codec, source, { from: at, to: end }, isKept, objects, length);
      if (part.length > 0) {
        disk.append(unnamed, part);
        disk.sync(unnamed);
        yield part;
      }
      length += part.length;
      at = end;
    }
  }
}

/** The kept ones among the entries of a window, moved together there. `length` is that of the joined pack so far. */
function keptEntries(
  window: Uint8Array,
  codec: ObjectCodec,
  source: Source,
  { from, to }: { readonly from: number; readonly to: number },
  isKept: Uint8Array,
  objects: Objects,
  length: number,
): Uint8Array {
  const base = source.starts[from] as number;
  let kept = 0;
  for (let at = from; at < to; at += 1) {
    const position = source.first + at;
    const start = (source.starts[at] as number) - base;
    const end = (source.starts[at + 1] as number) - base;
    if ((((window[start] as number) >> 4) & 7) >= firstDeltaType) throw new UnfitPack(source.packName, 'delta');
    if (codec.crc32(window.subarray(start, end)) !== objects.sums[position]) {
      throw new UnfitPack(source.packName, 'damaged');
    }
    if (!isKept[position]) continue;
    objects.offsets[position] = length + kept;
    if (kept !== start) window.copyWithin(kept, start, end);
    kept += end - start;
  }
  return window.subarray(0, kept);
}
