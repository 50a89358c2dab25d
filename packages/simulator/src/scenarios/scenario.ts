// What a scenario is: a story that has gone wrong elsewhere, told to a simulated colony, with what must hold in it.

/** One thing that must hold: the value is no more than the bound, no less, or below it. */
export interface Expectation {
  readonly name: string;
  readonly value: number;
  readonly sign: '≤' | '≥' | '<';
  readonly bound: number;
  readonly holds: boolean;
}

/** What a scenario showed. All figures are simulated. */
export interface ScenarioResult {
  readonly scenario: string;
  readonly agents: number;
  readonly seed: number;
  readonly durationMs: number;
  readonly figures: Readonly<Record<string, number>>;
  readonly expectations: readonly Expectation[];
}

/** How a scenario is run. */
export interface ScenarioOptions {
  readonly seed: number;
  /** As many agents as the story wants, unless given. */
  readonly agents?: number;
}

/** A story with its figures. */
export interface Scenario {
  /** What happens, and what must come of it. */
  readonly story: string;
  readonly run: (options: ScenarioOptions) => ScenarioResult;
}

/** The value must not be above `bound`. */
export function atMost(name: string, value: number, bound: number): Expectation {
  return { name, value, sign: '≤', bound, holds: value <= bound };
}

/** The value must not be below `bound`. */
export function atLeast(name: string, value: number, bound: number): Expectation {
  return { name, value, sign: '≥', bound, holds: value >= bound };
}

/** The value must be below `bound`. */
export function below(name: string, value: number, bound: number): Expectation {
  return { name, value, sign: '<', bound, holds: value < bound };
}
