// The thread where the bytes are: opens the repository and answers the calls of room-client.ts.

import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '@firetrident/base';
import { StorageFailureError, TrunkRoom } from '@firetrident/engine';
import { TrunkRepository } from '@firetrident/trunk';
import { nodeCodec } from './codec.ts';
import { NodeDisk } from './disk.ts';
import { NodeGit } from './git.ts';
import { createOxcParser } from './oxc-parser.ts';
import { ThreadPackJoiner } from './pack-joiner.ts';
import type { RoomCall, RoomReply, RoomSettings } from './room-client.ts';
import { loadRoomFaults } from './room-faults.ts';
import { behindMain, stepThreadBack } from './thread-priority.ts';

const settings = workerData as RoomSettings;
const port = parentPort;
assert(port !== null, 'room-worker runs as a thread');

// Everybody waits for the main thread, which has most to do.
stepThreadBack(behindMain.trunk);
const faults = await loadRoomFaults(settings.faults);
const git = new NodeGit();
const disk = new NodeDisk();
const room = new TrunkRoom({
  codec: nodeCodec,
  git,
  joiner: new ThreadPackJoiner(),
  parser: createOxcParser(),
  directory: settings.directory,
  openRepository: () =>
    TrunkRepository.open(faults.disk(disk), nodeCodec, { directory: settings.directory, branch: settings.branch }),
  elapsedMs: () => performance.now(),
  alter: faults.alter,
});

function failure(id: number, error: unknown): RoomReply {
  if (error instanceof StorageFailureError) {
    return { id, ok: false, storage: { hint: error.hint, retry: error.retry }, message: error.message };
  }
  return {
    id,
    ok: false,
    storage: null,
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** Calls that take long: what was answered before them crosses first. */
const longCalls: ReadonlySet<RoomCall['method']> = new Set(['plan', 'write', 'move', 'maintain', 'open']);

/** The calls that came and were not begun, in order; and the answers that have not crossed yet. */
let calls: RoomCall[] = [];
let replies: RoomReply[] = [];

/** Answers of one turn cross together. */
function answer(reply: RoomReply): void {
  replies.push(reply);
  if (replies.length > 1) return;
  setImmediate(() => {
    const crossing = replies;
    replies = [];
    port?.postMessage(crossing);
  });
}

function carryOut(call: RoomCall): void {
  const method = room[call.method] as (...args: readonly unknown[]) => Promise<unknown>;
  method
    .apply(room, [...call.args])
    .then(
      (value): RoomReply => ({ id: call.id, ok: true, value }),
      (error: unknown) => failure(call.id, error),
    )
    .then(answer);
}

/** Carries out what has come, in order; a long call begins a turn of its own. */
function carryOutAll(): void {
  const begun = calls;
  calls = [];
  for (const [index, call] of begun.entries()) {
    if (index > 0 && longCalls.has(call.method)) {
      calls = [...begun.slice(index), ...calls];
      // The answers of this turn are posted by an immediate of their own, which this one lets go first.
      setImmediate(() => setImmediate(carryOutAll));
      return;
    }
    carryOut(call);
  }
}

port.on('message', (crossed: readonly RoomCall[]) => {
  const isWaiting = calls.length > 0;
  calls.push(...crossed);
  if (!isWaiting) carryOutAll();
});
