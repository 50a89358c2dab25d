// The engine's half of the room: every call goes to the thread where the bytes are, and comes back as a promise.
//
// Invariants:
//   RC1. Calls are carried out in the order in which they were made. Those of one turn cross together, and so do answers:
//        a crossing costs more than most calls.
//   RC2. When the thread is lost, every call under way and every later one rejects with the reason, and the owner
//        is told.

import { Worker } from 'node:worker_threads';
import { StorageFailureError, type TrunkService } from '@firetrident/engine';

/** What the thread is started with. `faults` is a module that fault tests load in the thread; null in a product. */
export interface RoomSettings {
  readonly directory: string;
  readonly branch: string;
  readonly faults: string | null;
}

/** A call as it crosses to the thread. */
export interface RoomCall {
  readonly id: number;
  readonly method: keyof TrunkService;
  readonly args: readonly unknown[];
}

/** An answer as it comes back. */
export type RoomReply =
  | { readonly id: number; readonly ok: true; readonly value: unknown }
  | {
      readonly id: number;
      readonly ok: false;
      readonly storage: { hint: string; retry: boolean } | null;
      readonly message: string;
    };

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** The bytes without the memory around them: a view that crosses takes all of what is behind it along. */
function alone(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
}

/** Starts the thread and answers its face. `ended` hears why when the thread is lost before it is closed (RC2). */
export function startRoom(settings: RoomSettings, ended: (error: Error) => void): TrunkService {
  const worker = new Worker(new URL('./room-entry.mjs', import.meta.url), { workerData: settings });
  const waiting = new Map<number, Waiting>();
  let crossing: RoomCall[] = [];
  const cross = () => {
    const calls = crossing;
    crossing = [];
    worker.postMessage(calls);
  };
  let lost: Error | null = null;
  let next = 1;
  // (RC2)
  const lose = (error: Error) => {
    if (lost !== null) return;
    lost = error;
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  const hear = (reply: RoomReply) => {
    const caller = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (reply.ok) caller?.resolve(reply.value);
    else if (reply.storage === null) caller?.reject(new Error(reply.message));
    else caller?.reject(new StorageFailureError(reply.message, reply.storage.hint, reply.storage.retry));
  };
  worker.on('message', (replies: readonly RoomReply[]) => {
    for (const reply of replies) hear(reply);
  });
  const loseUnasked = (error: Error) => {
    if (lost !== null) return;
    lose(error);
    ended(error);
  };
  worker.on('error', loseUnasked);
  worker.on('exit', (code) => loseUnasked(new Error(`the trunk thread ended with code ${code}`)));
  const call = (method: keyof TrunkService, args: readonly unknown[]) =>
    new Promise<never>((resolve, reject) => {
      if (lost !== null) return reject(lost);
      const id = next;
      next += 1;
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      crossing.push({ id, method, args });
      if (crossing.length === 1) setImmediate(cross);
    });
  return {
    open: (...args) => call('open', args),
    lineage: (...args) => call('lineage', args),
    stage: (blobs) => call('stage', [blobs.map(({ oid, bytes }) => ({ oid, bytes: alone(bytes) }))]),
    unstage: (...args) => call('unstage', args),
    hasBlobs: (...args) => call('hasBlobs', args),
    resolve: (...args) => call('resolve', args),
    plan: (...args) => call('plan', args),
    write: (...args) => call('write', args),
    move: (...args) => call('move', args),
    discard: (...args) => call('discard', args),
    recover: (...args) => call('recover', args),
    foreign: (...args) => call('foreign', args),
    remember: (...args) => call('remember', args),
    preserve: (...args) => call('preserve', args),
    readFile: (...args) => call('readFile', args),
    readTree: (...args) => call('readTree', args),
    blame: (...args) => call('blame', args),
    maintain: (...args) => call('maintain', args),
    close: async () => {
      if (lost === null) await call('close', []);
      lose(new StorageFailureError('the trunk thread was closed', 'open the colony again', true));
      await worker.terminate();
    },
  };
}
