// Signals to a process group: a program together with all that it started.

/** Sends a signal to a group; one that has ended is as wanted. */
export function endGroup(group: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-group, signal);
  } catch (error) {
    // ESRCH: the group has ended already. EPERM: its last member is a zombie, on some systems.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
