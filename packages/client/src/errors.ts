// What can go wrong with a call, as one class with a closed set of kinds.

import type { ErrorCode } from '@firetrident/protocol';

/** `refused`: the daemon answered with an error of its catalogue. `unreachable`: nobody answered. `malformed`: the answer is none of ours. */
export type ClientErrorKind = 'refused' | 'unreachable' | 'malformed';

/** A call that did not succeed. For `refused`, everything that the daemon said. */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  readonly kind: ClientErrorKind;
  readonly code: ErrorCode | null;
  /** HTTP status; 0 when there was no answer. */
  readonly status: number;
  readonly value: unknown;
  /** What happens next, and what to do about it. */
  readonly next: string;
  readonly hint: string;

  constructor(
    kind: ClientErrorKind,
    message: string,
    facts: { code?: ErrorCode; status?: number; value?: unknown; next?: string; hint?: string } = {},
  ) {
    super(message);
    this.kind = kind;
    this.code = facts.code ?? null;
    this.status = facts.status ?? 0;
    this.value = facts.value ?? null;
    this.next = facts.next ?? '';
    this.hint = facts.hint ?? '';
  }
}
