// What the engine needs of the world: time, storage, and a room where the bytes are.
//
// Adapters implement these on Node; tests and simulators implement them in memory. Nothing here says how.

import type { Result } from '@firetrident/base';
import type { Journal } from '@firetrident/journal';
import type { TrunkService } from './trunk-service.ts';

/** Time, monotonic within a boot. */
export interface Clock {
  /** Milliseconds since the Unix epoch at boot plus what has passed since; never runs backwards. */
  now(): number;
  /** Calls back once after at least `delayMs`; the returned function cancels. */
  after(delayMs: number, callback: () => void): () => void;
}

/** Why a port could not do its work; `retry` when the same call may succeed later without anyone's help. */
export interface StorageFailure {
  readonly problem: string;
  readonly hint: string;
  readonly retry: boolean;
}

/** Structured log of the engine: what happened, with its facts. */
export interface Log {
  info(message: string, facts?: Readonly<Record<string, unknown>>): void;
  warn(message: string, facts?: Readonly<Record<string, unknown>>): void;
  error(message: string, facts?: Readonly<Record<string, unknown>>): void;
}

/** Object id of a blob with these bytes (SHA-1, as git computes it). */
export type BlobHash = (bytes: Uint8Array) => string;

/** Steps of a cycle at which fault tests stop the process. */
export type FaultPoint = 'cycle-started' | 'intention-durable' | 'pack-written' | 'refs-moved' | 'commit-durable';

/** Everything a colony runs on. `openJournal` is called again after a failed append, to find out what is durable. */
export interface EnginePorts {
  readonly clock: Clock;
  readonly log: Log;
  readonly trunk: TrunkService;
  readonly blobHash: BlobHash;
  openJournal(): Promise<Result<Journal, StorageFailure>>;
  /** An assumption of ours does not hold, so memory is not to be trusted: the process ends and recovers at its start. */
  broken(error: unknown): void;
  /** Tells fault tests where the engine is; does nothing in a product. */
  reached(point: FaultPoint): void;
}
