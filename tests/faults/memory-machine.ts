// A machine in memory whose power can go: a disk and a journal that forget at one moment what they had not synced.
//
// Invariants:
//   MM1. Disk and journal are cut at the same operation; after it neither takes anything, and the room never answers.
//   MM2. The same seed gives the same run.

import { nodeCodec } from '@firetrident/adapters';
import { isOid, RandomStream, utf8, utf8Text } from '@firetrident/base';
import type { TrunkService } from '@firetrident/engine';
import { FaultyMemoryJournal, MemoryStore } from '@firetrident/journal';
import { type Disk, type DiskErrorKind, FaultyDisk, PowerCut, TrunkRepository } from '@firetrident/trunk';
import { type MemoryColony, memoryDirectory, openMemoryColony } from '../support/memory-colony.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

/** Longest virtual time of one call of the room and of one commit of the journal, milliseconds. */
const slowestMs = 6;

/** Virtual time after which work that is not done hangs. */
const patienceMs = 600_000;

/** What loses its power at which operation of its kind, counted from the moment of asking. */
export type CutPlan = { readonly at: 'disk' | 'journal'; readonly operation: number };

/** Operations of the disk that fail. */
export interface DiskFault {
  readonly operation: number;
  readonly kind: DiskErrorKind;
  readonly count: number;
}

/** One power supply with what hangs on it. */
export class MemoryMachine {
  /** Every draw of the machine comes from here (MM2). */
  readonly #random: RandomStream;
  /** What the disk says it has made durable and has not: contents of files, or names in folders. */
  ignoredSync: 'contents' | 'names' | null = null;
  clock = new VirtualClock(1_767_225_600_000);
  #disk: FaultyDisk;
  #journal: FaultyMemoryJournal;
  #commitsUntilCut = Number.POSITIVE_INFINITY;
  #isCut = false;
  /** Commits that someone else pushed or tried to push. */
  readonly #pushed = new Set<string>();
  /** Counts the starts: what an earlier one still tries to do has no power. */
  #start = 0;

  constructor(seed: number) {
    this.#random = new RandomStream(seed);
    this.#disk = new FaultyDisk();
    this.#journal = new FaultyMemoryJournal({ seed, pace: () => this.#commitPace() }, new MemoryStore());
  }

  get isCut(): boolean {
    return this.#isCut;
  }

  get disk(): FaultyDisk {
    return this.#disk;
  }

  /** Plans the next cut (MM1). */
  cutAt({ at, operation }: CutPlan): void {
    if (at === 'disk') this.#disk.cutPowerAt(this.#disk.operations + operation);
    else this.#commitsUntilCut = operation;
  }

  /** Cuts the power now. */
  cut(): void {
    if (this.#isCut) return;
    this.#isCut = true;
    this.#disk.cutPowerAt(0);
    this.#journal.powerCut();
  }

  /** Stretches of counted operations of the disk that fail, counted from now. */
  failDisk(faults: readonly DiskFault[]): void {
    for (const { operation, kind, count } of faults)
      this.#disk.failFrom(this.#disk.operations + operation, kind, count);
  }

  /** The disk fails no more. */
  healDisk(): void {
    this.#disk.heal();
  }

  /** The journal is full from one of its appends on, until it is opened again. */
  fillJournalAt(append: number): void {
    this.#journal = this.#journal.reopen(append);
  }

  /** Starts a colony on what the disk and the journal hold; never answers when the power goes meanwhile. */
  open(): Promise<MemoryColony> {
    const disk = this.#wired(this.#disk);
    return openMemoryColony({
      journal: this.#journal,
      reopenJournal: () => {
        this.#journal = this.#journal.reopen();
        return this.#journal;
      },
      clock: this.clock,
      disk,
      surround: (room) => this.#slowed(room),
    });
  }

  /** Bodies of all events, in order; the colony that wrote them is closed. */
  async log(): Promise<string[]> {
    const events = await this.#journal.reopen().events(0, Number.MAX_SAFE_INTEGER);
    return events.map(({ body }) => body);
  }

  /** The machine is back and time has passed. A kill keeps what was written, a power cut what was synced. */
  restore(after: 'kill' | 'power-cut'): void {
    if (after === 'power-cut') this.#disk = this.#disk.afterPowerCut(this.#random);
    this.#disk.cutPowerAt(Number.POSITIVE_INFINITY);
    this.#clearForeignLock();
    this.#journal = this.#journal.reopen();
    this.clock = new VirtualClock(this.clock.now() + 60_000);
    this.#commitsUntilCut = Number.POSITIVE_INFINITY;
    this.#isCut = false;
    this.#start += 1;
  }

  /** Lets time pass until the work is done; null when the power went first. */
  async drive<T>(work: Promise<T>): Promise<T | null> {
    const { clock } = this;
    let done: { readonly value: T } | null = null;
    let failed: unknown = null;
    work.then(
      (value) => {
        done = { value };
      },
      (error: unknown) => {
        failed = error ?? new Error('rejected without a reason');
      },
    );
    const end = clock.now() + patienceMs;
    for (let until = clock.now(); clock.now() <= end; until += 5) {
      await clock.runUntil(until);
      if (done !== null) return (done as { readonly value: T }).value;
      if (this.#isCut) return null;
      if (failed !== null) throw failed;
    }
    throw new Error('nothing happens any more, and the work is not done');
  }

  /** Someone else adds a commit to trunk after a while, durably, as git does. */
  pushLater(delayMs: number): void {
    const disk = this.#wired(this.#disk);
    this.clock.after(delayMs, () => {
      try {
        this.#push(disk);
      } catch (error) {
        if (!(error instanceof PowerCut)) throw error;
      }
    });
  }

  #push(disk: Disk): void {
    if (this.#isCut) return;
    const repository = TrunkRepository.open(disk, nodeCodec, { directory: memoryDirectory });
    const tip = repository.tip();
    const bytes = utf8(`pushed at ${this.clock.now()}\n`);
    const oid = repository.hashBlob(bytes);
    const path = `pushed/p${this.#random.below(4)}.txt`;
    const person = { name: 'Someone', email: 'someone@example.invalid' };
    const commit = {
      tree: repository.commitTree(tip).with([{ path, entry: { mode: '100644', oid } }]),
      message: 'Pushed by someone else\n',
      author: person,
      committer: person,
      note: () => 'a note that stays in the pack\n',
    };
    const blobs = new Map([[oid, bytes]]);
    const timeSeconds = Math.floor(this.clock.now() / 1_000);
    const prepared = repository.prepare({ parent: tip, notesParent: null, commits: [commit], blobs, timeSeconds });
    const packs = `${memoryDirectory}/objects/pack`;
    const files = { pack: prepared.pack, idx: prepared.index };
    for (const [ending, content] of Object.entries(files)) {
      const draft = `${packs}/tmp_pushed_${ending}`;
      disk.write(draft, content);
      disk.sync(draft);
      disk.rename(draft, `${packs}/pack-${prepared.packName}.${ending}`);
    }
    disk.syncDirectory(packs);
    const folder = `${memoryDirectory}/refs/heads`;
    this.#pushed.add(prepared.tip);
    // Whoever finds the lock taken is refused, as by git.
    if (disk.read(`${folder}/main.lock`) !== null) return;
    disk.write(`${folder}/main.lock`, utf8(`${prepared.tip}\n`));
    disk.sync(`${folder}/main.lock`);
    disk.rename(`${folder}/main.lock`, `${folder}/main`);
    disk.syncDirectory(folder);
  }

  /** What an operator does after a crash: a lock that someone else's program left is removed. */
  #clearForeignLock(): void {
    const path = `${memoryDirectory}/refs/heads/main.lock`;
    const value = utf8Text(this.#disk.read(path) ?? new Uint8Array()).trimEnd();
    // A lock of the colony is never torn.
    if (!isOid(value) || this.#pushed.has(value)) this.#disk.remove(path);
  }

  /** A disk that takes the journal with it when its power goes. */
  #wired(disk: FaultyDisk): Disk {
    const start = this.#start;
    return new Proxy<Disk>(disk, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as ((...args: unknown[]) => unknown) | undefined;
        if (method === undefined) return undefined;
        return (...given: unknown[]) => {
          const args = this.#honoured(name, given);
          if (args === null) return undefined;
          if (start !== this.#start) throw new PowerCut(String(name), 'of an earlier start');
          const result = this.#untilCut(() => method.apply(target, args));
          // What was begun may be cut while it is waited for.
          return name === 'begin' ? () => this.#untilCut(result as () => unknown) : result;
        };
      },
    });
  }

  #untilCut<T>(action: () => T): T {
    try {
      return action();
    } catch (error) {
      if (error instanceof PowerCut) this.cut();
      throw error;
    }
  }

  /** The arguments of a call as far as the disk keeps its word; null when it does nothing at all. */
  #honoured(name: string | symbol, args: unknown[]): unknown[] | null {
    const { ignoredSync } = this;
    if (ignoredSync === null) return args;
    if (name === 'syncAll') return ignoredSync === 'contents' ? [[], args[1]] : [args[0], []];
    return name === (ignoredSync === 'contents' ? 'sync' : 'syncDirectory') ? null : args;
  }

  /** Calls of the room begin in order, each a little later than asked; none returns from a machine without power. */
  #slowed(room: TrunkService): TrunkService {
    let free = 0;
    const clock = this.clock;
    return new Proxy(room, {
      get: (target, name) => {
        const method = Reflect.get(target, name) as (...args: unknown[]) => Promise<unknown>;
        return async (...args: unknown[]) => {
          free = Math.max(free, clock.now()) + this.#random.below(slowestMs);
          await new Promise<void>((resolve) => clock.after(free - clock.now(), resolve));
          try {
            return await method.apply(target, args);
          } catch (error) {
            if (error instanceof PowerCut) return new Promise(() => undefined);
            throw error;
          }
        };
      },
    });
  }

  async #commitPace(): Promise<void> {
    const clock = this.clock;
    this.#commitsUntilCut -= 1;
    const isLast = this.#commitsUntilCut <= 0;
    await new Promise<void>((resolve) => clock.after(this.#random.below(slowestMs), resolve));
    if (isLast && clock === this.clock) this.cut();
  }
}

/** Files of a disk below its repository, by path inside it. */
export function repositoryFiles(disk: Disk): Map<string, Uint8Array> {
  const files = new Map<string, Uint8Array>();
  const walk = (folder: string): void => {
    for (const name of disk.list(folder)) {
      const path = `${folder}/${name}`;
      const bytes = disk.read(path);
      if (bytes === null) walk(path);
      else files.set(path.slice(memoryDirectory.length + 1), bytes);
    }
  };
  walk(memoryDirectory);
  return files;
}
