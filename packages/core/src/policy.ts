// The rules of a colony that an administrator sets, resolved once: every field has a value.

/** How much of a derived read counts: the imported symbols, the whole file, or nothing. */
export type ReadGrain = 'symbol' | 'file' | 'none';

/**
 * How files merge whose changes commute: lines added at the end, keys of JSON (with arrays as sets of plain values, if
 * said so), YAML and TOML, lines that import names.
 */
export type MergeRuleName = 'append' | 'keys' | 'keys:sets' | 'imports';

/** What is made by a shell command from other files: where it conflicts, whoever answers the return runs that command. */
export type RegenerateRule = `regenerate:${string}`;

/** Bounds of one colony. Counts unless the name says bytes. */
export interface Limits {
  readonly agents: number;
  readonly liveIntents: number;
  readonly queuedProposals: number;
  readonly leasesPerAgent: number;
  readonly chainLength: number;
  readonly writesPerProposal: number;
  readonly readsPerProposal: number;
  readonly pathsPerIntent: number;
  readonly claimsPerLease: number;
  readonly recordedReadsPerLease: number;
  readonly proposalsPerCycle: number;
  readonly takesInFlight: number;
  readonly blobBytes: number;
  readonly stagedBytes: number;
  readonly joinTokens: number;
}

/** How many leases a region may have in flight, as its bound adapts (T4). */
export interface AdaptiveAdmission {
  /** Where a bound starts, and below which it never falls. */
  readonly floor: number;
  /** Above which it never rises; null for no such bound. */
  readonly ceiling: number | null;
  /** Share of the working time of a region that may be redone, 0 to 1. */
  readonly wasteBudget: number;
}

/** The resolved policy of a colony. Durations are milliseconds. */
export interface Policy {
  /** How long a lease runs without a heartbeat. */
  readonly leaseMs: number;
  /** Time in which a claim loses half its strength. */
  readonly claimHalfLifeMs: number;
  /** How long an agent has to answer a return, and how long a rejected lease stays. */
  readonly repairWindowMs: number;
  /** How long what a proposal needs is reserved after its third return; never longer than `repairWindowMs`. */
  readonly reservationMs: number;
  /** Age after which an open intent is offered before every other. */
  readonly starveAfterMs: number;
  /** Folders that name a region. */
  readonly regionDepth: number;
  /** Failed attempts after which an intent is blocked. */
  readonly maxAttempts: number;
  /** Bounds of the work in flight that adapt, or "open" for none. */
  readonly admission: AdaptiveAdmission | 'open';
  readonly reads: { readonly default: ReadGrain; readonly paths: Readonly<Record<string, ReadGrain>> };
  /** Globs of what everything depends on: no derived read, so that its moving makes nobody stale. */
  readonly globalInputs: readonly string[];
  /** Globs whose files never land as a merge. */
  readonly strict: readonly string[];
  /** Rules by glob for what conflicts as text; of several globs that match the first counts. */
  readonly merge: Readonly<Record<string, MergeRuleName | RegenerateRule>>;
  readonly landing: {
    readonly commits: 'proposal' | 'batch';
    /** Several commits of one push are one proposal, or a chain. */
    readonly pushes: 'squash' | 'chain';
  };
  /** Shell command that prepares a fresh checkout; null when none is needed. */
  readonly setup: string | null;
  readonly limits: Limits;
}

/** Lockfiles, and configuration of compilers, linters and continuous integration, under their usual names. */
const commonGlobalInputs: readonly string[] = [
  '**/{package-lock,npm-shrinkwrap,tsconfig,tsconfig.*,jsconfig,biome}.{json,jsonc}',
  '**/{yarn,Cargo,poetry,uv,Pipfile,Gemfile,composer,bun}.lock',
  '**/{pnpm-lock.yaml,bun.lockb,go.sum,.editorconfig}',
  '**/{eslint.config.*,.eslintrc*,.prettierrc*}',
  '.github/workflows/**',
  '{.circleci,.buildkite}/**',
  '{.gitlab-ci.yml,azure-pipelines.yml,Jenkinsfile}',
];

/** The policy of a colony that sets nothing. */
export const defaultPolicy: Policy = {
  leaseMs: 600_000,
  claimHalfLifeMs: 300_000,
  repairWindowMs: 600_000,
  reservationMs: 30_000,
  starveAfterMs: 900_000,
  regionDepth: 2,
  maxAttempts: 5,
  admission: { floor: 3, ceiling: null, wasteBudget: 0.05 },
  reads: { default: 'symbol', paths: {} },
  globalInputs: commonGlobalInputs,
  strict: [],
  merge: {},
  landing: { commits: 'proposal', pushes: 'squash' },
  setup: null,
  limits: {
    agents: 20_000,
    liveIntents: 200_000,
    queuedProposals: 20_000,
    leasesPerAgent: 8,
    chainLength: 64,
    writesPerProposal: 10_000,
    readsPerProposal: 10_000,
    pathsPerIntent: 64,
    claimsPerLease: 256,
    recordedReadsPerLease: 10_000,
    proposalsPerCycle: 128,
    takesInFlight: 128,
    blobBytes: 33_554_432,
    stagedBytes: 1_073_741_824,
    joinTokens: 1_000,
  },
};
