// The import table: what each package may use. ARCHITECTURE.md says why; here it is law.

/** What one package may do. */
export type Layer = {
  /** Folders under packages/ whose packages may be imported. */
  may: readonly string[];
  /** Nothing of the machine: no `node:` module, clock, randomness, timer or console (AR1). */
  pure: boolean;
  /** Whether `node:` modules may be imported. */
  node: boolean;
  /** Whether `console` may be used: only where a person reads the terminal (AR9). */
  console: boolean;
};

const belowEngine = ['base', 'core', 'content', 'trunk', 'journal'] as const;
const throughEngine = [...belowEngine, 'engine'] as const;

function pure(...may: string[]): Layer {
  return { may, pure: true, node: false, console: false };
}

function portable(...may: string[]): Layer {
  return { may, pure: false, node: false, console: false };
}

function shell(...may: string[]): Layer {
  return { may, pure: false, node: true, console: false };
}

/** The table, by folder under packages/. A package that is not listed may not exist (AR2). */
export const layers: Readonly<Record<string, Layer>> = {
  base: pure(), // (AR10)
  core: pure('base'), // (AR3) (AR4)
  content: pure('base'), // (AR12)
  journal: pure('base'), // (AR5)
  trunk: pure('base', 'content'),
  engine: pure(...belowEngine),
  processes: shell(), // (AR13)
  adapters: shell(...throughEngine, 'processes'),
  protocol: portable('base'), // (AR4) (AR7)
  client: portable('base', 'protocol'), // (AR7)
  daemon: shell(...throughEngine, 'adapters', 'protocol', 'client'), // (AR6)
  agents: shell('base', 'client', 'processes', 'protocol'), // (AR8)
  cli: { ...shell('base', 'content', 'client', 'protocol', 'daemon', 'agents', 'bench', 'simulator'), console: true },
  dashboard: portable('base', 'client', 'protocol'),
  simulator: pure(...throughEngine), // (AR1)
  bench: {
    ...shell('base', 'content', 'client', 'protocol', 'simulator', 'trunk', 'adapters', 'processes'),
    console: true,
  },
};

/** The only package that is synchronous and never throws for an expected refusal (AR3). */
export const synchronousPackage = 'core';

/** What tests may import beside their package's own row: the real ports, and the tools of testing. */
export const testMay: readonly string[] = ['base', 'adapters'];

/** Third-party packages that every test may import; they are declared at the root. */
export const testLibraries: readonly string[] = ['vitest', 'fast-check', '@modelcontextprotocol/client'];
