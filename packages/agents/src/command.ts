// Running one command for one intent: its environment, its standard input, its end.

import { type CommandEnd, startGroup } from './process-group.ts';

export interface CommandSettings {
  /** Program and arguments; a single text is given to a shell. */
  readonly command: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Bytes of output that are kept: the last ones; 16 KiB unless set. */
  readonly keptBytes?: number;
}

/** Runs a command to its end. Rejects with CommandUnusableError alone. */
export function runCommand(settings: CommandSettings): Promise<CommandEnd> {
  const { input, ...rest } = settings;
  const { child, ended } = startGroup({ ...rest, shell: rest.command.length === 1, keepsOutput: true });
  child.stdin.end(input);
  return ended;
}
