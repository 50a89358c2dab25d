// What the agents of a live run do: small changes in 64 folders, as many or as few of them on hot files as asked for.
//
//   WL1. The same seed gives the same changes, whoever makes them.

import { RandomStream } from '@firetrident/base';
import type { LivePlan } from './plan.ts';

const folders = 64;
const soakFiles = 256;
const hotFiles = 8;
const contentBytes = 200;
/** Standard deviation of the logarithm of work times. */
const workSpread = 0.6;

/** An intent as the supply makes it: its one path is what the change writes. */
export interface IntentDraft {
  readonly title: string;
  readonly paths: readonly [string];
}

/** Draws intents, one after the other (WL1). */
export class IntentDraws {
  readonly #plan: LivePlan;
  readonly #draws: RandomStream;
  #number = 0;

  constructor(plan: LivePlan) {
    this.#plan = plan;
    this.#draws = new RandomStream(plan.seed);
  }

  next(): IntentDraft {
    this.#number += 1;
    const isHot = this.#draws.below(100) < this.#plan.hotPercent;
    const folder = String(this.#draws.below(folders)).padStart(2, '0');
    const file = this.#plan.soak ? `s${this.#draws.below(soakFiles)}` : `f${this.#number}`;
    const path = isHot ? `bench/hot/h${this.#draws.below(hotFiles)}.txt` : `bench/r${folder}/${file}.txt`;
    return { title: `bench ${this.#number}: ${path}`, paths: [path] };
  }
}

/** The text of one change: 200 bytes that no other change has. */
export function changeText(intent: string, attempt: number): string {
  const line = `${intent} attempt ${attempt} `;
  return `${line.repeat(Math.ceil(contentBytes / line.length)).slice(0, contentBytes - 1)}\n`;
}

/** A work time: log-normal around the median. */
export function workTimeMs(medianMs: number, draws: RandomStream): number {
  if (medianMs === 0) return 0;
  const normal = Math.sqrt(-2 * Math.log(1 - draws.next())) * Math.cos(2 * Math.PI * draws.next());
  return medianMs * Math.exp(workSpread * normal);
}
