// What an agent tells about itself and its checkouts while it works.

import type { Activity, Usage } from './driver.ts';
import type { HeardHeadsUp } from './heads-up-desk.ts';

/** Who works on what. */
export interface AboutIntent {
  readonly agent: string;
  readonly intent: string;
  readonly title: string;
}

/** What an agent tells about itself while it works. */
export type AgentEvent =
  | ({ readonly kind: 'taken' } & AboutIntent)
  | { readonly kind: 'waiting'; readonly agent: string; readonly reason: string }
  | ({ readonly kind: 'proposed'; readonly proposal: string; readonly writes: number } & AboutIntent)
  | ({
      readonly kind: 'landed';
      readonly landing: string;
      readonly commit: string;
      /** Files that were merged with what others had landed. */
      readonly merged: number;
      readonly repairs: number;
      /** From the first proposal to the landing, repairs included. */
      readonly landMs: number;
    } & AboutIntent)
  | ({ readonly kind: 'unchanged' } & AboutIntent)
  | ({ readonly kind: 'returned'; readonly causes: readonly string[] } & AboutIntent)
  /** Files that a command makes were made anew on trunk, or why that was not possible. */
  | ({ readonly kind: 'regenerated'; readonly paths: readonly string[]; readonly problem: string | null } & AboutIntent)
  /** What it works on has moved on trunk. */
  | ({ readonly kind: 'heads-up' } & HeardHeadsUp & AboutIntent)
  /** Its program was seen to do something, or said what a turn cost. */
  | ({ readonly kind: 'activity'; readonly activity: Activity } & AboutIntent)
  | ({ readonly kind: 'used'; readonly usage: Usage } & AboutIntent)
  | ({ readonly kind: 'rejected'; readonly reasons: readonly string[] } & AboutIntent)
  | ({ readonly kind: 'failed'; readonly why: string } & AboutIntent)
  | ({ readonly kind: 'lost'; readonly why: string } & AboutIntent)
  /** The agent was stopped, which says nothing about the work. */
  | ({ readonly kind: 'stopped'; readonly why: string } & AboutIntent)
  /** What lay in a checkout is kept under this id. */
  | { readonly kind: 'captured'; readonly capture: string; readonly reason: string }
  /** A checkout is left as it is, because not all of it can be kept. */
  | { readonly kind: 'set-aside'; readonly directory: string; readonly why: string }
  | { readonly kind: 'ended'; readonly agent: string };
