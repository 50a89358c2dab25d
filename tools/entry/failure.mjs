// The one error class of the entry: something about the machine that a person has to know or do.

/** Says what could not be done and what to do about it. Anything else that is thrown is a bug and shows its stack. */
export class EntryError extends Error {
  /**
   * @param {string} message what happened
   * @param {string} hint what to do next; may be empty
   */
  constructor(message, hint) {
    super(message);
    this.hint = hint;
  }
}
