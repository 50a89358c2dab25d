// From messages of the Model Context Protocol on a pipe to the daemon's `/mcp`, and back: what `firetrident mcp` is made of.
//
// Never here: what the messages mean. The daemon's answer goes back as it came, whichever era of the protocol it is in.
//
//   RL1. Every request gets one answer, also when nobody answers it: a tool call is then told as its result what to do.
//   RL2. What may have been received is never sent twice; only a refused connection is tried again, and an address that
//        nobody knows just then.
//   RL3. A request that its sender cancels is given up at once; the daemon sees that the connection closed.

import type { ClientSettings } from './client.ts';

/** A message of the protocol, or several in one. */
export type McpMessage = Readonly<Record<string, unknown>>;

export interface McpRelaySettings {
  /**
   * Where the daemon is now, and as whom to speak to it; asked anew when nobody answers, since it may have moved.
   * Throws while nobody knows, as between the stop of a daemon and the start of the next one.
   */
  readonly access: () => Pick<ClientSettings, 'url' | 'token'>;
  /** Hears every message that comes back. */
  readonly emit: (message: McpMessage) => void;
  /** How long a daemon that does not answer is waited for; 10 s unless set. */
  readonly patienceMs?: number;
}

/** Names the revision in the requests of the stateless era. */
const versionKey = 'io.modelcontextprotocol/protocolVersion';
/** Pause between attempts to reach a daemon. */
const pauseMs = 250;
/** The protocol's code for a fault of the server. */
const internalError = -32_603;

/** Relays the messages of one client. */
export class McpRelay {
  readonly #settings: McpRelaySettings;
  readonly #underWay = new Map<unknown, AbortController>();
  /** The revision that a handshake settled on, for the requests after it. */
  #settled: string | null = null;

  constructor(settings: McpRelaySettings) {
    this.#settings = settings;
  }

  /** Relays one message; resolves when its answers were emitted. Never rejects. */
  async relay(message: McpMessage): Promise<void> {
    if (message.method === 'notifications/cancelled') {
      // (RL3)
      this.#underWay.get((message.params as { requestId?: unknown } | undefined)?.requestId)?.abort();
      return;
    }
    const giveUp = new AbortController();
    if (message.id !== undefined) this.#underWay.set(message.id, giveUp);
    try {
      await this.#answer(message, await this.#post(message, giveUp.signal));
    } catch (error) {
      if (!giveUp.signal.aborted) this.#emitFailure(message, unreachable(error));
    } finally {
      if (this.#underWay.get(message.id) === giveUp) this.#underWay.delete(message.id);
    }
  }

  /** Tells the daemon that the agent is alive, so that its leases go on. Resolves whether or not anybody heard. */
  async signOfLife(): Promise<void> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 'sign-of-life', method: 'ping' });
    try {
      const { url, token } = this.#settings.access();
      const response = await fetch(endpointOf(url), { method: 'POST', headers: headersFor(token), body });
      await response.arrayBuffer();
    } catch {
      // A sign that nobody heard is made up for by the next one.
    }
  }

  /** Gives up everything that is under way. */
  close(): void {
    for (const request of this.#underWay.values()) request.abort();
  }

  /** Sends a message, and waits for a daemon that is just being started again (RL2). */
  async #post(message: McpMessage, signal: AbortSignal): Promise<Response> {
    const body = JSON.stringify(message);
    const until = performance.now() + (this.#settings.patienceMs ?? 10_000);
    for (;;) {
      let isSent = false;
      try {
        const { url, token } = this.#settings.access();
        const headers = { ...headersFor(token), ...eraHeaders(message, this.#settled) };
        isSent = true;
        return await fetch(endpointOf(url), { method: 'POST', headers, body, signal });
      } catch (error) {
        const mayTryAgain = !isSent || wasRefused(error);
        if (signal.aborted || !mayTryAgain || performance.now() >= until) throw error;
        await new Promise((resolve) => setTimeout(resolve, pauseMs));
      }
    }
  }

  async #answer(message: McpMessage, response: Response): Promise<void> {
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream') && response.body !== null) {
      for await (const data of eventsOf(response.body)) this.#emit(message, JSON.parse(data) as McpMessage);
      return;
    }
    const text = await response.text();
    if (text === '') return;
    const body = JSON.parse(text) as McpMessage;
    if (Array.isArray(body)) for (const each of body) this.#emit(message, each as McpMessage);
    else if (body.jsonrpc !== undefined) this.#emit(message, body);
    else this.#emitFailure(message, body.error as Failure);
  }

  #emit(request: McpMessage, message: McpMessage): void {
    const version = (message.result as { protocolVersion?: unknown } | undefined)?.protocolVersion;
    if (request.method === 'initialize' && typeof version === 'string') this.#settled = version;
    this.#settings.emit(message);
  }

  /** Answers a request that the daemon did not take as one of the protocol (RL1). */
  #emitFailure(request: McpMessage, error: Failure): void {
    if (request.id === undefined) return;
    const head = { jsonrpc: '2.0', id: request.id };
    if (request.method !== 'tools/call') {
      this.#settings.emit({ ...head, error: { code: internalError, message: error.message, data: error } });
      return;
    }
    const body = { error, notices: [] };
    const content = [{ type: 'text', text: JSON.stringify(body) }];
    const stateless = revisionOf(request) === null ? {} : { resultType: 'complete' };
    this.#settings.emit({ ...head, result: { content, structuredContent: body, isError: true, ...stateless } });
  }
}

/** What a caller is told of a failure: the daemon's form of an error. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly value: unknown;
  readonly next: string;
  readonly hint: string;
}

function unreachable(error: unknown): Failure {
  const known = error instanceof Error ? error : new Error(String(error));
  const cause = known.cause instanceof Error ? known.cause.message : known.message;
  return {
    code: 'unreachable',
    message: `The daemon did not answer: ${cause}`,
    value: null,
    next: 'It may or may not have been done.',
    hint: 'Call status once the daemon answers again; `firetrident up` starts one. A key makes a propose safe to repeat.',
  };
}

function wasRefused(error: unknown): boolean {
  const cause = error instanceof Error ? (error.cause as { code?: unknown; errors?: unknown } | undefined) : undefined;
  return cause?.code === 'ECONNREFUSED';
}

function endpointOf(url: string): string {
  return `${url.replace(/\/+$/, '')}/mcp`;
}

function headersFor(token: string): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
}

function revisionOf(message: McpMessage): string | null {
  const meta = (message.params as { _meta?: Readonly<Record<string, unknown>> } | undefined)?._meta;
  const version = meta?.[versionKey];
  return typeof version === 'string' ? version : null;
}

/** The headers in which HTTP repeats what a message says. */
function eraHeaders(message: McpMessage, settled: string | null): Record<string, string> {
  const revision = revisionOf(message);
  if (revision === null) return settled === null ? {} : { 'mcp-protocol-version': settled };
  const { method, params } = message as { method?: string; params?: { name?: unknown; uri?: unknown } };
  const name = params?.name ?? params?.uri;
  return {
    'mcp-protocol-version': revision,
    ...(method === undefined ? {} : { 'mcp-method': method }),
    ...(typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  };
}

/** Text as a header may carry it: as it is, or wrapped in base64 when it has other characters than plain ones. */
function headerText(text: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')) return text;
  const bytes = new TextEncoder().encode(text);
  return `=?base64?${btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))}?=`;
}

/** The data of each event of a stream of server-sent events. */
async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of body) {
    rest += decoder.decode(part, { stream: true });
    const events = rest.split(/\r?\n\r?\n/);
    rest = events.pop() ?? '';
    for (const event of events) {
      const data = dataOf(event);
      if (data !== '') yield data;
    }
  }
}

function dataOf(event: string): string {
  const lines = event.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  return lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n');
}
