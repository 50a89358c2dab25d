// From what a colony answers to what a handler answers.

import { no, ok, type Result } from '@firetrident/base';
import type { ColonyRefusal } from '@firetrident/engine';
import { type ErrorFacts, wireLimits } from '@firetrident/protocol';
import type { DirectoryRefusal } from '../colony-directory.ts';
import { refusalFacts } from '../errors.ts';

/** The reply that `body` makes of an answer, or the error of its refusal. */
export function answered<T, Body>(
  answer: Result<T, ColonyRefusal | DirectoryRefusal>,
  body: (value: T) => Body,
): Result<{ readonly body: Body }, ErrorFacts> {
  return answer.ok ? ok({ body: body(answer.value) }) : no(refusalFacts(answer.error));
}

/** How long a call really waits. */
export function boundedWait(waitMs: number): number {
  return Math.min(waitMs, wireLimits.waitMs);
}

/** A whole number of a query that a schema has accepted. */
export function queryNumber(text: string | undefined, otherwise: number): number {
  return text === undefined ? otherwise : Number(text);
}
