// Entry of a journal's worker threads. Each message carries a list of requests; the answer is the list of their replies.

import { parentPort, workerData } from 'node:worker_threads';
import { defined, never } from '@firetrident/base';
import { classifyError, plainError } from './sqlite-journal-errors.ts';
import type { ReadRequest, Reply, WorkerTask, WriteRequest } from './sqlite-journal-messages.ts';
import { JournalReader } from './sqlite-journal-reader.ts';
import { JournalWriter } from './sqlite-journal-writer.ts';

const port = defined(parentPort, 'the port to the journal');
const { role, path } = workerData as WorkerTask;

function answered(work: () => unknown): Reply {
  try {
    return { ok: true, value: work() ?? null };
  } catch (error) {
    return { ok: false, error: plainError(classifyError(error, path)) };
  }
}

function write(writer: JournalWriter, request: WriteRequest): unknown {
  switch (request.operation) {
    case 'commit':
      return writer.commit(request.group);
    case 'begin-snapshot':
      return writer.beginSnapshot(request.sequence);
    case 'add-snapshot-part':
      return writer.addSnapshotPart(request.bytes);
    case 'end-snapshot':
      return writer.endSnapshot();
    case 'close':
      return writer.close();
    default:
      return never(request);
  }
}

function read(reader: JournalReader, request: Exclude<ReadRequest, { operation: 'close' }>): unknown {
  switch (request.operation) {
    case 'events':
      return reader.events(request.afterSequence, request.limit);
    case 'latest-snapshot':
      return reader.latestSnapshot();
    case 'blob':
      return reader.blob(request.oid);
    case 'blobs':
      return reader.blobs();
    case 'archived':
      return reader.archived(request.kind, request.id);
    case 'archived-by-key':
      return reader.archivedByKey(request.kind, request.key);
    case 'archived-all-by-key':
      return reader.archivedAllByKey(request.kind, request.key, request.limit);
    case 'archived-page':
      return reader.archivedPage(request.kind, request.beforeId, request.limit);
    default:
      return never(request);
  }
}

/** The memory of bytes in a reply: handed over instead of copied. */
function buffersOf(reply: Reply): ArrayBuffer[] {
  if (!reply.ok || reply.value === null || typeof reply.value !== 'object') return [];
  const bytes = 'body' in reply.value ? reply.value.body : reply.value;
  return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
}

function serve<R extends { readonly operation: string }>(work: (request: R) => unknown): void {
  port.on('message', (requests: readonly R[]) => {
    const replies = requests.map((request) => answered(() => work(request)));
    port.postMessage(replies, replies.flatMap(buffersOf));
    if (requests.some(({ operation }) => operation === 'close')) port.close();
  });
}

function start(): void {
  if (role === 'write') {
    const writer = new JournalWriter(path);
    serve((request: WriteRequest) => write(writer, request));
    port.postMessage({ ok: true, value: writer.opening });
  } else {
    // The connection is made at the first read, because the writer may still be making the file.
    let reader: JournalReader | null = null;
    serve((request: ReadRequest) => {
      if (request.operation === 'close') return reader?.close();
      reader ??= new JournalReader(path);
      return read(reader, request);
    });
    port.postMessage({ ok: true, value: null });
  }
}

const opened = answered(start);
if (!opened.ok) {
  port.postMessage(opened);
  port.close();
}
