// How the tests with real agents run: only these, one file at a time, since each agent alone keeps a small machine busy.

import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  root: fileURLToPath(new URL('../..', import.meta.url)),
  test: {
    environment: 'node',
    pool: 'forks',
    maxWorkers: 1,
    include: ['tests/agents/**/*.test.ts'],
    // Generous, since nothing here asserts on wall time: only a hang should end a test.
    testTimeout: 600_000,
    hookTimeout: 120_000,
    execArgv: ['--disable-warning=ExperimentalWarning'],
  },
});
