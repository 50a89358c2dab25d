// Names by their case-folded form: nearly always one name for each, and mostly equal to it, so that is all that is kept then.
//
// Simple case folding, one character for one: the capital letter's small letter. No normalisation of accents.

const plain = /^[ -~]*$/;

/** The form in which names that differ only in case are equal. */
function foldName(name: string): string {
  if (plain.test(name)) return name.toLowerCase();
  let folded = '';
  for (const character of name) {
    const upper = character.toUpperCase();
    // A character whose capital is several (as German sharp s) has no simple form.
    folded += upper.length === character.length ? upper.toLowerCase() : character;
  }
  return folded;
}

/** A growing set of names. */
export class FoldedNames {
  readonly #names = new Map<string, string | string[]>();

  /** How many folded forms there are. */
  get size(): number {
    return this.#names.size;
  }

  add(name: string): void {
    const key = foldName(name);
    const known = this.#names.get(key);
    // The same string twice, where the name is its own folded form.
    if (known === undefined) this.#names.set(key, key === name ? key : name);
    else if (typeof known === 'string') {
      if (known !== name) this.#names.set(key, [known, name]);
    } else if (!known.includes(name)) known.push(name);
  }

  /** All names of the same folded form as this one. */
  alike(name: string): readonly string[] {
    const known = this.#names.get(foldName(name)) ?? [];
    return typeof known === 'string' ? [known] : known;
  }
}
