// For each house rule a project that breaks it and one that keeps it. A rule that finds nothing in its bad sample cannot
// fail, and is refused by tidy.test.ts.

/** Files of a small project by path. */
type Files = Record<string, string>;

/** A pair of projects; the good one stays as near to the bad one as the rule allows. */
export type Sample = { bad: Files; good: Files };

const host = ['registry', 'npmjs', 'org'].join('.');
const marker = 'TO' + 'DO';
const header = '// What this file is, in one sentence.\n';
const packageOf = (name: string, more = '') =>
  `{ "name": "@firetrident/${name}", "exports": { ".": "./src/index.ts" }${more} }`;
const base = { 'packages/base/package.json': packageOf('base') };
const core = { 'packages/core/package.json': packageOf('core') };
const inIndex = { 'packages/core/src/index.ts': "export { limit } from './a.ts';" };
const engine = { 'packages/engine/package.json': packageOf('engine') };
const lines = (count: number) => '\n'.repeat(count);

/** Builds a project of one file in the core, one for each text. */
function inCore(bad: string, good: string): Sample {
  return { bad: { ...core, 'packages/core/src/a.ts': bad }, good: { ...core, 'packages/core/src/a.ts': good } };
}

const importSamples: Record<string, Sample> = {
  H1: {
    bad: { ...base, ...core, 'packages/base/src/a.ts': "import { apply } from '@firetrident/core';" },
    good: { ...base, ...core, 'packages/core/src/a.ts': "import { assert } from '@firetrident/base';" },
  },
  H2: {
    bad: { ...base, ...core, 'packages/core/src/a.ts': "import { ok } from '@firetrident/base/src/result.ts';" },
    good: { ...base, ...core, 'packages/core/src/a.ts': "import { ok } from '@firetrident/base';" },
  },
  H3: {
    bad: { ...engine, 'packages/engine/src/a.ts': "import { readFile } from 'node:fs/promises';" },
    good: {
      ...engine,
      'packages/engine/src/a.test.ts': "import { readFile } from 'node:fs/promises';",
      'packages/engine/src/a.ts': "const text = 'node:fs'; // node:fs",
    },
  },
  H4: {
    bad: { ...core, 'packages/core/src/a.ts': "import { z } from 'zod';" },
    good: {
      'ARCHITECTURE.md': '# Map\n\n## Third-party packages\n\n| `core` | `zod` | schemas |\n',
      'packages/core/package.json': packageOf('core', ', "dependencies": { "zod": "4.0.0" }'),
      'packages/core/src/a.ts': "import { z } from 'zod';",
    },
  },
};

const identifierSamples: Record<string, Sample> = {
  H5: inCore('const at = Date.now();', "const at = new Date(5); // Date.now()\nconst text = 'Date.now()';"),
  H6: inCore("export function stop() { throw new Error('no'); }", "export function stop() { return 'throw'; }"),
  H7: {
    bad: { 'packages/daemon/src/a.ts': 'const home = process.env.HOME;' },
    good: { 'packages/daemon/src/config.ts': 'const home = process.env.HOME;' },
  },
};

const sizeSamples: Record<string, Sample> = {
  H8: inCore(lines(501), lines(499)),
  H9: inCore(`function long() {${lines(70)}}`, `function short() {${lines(69)}}`),
  H10: { bad: { 'docs/a.svg': ' '.repeat(400_000) }, good: { 'tests/data/a.json': ' '.repeat(400_000) } },
};

const nameSamples: Record<string, Sample> = {
  H11: { bad: { 'tools/git-utils.ts': header }, good: { 'tools/git-runner.ts': header } },
  H12: {
    bad: { 'packages/core/src/a.ts': 'export class Lane {}', 'packages/engine/src/b.ts': 'export class Lane {}' },
    good: { 'packages/core/src/a.ts': 'export class Lane {}', 'packages/engine/src/b.ts': 'export class Cycle {}' },
  },
  H13: inCore('const pollInterval = 5;', 'const pollIntervalMs = 5; const message = 5;'),
  H14: inCore('function read(dir: string) { return dir; }', 'function read(directory: string) { return directory; }'),
};

const commentSamples: Record<string, Sample> = {
  H15: { bad: { 'tools/a.ts': 'const a = 1;' }, good: { 'tools/a.ts': `${header}const a = 1;` } },
  H16: {
    bad: { ...core, ...inIndex, 'packages/core/src/a.ts': '// Not a docstring.\nexport const limit = 5;' },
    good: {
      ...core,
      ...inIndex,
      'packages/core/src/a.ts': '/** How many. */\nexport const limit = 5;\n\nexport type Inner = { a: 1 };',
    },
  },
  H17: inCore(`const a = 1; // ${marker} later`, `const a = '${marker}';`),
  H18: {
    bad: { 'tools/a.ts': 'try { run(); } catch {}' },
    good: {
      'tools/a.ts':
        'try { run(); } catch { /* Absent is fine here. */ }\ntry { run(); } catch (error) { report(error); }',
    },
  },
  H19: inCore('const = ;', 'const a = 1;'),
};

const chainSamples: Record<string, Sample> = {
  H20: inCore(
    '// What this is.\n//   QQ1. One at a time.\n',
    '// What this is.\n//   QQ1. One at a time.\nrun(); // (QQ1)',
  ),
  H21: {
    bad: {
      'packages/core/SPEC.md': '# Rules\n\n- **T1** Takes come from an index.\n',
      'packages/core/src/a.test.ts': "it('T1', run);",
    },
    good: {
      'packages/core/SPEC.md': '# Rules\n\n- **T1** Takes come from an index.\n',
      'packages/core/src/a.test.ts': "it('[T1] comes from an index', run);",
    },
  },
};

const pageSamples: Record<string, Sample> = {
  H22: {
    bad: { 'README.md': '# A\n\n[there](docs/a.md)\n' },
    good: { 'README.md': '# A\n\n[there](docs/a.md#the-end)\n', 'docs/a.md': '# B\n\n## The end\n' },
  },
  H23: { bad: { 'README.md': '# A\n\n# B\n' }, good: { 'README.md': '# A\n\n```sh\n# not a title\n```\n' } },
  H24: { bad: { 'NOTES.md': '# Plan\n' }, good: { 'docs/plan.md': '# Plan\n' } },
  H25: {
    bad: { 'package-lock.json': `{ "resolved": "https://${host}/zod" }` },
    good: { 'package-lock.json': '{ "resolved": "packages/core" }' },
  },
  H26: {
    bad: { 'packages/core/src/a.ts': header, 'packages/core/src/index.ts': header },
    good: { 'packages/core/src/a.ts': header, 'packages/core/src/index.ts': "export * from './a.ts';" },
  },
};

/** The samples by rule id. */
export const samples: Readonly<Record<string, Sample>> = {
  ...importSamples,
  ...identifierSamples,
  ...sizeSamples,
  ...nameSamples,
  ...commentSamples,
  ...chainSamples,
  ...pageSamples,
};
