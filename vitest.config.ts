// How tests run: on Node, in processes, at most two files at a time so that a small machine keeps up.

import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Where tests take long, the longest first: they begin first, so that what is short fills the end of a run. */
const longFirst = [
  '/tests/faults/',
  '/tests/cli/',
  '/tests/git/',
  '/tests/http/',
  '/tests/mcp/',
  '/packages/adapters/',
];

function rankOf({ moduleId }: TestSpecification): number {
  const found = longFirst.findIndex((folder) => moduleId.includes(folder));
  return found < 0 ? longFirst.length : found;
}

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right));
  }
}

export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'tests/**/*.test.ts', 'tools/**/*.test.ts'],
    // Real agents are fetched and run by `npm run test:agents` alone.
    exclude: ['**/node_modules/**', 'tests/agents/**'],
    environment: 'node',
    // Processes, not threads: tests start worker threads, change directories and kill what they started.
    pool: 'forks',
    // Files share them, since nothing is kept from one to the next: that saves each its start and the loading of all packages.
    isolate: false,
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
    // Generous, since nothing here asserts on wall time: only a hang should end a test.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  },
});
