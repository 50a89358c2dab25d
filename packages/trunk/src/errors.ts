// Operating errors of the trunk, classified once.

/**
 * What is wrong:
 * - `not-a-repository`: nothing of git lies there, or the source cannot be reached
 * - `unsupported`: a repository, but of a form that the trunk writer does not handle (named in the message)
 * - `exists`: the target of a creation is taken
 * - `empty`: the source has no commit
 * - `missing-branch`: the source has no such branch
 * - `missing-object`: an object that is referenced is not there
 * - `corrupt`: stored bytes do not mean what git says they should
 * - `git-failed`: stock git refused or failed
 */
export type TrunkErrorKind =
  | 'not-a-repository'
  | 'unsupported'
  | 'exists'
  | 'empty'
  | 'missing-branch'
  | 'missing-object'
  | 'corrupt'
  | 'git-failed';

/** The trunk cannot go on. */
export class TrunkError extends Error {
  readonly kind: TrunkErrorKind;

  constructor(kind: TrunkErrorKind, message: string) {
    super(message);
    this.name = 'TrunkError';
    this.kind = kind;
  }
}
