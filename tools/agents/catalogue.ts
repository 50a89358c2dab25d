// The real agents that `npm run test:agents` works with: which package, in exactly which version, found where.
//
//   AG1. They are fetched for tests alone, into .toolchain/agents, and are dependencies of nothing here.

import { fileURLToPath } from 'node:url';

/** The day on which these versions were chosen. They move together, and a run with others proves nothing about these. */
export const cataloguedOn = '2026-11-30';

/** One agent as npm has it. */
export interface CataloguedAgent {
  readonly package: string;
  readonly version: string;
  /** Whether its own install script puts the program of this platform in place. Scripts of other packages never run. */
  readonly hasInstallScript: boolean;
}

/** By the name of the program. */
export const catalogue = {
  claude: { package: '@anthropic-ai/claude-code', version: '2.1.332', hasInstallScript: true },
  codex: { package: '@openai/codex', version: '0.171.0', hasInstallScript: false },
  gemini: { package: '@google/gemini-cli', version: '0.61.0', hasInstallScript: false },
  opencode: { package: 'opencode-ai', version: '1.18.33', hasInstallScript: true },
  'claude-agent-acp': { package: '@agentclientprotocol/claude-agent-acp', version: '0.101.0', hasInstallScript: false },
  'codex-acp': { package: '@agentclientprotocol/codex-acp', version: '2.6.0', hasInstallScript: false },
} as const satisfies Readonly<Record<string, CataloguedAgent>>;

export type AgentProgram = keyof typeof catalogue;

/** Every program of the catalogue. */
export const agentPrograms = Object.keys(catalogue) as AgentProgram[];

/** Where all of them lie (AG1). */
export const agentsDirectory = fileURLToPath(new URL('../../.toolchain/agents', import.meta.url));

/** Folder of one agent's packages; its name tells the version, so that another version is another folder. */
export function agentFolder(program: AgentProgram): string {
  return `${agentsDirectory}/${program}-${catalogue[program].version}`;
}

/** Folder in which the program is found under its name. */
export function programFolder(program: AgentProgram): string {
  return `${agentFolder(program)}/node_modules/.bin`;
}
