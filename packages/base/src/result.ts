// Success or an expected "no", as a value.

/** The outcome of something that may be refused; the caller looks at `ok` before it reaches either side. */
export type Result<T, E> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

/** A success with its value. */
export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value };
}

/** An expected refusal with its facts; never for a broken assumption, which crashes. */
export function no<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error };
}
