// The table of layers keeps the invariants of ARCHITECTURE.md. That the code keeps the table is tidy.test.ts's part.

import { describe, expect, it } from 'vitest';
import { layers, synchronousPackage } from './layers.ts';
import { projectOf } from './project.ts';
import { rules } from './rules.ts';

const pureNames = ['base', 'content', 'core', 'engine', 'journal', 'simulator', 'trunk'];
const may = (name: string) => layers[name]?.may ?? [];
const importersOf = (name: string) => Object.keys(layers).filter((other) => may(other).includes(name));

/** The messages of one rule on a project of the given files. */
async function findings(id: string, files: Record<string, string>): Promise<string[]> {
  const rule = rules.find((candidate) => candidate.id === id);
  return ((await rule?.check(projectOf(files))) ?? []).map((finding) => finding.message);
}

describe('the table of layers', () => {
  it('[AR1] keeps the machine from exactly the pure packages', () => {
    const pure = Object.keys(layers).filter((name) => layers[name]?.pure === true);
    expect(pure.sort()).toEqual(pureNames);
    expect(pure.every((name) => layers[name]?.node === false)).toBe(true);
    expect(pure.flatMap(may).every((name) => pureNames.includes(name))).toBe(true);
  });

  it('[AR2] has no cycle and names only packages that it lists', () => {
    const done = new Set<string>();
    const visit = (name: string, path: string[]): void => {
      expect(path).not.toContain(name);
      expect(layers).toHaveProperty(name);
      if (!done.has(name)) for (const below of may(name)) visit(below, [...path, name]);
      done.add(name);
    };
    for (const name of Object.keys(layers)) visit(name, []);
  });

  it('[AR2] refuses a package that it does not list', async () => {
    const files = { 'packages/stray/package.json': '{ "name": "@firetrident/stray" }' };
    expect(await findings('H1', files)).toHaveLength(1);
  });

  it('[AR3] knows the synchronous package, and it is a pure one', () => {
    expect(synchronousPackage).toBe('core');
    expect(pureNames).toContain(synchronousPackage);
  });

  it('[AR4] keeps core and protocol apart', () => {
    expect(may('core')).not.toContain('protocol');
    expect(may('protocol')).not.toContain('core');
  });

  it('[AR5] keeps journal and trunk apart', () => {
    expect(may('journal')).not.toContain('trunk');
    expect(may('trunk')).not.toContain('journal');
  });

  it('[AR6] lets only the daemon and the benchmarks import adapters', () => {
    expect(importersOf('adapters').sort()).toEqual(['bench', 'daemon']);
  });

  it('[AR7] keeps modules of Node from protocol and client, and from what they import', () => {
    const reached = ['protocol', 'client', ...may('protocol'), ...may('client')];
    expect(reached.every((name) => layers[name]?.node === false)).toBe(true);
  });

  it('[AR8] lets agents reach a colony through the client only', () => {
    const inner = ['core', 'engine', 'journal', 'trunk', 'adapters', 'daemon'];
    expect(may('agents').filter((name) => inner.includes(name))).toEqual([]);
    expect(may('agents')).toContain('client');
  });

  it('[AR9] allows the console only where there is a terminal', async () => {
    const spoken = Object.keys(layers).filter((name) => layers[name]?.console === true);
    expect(spoken.sort()).toEqual(['bench', 'cli']);
    const file = { 'packages/daemon/src/a.ts': "console.log('x');" };
    expect(await findings('H5', file)).toHaveLength(1);
  });

  it('[AR10] grants base nothing', () => {
    expect(may('base')).toEqual([]);
  });

  it('[AR11] refuses the environment outside config.ts, however it is spelt', async () => {
    const spellings = [
      'const home = process.env.HOME;',
      "const home = process['env'].HOME;",
      "import { env } from 'node:process';",
      'const { env } = process;',
    ];
    for (const text of spellings) expect(await findings('H7', { 'packages/cli/src/a.ts': text })).toHaveLength(1);
  });

  it('[AR12] gives content no library', async () => {
    const file = { 'packages/content/src/a.ts': "import { parseSync } from 'oxc-parser';" };
    expect(await findings('H4', file)).toHaveLength(1);
  });
});

describe('mentions of the machine', () => {
  const refused = [
    'const at = new Date();',
    'const at = Date.now();',
    "const at = Date['now']();",
    'const { now } = Date;',
    'const clock = Date;',
    'const draw = Math.random();',
    'const { random } = Math;',
    'const id = crypto.randomUUID();',
    'setTimeout(run, 5);',
    'const later = setImmediate;',
    "const bytes = Buffer.from('a');",
    'const all = { process };',
    "const answer = fetch('/');",
    "const made = new Function('return 1');",
    "eval('1');",
    'globalThis.process.exit();',
    "console.log('x');",
  ];
  for (const text of refused) {
    it(`[AR1] refuses ${text}`, async () => {
      expect(await findings('H5', { 'packages/engine/src/a.ts': text })).not.toEqual([]);
    });
  }

  const accepted = [
    'const at = new Date(5);',
    'const at = Date.UTC(2026, 1);',
    'const most = Math.max(1, 2);',
    'type Clock = { now(): number; setTimeout: number; process: string };',
    'const clock = ports.setTimeout(run, 5);',
    'function run(process: Step) { return process.next; }',
    'const step = { process: 1, Buffer: 2 };',
    "const text = 'Date.now() and process.env'; // Math.random()",
    'type When = Date;',
  ];
  for (const text of accepted) {
    it(`[AR1] accepts ${text}`, async () => {
      expect(await findings('H5', { 'packages/engine/src/a.ts': text })).toEqual([]);
    });
  }
});
