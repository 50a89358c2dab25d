// Keeping packs few while landing goes on, and small when it rests.
//
// Every cycle writes a pack. Many small ones are joined by copying, which costs little and so keeps up with any load.
// Stock git, which finds what objects have in common, comes when hardly anything lands, or when nothing else helps.
//
// Invariants:
//   MT1. Only what keeps every object is done: joining copies all of them, and geometric repacking takes over all objects
//        of the packs that it replaces, also those that no ref reaches yet (a cycle between pack and ref) or only our
//        own refs do. Never repack -a, gc or prune.
//   MT2. A pack that is written meanwhile is in nobody's list and so stays untouched.
//   MT3. Joined packs are bounded in size, so that no object is copied again and again, and no index is large in memory.

import type { Disk } from './disk.ts';
import { TrunkError } from './errors.ts';
import type { GitRunner } from './git-runner.ts';
import type { PackJoiner } from './pack-join.ts';

/** Classes of packs: when there are so many smaller than this, they are joined. */
const joinedClasses: readonly PackClass[] = [
  { bytesBelow: 8 << 20, packsMax: 64 },
  { bytesBelow: 128 << 20, packsMax: 6 },
];
// What a joined pack holds at most (MT3).
const joinedBytesMax = 512 << 20;
const joinedIndexBytesMax = 12 << 20;
/** Packs that reading objects still does not mind. */
const packsMaxDefault = 300;
/** Packs written since the last look from which on landing counts as busy. */
const busyPacks = 40;
/** What git has not seen yet is worth its time from this size on. */
const looseBytesMin = 64 << 20;
/** Git that is cut off has done nothing, and begins anew the next time: a large repository gets the time it needs. */
const gitTimeoutMs = 6 * 3_600_000;

interface PackClass {
  readonly bytesBelow: number;
  readonly packsMax: number;
}

/** When to consolidate. */
export interface MaintenanceOptions {
  /** Lets git consolidate, however busy landing is, when joining leaves more packs than this. Default: 300. */
  readonly packsMax?: number;
  /** Joins small packs when there are more than this. Default: 64. */
  readonly smallPacksMax?: number;
}

/** What maintenance did. */
export interface MaintenanceReport {
  readonly packsBefore: number;
  readonly packsAfter: number;
  /** Joined packs that were made. */
  readonly joined: number;
  /** Whether git consolidated. */
  readonly repacked: boolean;
}

interface PackSize {
  readonly packName: string;
  readonly bytes: number;
  readonly indexBytes: number;
}

/** Packs of the repository itself, not of those that it borrows from. */
export function packCount(disk: Disk, directory: string): number {
  return packNames(disk, directory).length;
}

function packNames(disk: Disk, directory: string): string[] {
  return disk
    .list(`${directory}/objects/pack`)
    .filter((name) => name.startsWith('pack-') && name.endsWith('.idx'))
    .map((name) => name.slice('pack-'.length, -'.idx'.length));
}

/** Consolidates the packs of one repository (MT1 to MT3). */
export class Maintenance {
  readonly #disk: Disk;
  readonly #directory: string;
  /** Packs that cannot be joined. */
  readonly #unfit = new Set<string>();
  /** Packs that git left or made when it consolidated last. */
  #settled = new Set<string>();
  /** Packs at the end of the last look; null before the first. */
  #lastPacks: number | null = null;

  constructor(disk: Disk, directory: string) {
    this.#disk = disk;
    this.#directory = directory;
  }

  /** Does what is due. Throws TrunkError `git-failed`, and DiskError. */
  async run(git: GitRunner, joiner: PackJoiner, options: MaintenanceOptions): Promise<MaintenanceReport> {
    const names = new Set(packNames(this.#disk, this.#directory));
    for (const packName of this.#unfit) if (!names.has(packName)) this.#unfit.delete(packName);
    const packsBefore = names.size;
    const isBusy = this.#lastPacks === null || packsBefore - this.#lastPacks >= busyPacks;
    const joined = await this.#joinAll(joiner, options);
    const packs = this.#packs();
    const isLarge = packs.length > (options.packsMax ?? packsMaxDefault);
    const repacked = isLarge || (!isBusy && this.#looseBytes(packs) >= looseBytesMin);
    if (repacked) {
      await this.#must(git, ['repack', '-q', '--geometric=2', '-d']);
      await this.#must(git, ['commit-graph', 'write', '--reachable', '--split', '--no-progress']);
      this.#settled = new Set(packNames(this.#disk, this.#directory));
    }
    const packsAfter = packCount(this.#disk, this.#directory);
    this.#lastPacks = packsAfter;
    return { packsBefore, packsAfter, joined, repacked };
  }

  async #joinAll(joiner: PackJoiner, { smallPacksMax }: MaintenanceOptions): Promise<number> {
    const [small, ...larger] = joinedClasses as [PackClass, ...PackClass[]];
    let joined = 0;
    for (const packClass of [{ ...small, packsMax: smallPacksMax ?? small.packsMax }, ...larger]) {
      const fit = this.#packs().filter(({ packName }) => !this.#unfit.has(packName));
      const due = dueTogether(fit, packClass);
      if (due.length === 0) continue;
      const outcome = await joiner.join(`${this.#directory}/objects/pack`, due);
      if (outcome.kind === 'joined') joined += 1;
      else this.#unfit.add(outcome.packName);
    }
    return joined;
  }

  /** Bytes of the packs that git has not seen, but for the largest pack of all. */
  #looseBytes(packs: readonly PackSize[]): number {
    const sizes = packs.filter(({ packName }) => !this.#settled.has(packName)).map(({ bytes }) => bytes);
    const isAll = sizes.length === packs.length;
    return sizes.reduce((sum, bytes) => sum + bytes, 0) - (isAll ? Math.max(0, ...sizes) : 0);
  }

  #packs(): PackSize[] {
    const folder = `${this.#directory}/objects/pack`;
    return packNames(this.#disk, this.#directory).map((packName) => ({
      packName,
      bytes: this.#disk.size(`${folder}/pack-${packName}.pack`) ?? 0,
      indexBytes: this.#disk.size(`${folder}/pack-${packName}.idx`) ?? 0,
    }));
  }

  async #must(git: GitRunner, args: readonly string[]): Promise<void> {
    const { code, stderr } = await git.run(['--git-dir', this.#directory, ...args], { timeoutMs: gitTimeoutMs });
    if (code !== 0) throw new TrunkError('git-failed', `git ${args[0]} failed with status ${code}: ${stderr.trim()}`);
  }
}

/** Names of the packs of a class that are to be joined now, the smallest first; none when they are few. */
function dueTogether(packs: readonly PackSize[], { bytesBelow, packsMax }: PackClass): string[] {
  const members = packs.filter(({ bytes }) => bytes > 0 && bytes < bytesBelow).sort((a, b) => a.bytes - b.bytes);
  if (members.length <= packsMax) return [];
  const due: string[] = [];
  let bytes = 0;
  let indexBytes = 0;
  for (const pack of members) {
    bytes += pack.bytes;
    indexBytes += pack.indexBytes;
    if (bytes > joinedBytesMax || indexBytes > joinedIndexBytesMax) break;
    due.push(pack.packName);
  }
  return due.length < 2 ? [] : due;
}
