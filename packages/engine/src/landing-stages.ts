// Where the time of a landing goes: sums since the start, stage by stage.
//
// Counts only; what a stage is, is decided where its time is measured.
//
//   LS1. The stages of one proposal follow each other, so their sums add up to the time that the colony had it; only
//        `keep` goes on beside the first part of `queue`.

/** Stages of a proposal until it is answered, then of the cycle that takes it. */
export const landingStages = [
  'resolve',
  'decide',
  'keep',
  'queue',
  'plan',
  'build',
  'verify',
  'write',
  'refs',
  'journal',
  'news',
] as const;

/**
 * `resolve`: the room compares what is written with its base; `decide`: the core; `keep`: until that is durable;
 * `queue`: until a cycle takes it; `plan`, `build`, `verify`: the room in that cycle; `write`: pack and intention become
 * durable; `refs`: trunk and notes move; `journal`: the landing becomes durable; `news`: everybody is told.
 */
export type LandingStage = (typeof landingStages)[number];

const answeredStages: readonly LandingStage[] = ['resolve', 'decide', 'keep'];

/** Sums since the colony was opened. */
export interface LandingStageSums {
  /** Milliseconds times proposals. */
  readonly spentMs: Readonly<Record<LandingStage, number>>;
  /** Proposals that went through the stages until they were answered. */
  readonly answered: number;
  /** Proposals that went through the stages of a cycle. */
  readonly settled: number;
}

type Spent = Partial<Readonly<Record<LandingStage, number>>>;

/** Gathers the sums of one colony. */
export class LandingStages {
  readonly #spentMs: Record<LandingStage, number> = {
    resolve: 0,
    decide: 0,
    keep: 0,
    queue: 0,
    plan: 0,
    build: 0,
    verify: 0,
    write: 0,
    refs: 0,
    journal: 0,
    news: 0,
  };
  #answered = 0;
  #settled = 0;

  /** One proposal was answered. */
  answered(spent: Pick<Required<Spent>, 'resolve' | 'decide' | 'keep'>): void {
    for (const stage of answeredStages) this.#spentMs[stage] += spent[stage as keyof typeof spent];
    this.#answered += 1;
  }

  /** A cycle ended with so many proposals; each was in it all of the time. The queue's time is of all together. */
  settled(proposals: number, queuedMs: number, spent: Omit<Spent, 'resolve' | 'decide' | 'keep' | 'queue'>): void {
    this.#spentMs.queue += queuedMs;
    for (const [stage, ms] of Object.entries(spent)) this.#spentMs[stage as LandingStage] += ms * proposals;
    this.#settled += proposals;
  }

  get sums(): LandingStageSums {
    return { spentMs: { ...this.#spentMs }, answered: this.#answered, settled: this.#settled };
  }
}
