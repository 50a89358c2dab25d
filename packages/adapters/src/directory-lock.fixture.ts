// A starter for tests: tries to take the lock of the directory it is given, says how that went, holds on until its
// input ends. Started by the tests only.

import { writeSync } from 'node:fs';
import { acquireDirectoryLock } from './directory-lock.ts';

const lock = acquireDirectoryLock(process.argv[2] ?? '', { purpose: 'colony' });
writeSync(1, `${JSON.stringify(lock.ok ? { took: true, abandonedBy: lock.value.abandonedBy } : lock.error)}\n`);
if (lock.ok) {
  process.stdin.resume();
  process.stdin.on('end', () => lock.value.release());
}
