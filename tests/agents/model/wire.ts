// What every wire of a model's vendor has to do: read a question, and write an answer as the vendor streams it.

import type { ServerResponse } from 'node:http';
import type { Answer, Conversation } from './conversation.ts';

/** A body as it came. Wires look only at what they need, and take anything else as it is. */
// biome-ignore lint/suspicious/noExplicitAny: foreign bodies of four vendors, read by the shape that each documents
export type Foreign = any;

/** One vendor's way of asking and answering. */
export interface Wire {
  /** Whether this wire serves a path. */
  readonly serves: (path: string) => boolean;
  readonly read: (body: Foreign, path: string) => Conversation;
  /** Writes the answer; `number` is unique among the answers of a server. */
  readonly write: (
    response: ServerResponse,
    asked: { body: Foreign; path: string },
    answer: Answer,
    number: number,
  ) => void;
}

/** One event of a stream of server-sent events. */
export type StreamEvent = readonly [name: string | null, data: unknown];

/** Sends events, one write each, and ends the answer. */
export function sendEvents(response: ServerResponse, events: readonly StreamEvent[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  for (const [name, data] of events) {
    const text = typeof data === 'string' ? data : JSON.stringify(data);
    response.write(`${name === null ? '' : `event: ${name}\n`}data: ${text}\n\n`);
  }
  response.end();
}

/** Sends one JSON object. */
export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** A text in two pieces, since a stream is never one. */
export function pieces(text: string): string[] {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)].filter((piece) => piece !== '');
}

/** The text of content that is a string, or a list of parts that may have one. */
export function textOf(content: Foreign): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return content === undefined || content === null ? '' : JSON.stringify(content);
  return content.map((part: Foreign) => (typeof part?.text === 'string' ? part.text : '')).join('');
}

/** Input of a tool as JSON text. */
export function inputText(input: Readonly<Record<string, unknown>> | string): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}
