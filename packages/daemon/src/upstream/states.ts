// How a colony and its upstream stand: names, and sentences for a person.

import type { Oid } from '@firetrident/base';
import type { UpstreamSettings } from './settings.ts';

/** `ahead`: what landed is about to be pushed. `paused`: a person wants it so. What comes after `ahead` is a trouble. */
export type UpstreamStateName =
  | 'new'
  | 'paused'
  | 'in-step'
  | 'ahead'
  | 'away'
  | 'refused'
  | 'conflict'
  | 'rewritten'
  | 'unrelated';

/** How a colony and its upstream stand. Times are milliseconds since the Unix epoch. */
export interface UpstreamStatus {
  readonly settings: UpstreamSettings;
  readonly state: UpstreamStateName;
  /** Why it is not in step, for a person; null when nothing is wrong. */
  readonly problem: string | null;
  readonly commit: Oid | null;
  readonly lookedAt: number | null;
  readonly pushedAt: number | null;
  readonly pushes: number;
  /** Tries in a row that failed. */
  readonly failures: number;
  /** When it is tried again after a trouble; null when there is none, or nothing is tried. */
  readonly retryAt: number | null;
}

/** Why a repository of another history is not followed. */
export const unrelatedProblem = 'its branch shares no history with trunk; name another repository or branch';
/** Why two sides that both went on are not brought together in the mode `upstream`. */
export const aheadProblem =
  'both sides have what the other does not, and history is to stay linear; bring the upstream back, or use the mode mirror';

/** Why an upstream whose history was rewritten is left alone. */
export function rewrittenProblem(seen: Oid, found: Oid): string {
  return `its history was rewritten: ${found} does not come after ${seen}, which stood there before. Put it back, or name the upstream again to accept it`;
}

/** Why what others pushed is not taken in; `paths` are those that git cannot merge. */
export function conflictProblem(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).join(', ');
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return `what others pushed there conflicts with trunk in ${shown}${more}. Merge trunk into it by hand, and push that there`;
}
