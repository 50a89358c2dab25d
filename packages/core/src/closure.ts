// Verdicts that survive a moved base: remembered together with everything that they looked at (V5).
//
// A judgement is about a subject that does not change (a read with its basis; a proposal; a command on a tree) and looks
// at places: entries, folders, whatever has a name. While all of these show what they showed, it would come out the same.
//
// Invariants:
//   CM1. A verdict is recalled only when every place that it looked at shows the same now.
//   CM2. Which verdicts are remembered changes no answer, only how often it is found anew.

/** A place that a judgement looked at, and what it showed there. */
interface Sight {
  readonly place: string;
  readonly shown: string;
}

/** Verdicts of one subject that are kept: what moves to and fro is known on both sides. */
const verdictsPerSubject = 4;

interface Kept<V> {
  readonly sights: readonly Sight[];
  readonly verdict: V;
}

/** A bounded memory of verdicts by subject and closure; the subjects that were kept first are forgotten first. */
export class VerdictMemory<V> {
  readonly #bound: number;
  readonly #bySubject = new Map<string, readonly Kept<V>[]>();
  /** How often a verdict was recalled, and how often it had to be found. */
  recalled = 0;
  found = 0;

  /** `bound`: how many subjects are remembered. */
  constructor(bound: number) {
    this.#bound = bound;
  }

  /**
   * The verdict on a subject: recalled when `look` shows the same at every place of its closure, else found by `judge`,
   * which looks through what it is given (CM1). One that is not certain is not kept.
   */
  verdict(
    subject: string,
    look: (place: string) => string,
    judge: (sight: (place: string) => string) => { readonly verdict: V; readonly isCertain: boolean },
  ): V {
    const kept = this.#bySubject.get(subject) ?? [];
    const known = kept.find(({ sights }) => sights.every(({ place, shown }) => look(place) === shown));
    if (known !== undefined) {
      this.recalled += 1;
      return known.verdict;
    }
    this.found += 1;
    const sights = new Map<string, string>();
    const { verdict, isCertain } = judge((place) => {
      const shown = look(place);
      sights.set(place, shown);
      return shown;
    });
    if (!isCertain) return verdict;
    const closure = [...sights].map(([place, shown]) => ({ place, shown }));
    this.#bySubject.set(subject, [...kept.slice(1 - verdictsPerSubject), { sights: closure, verdict }]);
    if (this.#bySubject.size > this.#bound) this.#bySubject.delete(this.#bySubject.keys().next().value as string);
    return verdict;
  }
}
