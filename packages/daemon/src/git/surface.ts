// git over HTTP: who calls, on which colony, for what; each request once through the same checks.
//
// Order of a call: open for calls? → whose page? → which service? → whose token, which colony? → a place → git.
//
//   GS1. Nothing of a body is read, and no process started, before the token was found good.
//   GS2. What goes wrong is told in words that git shows, with the status that makes it stop.
//   GS3. Only the three addresses of the smart protocol exist; files of the repository cannot be asked for.

import type { IncomingMessage, ServerResponse } from 'node:http';
import { no, ok, type Result } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import { type ErrorFacts, errorCatalogue, wireLimits } from '@firetrident/protocol';
import { splitTarget } from '../address.ts';
import type { Caller } from '../auth.ts';
import { BodyBudget } from '../body.ts';
import { errorFacts, refusalFacts } from '../errors.ts';
import type { HttpTools } from '../http-call.ts';
import { storageTrouble } from '../storage-failure.ts';
import { advertisePushing, type OlderCommits } from './advertise.ts';
import { type Credentials, credentialsOf } from './credentials.ts';
import { PacketError, PacketReader } from './packet-lines.ts';
import { PushAnswer } from './push-answer.ts';
import { readPushRequest } from './push-request.ts';
import { Pushers } from './pushers.ts';
import { clearQuarantines } from './quarantine.ts';
import { advertiseReading, answerReading, BodyError, plainBody } from './reading.ts';
import { type ReceiveTools, receivePush } from './receive.ts';
import { Slots } from './slots.ts';

/** Most readers and pushes that stand in line, and how long they stand. */
const lineMax = 256;
const standMs = 60_000;
/** Pushes that git works on at once; waiting for an outcome takes no place. */
const pushesAtOnce = 4;
/** Bytes of packs in quarantine, of all pushes together. */
const packsBytes = 1_073_741_824;

/** What serving git takes. */
export type GitTools = Pick<
  HttpTools,
  'directory' | 'gate' | 'metrics' | 'logger' | 'isOriginAllowed' | 'inFlight' | 'bodies' | 'elapsed'
> & { readonly data: string; readonly readers: number };

type Service = 'git-upload-pack' | 'git-receive-pack';

/** One address of the protocol. */
interface Asked {
  readonly colony: string;
  readonly service: Service;
  readonly isAdvertisement: boolean;
}

interface Admitted {
  readonly colony: Colony;
  readonly caller: Extract<Caller, { kind: 'admin' | 'agent' }>;
  readonly credentials: Credentials;
}

/** Serves every colony's repository to stock git. */
export class GitSurface {
  readonly #tools: GitTools;
  readonly #readers: Slots;
  readonly #receive: ReceiveTools;
  readonly #older: OlderCommits = new Map();
  readonly #pushers = new Pushers();

  constructor(tools: GitTools) {
    this.#tools = tools;
    clearQuarantines(tools.data);
    this.#readers = new Slots({ places: tools.readers, line: lineMax, waitMs: standMs });
    const slots = new Slots({ places: pushesAtOnce, line: lineMax, waitMs: standMs });
    const packs = new BodyBudget(packsBytes);
    this.#receive = { data: tools.data, slots, bodies: tools.bodies, packs, metrics: tools.metrics };
  }

  /** Whether a request belongs here. */
  owns(request: IncomingMessage): boolean {
    return splitTarget(request.url ?? '/').path.startsWith('/git/');
  }

  /** Answers one request. */
  answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { inFlight, metrics } = this.#tools;
    const begun = this.#tools.elapsed();
    const asked = askedOf(incoming);
    inFlight.enter();
    metrics.inFlight(inFlight.calls);
    outgoing.once('close', () => {
      inFlight.leave();
      metrics.inFlight(inFlight.calls);
      const name = asked === null ? 'git' : `${asked.service}${asked.isAdvertisement ? '-refs' : ''}`;
      metrics.answered(name, outgoing.statusCode, (this.#tools.elapsed() - begun) / 1_000);
    });
    this.#pass(asked, incoming, outgoing).catch((error: unknown) => this.#failed(error, outgoing));
  }

  async #pass(asked: Asked | null, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const admitted = this.#admit(asked, incoming);
    if (asked === null || !admitted.ok) {
      return refuse(outgoing, admitted.ok ? errorFacts('not_found', incoming.url) : admitted.error);
    }
    const closing = new AbortController();
    outgoing.once('close', () => closing.abort());
    if (asked.service === 'git-upload-pack') return this.#read(asked, admitted.value, incoming, outgoing, closing);
    const { colony } = admitted.value;
    if (asked.isAdvertisement) return advertisePushing(colony, this.#older, this.#tools.elapsed(), outgoing);
    return this.#push(admitted.value, incoming, outgoing, closing);
  }

  /** Who calls, on which colony (GS1). */
  #admit(asked: Asked | null, incoming: IncomingMessage): Result<Admitted, ErrorFacts> {
    const { inFlight, isOriginAllowed, gate, directory } = this.#tools;
    if (inFlight.isClosed) return no(errorFacts('shutting_down'));
    const { origin } = incoming.headers;
    if (origin !== undefined && !isOriginAllowed(origin)) return no(errorFacts('origin_refused', origin));
    const credentials = credentialsOf(incoming);
    const colony = asked === null ? null : directory.get(asked.colony);
    const caller = gate.admit(credentials?.token ?? null, colony ?? 'nowhere', 'any');
    if (!caller.ok) return caller;
    if (asked === null) return no(errorFacts('not_found', incoming.url)); // (GS3)
    if (colony === null) return no(errorFacts('unknown_colony', asked.colony));
    return ok({ colony, caller: caller.value as Admitted['caller'], credentials: credentials as Credentials });
  }

  async #read(
    { isAdvertisement }: Asked,
    { colony }: Admitted,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    closing: AbortController,
  ): Promise<void> {
    this.#tools.metrics.gitReaders(this.#readers.taken, this.#readers.waiting);
    const leave = await this.#readers.enter(closing.signal);
    if (leave === null) return refuse(outgoing, errorFacts('git_busy'));
    this.#tools.metrics.gitReaders(this.#readers.taken, this.#readers.waiting);
    try {
      await (isAdvertisement ? advertiseReading : answerReading)(colony.repository, incoming, outgoing);
    } finally {
      leave();
      this.#tools.metrics.gitReaders(this.#readers.taken, this.#readers.waiting);
    }
  }

  async #push(
    { colony, caller, credentials }: Admitted,
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    closing: AbortController,
  ): Promise<void> {
    const reader = new PacketReader(plainBody(incoming, wireLimits.pushBytes * 3));
    const request = await readPushRequest(reader);
    if (!request.ok) return refuse(outgoing, errorFacts('invalid_request', null, null, { message: request.error }));
    // A client that tries whether it may push asks for nothing.
    if (request.value === null) {
      outgoing.writeHead(200, { 'content-type': 'application/x-git-receive-pack-result' }).end();
      return;
    }
    const agent = caller.kind === 'agent' ? ok(caller.agent.id) : await this.#pushers.agentOf(colony, credentials.user);
    if (!agent.ok) return refuse(outgoing, agent.error);
    let answer: PushAnswer | null = null;
    const asked = request.value;
    const open = () => {
      answer = new PushAnswer(outgoing, asked);
      return answer;
    };
    try {
      await receivePush(this.#receive, {
        colony,
        agent: agent.value,
        request: asked,
        reader,
        gone: closing.signal,
        answer: open,
      });
    } catch (error) {
      const begun = answer as PushAnswer | null;
      if (begun === null || outgoing.closed) throw error;
      // (GS2)
      const facts = this.#facts(error);
      const problem = `${facts.code}: ${facts.message} ${facts.hint}`;
      begun.report(asked.commands.map(({ ref }) => ({ ref, problem })));
    }
  }

  #failed(error: unknown, outgoing: ServerResponse): void {
    if (outgoing.headersSent || outgoing.closed) {
      this.#tools.logger.debug('a call by git broke off', { problem: String(error) });
      outgoing.destroy();
      return;
    }
    refuse(outgoing, this.#facts(error));
  }

  #facts(error: unknown): ErrorFacts {
    if (error instanceof PacketError) return errorFacts('malformed_call', null, null, { message: `${error.message}.` });
    if (error instanceof BodyError) return errorFacts(error.code);
    const trouble = storageTrouble(error);
    if (trouble !== null) return refusalFacts(trouble);
    const known = error instanceof Error ? error : new Error(String(error));
    this.#tools.logger.error('a call by git failed', { problem: known.message, stack: known.stack });
    return errorFacts('internal');
  }
}

/** The address in its parts, or null when it is none of the protocol's (GS3). */
function askedOf(request: IncomingMessage): Asked | null {
  const { path, query } = splitTarget(request.url ?? '/');
  const [, colony, rest] = /^\/git\/([A-Za-z0-9._-]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(
    path,
  ) ?? [null, null, null];
  if (colony == null || rest == null) return null;
  const isAdvertisement = rest === 'info/refs';
  if (request.method !== (isAdvertisement ? 'GET' : 'POST')) return null;
  const service = isAdvertisement ? new URLSearchParams(query).get('service') : rest;
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack') return null;
  return { colony, service, isAdvertisement };
}

/** An error as git shows it (GS2). */
function refuse(outgoing: ServerResponse, { code, message, hint, value }: ErrorFacts): void {
  const { status } = errorCatalogue[code];
  outgoing.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'x-firetrident-error': code,
    ...(status === 401 ? { 'www-authenticate': 'Basic realm="FireTrident", charset="UTF-8"' } : {}),
    ...(status === 503 || status === 429 ? { 'retry-after': '1' } : {}),
    connection: 'close',
  });
  const named = value === null || typeof value === 'object' ? '' : ` (${String(value)})`;
  outgoing.end(`${code}: ${message.replace(/\.$/, '')}${named}. ${hint}\n`);
}
