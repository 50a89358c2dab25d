// What the daemon is started with for the sake of its own memory, and no program that it starts.

/** Settings of the C library's allocator that the entry gives a daemon. Programs of others are faster without them. */
export const allocatorSettings: Readonly<Record<string, string>> = {
  MALLOC_ARENA_MAX: '1',
  MALLOC_TRIM_THRESHOLD_: '131072',
};

/** Whether a variable of the environment is one of them; one that somebody set to something else is not. */
export function isAllocatorSetting(name: string, value: string | undefined): boolean {
  return value !== undefined && allocatorSettings[name] === value;
}
