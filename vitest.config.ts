// How tests run: on Node, in processes of their own, at most two files at a time so that a small machine keeps up.

import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    environment: 'node',
    // Processes, not threads: tests start worker threads, change directories and kill what they started.
    pool: 'forks',
    maxWorkers: 2,
    include: ['packages/**/*.test.ts', 'tests/**/*.test.ts', 'tools/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    // Generous, since nothing here asserts on wall time: only a hang should end a test.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    teardownTimeout: 10_000,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  },
});
