// Clones and fetches, served by stock git.
//
//   RD1. So many git processes serve readers at once, as a setting says, and they step back behind everything else: no
//        number of readers keeps the trunk writer waiting.
//   RD2. A process ends with the connection that it serves.
//   RD3. Who neither sends nor takes a byte for a while keeps no place: git is stopped and the connection closed.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished, Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { startGit } from '@firetrident/adapters';
import { flushPacket, packet } from './packet-lines.ts';

/** How far readers step back (RD1). */
const niceness = 10;
/** How long a reader may stand still (RD3). git itself says something every five seconds while it works. */
const stillMs = 60_000;
/** Largest negotiation of one request, unpacked. */
const negotiationBytes = 16_777_216;

/** Version 2 and 1 of the protocol are asked for by this header; anything odd in it counts as not sent. */
function protocolOf(request: IncomingMessage): Record<string, string> {
  const sent = request.headers['git-protocol'];
  return typeof sent === 'string' && /^[a-z0-9=:.-]{1,200}$/i.test(sent) ? { GIT_PROTOCOL: sent } : {};
}

/** Sends what there is to fetch. */
export async function advertiseReading(repository: string, incoming: IncomingMessage, outgoing: ServerResponse) {
  const service = 'git-upload-pack';
  outgoing.writeHead(200, { 'content-type': `application/x-${service}-advertisement`, 'cache-control': 'no-cache' });
  const protocol = protocolOf(incoming);
  // The second version begins with its own line, the older ones with the name of the service.
  if (!/version=2/.test(protocol.GIT_PROTOCOL ?? '')) {
    outgoing.write(Buffer.concat([packet(`# service=${service}\n`), flushPacket]));
  }
  await serve(['upload-pack', '--stateless-rpc', '--advertise-refs', repository], protocol, null, outgoing);
}

/** Answers one request of a clone or fetch. */
export async function answerReading(
  repository: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  stillMax: number = stillMs,
) {
  outgoing.writeHead(200, {
    'content-type': 'application/x-git-upload-pack-result',
    'cache-control': 'no-cache',
  });
  await serve(['upload-pack', '--stateless-rpc', repository], protocolOf(incoming), incoming, outgoing, stillMax);
}

async function serve(
  args: readonly string[],
  environment: Record<string, string>,
  incoming: IncomingMessage | null,
  outgoing: ServerResponse,
  stillMax: number = stillMs,
): Promise<void> {
  const git = startGit(args, { environment, niceness });
  // (RD3) The connection goes too: an answer that nobody takes never ends.
  const still = setTimeout(() => {
    git.stop();
    outgoing.destroy();
  }, stillMax);
  const moving = async function* (chunks: AsyncIterable<Buffer>) {
    for await (const chunk of chunks) {
      still.refresh();
      yield chunk;
    }
  };
  // (RD2)
  outgoing.once('close', git.stop);
  try {
    const asked = incoming === null ? git.input.end() : feed(moving(plainBody(incoming, negotiationBytes)), git.input);
    await Promise.all([asked, pipeline(git.output, moving, outgoing), git.ended]);
  } finally {
    clearTimeout(still);
    git.stop();
    outgoing.off('close', git.stop);
  }
}

async function feed(body: AsyncIterable<Buffer>, input: Writable): Promise<void> {
  try {
    await pipeline(Readable.from(body), input);
  } catch (error) {
    // git may end before it has read everything; then its output is the answer.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
  }
}

/** A body that is too large, or packed in a form that cannot be read. */
export class BodyError extends Error {
  readonly code: 'body_too_large' | 'malformed_call';

  constructor(code: 'body_too_large' | 'malformed_call') {
    super(code);
    this.name = 'BodyError';
    this.code = code;
  }
}

/** The bytes of a body, unpacked when they came packed. Throws a BodyError, also when there are more than the bound. */
export async function* plainBody(incoming: IncomingMessage, bound: number): AsyncGenerator<Buffer> {
  const isPacked = /^(x-)?gzip$/i.test(incoming.headers['content-encoding'] ?? '');
  const source = isPacked ? unpacked(incoming) : incoming;
  let bytes = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > bound) throw new BodyError('body_too_large');
      yield chunk;
    }
  } catch (error) {
    const isZip = /^Z_/.test((error as NodeJS.ErrnoException).code ?? '');
    throw isZip ? new BodyError('malformed_call') : error;
  }
}

/** A body unpacked; it fails where the body breaks off, and leaves the connection open for words about a broken one. */
function unpacked(incoming: IncomingMessage): Readable {
  const gunzip = createGunzip();
  // A pipe alone does not tell of a source that broke off.
  finished(incoming, { writable: false }, (error) => {
    if (error) gunzip.destroy(error);
  });
  return incoming.pipe(gunzip);
}
