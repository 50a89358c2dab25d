// Times on the wire: ISO 8601, UTC, milliseconds.

/** Text of a time in milliseconds since the Unix epoch. */
export function timeText(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** The same, passing null through. */
export function timeTextOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : timeText(milliseconds);
}

/** Milliseconds of a time that a schema has accepted. */
export function timeValue(text: string): number {
  return Date.parse(text);
}
