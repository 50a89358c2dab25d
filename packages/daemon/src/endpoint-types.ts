// The types that tie each row of the endpoint table to its handler.
//
//   ET1. A handler sees a call only after the whole of it was checked, and makes at most one change with it.

import type { Result, TreePath } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import type { EndpointName, ErrorFacts, endpoints, ParsedRequestOf, QueryOf, ResponseOf } from '@firetrident/protocol';
import type { AdminCaller, AgentCaller, Caller } from './auth.ts';

type Table = typeof endpoints;

/** Who can have made a call of this endpoint. */
export type CallerOf<Name extends EndpointName> = Table[Name]['authorization'] extends 'admin'
  ? AdminCaller
  : Table[Name]['authorization'] extends 'agent'
    ? AgentCaller
    : Table[Name]['authorization'] extends 'any'
      ? AdminCaller | AgentCaller
      : Caller;

/** The colony of the address; null for endpoints that name none. */
export type ColonyOf<Name extends EndpointName> = Table[Name]['path'] extends `${string}/:colony${string}`
  ? Colony
  : null;

/** One call, checked (ET1). */
export interface Call<Name extends EndpointName> {
  readonly colony: ColonyOf<Name>;
  readonly caller: CallerOf<Name>;
  /** Decoded segments of the address, by name. */
  readonly segments: Readonly<Record<string, string>>;
  /** The tree path at the end of the address; "" for endpoints without one. */
  readonly path: TreePath;
  readonly query: QueryOf<Name>;
  readonly body: ParsedRequestOf<Name>;
  /** Aborted once the client's connection is closed: nobody hears the answer then. */
  readonly gone: AbortSignal;
  /** Made by a tool of the Model Context Protocol. */
  readonly isTool?: true;
}

/** Bytes as they are, with what is said about them. */
export interface RawReply {
  readonly bytes: Uint8Array | string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a handler answers: the body by the table, and a status when it differs from the table's. */
export type Reply<Name extends EndpointName> = [ResponseOf<Name>] extends [never]
  ? RawReply
  : { readonly body: ResponseOf<Name>; readonly status?: number };

/** Answers one endpoint. */
export type Handler<Name extends EndpointName> = (call: Call<Name>) => Promise<Result<Reply<Name>, ErrorFacts>>;

/** Every endpoint that is answered by a handler; the socket is upgraded elsewhere. */
export type HandledName = Exclude<EndpointName, 'live'>;

/** A handler for each of some endpoints. */
export type HandlersOf<Name extends HandledName> = { readonly [Each in Name]: Handler<Each> };

export type Handlers = HandlersOf<HandledName>;
