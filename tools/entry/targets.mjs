// The closed list of what the entry can run. package.json's scripts and the documentation name targets only from here.

/**
 * @typedef {object} Target
 * @property {string} [file] TypeScript file relative to the root; absent for bare Node
 * @property {string[]} args arguments placed before those of the caller
 * @property {string[]} flags flags of Node itself
 * @property {Record<string, string>} environment variables for it, unless they are set already
 * @property {string[]} programs programs that must be on the PATH
 * @property {boolean} installPrograms whether missing programs may be installed with the system's package manager
 * @property {string} summary one line for people
 */

/**
 * @param {string} file
 * @param {string} summary
 * @param {{ args?: string[], flags?: string[], environment?: Record<string, string>, installPrograms?: boolean }} [more]
 * @returns {Target}
 */
function target(file, summary, more = {}) {
  const { args = [], flags = [], environment = {}, installPrograms = false } = more;
  return { file, args, flags, environment, programs: ['git'], installPrograms, summary };
}

const commandLine = 'packages/cli/src/main.mjs';
/**
 * Heaps that are collected early and compacted as they are: a daemon's memory follows what is alive. Each of its threads has one, with three
 * young parts of the first size. Marking begins when so many percent of the room for growing are used, so that little of it remains for
 * the pause at its end (decision 0032).
 */
const lean = {
  flags: [
    '--max-semi-space-size=1',
    '--heap-growing-percent=35',
    '--optimize-for-size',
    '--incremental-marking-hard-trigger=60',
  ],
  // Otherwise the C library keeps more of what was freed: a part of memory for each thread, and more of each the larger the pieces were.
  environment: { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' },
};

/** @type {Record<string, Target>} */
export const targets = {
  start: target(commandLine, 'a colony on a repository, with agents at work', { ...lean, args: ['start'] }),
  firetrident: target(commandLine, 'the command line', lean),
  test: target('tools/test.ts', 'types, lint, house rules and every test', { installPrograms: true }),
  'test:agents': target('tools/test-agents.ts', 'real agents from npm against a scripted model; not part of test'),
  check: target('tools/test.ts', 'all that CI runs; the same as test', { installPrograms: true }),
  docs: target('tools/docs.ts', 'writes the generated pages; --check only compares'),
  tidy: target('tools/tidy.ts', 'what breaks the house rules; name folders to look there only'),
  'bench:take': target('packages/core/bench/take.bench.ts', 'a take with 100,000 open intents next to one with 1,000'),
  'bench:trunk': target('packages/adapters/bench/trunk.bench.ts', 'landing commits per second of the trunk writer'),
  'bench:journal': target('packages/adapters/bench/journal.bench.ts', 'journal appends per second'),
  'bench:restart': target('packages/daemon/bench/restart.bench.ts', 'time to serving after a million events'),
  'bench:workspaces': target(
    'packages/agents/bench/workspaces.bench.ts',
    'a hundred checkouts, next to git worktree add',
  ),
  'bench:push': target('packages/daemon/bench/push.bench.ts', 'from git push to the landing, over HTTP'),
  'faults:agents': target('tests/faults/agents-long.ts', 'kill -9 of daemon, runner or agent at every step'),
  'faults:kill': target('tests/faults/kill-long.ts', 'the long run of kill -9 at random moments'),
  node: {
    args: [],
    flags: [],
    environment: {},
    programs: [],
    installPrograms: false,
    summary: 'the Node that the project runs on',
  },
};

/** @returns {string[]} every name that `enter` accepts */
export function targetNames() {
  return Object.keys(targets);
}
