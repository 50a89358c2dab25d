// What a live scenario expects, what was seen, and whether it held.

import type { BenchHost } from './result.ts';

/** One thing that must hold. */
export interface LiveExpectation {
  readonly what: string;
  readonly expected: string;
  readonly seen: string;
  readonly holds: boolean;
}

/** What was seen of a scenario. */
export interface LiveScenarioResult {
  readonly figures: 'MEASURED';
  readonly scenario: string;
  readonly story: string;
  readonly startedAt: string;
  readonly expectations: readonly LiveExpectation[];
  /** Further figures by name. */
  readonly measured: Readonly<Record<string, number>>;
  readonly host: BenchHost;
}

/** A count that must be just so. */
export function exactly(what: string, seen: number, wanted: number): LiveExpectation {
  return { what, expected: String(wanted), seen: String(seen), holds: seen === wanted };
}

/** A figure that may not be greater. */
export function noMoreThan(what: string, seen: number, bound: number): LiveExpectation {
  return { what, expected: `at most ${shown(bound)}`, seen: shown(seen), holds: seen <= bound };
}

/** A figure that may not be less. */
export function noLessThan(what: string, seen: number, bound: number): LiveExpectation {
  return { what, expected: `at least ${shown(bound)}`, seen: shown(seen), holds: seen >= bound };
}

function shown(figure: number): string {
  return String(Math.round(figure * 100) / 100);
}
