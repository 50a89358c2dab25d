// The thread that joins packs: one request, one answer, and it ends.

import { parentPort, workerData } from 'node:worker_threads';
import { joinPacks } from '@firetrident/trunk';
import { nodeCodec } from './codec.ts';
import { NodeDisk } from './disk.ts';
import type { JoinRequest } from './pack-joiner.ts';

const { packFolder, packNames } = workerData as JoinRequest;
parentPort?.postMessage(joinPacks(new NodeDisk(), nodeCodec, packFolder, packNames));
