// The ways in which an agent's program is driven through one intent, and what is heard of it meanwhile.

import { never } from '@firetrident/base';
import { runCommand } from './command.ts';
import { runJsonlTurn } from './jsonl-driver.ts';
import type { PermissionPolicy } from './permissions.ts';
import type { CommandEnd } from './process-group.ts';

/**
 * `command`: any program; its exit code and what it changed decide. `jsonl`: an agent that prints one JSON object a line.
 * `acp`: an agent that speaks the Agent Client Protocol.
 */
export const driverNames = ['command', 'jsonl', 'acp'] as const;
export type DriverName = (typeof driverNames)[number];

/** Something that an agent was seen to do. Paths are as the agent names them. */
export type Activity =
  | { readonly kind: 'read' | 'edit'; readonly path: string }
  | { readonly kind: 'tool'; readonly name: string }
  | { readonly kind: 'permission'; readonly name: string; readonly granted: boolean };

/** What a turn cost, as far as the agent tells. Tokens in and out, those from caches included. */
export interface Usage {
  readonly tokens: number;
  /** In United States dollars; null when the agent names no cost. */
  readonly costUsd: number | null;
}

/** One turn: the work on an intent, or a repair of it. */
export interface TurnSettings {
  readonly command: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  /** What goes to standard input of a command. */
  readonly input: string;
  /** What an agent is asked in words. */
  readonly prompt: string;
  readonly permissions: PermissionPolicy;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly onActivity: (activity: Activity) => void;
}

/** How a turn ended. `problem` is why it failed although the program ended well; null when it did not. */
export interface TurnEnd extends CommandEnd {
  readonly problem: string | null;
  readonly usage: Usage | null;
}

/** Drives one turn to its end. Rejects with CommandUnusableError alone. */
export async function runTurn(driver: DriverName, settings: TurnSettings): Promise<TurnEnd> {
  switch (driver) {
    case 'command':
      return { ...(await runCommand(settings)), problem: null, usage: null };
    case 'jsonl':
      return runJsonlTurn(settings);
    case 'acp':
      // Loaded only here: the protocol's library is large, and most commands drive nobody by it.
      return (await import('./acp-driver.ts')).runAcpTurn(settings);
    default:
      return never(driver);
  }
}
