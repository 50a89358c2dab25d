// The thread that joins packs: one request, one answer, and it ends.

import { existsSync, readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { joinPacks } from '@firetrident/trunk';
import { nodeCodec } from './codec.ts';
import { NodeDisk } from './disk.ts';
import type { JoinRequest } from './pack-joiner.ts';

const { packFolder, packNames } = workerData as JoinRequest;

/** Tells a thread its own number, on Linux. */
const ownThread = '/proc/thread-self';

/** Lets those go first whom somebody waits for. */
function stepBack(): void {
  if (!existsSync(ownThread)) return;
  const thread = Number(readlinkSync(ownThread).split('/').at(-1));
  setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
}

stepBack();
parentPort?.postMessage(joinPacks(new NodeDisk(), nodeCodec, packFolder, packNames));
