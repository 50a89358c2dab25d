// How known agents are started for a driver, when only their name is given. They are never part of this product: they are
// found on the path, and whoever wants other options gives the whole command.

import type { DriverName } from './driver.ts';

/** Options by driver and program. The prompt comes on standard input, and each may change files without asking. */
const known: Readonly<Record<Exclude<DriverName, 'command'>, Readonly<Record<string, readonly string[]>>>> = {
  jsonl: {
    claude: ['claude', '-p', '--output-format', 'stream-json', '--verbose', '--permission-mode', 'acceptEdits'],
    codex: ['codex', 'exec', '--json', '--sandbox', 'workspace-write', '-'],
    gemini: ['gemini', '--output-format', 'stream-json', '--approval-mode', 'auto_edit'],
  },
  acp: {
    claude: ['claude-agent-acp'],
    codex: ['codex-acp'],
    gemini: ['gemini', '--acp'],
    opencode: ['opencode', 'acp'],
  },
};

/** How an agent is brought to ask before it acts. */
export interface Asking {
  readonly environment: Readonly<Record<string, string>>;
  /** The session's mode that asks; null when the usual one does. */
  readonly mode: string | null;
}

/** Agents that run programs without asking unless they are told otherwise. */
const asking: Readonly<Record<string, Asking>> = {
  'codex-acp': { environment: {}, mode: 'read-only' },
  opencode: {
    environment: {
      OPENCODE_PERMISSION: JSON.stringify({ edit: 'ask', bash: 'ask', webfetch: 'ask', websearch: 'ask' }),
    },
    mode: null,
  },
};

/** How the agent of a command is brought to ask, by the name of its program; agents that are not known are left as they are. */
export function askingFirst([program = '']: readonly string[]): Asking {
  return asking[program.split(/[\\/]/).at(-1) ?? ''] ?? { environment: {}, mode: null };
}

/** Programs that can be named without options, for a driver. */
export function knownAgents(driver: DriverName): readonly string[] {
  return driver === 'command' ? [] : Object.keys(known[driver]);
}

/** The whole command: the one that was given, or that of a known agent that was only named. */
export function agentCommand(driver: DriverName, command: readonly string[]): readonly string[] {
  const [name = ''] = command;
  if (driver === 'command' || command.length !== 1) return command;
  return known[driver][name] ?? command;
}
