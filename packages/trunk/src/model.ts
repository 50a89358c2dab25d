// The trunk's nouns as data.

import type { Oid, TreePath } from '@firetrident/base';
import type { Tree } from './tree.ts';

/** Modes that a landing can write: file, executable file, symbolic link, submodule. */
export type Mode = '100644' | '100755' | '120000' | '160000';

/** What a path holds: a blob, or for mode 160000 the commit of a submodule. */
export interface Entry {
  readonly mode: Mode;
  readonly oid: Oid;
}

/** What lies at a path. Symbolic links and submodules count as files. */
export type PathKind = 'absent' | 'file' | 'directory';

/** One item of a directory's listing; `entry` is there for files. */
export type DirectoryItem =
  | { readonly name: string; readonly kind: 'file'; readonly entry: Entry }
  | { readonly name: string; readonly kind: 'directory' };

/** A write to a tree: a new entry, or null to delete. */
export interface TreeChange {
  readonly path: TreePath;
  readonly entry: Entry | null;
}

/** A path that differs between two trees. */
export interface PathChange {
  readonly path: TreePath;
  readonly before: Entry | null;
  readonly after: Entry | null;
}

/** A person or agent as a commit names it. Characters that git reserves are dropped when written. */
export interface Person {
  readonly name: string;
  readonly email: string;
  /** Seconds since 1970; the time of the cycle when left out. */
  readonly timeSeconds?: number;
}

/** A commit as read. `author` and `committer` are the raw lines after the keyword. */
export interface Commit {
  readonly oid: Oid;
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: string;
  readonly committer: string;
  /** The committer's time in seconds since 1970. */
  readonly timeSeconds: number;
  readonly message: string;
}

/** One commit that a cycle is to make. Its parent is the one before it, the first one's parent is the trunk's tip. */
export interface CycleCommit {
  readonly tree: Tree;
  readonly message: string;
  readonly author: Person;
  readonly committer: Person;
  /** The text of the note for this commit, asked once its id is known. */
  readonly note: (commit: Oid) => string;
}

/** What a cycle is to land. */
export interface CycleInput {
  /** The tip of trunk that the first commit follows. */
  readonly parent: Oid;
  /** The tip of the notes ref, null when there is none. */
  readonly notesParent: Oid | null;
  /** At least one. */
  readonly commits: readonly CycleCommit[];
  /** Blobs that the trees name and the repository may not have yet. */
  readonly blobs: ReadonlyMap<Oid, Uint8Array>;
  /** Time of the commits in seconds since 1970. */
  readonly timeSeconds: number;
}

/**
 * A cycle that is built and not yet written. `pack` and `index` are views of buffers that the repository uses again:
 * they are valid until the next `prepare` or `preserve` of the same repository.
 */
export interface PreparedCycle {
  /** 40 hexadecimal digits: the name of pack and index without prefix and ending. */
  readonly packName: string;
  readonly pack: Uint8Array;
  readonly index: Uint8Array;
  readonly objectCount: number;
  /** Ids of the commits, in order. */
  readonly commits: readonly Oid[];
  readonly tip: Oid;
  readonly notesTip: Oid;
  readonly oldTip: Oid;
  readonly oldNotes: Oid | null;
}

/** What the journal keeps before a cycle is written, so that recovery knows what was under way. */
export interface CycleIntention {
  readonly oldTip: Oid;
  readonly newTip: Oid;
  readonly oldNotes: Oid | null;
  readonly newNotes: Oid;
  readonly packName: string;
}

/** The result of moving a ref by compare-and-swap. Nothing has moved unless the kind is `done`. */
export type RefOutcome =
  | { readonly kind: 'done' }
  /** Someone holds the lock file of `ref`. */
  | { readonly kind: 'locked'; readonly ref: string }
  /** `ref` does not have the expected value but `found` (null: absent). */
  | { readonly kind: 'moved'; readonly ref: string; readonly found: Oid | null };

/** What recovery found and did. */
export type Recovery =
  /** Trunk is at the intended tip (or past it); the notes ref was set where it had not been. */
  | { readonly kind: 'finished'; readonly tip: Oid }
  /** Trunk is at the old tip; the notes ref was put back. Nothing of the cycle landed. */
  | { readonly kind: 'rolled-back'; readonly tip: Oid }
  /** Trunk is at neither; nothing of the cycle landed, the notes ref was put back where it was ours. */
  | { readonly kind: 'foreign'; readonly tip: Oid };

/** How trunk moved without us. */
export type ForeignMove =
  | { readonly kind: 'same' }
  | {
      readonly kind: 'advanced';
      readonly tip: Oid;
      /** First-parent commits after the known tip, oldest first; the newest `commits.length` of `total`. */
      readonly commits: readonly Oid[];
      /** How many there are; `commits` is bounded. */
      readonly total: number;
      readonly changes: readonly PathChange[];
    }
  /** The known tip is no longer in trunk's history. */
  | { readonly kind: 'rewound'; readonly tip: Oid };

/** Work that did not land, to be kept. */
export interface PreserveInput {
  /** Last part of the ref's name. */
  readonly id: string;
  /** The commit that the work was made on. */
  readonly base: Oid;
  readonly tree: Tree;
  readonly message: string;
  readonly author: Person;
  readonly committer: Person;
  readonly blobs: ReadonlyMap<Oid, Uint8Array>;
  readonly timeSeconds: number;
}

/** Replaces `beforeCount` lines from `beforeStart` of one text by `afterCount` lines from `afterStart` of another. */
export interface Hunk {
  /** Line numbers count from 0. */
  readonly beforeStart: number;
  readonly beforeCount: number;
  readonly afterStart: number;
  readonly afterCount: number;
}

/** The proof of a merge: how each side came from the base, as edit scripts in ascending order. */
export interface MergeWitness {
  readonly ours: readonly Hunk[];
  readonly theirs: readonly Hunk[];
}

/** What the check of a merge by a rule has to know: see verify-rules.ts. `rest` proves all lines but the imports. */
export type RuleWitness =
  | { readonly rule: 'append' }
  | { readonly rule: 'keys'; readonly arraysAreSets: boolean }
  | { readonly rule: 'imports'; readonly rest: MergeWitness };

/** One path that a commit may and must change. */
export type DeclaredWrite =
  /** The entry is the proposed one; null is a deletion. */
  | { readonly kind: 'proposed'; readonly path: TreePath; readonly entry: Entry | null }
  /** The content is the three-way merge of the three files, or one by a rule; `ours` is what the parent has. */
  | {
      readonly kind: 'merged';
      readonly path: TreePath;
      /** Null when both sides added the file: the merge then starts from nothing. */
      readonly base: Entry | null;
      readonly ours: Entry;
      readonly theirs: Entry;
      readonly witness: MergeWitness | RuleWitness;
      readonly mode: Mode;
    };

/** What a cycle claims to do, told to the verifier by whoever asked for it. */
export interface CycleDeclaration {
  readonly parent: Oid;
  readonly notesParent: Oid | null;
  /** One list of writes per commit, in order; each path at most once per commit. */
  readonly commits: readonly { readonly writes: readonly DeclaredWrite[] }[];
}

/** What is wrong with a prepared cycle. */
export type VerificationProblem =
  | 'pack-malformed'
  | 'index-wrong'
  | 'object-missing'
  | 'commit-count'
  | 'commit-malformed'
  | 'wrong-parent'
  | 'undeclared-change'
  | 'missing-change'
  | 'wrong-entry'
  | 'wrong-mode'
  | 'blob-missing'
  | 'merge-not-proved'
  | 'note-missing'
  | 'notes-changed'
  | 'notes-parent'
  | 'tip-wrong';

/** The verifier's answer. `commit` is the index of the commit in question, null when it is the cycle as a whole. */
export type Verdict =
  | { readonly ok: true }
  | {
      readonly ok: false;
      readonly commit: number | null;
      readonly problem: VerificationProblem;
      readonly path?: TreePath;
      /** A sentence for a person. */
      readonly detail: string;
    };
