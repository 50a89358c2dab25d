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
