// Every object of a repository: loose ones, packs, and those of repositories that it borrows from.
//
// It never knows refs, nor what an object means.
//
// Invariants:
//   OS1. Packs may be replaced by others at any moment: a look-up that misses, or a pack that is gone, makes the
//        store list the packs again before it says that an object is absent.
//   OS2. Memory is bounded: decoded objects are cached within fixed sizes, indexes in memory are small and no more than
//        there are packs, and those of large packs stay on disk.

import type { Oid } from '@firetrident/base';
import { ByteCache } from './byte-cache.ts';
import type { ObjectCodec } from './codec.ts';
import type { Disk } from './disk.ts';
import { TrunkError } from './errors.ts';
import { parseLoose } from './loose.ts';
import type { StoredObject } from './object-type.ts';
import { oidBytes } from './oid-bytes.ts';
import { openIndex, PackIndex, PackVanished } from './pack-index.ts';
import { Pack, type PackContext, ReadBuffer } from './pack-read.ts';

// What is kept in memory at most (OS2).
const decodedBytesMax = 16 << 20;
const recentBytesMax = 4 << 20;
/** How deep repositories may borrow from one another, as in git. */
const borrowDepthMax = 5;
/** Packs replaced again and again while one object is read. */
const attemptsMax = 5;

/** Reads objects of the repository whose object directory is given. */
export class ObjectStore {
  readonly #disk: Disk;
  readonly #codec: ObjectCodec;
  readonly #directories: readonly string[];
  readonly #context: PackContext;
  readonly #recent = new ByteCache<Oid, StoredObject>(recentBytesMax, sizeOf);
  /** Most recently useful first; null until listed. */
  #packs: Pack[] | null = null;
  #known: Pack[] = [];

  constructor(disk: Disk, codec: ObjectCodec, objectsDirectory: string) {
    this.#disk = disk;
    this.#codec = codec;
    this.#directories = withBorrowed(disk, objectsDirectory, 0);
    this.#context = {
      disk,
      codec,
      buffer: new ReadBuffer(),
      decoded: new ByteCache(decodedBytesMax, sizeOf),
      readElsewhere: (oid) => this.#readOnce(oid),
    };
  }

  /** The object, or null when the repository does not have it. Throws TrunkError `corrupt`. */
  read(oid: Oid): StoredObject | null {
    const recent = this.#recent.get(oid);
    if (recent) return recent;
    return this.#retrying(() => this.#readOnce(oid));
  }

  /** Keeps an object of the repository at hand that was just written and is likely to be read. */
  remember(oid: Oid, object: StoredObject): void {
    this.#recent.set(oid, object);
  }

  /** Whether the repository has the object. */
  has(oid: Oid): boolean {
    const bytes = oidBytes(oid);
    const found = this.#retrying(() => this.#locate(bytes) !== null || this.#looseBytes(oid) !== null || null);
    return found === true;
  }

  /** Makes a pack known that was just written: its path without ending and the bytes of its index (copied). */
  addPack(path: string, index: Uint8Array): void {
    const packs = this.#packs ?? this.#listPacks();
    if (packs.some((pack) => pack.path === path)) return;
    const pack = new Pack(path, new PackIndex(index.slice(), path), this.#context);
    this.#known.push(pack);
    packs.unshift(pack);
  }

  /** Lists the packs again at the next look-up. */
  refresh(): void {
    this.#packs = null;
  }

  #retrying<T>(look: () => T | null): T | null {
    const before = this.#packs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        const found = look();
        if (found !== null) return found;
        // A list made before this call may be out of date; one made during it is not (OS1).
        if (attempt > 1 || before === null) return null;
      } catch (error) {
        if (!(error instanceof PackVanished) || attempt >= attemptsMax) throw error;
      }
      this.refresh();
    }
  }

  #readOnce(oid: Oid): StoredObject | null {
    const place = this.#locate(oidBytes(oid));
    if (place) return place.pack.readAt(place.offset);
    const loose = this.#looseBytes(oid);
    if (!loose) return null;
    const object = parseLoose(loose, this.#codec);
    if (!object) throw new TrunkError('corrupt', `loose object ${oid} is damaged`);
    return object;
  }

  #looseBytes(oid: Oid): Uint8Array | null {
    for (const directory of this.#directories) {
      const bytes = this.#disk.read(`${directory}/${oid.slice(0, 2)}/${oid.slice(2)}`);
      if (bytes) return bytes;
    }
    return null;
  }

  #locate(oid: Uint8Array): { readonly pack: Pack; readonly offset: number } | null {
    const packs = this.#packs ?? this.#listPacks();
    for (let index = 0; index < packs.length; index += 1) {
      const pack = packs[index] as Pack;
      const offset = pack.index.find(oid);
      if (offset < 0) continue;
      if (index > 0) {
        // What was found last is likely to hold the next one too.
        packs.splice(index, 1);
        packs.unshift(pack);
      }
      return { pack, offset };
    }
    return null;
  }

  #listPacks(): Pack[] {
    const known = new Map(this.#known.map((pack) => [pack.path, pack]));
    const packs: Pack[] = [];
    for (const directory of this.#directories) {
      for (const name of this.#disk.list(`${directory}/pack`)) {
        if (!name.startsWith('pack-') || !name.endsWith('.idx')) continue;
        const path = `${directory}/pack/${name.slice(0, -4)}`;
        const pack = known.get(path) ?? this.#openPack(path);
        if (pack) packs.push(pack);
      }
    }
    this.#known = packs;
    this.#packs = [...packs];
    return this.#packs;
  }

  #openPack(path: string): Pack | null {
    const index = this.#disk.size(`${path}.pack`) === null ? null : openIndex(this.#disk, `${path}.idx`);
    return index && new Pack(path, index, this.#context);
  }
}

/** What an object and its bytes take in memory beside these: a small one takes more for itself than for its bytes. */
const objectOverheadBytes = 400;

function sizeOf(object: StoredObject): number {
  return object.bytes.length + objectOverheadBytes;
}

function withBorrowed(disk: Disk, directory: string, depth: number): string[] {
  const found = [directory];
  const list = disk.read(`${directory}/info/alternates`);
  if (!list || depth >= borrowDepthMax) return found;
  for (const line of new TextDecoder().decode(list).split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    found.push(...withBorrowed(disk, line.startsWith('/') ? line : `${directory}/${line}`, depth + 1));
  }
  return [...new Set(found)];
}
