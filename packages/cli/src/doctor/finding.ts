// One thing that the doctor looked at.

/** What was found: fine, worth knowing, or wrong. */
export type FindingStatus = 'ok' | 'warning' | 'problem';

/** A finding with its place, and what to do about it when there is something to do. */
export interface DoctorFinding {
  readonly about: string;
  readonly status: FindingStatus;
  readonly message: string;
  readonly hint: string;
}

/** Something that is as it should be. */
export function fine(about: string, message: string): DoctorFinding {
  return { about, status: 'ok', message, hint: '' };
}

/** Something that a person should know. */
export function warning(about: string, message: string, hint: string): DoctorFinding {
  return { about, status: 'warning', message, hint };
}

/** Something that is wrong. */
export function problem(about: string, message: string, hint: string): DoctorFinding {
  return { about, status: 'problem', message, hint };
}
