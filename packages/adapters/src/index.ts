// The ports on Node: what the packages without a platform need from one.
export { nodeClock } from './clock.ts';
export { nodeCodec } from './codec.ts';
export { environmentWithoutGit } from './config.ts';
export {
  acquireDirectoryLock,
  type DirectoryLock,
  type LockHolder,
  type LockRefusal,
  readLockHolder,
} from './directory-lock.ts';
export { NodeDisk } from './disk.ts';
export { NodeGit, type NodeGitOptions } from './git.ts';
export { type GitEnd, type GitProcess, type GitProcessOptions, startGit } from './git-process.ts';
export { createOxcParser, type OxcParser } from './oxc-parser.ts';
export { type RoomSettings, startRoom } from './room-client.ts';
export type { RoomFaults } from './room-faults.ts';
export { SqliteJournal } from './sqlite-journal.ts';
export { behindMain, stepRuntimeBack } from './thread-priority.ts';
