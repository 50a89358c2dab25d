// What `take` leaves in a checkout for `propose`: who works there, under which lease, on what.
//
// Invariants:
//   WS1. The file holds an agent's token: only its owner can read it, and it lies in `.git`, where nothing is proposed.

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TakeGrantedResponse } from '@firetrident/protocol';
import { CommandFailure } from './failure.ts';

/** A proposal made in a checkout, and whether its landing ends the work. */
export interface SentProposal {
  readonly id: `prp_${string}`;
  readonly final: boolean;
}

/** The work that a checkout is for. */
export interface WorkState {
  /** The daemon's address when the intent was taken, and its data directory, which knows a newer one. */
  readonly url: string;
  readonly data: string;
  readonly colony: string;
  readonly repository: string;
  readonly agent: string;
  readonly token: string;
  readonly lease: TakeGrantedResponse['lease']['id'];
  readonly epoch: number;
  readonly intent: { readonly id: string; readonly title: string };
  /** The trunk commit that the files stand on. */
  readonly base: string;
  /** Proposals made so far under this lease; a part of each idempotency key. */
  readonly proposals: number;
  /** The proposal whose outcome nobody has seen yet. */
  readonly pending: SentProposal | null;
  /** The proposal that came back and waits for a repair. */
  readonly returned: SentProposal | null;
  /** Files in which trunk and the changes had to be put side by side. */
  readonly conflicts: readonly string[];
}

function stateFile(directory: string): string {
  return join(directory, '.git', 'firetrident.json');
}

/** The work of a checkout, or null when there is none. */
export function readWork(directory: string): WorkState | null {
  const file = stateFile(directory);
  if (!existsSync(file)) return null;
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as WorkState;
  } catch (error) {
    throw new CommandFailure(`${file} cannot be read: ${(error as Error).message}`, 'take the intent again');
  }
}

/** Writes the work of a checkout, whole or not at all (WS1). */
export function writeWork(directory: string, work: WorkState): void {
  const file = stateFile(directory);
  writeFileSync(`${file}.draft`, `${JSON.stringify(work, null, 2)}\n`, { mode: 0o600, flush: true });
  renameSync(`${file}.draft`, file);
}

/** The work is over. */
export function endWork(directory: string): void {
  rmSync(stateFile(directory), { force: true });
}
