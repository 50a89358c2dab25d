// The parts of this system that a run can be without, to find out what each is worth.

import type { ColonyPolicy } from '../policy.ts';

/** Which parts are there. All of them make the system as it is. */
export interface Switches {
  /** Working agents hear of landings that moved their ground. */
  readonly headsUp: boolean;
  /** Two changes of one file land when their lines are apart. */
  readonly merge: boolean;
  /** A read is of the names that were imported; else of the whole file. */
  readonly symbolReads: boolean;
  /** Claims keep other agents from the same paths. */
  readonly repulsion: boolean;
  /** Regions and colony admit as much as their measured σ and rate allow. */
  readonly adaptiveAdmission: boolean;
  /** Agents rather work where their work landed before. */
  readonly thresholds: boolean;
}

const everything: Switches = {
  headsUp: true,
  merge: true,
  symbolReads: true,
  repulsion: true,
  adaptiveAdmission: true,
  thresholds: true,
};

/** The parts that each policy of this system has. */
export const switchesOf: Readonly<Record<ColonyPolicy, Switches>> = {
  firetrident: everything,
  'firetrident-without-heads-up': { ...everything, headsUp: false },
  'firetrident-without-merge': { ...everything, merge: false },
  'firetrident-with-file-reads': { ...everything, symbolReads: false },
  'firetrident-without-repulsion': { ...everything, repulsion: false },
  'firetrident-without-adaptive-admission': { ...everything, adaptiveAdmission: false },
  'firetrident-without-thresholds': { ...everything, thresholds: false },
};
