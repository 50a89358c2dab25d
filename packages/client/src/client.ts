// The typed client: one method that knows every endpoint of the daemon, in a browser as on a server.
//
// Addresses, bodies and answers take their types from the protocol's table; nothing is restated here.
//
// Invariants:
//   CC1. Calls that are safe to repeat are repeated when nobody answered: reads, and writes that carry a key.

import {
  type EndpointName,
  type ErrorResponse,
  endpoints,
  type QueryOf,
  type RequestOf,
  type ResponseOf,
} from '@firetrident/protocol';
import { ClientError } from './errors.ts';

/** Where the daemon is, and as whom to speak to it. */
export interface ClientSettings {
  readonly url: string;
  readonly token: string;
  /** Attempts of a call that may be repeated, when nobody answers; 3 unless set. */
  readonly attempts?: number;
}

/** Values for the named parts of an address, for example `{ colony: 'web' }`. */
export type AddressParts = Readonly<Record<string, string>>;

/** What one call carries: parts of its address, query, body, and a signal that gives it up. */
export interface CallOptions<Name extends EndpointName> {
  readonly parts?: AddressParts;
  readonly query?: { readonly [Field in keyof QueryOf<Name>]?: QueryOf<Name>[Field] | number };
  readonly body?: RequestOf<Name>;
  readonly signal?: AbortSignal;
}

/** A file as the daemon serves it. */
export interface ServedFile {
  readonly bytes: Uint8Array;
  readonly blob: string;
}

/** Speaks to one daemon as one caller. Every method rejects with a `ClientError` when the call does not succeed. */
export class Client {
  readonly url: string;
  readonly #token: string;
  readonly #attempts: number;

  constructor(settings: ClientSettings) {
    this.url = settings.url.replace(/\/+$/, '');
    this.#token = settings.token;
    this.#attempts = settings.attempts ?? 3;
  }

  /** Calls an endpoint by its name. Rejects with a `ClientError`. */
  async call<Name extends EndpointName>(name: Name, options: CallOptions<Name> = {}): Promise<ResponseOf<Name>> {
    const body = options.body === undefined ? undefined : JSON.stringify(options.body);
    const response = await this.#send(name, options, body, 'application/json');
    const text = await response.text();
    try {
      return JSON.parse(text) as ResponseOf<Name>;
    } catch {
      // What the parser thought of it does not matter: it is shown as it came.
      throw new ClientError('malformed', `the answer to ${name} is not JSON`, {
        status: response.status,
        value: text.slice(0, 200),
      });
    }
  }

  /** Sends bytes ahead of a proposal; answers the blob's id. */
  async putBlob(colony: string, bytes: Uint8Array): Promise<string> {
    const response = await this.#send('putBlob', { parts: { colony } }, bytes, 'application/octet-stream');
    return ((await response.json()) as { blob: string }).blob;
  }

  /** A file's bytes at a commit; without one, at the lease's base or at the tip. */
  async file(colony: string, path: string, query: Partial<QueryOf<'readFile'>> = {}): Promise<ServedFile> {
    const response = await this.#send('readFile', { parts: { colony, path }, query }, undefined, 'application/json');
    const blob = response.headers.get('x-firetrident-blob') ?? '';
    return { bytes: new Uint8Array(await response.arrayBuffer()), blob };
  }

  async #send<Name extends EndpointName>(
    name: Name,
    options: CallOptions<Name>,
    body: string | Uint8Array | undefined,
    contentType: string,
  ): Promise<Response> {
    const endpoint = endpoints[name];
    const address = this.url + addressOf(endpoint.path, options.parts ?? {}) + queryText(options.query ?? {});
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` };
    if (body !== undefined) headers['content-type'] = contentType;
    const init: RequestInit = {
      method: endpoint.method,
      headers,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    };
    if (body !== undefined) init.body = body as NonNullable<RequestInit['body']>;
    const repeatable = endpoint.method === 'GET' || endpoint.method === 'PUT' || hasKey(options.body);
    const response = await this.#fetch(address, init, repeatable ? this.#attempts : 1);
    if (!response.ok) throw await refusalOf(response);
    return response;
  }

  /** Repeats a call that nobody answered, up to `attempts` times (CC1). */
  async #fetch(address: string, init: RequestInit, attempts: number): Promise<Response> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await fetch(address, init);
      } catch (error) {
        if (init.signal?.aborted === true || attempt >= attempts) {
          const reason =
            error instanceof Error ? ((error.cause as Error | undefined)?.message ?? error.message) : String(error);
          throw new ClientError('unreachable', `no answer from ${this.url}: ${reason}`, {
            next: 'nothing is known to have happened',
            hint: 'is the daemon running? firetrident up starts one',
          });
        }
        await new Promise((resolve) => setTimeout(resolve, 100 * attempt));
      }
    }
  }
}

function hasKey(body: unknown): boolean {
  return typeof body === 'object' && body !== null && typeof (body as { key?: unknown }).key === 'string';
}

/** Fills `:name` and `*name` of an address; a path keeps its slashes. */
export function addressOf(template: string, parts: AddressParts): string {
  return template
    .split('/')
    .map((segment) => {
      if (segment.startsWith(':')) return encodeURIComponent(part(parts, segment.slice(1)));
      if (segment.startsWith('*')) return part(parts, segment.slice(1)).split('/').map(encodeURIComponent).join('/');
      return segment;
    })
    .join('/');
}

function part(parts: AddressParts, name: string): string {
  const value = parts[name];
  if (value === undefined) throw new ClientError('malformed', `the address needs "${name}"`);
  return value;
}

function queryText(query: object): string {
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query))
    if (value !== undefined && value !== null) search.set(key, String(value));
  const text = search.toString();
  return text === '' ? '' : `?${text}`;
}

async function refusalOf(response: Response): Promise<ClientError> {
  const text = await response.text();
  try {
    const { error } = JSON.parse(text) as ErrorResponse;
    const { code, message, value, next, hint } = error;
    return new ClientError('refused', message, { code, status: response.status, value, next, hint } as never);
  } catch {
    // Not one of our error bodies: it is shown as it came.
    return new ClientError('malformed', `HTTP ${response.status} without an error body`, {
      status: response.status,
      value: text.slice(0, 200),
    });
  }
}
