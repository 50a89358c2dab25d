// The ports on Node: what the packages without a platform need from one.
export { acquireDirectoryLock, type DirectoryLock, type LockHolder, type LockRefusal } from './directory-lock.ts';
export { SqliteJournal } from './sqlite-journal.ts';
