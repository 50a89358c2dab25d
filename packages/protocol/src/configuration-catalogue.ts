// Every setting of the daemon and of a colony's policy: one closed catalogue, for the page and for the checks.
//
//   CO1. A key that is not here is refused wherever settings are read.

/** A setting of the daemon process: a flag, a variable of the environment, or both. */
export interface DaemonSetting {
  readonly flag: string | null;
  readonly environment: string | null;
  readonly default: string;
  readonly meaning: string;
  /** Who reads it. */
  readonly reader: 'daemon' | 'command line';
}

/** Settings of the process, by the name of the option in code. */
export const daemonSettings = {
  data: {
    flag: '--data',
    environment: 'FT_DATA',
    default: '.firetrident in the current directory',
    meaning: 'Directory that holds everything the daemon keeps. One daemon at a time may use it.',
    reader: 'daemon',
  },
  port: {
    flag: '--port',
    environment: 'FT_PORT',
    default: '7400, or a free one when that is taken',
    meaning: 'TCP port. 0 takes any free one; a port named here must be free.',
    reader: 'daemon',
  },
  host: {
    flag: '--host',
    environment: 'FT_HOST',
    default: '127.0.0.1',
    meaning: 'Address to listen on. Anything but a loopback address lets other machines in.',
    reader: 'daemon',
  },
  origins: {
    flag: null,
    environment: 'FT_ORIGINS',
    default: 'the daemon’s own address',
    meaning: 'Further origins, separated by commas, whose pages may call.',
    reader: 'daemon',
  },
  logLevel: {
    flag: '--log-level',
    environment: 'FT_LOG_LEVEL',
    default: 'info',
    meaning: 'Least level of the log lines on standard error: debug, info, warn, error or silent.',
    reader: 'daemon',
  },
  shutdownMs: {
    flag: null,
    environment: 'FT_SHUTDOWN_MS',
    default: '10000',
    meaning: 'How long a shutdown waits for calls in flight before it cuts them.',
    reader: 'daemon',
  },
  gitReaders: {
    flag: null,
    environment: 'FT_GIT_READERS',
    default: '4',
    meaning: 'Clones and fetches over HTTP that are served at once; the others wait in line.',
    reader: 'daemon',
  },
  url: {
    flag: '--url',
    environment: 'FT_URL',
    default: 'the daemon of .firetrident in the current repository',
    meaning: 'Address of the daemon that a command talks to.',
    reader: 'command line',
  },
  token: {
    flag: null,
    environment: 'FT_TOKEN',
    default: 'the admin token of .firetrident in the current repository',
    meaning: 'Token that a command sends.',
    reader: 'command line',
  },
} as const satisfies Record<string, DaemonSetting>;

/** One field of a colony's policy. `default` is the value that holds when nothing is set. */
export interface PolicySetting {
  readonly default: unknown;
  readonly meaning: string;
}

/** Fields of a policy by their dotted name. */
export const policySettings = {
  leaseMs: { default: 600_000, meaning: 'How long a lease runs without a heartbeat.' },
  claimHalfLifeMs: { default: 300_000, meaning: 'Time in which a claim loses half its strength.' },
  repairWindowMs: {
    default: 600_000,
    meaning: 'How long an agent has to answer a return, and how long a rejected lease stays.',
  },
  reservationMs: {
    default: 30_000,
    meaning: 'How long what a proposal needs is reserved after its third return; never longer than repairWindowMs.',
  },
  starveAfterMs: { default: 900_000, meaning: 'Age after which an open intent is offered before every other.' },
  regionDepth: { default: 2, meaning: 'Folders that name a region.' },
  maxAttempts: { default: 5, meaning: 'Failed attempts after which an intent is blocked and waits for a person.' },
  admission: {
    default: { floor: 3, ceiling: null, wasteBudget: 0.05 },
    meaning:
      'How much work a region takes on at once: a bound that starts at the floor and adapts to what goes stale, up to the ceiling; or "open" for no bound.',
  },
  'reads.default': { default: 'symbol', meaning: 'How much of a derived read counts: symbol, file or none.' },
  'reads.paths': { default: {}, meaning: 'The same per glob.' },
  globalInputs: {
    default: [
      '**/{package-lock,npm-shrinkwrap,tsconfig,tsconfig.*,jsconfig,biome}.{json,jsonc}',
      '**/{yarn,Cargo,poetry,uv,Pipfile,Gemfile,composer,bun}.lock',
      '**/{pnpm-lock.yaml,bun.lockb,go.sum,.editorconfig}',
      '**/{eslint.config.*,.eslintrc*,.prettierrc*}',
      '.github/workflows/**',
      '{.circleci,.buildkite}/**',
      '{.gitlab-ci.yml,azure-pipelines.yml,Jenkinsfile}',
    ],
    meaning:
      'Globs of what everything depends on, such as lockfiles: never a derived read, unless `reads.paths` says otherwise.',
  },
  strict: { default: [], meaning: 'Globs whose files never land as a merge.' },
  merge: {
    default: {},
    meaning:
      'Rules by glob for what conflicts as text: append, keys, keys:sets, imports or regenerate:<command>; the first glob that matches counts.',
  },
  'landing.commits': { default: 'proposal', meaning: 'One commit per proposal, or one per batch.' },
  'landing.pushes': {
    default: 'squash',
    meaning: 'Several commits of one push land as one proposal (squash), or each as its own, in order (chain).',
  },
  decide: { default: { enabled: false }, meaning: 'Review of proposals. Not built in this version: only off.' },
  checks: { default: [], meaning: 'Commands that test trunk. Not built in this version: only none.' },
  setup: { default: null, meaning: 'Shell command that prepares a fresh checkout.' },
  'limits.agents': { default: 20_000, meaning: 'Registered agents.' },
  'limits.liveIntents': { default: 200_000, meaning: 'Intents that have not ended.' },
  'limits.queuedProposals': { default: 20_000, meaning: 'Proposals that have no outcome yet.' },
  'limits.leasesPerAgent': { default: 8, meaning: 'Leases that one agent may hold.' },
  'limits.chainLength': { default: 64, meaning: 'Proposals of one chain.' },
  'limits.writesPerProposal': { default: 10_000, meaning: 'Written paths of one proposal.' },
  'limits.readsPerProposal': { default: 10_000, meaning: 'Reads of one proposal.' },
  'limits.pathsPerIntent': { default: 64, meaning: 'Predicted paths of one intent.' },
  'limits.claimsPerLease': { default: 256, meaning: 'Paths that one lease may mark.' },
  'limits.recordedReadsPerLease': { default: 10_000, meaning: 'Files served under one lease that count as reads.' },
  'limits.proposalsPerCycle': { default: 128, meaning: 'Proposals that one cycle takes.' },
  'limits.takesInFlight': { default: 128, meaning: 'Takes that are scored at once.' },
  'limits.blobBytes': { default: 33_554_432, meaning: 'Bytes of one file.' },
  'limits.stagedBytes': { default: 1_073_741_824, meaning: 'Bytes that were sent and did not land yet.' },
  'limits.joinTokens': { default: 1_000, meaning: 'Join tokens that are good.' },
} as const satisfies Record<string, PolicySetting>;

/** The whole catalogue (CO1). */
export const configurationCatalogue = { daemon: daemonSettings, policy: policySettings } as const;

export type DaemonSettingName = keyof typeof daemonSettings;
export type PolicySettingName = keyof typeof policySettings;
