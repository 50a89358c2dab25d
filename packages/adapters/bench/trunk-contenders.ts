// Who lands the workload in process: the production writer, and the least work that anyone could do.

import { hash } from 'node:crypto';
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import {
  type CycleDeclaration,
  type CycleInput,
  type Entry,
  type PreparedCycle,
  type Tree,
  type TreeChange,
  TrunkRepository,
} from '@firetrident/trunk';
import { nodeCodec } from '../src/codec.ts';
import { NodeDisk } from '../src/disk.ts';
import { type BenchCycle, type BenchFile, person, seedFiles, startSeconds } from './trunk-workload.ts';

/** Times of one cycle in milliseconds. */
export interface StepTimes {
  readonly build: number;
  readonly verify: number;
  readonly write: number;
  readonly refs: number;
}

/** The trunk package as the daemon uses it, on the real disk with full fsync. */
export class OwnWriter {
  readonly repository: TrunkRepository;
  readonly steps: StepTimes[] = [];
  #seconds = startSeconds + 1;

  constructor(directory: string) {
    const committer = person;
    const options = { directory, branch: 'main', committer, timeSeconds: startSeconds };
    this.repository = TrunkRepository.create(new NodeDisk(), nodeCodec, options);
    this.land([{ message: 'Seed\n', files: seedFiles(), note: '{}\n' }]);
    this.steps.length = 0;
  }

  /** Lands one cycle and answers what was prepared, for the raw limit. */
  land(cycle: BenchCycle): PreparedCycle {
    const started = performance.now();
    const parent = this.repository.tip();
    const notesParent = this.repository.notesTip();
    let tree = this.repository.commitTree(parent);
    const blobs = new Map<string, Uint8Array>();
    const commits: CycleInput['commits'][number][] = [];
    const declared: { writes: CycleDeclaration['commits'][number]['writes'] }[] = [];
    for (const commit of cycle) {
      tree = this.#apply(tree, commit.files, blobs);
      const { message, note } = commit;
      commits.push({ tree, message, author: person, committer: person, note: () => note });
      declared.push({
        writes: commit.files.map((file) => ({ kind: 'proposed', path: file.path, entry: entryOf(file) })),
      });
    }
    this.#seconds += 1;
    const input = { parent, notesParent, commits, blobs, timeSeconds: this.#seconds };
    const prepared = this.repository.prepare(input);
    const built = performance.now();
    const verdict = this.repository.verify(prepared, { parent, notesParent, commits: declared });
    if (!verdict.ok) throw new Error(verdict.detail);
    const verified = performance.now();
    this.repository.writePack(prepared);
    const written = performance.now();
    const outcome = this.repository.moveRefs(prepared);
    if (outcome.kind !== 'done') throw new Error(outcome.kind);
    const moved = performance.now();
    this.steps.push({
      build: built - started,
      verify: verified - built,
      write: written - verified,
      refs: moved - written,
    });
    return prepared;
  }

  #apply(tree: Tree, files: readonly BenchFile[], blobs: Map<string, Uint8Array>): Tree {
    const changes: TreeChange[] = [];
    for (const file of files) {
      blobs.set(file.oid, file.bytes);
      changes.push({ path: file.path, entry: entryOf(file) });
    }
    return tree.with(changes);
  }
}

function entryOf({ oid }: BenchFile): Entry {
  return { mode: '100644', oid };
}

/**
 * The raw limit: the same objects, their bytes given, each hashed by the native SHA-1, framed as stored blocks (without
 * the stream's checksum), written at once and synced once.
 */
export class RawLimit {
  readonly #directory: string;
  readonly #buffer = Buffer.alloc(64 << 20);
  #cycle = 0;
  /** Kept, so that no hash is computed for nothing. */
  lastId = '';

  constructor(directory: string) {
    this.#directory = directory;
  }

  land(objects: readonly Uint8Array[]): void {
    let at = 0;
    for (const object of objects) {
      this.lastId = hash('sha1', object, 'binary');
      for (let from = 0; from < object.length; from += 0xffff) {
        const size = Math.min(0xffff, object.length - from);
        at = this.#buffer.writeUInt8(from + size === object.length ? 1 : 0, at);
        at = this.#buffer.writeUInt16LE(size, at);
        at = this.#buffer.writeUInt16LE(~size & 0xffff, at);
        this.#buffer.set(size === object.length ? object : object.subarray(from, from + size), at);
        at += size;
      }
    }
    this.#cycle += 1;
    const descriptor = openSync(`${this.#directory}/${this.#cycle}`, 'w');
    for (let done = 0; done < at; ) done += writeSync(descriptor, this.#buffer, done, at - done);
    fsyncSync(descriptor);
    closeSync(descriptor);
  }
}

const kinds = ['', 'commit', 'tree', 'blob'];

/** The objects of a prepared pack, each with git's header in front, in buffers of their own. */
export function objectsOf({ pack, objectCount }: PreparedCycle): Uint8Array[] {
  const bytes = Buffer.from(pack);
  const objects: Uint8Array[] = [];
  let at = 12;
  for (let count = 0; count < objectCount; count += 1) {
    const kind = kinds[((bytes[at] as number) >> 4) & 7];
    while ((bytes[at] as number) >= 0x80) at += 1;
    at += 3;
    const blocks: Buffer[] = [];
    for (let final = false; !final; ) {
      final = bytes[at] === 1;
      const size = bytes.readUInt16LE(at + 1);
      blocks.push(bytes.subarray(at + 5, at + 5 + size));
      at += 5 + size;
    }
    at += 4;
    const content = Buffer.concat(blocks);
    objects.push(Buffer.concat([Buffer.from(`${kind} ${content.length}\0`), content]));
  }
  return objects;
}
