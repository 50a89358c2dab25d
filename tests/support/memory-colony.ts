// A colony on ports in memory: real core, engine, trunk and merges; memory for disk and journal; virtual time.

import { createOxcParser, NodeGit, nodeCodec } from '@firetrident/adapters';
import { ok } from '@firetrident/base';
import { defaultPolicy, type Policy } from '@firetrident/core';
import { type Colony, type FaultPoint, openColony, TrunkRoom, type TrunkService } from '@firetrident/engine';
import type { MemoryJournal } from '@firetrident/journal';
import { type Disk, joinPacks, MemoryDisk, type PreparedCycle, TrunkRepository } from '@firetrident/trunk';
import { VirtualClock } from './virtual-clock.ts';

/** Directory of the repository on the disk in memory. */
export const memoryDirectory = '/trunk.git';

/** Start of virtual time: 2026-01-01T00:00:00Z. */
export const memoryStartMs = 1_767_225_600_000;

export interface MemoryColony {
  readonly colony: Colony;
  readonly clock: VirtualClock;
  readonly disk: Disk;
  readonly journal: MemoryJournal;
  /** Log lines of every level so far, each with its facts as JSON. */
  readonly log: readonly string[];
}

export interface MemoryColonyOptions {
  readonly journal: MemoryJournal;
  /** A fresh handle after an append failed; `reopen` of the journal by default. */
  readonly reopenJournal?: () => MemoryJournal;
  readonly disk?: Disk;
  readonly clock?: VirtualClock;
  readonly policy?: Partial<Policy>;
  readonly reached?: (point: FaultPoint) => void;
  /** Hears of broken assumptions; without it they are thrown at whoever broke them. */
  readonly broken?: (error: unknown) => void;
  readonly alter?: (prepared: PreparedCycle) => PreparedCycle;
  /** Stands between the engine and the room. */
  readonly surround?: (room: TrunkService) => TrunkService;
}

/** Opens a colony in memory; on a disk that holds its repository already, it recovers. */
export async function openMemoryColony(options: MemoryColonyOptions): Promise<MemoryColony> {
  const clock = options.clock ?? new VirtualClock(memoryStartMs);
  const disk = options.disk ?? new MemoryDisk();
  if (disk.read(`${memoryDirectory}/HEAD`) === null) {
    const committer = { name: 'FireTrident test', email: 'colony@firetrident.invalid' };
    TrunkRepository.create(disk, nodeCodec, {
      directory: memoryDirectory,
      branch: 'main',
      committer,
      timeSeconds: memoryStartMs / 1_000,
    });
  }
  const reached = options.reached ?? (() => undefined);
  const room = new TrunkRoom({
    codec: nodeCodec,
    git: new NodeGit(),
    joiner: { join: async (packFolder, packNames) => joinPacks(disk, nodeCodec, packFolder, packNames) },
    parser: createOxcParser(),
    directory: memoryDirectory,
    openRepository: () => TrunkRepository.open(disk, nodeCodec, { directory: memoryDirectory }),
    elapsedMs: () => 0,
    alter: options.alter ?? null,
  });
  const log: string[] = [];
  const note = (message: string, facts: object = {}) => void log.push(`${message} ${JSON.stringify(facts)}`);
  let journal: MemoryJournal | null = null;
  const colony = await openColony(
    {
      clock,
      log: { info: note, warn: note, error: note },
      trunk: options.surround === undefined ? room : options.surround(room),
      blobHash: (bytes) => Buffer.from(nodeCodec.sha1([Buffer.from(`blob ${bytes.length}\0`), bytes])).toString('hex'),
      openJournal: async () => {
        journal = journal === null ? options.journal : (options.reopenJournal?.() ?? journal.reopen());
        return ok(journal);
      },
      reached,
      broken:
        options.broken ??
        ((error) => {
          throw error;
        }),
    },
    'memory',
    memoryDirectory,
    { id: 'memory', branch: 'main', packages: [], policy: { ...defaultPolicy, ...options.policy }, seed: 1 },
  );
  return { colony, clock, disk, journal: options.journal, log };
}
