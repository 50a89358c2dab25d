// The thread that parses: one request, one answer, in order.

import { parentPort, workerData } from 'node:worker_threads';
import type { ParseAnswer, ParseRequest, ParserThreadData } from './oxc-parser-messages.ts';
import { parseModule } from './oxc-parser-module.ts';

const { port, signal } = workerData as ParserThreadData;

function answer(message: ParseAnswer | 'ready'): void {
  port.postMessage(message);
  Atomics.store(signal, 0, 1);
  Atomics.notify(signal, 0);
}

function parse(request: ParseRequest): ParseAnswer {
  try {
    return { kind: 'parsed', module: parseModule(request.path, request.text) };
  } catch (error) {
    return { kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

port.on('message', (request: ParseRequest) => answer(parse(request)));
// Ends when the parser closes its side.
port.on('close', () => parentPort?.close());
answer('ready');
