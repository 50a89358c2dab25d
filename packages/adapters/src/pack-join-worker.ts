// The thread that joins packs: one request, one answer, and it ends.

import { parentPort, workerData } from 'node:worker_threads';
import { joinPacks } from '@firetrident/trunk';
import { nodeCodec } from './codec.ts';
import { NodeDisk } from './disk.ts';
import type { JoinRequest } from './pack-joiner.ts';
import { behindMain, stepThreadBack } from './thread-priority.ts';

const { packFolder, packNames } = workerData as JoinRequest;

// Those go first whom somebody waits for.
stepThreadBack(behindMain.joining);
parentPort?.postMessage(joinPacks(new NodeDisk(), nodeCodec, packFolder, packNames));
