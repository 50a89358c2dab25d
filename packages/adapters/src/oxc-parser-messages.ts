// What the parser and its thread say to each other.

import type { MessagePort } from 'node:worker_threads';
import type { ParsedModule } from '@firetrident/content';

/** What the thread starts with. */
export interface ParserThreadData {
  readonly port: MessagePort;
  /** One number: 0 while the thread owes an answer, 1 once its message is in the port. */
  readonly signal: Int32Array<SharedArrayBuffer>;
}

/** One text to parse. */
export interface ParseRequest {
  readonly path: string;
  readonly text: string;
}

/** The module; or what went wrong, which is a fault of the parser and not of the text. */
export type ParseAnswer =
  | { readonly kind: 'parsed'; readonly module: ParsedModule | null }
  | { readonly kind: 'failed'; readonly message: string };
