// Waiting in tests, without a limit of its own.

/** Waits until a condition holds; a hang ends with the test's own limit. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 25));
}
