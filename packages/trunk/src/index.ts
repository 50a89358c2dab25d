// The trunk: git objects, packs, refs, trees and notes, landing cycles and their verification, over a Disk port.

export type { ObjectCodec } from './codec.ts';
export { type Disk, DiskError, type DiskErrorKind } from './disk.ts';
export { TrunkError, type TrunkErrorKind } from './errors.ts';
export type { GitResult, GitRunner } from './git-runner.ts';
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
  TreeChange,
  Verdict,
  VerificationProblem,
} from './model.ts';
// To come, with these signatures:
//   class Tree { oid; entry(path); kind(path); list(directory); paths(below?); caseClash(path); with(changes) }
//   class TrunkRepository {
//     static create(disk, codec, options: { directory, branch, committer, timeSeconds }): TrunkRepository
//     static open(disk, codec, options: { directory, branch? }): TrunkRepository
//     tip(): Oid; notesTip(): Oid | null; readRef(name): Oid | null; resolveCommit(name): Oid | null
//     setRef(name, expected: Oid | null, value: Oid | null): RefOutcome; listRefs(prefix): { name, oid }[]
//     isAncestor(ancestor, descendant): 'yes' | 'no' | 'unknown'
//     readCommit(oid): Commit; commitTree(oid): Tree; emptyTree(): Tree; readBlob(oid): Uint8Array | null; has(oid): boolean
//     hashBlob(bytes): Oid; note(commit): string | null; changedPaths(from, to): PathChange[]
//     prepare(input: CycleInput): PreparedCycle; verify(prepared, declaration: CycleDeclaration): Verdict
//     writePack(prepared): void; moveRefs(prepared): RefOutcome
//     recoverCycle(intention: CycleIntention): Recovery; removeLeftovers(): string[]
//     detectForeign(knownTip, limit?): ForeignMove
//     preserve(input: PreserveInput): { commit: Oid; ref: string; outcome: RefOutcome }
//     packCount(): number; maintain(git: GitRunner, options?): Promise<MaintenanceReport>
//   }
//   intentionOf(prepared): CycleIntention
//   importRepository(git, disk, codec, { source, directory, branch?, ... }): Promise<TrunkRepository>
//   class MemoryDisk implements Disk; class FaultyDisk extends MemoryDisk
