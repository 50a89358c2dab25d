// Every failure that a person reads on the command line: what happened, what happens next, what to do.

import {
  CheckoutLimitError,
  CommandUnusableError,
  GitFailedError,
  NotCapturedError,
  RepositoryElsewhereError,
} from '@firetrident/agents';
import { never } from '@firetrident/base';
import { ClientError } from '@firetrident/client';
import type { StartError, StartProblem } from '@firetrident/daemon';
import { CommanderError } from 'commander';
import { type ExitCode, exitCodes } from './exit-codes.ts';

/** A command that cannot be carried out, with a hint. */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
  readonly hint: string;
  readonly code: ExitCode;

  constructor(message: string, hint: string, code: ExitCode = exitCodes.failure) {
    super(message);
    this.hint = hint;
    this.code = code;
  }
}

/** The text and exit code of an error. Unknown errors show their stack: they are faults of ours. */
export function describeError(error: unknown): { readonly text: string; readonly code: number } {
  if (error instanceof CommandFailure) return { text: lines(error.message, null, error.hint), code: error.code };
  if (error instanceof ClientError) {
    const code = error.kind === 'unreachable' ? exitCodes.unreachable : exitCodes.failure;
    const value = error.value === null || error.value === undefined ? '' : ` (${JSON.stringify(error.value)})`;
    const named = error.code === null ? error.message : `${error.code}: ${error.message}${value}`;
    return { text: lines(named, error.next, error.hint), code };
  }
  if (isStartError(error)) return { text: lines(error.message, null, ''), code: startCode(error.kind) };
  if (error instanceof RepositoryElsewhereError) {
    const hint = 'run this on the machine of the daemon: checkouts share the objects of its repository';
    return { text: lines(error.message, null, hint), code: exitCodes.failure };
  }
  if (error instanceof CheckoutLimitError) {
    return { text: lines(error.message, null, error.hint), code: exitCodes.failure };
  }
  if (error instanceof NotCapturedError) {
    const hint = 'make its files readable, or move away what is worth keeping, then try again';
    return { text: lines(error.message, 'its files stay as they are', hint), code: exitCodes.failure };
  }
  if (error instanceof CommandUnusableError) {
    const hint =
      'it runs in a checkout of its own: give a program on the PATH, an absolute path, or one in the repository';
    return {
      text: lines(error.message, 'the agents stopped, and their intents are open again', hint),
      code: exitCodes.failure,
    };
  }
  if (error instanceof GitFailedError) return { text: lines(error.message, null, ''), code: exitCodes.failure };
  // Commander has printed its own message already.
  if (error instanceof CommanderError)
    return { text: '', code: error.exitCode === 0 ? exitCodes.success : exitCodes.usage };
  return {
    text: `${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
    code: exitCodes.failure,
  };
}

/** By its name, so that a command without a daemon need not load the code of one. */
function isStartError(error: unknown): error is StartError {
  return error instanceof Error && error.name === 'StartError';
}

function startCode(problem: StartProblem): ExitCode {
  switch (problem) {
    case 'data-held':
      return exitCodes.held;
    case 'configuration':
      return exitCodes.usage;
    case 'data-unusable':
    case 'port':
      return exitCodes.failure;
    default:
      return never(problem);
  }
}

function lines(message: string, next: string | null, hint: string): string {
  const parts = [`error: ${message}`];
  if (next !== null && next !== '') parts.push(`next: ${next}`);
  if (hint !== '') parts.push(`hint: ${hint}`);
  return `${parts.join('\n')}\n`;
}
