// The answer to a push: lines for the person while it goes on, then one report for the client.
//
//   PA1. The report is sent once and comes last; after it nothing is said.
//   PA2. Whatever is said reaches a terminal as plain text: no control characters but line ends and tabs.

import type { ServerResponse } from 'node:http';
import { oneLine, printable } from '@firetrident/base';
import { flushPacket, packet, packetPayloadBytes } from './packet-lines.ts';
import type { PushRequest } from './push-request.ts';

/** What becomes of one ref: null when it was taken, or why not. */
export interface RefVerdict {
  readonly ref: string;
  readonly problem: string | null;
}

const reportBand = 1;
const talkBand = 2;
/** Payload of one packet of a band; older clients hold no more than 1,000 bytes, and newer ones ask for more. */
const narrowBandBytes = 995;
const wideBandBytes = packetPayloadBytes - 1;
/** Longest reason of a refused ref: it stands on one line of a terminal. */
const reasonCharacters = 300;

/** Speaks to the client of one push. */
export class PushAnswer {
  readonly #outgoing: ServerResponse;
  readonly #bandBytes: number | null;
  #over = false;

  /** Sends the head of the answer. */
  constructor(outgoing: ServerResponse, { capabilities }: Pick<PushRequest, 'capabilities'>) {
    this.#outgoing = outgoing;
    if (capabilities.has('side-band-64k')) this.#bandBytes = wideBandBytes;
    else this.#bandBytes = capabilities.has('side-band') ? narrowBandBytes : null;
    outgoing.writeHead(200, {
      'content-type': 'application/x-git-receive-pack-result',
      'cache-control': 'no-cache, max-age=0, must-revalidate',
    });
    outgoing.flushHeaders();
  }

  /** Says something to the person, line by line (PA2). A client without side bands hears nothing. */
  say(text: string): void {
    if (this.#over || this.#bandBytes === null) return;
    this.#send(talkBand, Buffer.from(`${printable(text).trimEnd()}\n`, 'utf8'));
  }

  /** Keeps the connection in use while nothing happens. */
  stayAlive(): void {
    if (this.#over || this.#bandBytes === null) return;
    this.#outgoing.write(packet(Uint8Array.of(reportBand)));
  }

  /** Ends the answer with what became of every ref (PA1). `problem` says why the whole push was not taken. */
  report(verdicts: readonly RefVerdict[], problem: string | null = null): void {
    if (this.#over) return;
    const lines = [
      packet(`unpack ${problem === null ? 'ok' : oneLine(problem, reasonCharacters)}\n`),
      ...verdicts.map(({ ref, problem: reason }) =>
        packet(reason === null ? `ok ${ref}\n` : `ng ${ref} ${oneLine(reason, reasonCharacters)}\n`),
      ),
      flushPacket,
    ];
    const report = Buffer.concat(lines);
    if (this.#bandBytes === null) this.#outgoing.end(report);
    else {
      this.#send(reportBand, report);
      this.#outgoing.end(flushPacket);
    }
    this.#over = true;
  }

  #send(band: number, bytes: Buffer): void {
    const room = this.#bandBytes ?? narrowBandBytes;
    for (let at = 0; at < bytes.length; at += room) {
      this.#outgoing.write(packet(Buffer.concat([Uint8Array.of(band), bytes.subarray(at, at + room)])));
    }
  }
}
