// Checks of what must be true. A broken assumption crashes; an expected "no" is a value and never comes here.

/** Crashes with `message` unless `condition` holds. Kept on in production. */
export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`assertion failed: ${message}`);
}

/** Marks the unreachable arm of an exhaustive switch over a closed union. */
export function never(value: never): never {
  throw new Error(`assertion failed: unexpected variant ${JSON.stringify(value)}`);
}

/** Returns `value`, which must be neither null nor undefined; `what` names it in the crash. */
export function defined<T>(value: T | null | undefined, what: string): T {
  assert(value !== null && value !== undefined, `${what} is not defined`);
  return value;
}
