// Three-way merge of what stands at one path: mode and content, by git's rules without renames.
//
// Which side is "ours" never matters for the verdict. Nothing here knows paths, trees or attributes; a file in one
// side's way of another's directory is the caller's business.
//
// Invariants:
//   ME1. A side that equals base gives way to the other, and two equal sides are that; content is not read for it.
//   ME2. Mode and content are merged apart: one side's new mode and the other's new content come together.
//   ME3. Deleting what the other side changed in any way, its mode alone included, is a conflict.
//   ME4. Only regular files are merged as text. Symlinks and submodules that both sides changed differently conflict.
//   ME5. Two additions merge only as git does it, against an empty base: so they conflict unless one file is empty.
//   ME6. No new bytes are made when the outcome is a blob that one of the three entries has.
//   ME7. A rule is asked only where the merge of lines conflicts, so it never changes what git would have merged.

import { never, type Oid, sameBytes } from '@firetrident/base';
import { isBinary } from './lines.ts';
import { type MergeWitness, mergeLines } from './merge.ts';
import type { RuleMerge, RuleWitness } from './merge-rules.ts';

/** Mode of an entry in git's spelling: file, executable file, symlink, submodule. */
export type EntryMode = '100644' | '100755' | '120000' | '160000';

/** What stands at a path. */
export type MergeEntry = { readonly mode: EntryMode; readonly oid: Oid };

/**
 * Why two sides do not go together. `mode`: both changed the mode or the type differently, or one the type and the
 * other the content. `content`: both changed the content and the changes touch, or it is not text to git.
 */
export type EntryConflict = 'content' | 'delete/edit' | 'add/add' | 'mode' | 'binary';

/** `same`: an entry with a blob that was there already, null for absent. `merged`: new bytes, with their witness. */
export type EntryMergeResult =
  | { readonly kind: 'same'; readonly entry: MergeEntry | null }
  | {
      readonly kind: 'merged';
      readonly mode: EntryMode;
      readonly bytes: Uint8Array;
      readonly witness: MergeWitness | RuleWitness;
    }
  | { readonly kind: 'conflict'; readonly conflict: EntryConflict };

/** Merges contents that conflict by the rule of their path; null when there is none or it does not cover them. */
export type ByRule = (base: Uint8Array, ours: Uint8Array, theirs: Uint8Array) => RuleMerge | null;

type EntryType = 'file' | 'symlink' | 'submodule';

const nothing = new Uint8Array(0);

/**
 * Merges three states of a path, null for absent. `read` gives a blob's bytes; it is called only for regular files
 * whose content has to be merged, and what it throws comes through. `byRule` is asked where contents conflict (ME7).
 */
export function mergeEntries(
  base: MergeEntry | null,
  ours: MergeEntry | null,
  theirs: MergeEntry | null,
  read: (oid: Oid) => Uint8Array,
  byRule: ByRule = () => null,
): EntryMergeResult {
  if (sameEntry(ours, theirs) || sameEntry(base, theirs)) return { kind: 'same', entry: ours };
  if (sameEntry(base, ours)) return { kind: 'same', entry: theirs };
  if (ours === null || theirs === null) return conflict('delete/edit'); // (ME3)
  const type = typeOf(ours.mode);
  if (type !== typeOf(theirs.mode)) return conflict(base === null ? 'add/add' : 'mode');
  const mode = mergedMode(base, ours, theirs);
  if (mode === null) return conflict(base === null ? 'add/add' : 'mode');
  const oid = settledOid(base, ours, theirs);
  if (oid !== null) return { kind: 'same', entry: { mode, oid } };
  if (type !== 'file') return conflict(base === null ? 'add/add' : 'content'); // (ME4)
  return mergeFiles(base, ours, theirs, mode, read, byRule);
}

function sameEntry(left: MergeEntry | null, right: MergeEntry | null): boolean {
  if (left === null || right === null) return left === right;
  return left.mode === right.mode && left.oid === right.oid;
}

function conflict(kind: EntryConflict): EntryMergeResult {
  return { kind: 'conflict', conflict: kind };
}

function typeOf(mode: EntryMode): EntryType {
  switch (mode) {
    case '100644':
    case '100755':
      return 'file';
    case '120000':
      return 'symlink';
    case '160000':
      return 'submodule';
    default:
      return never(mode);
  }
}

/** The mode that one side changed or both agree on; null when they differ (ME2). */
function mergedMode(base: MergeEntry | null, ours: MergeEntry, theirs: MergeEntry): EntryMode | null {
  if (ours.mode === theirs.mode || theirs.mode === base?.mode) return ours.mode;
  return ours.mode === base?.mode ? theirs.mode : null;
}

/** The content that one side changed or both agree on; null when they differ (ME2). */
function settledOid(base: MergeEntry | null, ours: MergeEntry, theirs: MergeEntry): Oid | null {
  if (ours.oid === theirs.oid || theirs.oid === base?.oid) return ours.oid;
  return ours.oid === base?.oid ? theirs.oid : null;
}

/** Merges two regular files. A base that is absent or of another type counts as empty, as in git (ME5). */
function mergeFiles(
  base: MergeEntry | null,
  ours: MergeEntry,
  theirs: MergeEntry,
  mode: EntryMode,
  read: (oid: Oid) => Uint8Array,
  byRule: ByRule,
): EntryMergeResult {
  const baseBytes = base !== null && typeOf(base.mode) === 'file' ? read(base.oid) : nothing;
  const oursBytes = read(ours.oid);
  const theirsBytes = read(theirs.oid);
  // An empty file beside a binary one equals the empty base, which would settle the merge; git looks for binaries first.
  if (baseBytes === nothing && (isBinary(oursBytes) || isBinary(theirsBytes))) return conflict('binary');
  const result = mergeLines(baseBytes, oursBytes, theirsBytes);
  const settled = (bytes: Uint8Array, witness: MergeWitness | RuleWitness): EntryMergeResult => {
    if (sameBytes(bytes, oursBytes)) return { kind: 'same', entry: { mode, oid: ours.oid } };
    if (sameBytes(bytes, theirsBytes)) return { kind: 'same', entry: { mode, oid: theirs.oid } };
    return { kind: 'merged', mode, bytes, witness };
  };
  switch (result.kind) {
    case 'binary':
      return conflict('binary');
    case 'conflict': {
      const ruled = byRule(baseBytes, oursBytes, theirsBytes);
      if (ruled === null) return conflict(base === null ? 'add/add' : 'content');
      return settled(ruled.bytes, ruled.witness);
    }
    case 'clean':
      return settled(result.bytes, result.witness);
    default:
      return never(result);
  }
}
