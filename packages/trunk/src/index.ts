// The trunk: git objects, packs, refs, trees and notes, landing cycles and their verification, over a Disk port.

export type { ObjectCodec } from './codec.ts';
export { type Disk, DiskError, type DiskErrorKind, type DiskStep, performStep } from './disk.ts';
export { type ContractRunner, diskContract } from './disk-contract.ts';
export { TrunkError, type TrunkErrorKind } from './errors.ts';
export { FaultyDisk, PowerCut } from './faulty-disk.ts';
export type { GitResult, GitRunner, GitRunOptions } from './git-runner.ts';
export type { Ancestry } from './history.ts';
export { type ImportOptions, importRepository } from './import.ts';
export type { MaintenanceOptions, MaintenanceReport } from './maintenance.ts';
export { MemoryDisk } from './memory-disk.ts';
export type {
  Commit,
  CycleCommit,
  CycleDeclaration,
  CycleInput,
  CycleIntention,
  DeclaredWrite,
  DirectoryItem,
  Entry,
  ForeignMove,
  Hunk,
  MergeWitness,
  Mode,
  PathChange,
  PathKind,
  Person,
  PreparedCycle,
  PreserveInput,
  Recovery,
  RefOutcome,
  RuleWitness,
  TreeChange,
  Verdict,
  VerificationProblem,
} from './model.ts';
export { type JoinOutcome, joinPacks, type PackJoiner } from './pack-join.ts';
export { plainCodec } from './plain-codec.ts';
export { type RecentChange, readRecentChanges } from './recent-changes.ts';
export {
  type CreateOptions,
  hashBlob,
  intentionOf,
  notesRef,
  type OpenOptions,
  preservedPrefix,
  TrunkRepository,
} from './repository.ts';
export { Tree } from './tree.ts';
export { type CheckedCycle, type VerifierSources, verifyCycle } from './verify.ts';
