// The trunk of a colony: one bare repository, one branch, one notes ref, one writer.
//
// It composes the other files of this package and keeps what a writer wants at hand: folders and trees of recent
// commits. It never knows proposals, lanes or the journal.
//
// Invariants:
//   TK1. A cycle goes prepare, verify, writePack, moveRefs, each a step of its own, so that a journal can stand between.
//   TK2. Nothing becomes visible before moveRefs, and nothing is half visible after it: notes move first, trunk is the
//        commit point, and both locks are held and compared before either moves.

import { assert, defined, type Oid, utf8 } from '@firetrident/base';
import { ByteCache } from './byte-cache.ts';
import type { ObjectCodec } from './codec.ts';
import type { CommitParts } from './commit-codec.ts';
import { buildCycle, CycleBuilder, type PackContents } from './cycle.ts';
import { CycleWriter } from './cycle-writer.ts';
import { type Directory, emptyDirectory, parseDirectory } from './directory.ts';
import { ContentArena, directoryHasher } from './directory-hash.ts';
import type { Disk } from './disk.ts';
import { TrunkError } from './errors.ts';
import { describeMove } from './foreign.ts';
import type { GitRunner } from './git-runner.ts';
import { type Ancestry, History } from './history.ts';
import { Maintenance, type MaintenanceOptions, type MaintenanceReport, packCount } from './maintenance.ts';
import type {
  Commit,
  CycleDeclaration,
  CycleInput,
  CycleIntention,
  ForeignMove,
  PathChange,
  Person,
  PreparedCycle,
  PreserveInput,
  Recovery,
  RefOutcome,
  Verdict,
} from './model.ts';
import { findNote } from './notes.ts';
import { ObjectScratch } from './object-scratch.ts';
import { ObjectStore } from './object-store.ts';
import type { StoredObject } from './object-type.ts';
import { oidBytes, oidText } from './oid-bytes.ts';
import { beginPackFiles, removeUnfinishedOfGit, removeUnfinishedPacks } from './pack-file.ts';
import type { PackJoiner } from './pack-join.ts';
import { recoverCycle } from './recover.ts';
import { RefStore } from './refs.ts';
import { checkLayout, finishLayout, layOut } from './repository-layout.ts';
import { Tree, type TreeSource } from './tree.ts';
import { verifyCycle } from './verify.ts';
import { VerifiedTrees } from './verify-memory.ts';

/** Where the notes of landings lie. */
export const notesRef = 'refs/notes/firetrident';
/** Below this, work that did not land is kept. */
export const preservedPrefix = 'refs/firetrident/preserved/';

/** Folders kept in memory beside those that kept trees hold. */
const directoriesBytesMax = 4 << 20;
/** Trees of recent tips kept in memory; they share most of their folders. */
const treesMax = 64;

/** What a folder takes in memory: for most, more for itself and its pieces than for their bytes. */
function directoryBytes({ length, pieces }: Directory): number {
  return length + 400 + pieces.length * 250;
}

/**
 * Levels of the notes tree kept in memory: its root and the folders of the first cut. Those below them, up to 65,536, are
 * as likely to be needed as any other of them, so that keeping some is worth nothing.
 */
const notesLevelsKept = 2;

/** A tree that has become part of the repository, and how many of its levels stay in memory. */
interface KeptTree {
  readonly root: Directory;
  readonly levels: number;
}

/** How to make a repository. */
export interface CreateOptions {
  /** Path on the disk; its parent exists. */
  readonly directory: string;
  readonly branch: string;
  /** Author and committer of the first, empty commit. */
  readonly committer: Person;
  /** Time of that commit in seconds since 1970. */
  readonly timeSeconds: number;
}

/** How to open a repository. */
export interface OpenOptions {
  readonly directory: string;
  /** The branch that is trunk; the one that HEAD names by default. */
  readonly branch?: string;
}

/** A repository with its trunk. Every method may throw DiskError, and TrunkError when objects are missing or corrupt. */
export class TrunkRepository {
  readonly directory: string;
  readonly branch: string;
  readonly trunkRef: string;
  readonly #disk: Disk;
  readonly #codec: ObjectCodec;
  readonly #store: ObjectStore;
  readonly #refs: RefStore;
  readonly #history: History;
  readonly #builder: CycleBuilder;
  readonly #writer: CycleWriter;
  readonly #maintenance: Maintenance;
  readonly #source: TreeSource;
  /** Folders that the newest trees hold in memory anyway. */
  readonly #live = new Map<Oid, Directory>();
  /** Folders that were read. */
  readonly #directories = new ByteCache<Oid, Directory>(directoriesBytesMax, directoryBytes);
  readonly #arena = new ContentArena();
  /** What only the verifier fills and reads. */
  readonly #verified = new VerifiedTrees();
  readonly #trees = new ByteCache<Oid, Tree>(treesMax, () => 1);
  /** The notes that landed last. Those before them are nobody's base and would hold folders for nothing. */
  #notes: { readonly commit: Oid; readonly tree: Tree } | null = null;
  /** What the packs of cycles that have not landed yet bring, and their last trees. */
  readonly #unlanded = new WeakMap<PreparedCycle, { contents: PackContents; tree: Tree; notes: Tree }>();

  /** Name of the pack whose bytes are in the builder's buffers. */
  #builtPack: string | null = null;

  private constructor(disk: Disk, codec: ObjectCodec, directory: string, branch: string) {
    this.directory = directory;
    this.branch = branch;
    this.trunkRef = `refs/heads/${branch}`;
    this.#disk = disk;
    this.#codec = codec;
    this.#store = new ObjectStore(disk, codec, `${directory}/objects`);
    this.#refs = new RefStore(disk, directory);
    this.#history = new History(this.#store);
    this.#builder = new CycleBuilder(codec);
    this.#maintenance = new Maintenance(disk, directory);
    const packFolder = `${directory}/objects/pack`;
    this.#writer = new CycleWriter({ disk, refs: this.#refs, packFolder, notesRef, trunkRef: this.trunkRef });
    this.#source = { load: (id) => this.#loadDirectory(id), hash: directoryHasher(new ObjectScratch(codec)) };
  }

  /**
   * Makes a bare repository whose branch has one empty commit. Throws TrunkError `exists` when there is one already; a
   * creation that was cut off is simply done again.
   */
  static create(disk: Disk, codec: ObjectCodec, options: CreateOptions): TrunkRepository {
    const { directory, branch, committer, timeSeconds } = options;
    layOut(disk, directory, branch);
    const repository = new TrunkRepository(disk, codec, directory, branch);
    // A creation that was cut off may have left a lock; nobody else has business here yet.
    repository.removeLeftovers();
    repository.#refs.unlock(repository.trunkRef);
    const message = 'An empty trunk\n';
    const tree = repository.emptyTree();
    const parts = { parents: [], author: committer, committer, message, timeSeconds };
    const commit = repository.#writeCommit(tree, new Map(), parts);
    const outcome = repository.setRef(repository.trunkRef, repository.readRef(repository.trunkRef), commit);
    assert(outcome.kind === 'done', 'nobody else writes to a repository that is being made');
    finishLayout(disk, directory);
    return repository;
  }

  /**
   * Opens a repository. Throws TrunkError `not-a-repository`, `unsupported` (naming what is not handled) or
   * `missing-branch`.
   */
  static open(disk: Disk, codec: ObjectCodec, options: OpenOptions): TrunkRepository {
    const { directory } = options;
    checkLayout(disk, directory);
    const head = new RefStore(disk, directory).readSymbolic('HEAD');
    const branch = options.branch ?? head?.replace(/^refs\/heads\//, '');
    if (branch === undefined) throw new TrunkError('missing-branch', `HEAD of ${directory} names no branch`);
    const repository = new TrunkRepository(disk, codec, directory, branch);
    repository.tip();
    return repository;
  }

  /** The newest commit of trunk, read from disk. Throws `missing-branch` when the branch is not there. */
  tip(): Oid {
    const tip = this.#refs.read(this.trunkRef);
    if (tip === null) throw new TrunkError('missing-branch', `${this.directory} has no branch ${this.branch}`);
    return tip;
  }

  /** The newest commit of the notes ref, or null when there is none yet. */
  notesTip(): Oid | null {
    return this.#refs.read(notesRef);
  }

  /** What a ref names, or null. `name` is full: "refs/…". */
  readRef(name: string): Oid | null {
    return this.#refs.read(name);
  }

  /** Refs below a prefix that ends in "/", sorted by name. */
  listRefs(prefix: string): { readonly name: string; readonly oid: Oid }[] {
    return this.#refs.list(prefix);
  }

  /** Moves a ref durably by compare-and-swap: `expected` null creates it, `value` null deletes it. */
  setRef(name: string, expected: Oid | null, value: Oid | null): RefOutcome {
    return this.#refs.compareAndSwap(name, expected, value);
  }

  /** The commit that a full id, a full ref name or a branch name means, or null. Tags are followed to their commit. */
  resolveCommit(name: string): Oid | null {
    const isId = /^[0-9a-f]{40}$/.test(name);
    let oid = isId ? name : name.startsWith('refs/') ? this.#refs.read(name) : this.#refs.read(`refs/heads/${name}`);
    for (let depth = 0; oid !== null && depth < 10; depth += 1) {
      const object = this.#store.read(oid);
      if (object?.type === 'commit') return oid;
      if (object?.type !== 'tag') return null;
      oid = /^object ([0-9a-f]{40})\n/.exec(String.fromCharCode(...object.bytes.subarray(0, 48)))?.[1] ?? null;
    }
    return null;
  }

  /** Whether one commit is another or an ancestor of it; `unknown` past a bound of a million commits. */
  isAncestor(ancestor: Oid, descendant: Oid): Ancestry {
    return this.#history.isAncestor(ancestor, descendant);
  }

  readCommit(oid: Oid): Commit {
    return this.#history.commit(oid);
  }

  /** The tree of a commit. Those of recent commits are in memory and share their folders. */
  commitTree(commit: Oid): Tree {
    const known = this.#notes?.commit === commit ? this.#notes.tree : this.#trees.get(commit);
    if (known) return known;
    const tree = this.treeAt(this.#history.commit(commit).tree);
    this.#trees.set(commit, tree);
    return tree;
  }

  /** The tree with this id. */
  treeAt(oid: Oid): Tree {
    return new Tree(this.#directory(oid), this.#source);
  }

  /** The tree without a file. */
  emptyTree(): Tree {
    return new Tree(emptyDirectory(), this.#source);
  }

  /** The content of a blob, or null when the repository has no such blob. */
  readBlob(oid: Oid): Uint8Array | null {
    const object = this.#store.read(oid);
    return object?.type === 'blob' ? object.bytes : null;
  }

  hasObject(oid: Oid): boolean {
    return this.#store.has(oid);
  }

  /** The id that a blob with this content has. */
  hashBlob(bytes: Uint8Array): Oid {
    return hashBlob(this.#codec, bytes);
  }

  /** The text of a commit's note, or null. */
  note(commit: Oid): string | null {
    const tip = this.notesTip();
    const blob = tip === null ? null : findNote(this.commitTree(tip), commit);
    const bytes = blob === null ? null : this.readBlob(blob);
    return bytes && new TextDecoder().decode(bytes);
  }

  /** Paths that differ between two commits, in path order. */
  changedPaths(from: Oid, to: Oid): PathChange[] {
    return this.commitTree(from).diff(this.commitTree(to));
  }

  /**
   * Builds a cycle in memory (TK1). The result is valid until the next `prepare` or `preserve`. Where the disk can work by
   * itself it begins to write the pack, which nothing refers to; failures of that are told by `writePack`.
   */
  prepare(input: CycleInput): PreparedCycle {
    this.#writer.abandon();
    const notes = input.notesParent === null ? this.emptyTree() : this.commitTree(input.notesParent);
    const { prepared, contents, notesTree } = buildCycle(this.#builder, input, notes);
    const { tree } = defined(input.commits.at(-1), 'the last commit');
    this.#unlanded.set(prepared, { contents, tree, notes: notesTree });
    this.#builtPack = prepared.packName;
    this.#writer.begin(prepared);
    return prepared;
  }

  /**
   * Checks a prepared cycle by code that shares nothing with its builder. `proposed` gives the bytes of proposed blobs
   * that merges start from and that no tree names, so that they are in no pack; their ids are computed again here.
   */
  verify(
    prepared: PreparedCycle,
    declaration: CycleDeclaration,
    proposed: (oid: Oid) => Uint8Array | null = () => null,
  ): Verdict {
    this.#arena.clear();
    const read = (oid: Oid): StoredObject | null => this.#readForCheck(oid);
    return verifyCycle(prepared, declaration, { sha1: this.#codec.sha1, read, proposed, memory: this.#verified });
  }

  /** Makes the cycle's objects durable. Nothing refers to them yet. */
  writePack(prepared: PreparedCycle): void {
    assert(prepared.packName === this.#builtPack, 'a cycle is written before anything else is built');
    const path = this.#writer.write(prepared);
    this.#store.addPack(path, prepared.index);
  }

  /**
   * Moves the notes ref and then trunk, durably (TK2). On `locked` or `moved` neither has moved. A DiskError may come
   * after the commit point: then `recoverCycle` tells whether the cycle landed.
   */
  moveRefs(prepared: PreparedCycle): RefOutcome {
    const outcome = this.#writer.move(prepared);
    if (outcome.kind === 'done') this.#landed(prepared);
    return outcome;
  }

  /** Finishes or undoes a cycle that was cut off. Run at the start, before anything is prepared. */
  recoverCycle(intention: CycleIntention): Recovery {
    this.#writer.abandon();
    this.#store.refresh();
    return recoverCycle(
      {
        disk: this.#disk,
        refs: this.#refs,
        history: this.#history,
        packFolder: this.#packFolder,
        trunkRef: this.trunkRef,
        notesRef,
      },
      intention,
    );
  }

  /** Removes files and locks of ours that a kill left. Answers their paths. Nothing may be under way. */
  removeLeftovers(): string[] {
    this.#writer.abandon();
    this.#writer.clear();
    return [...this.#refs.removeLeftovers(), ...removeUnfinishedPacks(this.#disk, this.#packFolder)];
  }

  /** Removes packs that a kill left half written by git. Answers their paths. No git may be under way here, ours or another's. */
  removeLeftoversOfGit(): string[] {
    return removeUnfinishedOfGit(this.#disk, this.#packFolder);
  }

  /**
   * How trunk moved since `known` was its tip. `limit` bounds the commits that are listed. A move by others is durable
   * before it is told, whatever they did for that.
   */
  detectForeign(known: Oid, limit = 1000): ForeignMove {
    if (this.tip() !== known) {
      this.#disk.syncDirectory(this.#packFolder);
      this.#refs.makeDurable(this.trunkRef);
    }
    return describeMove(this.#history, known, this.tip(), limit, (from, to) => this.changedPaths(from, to));
  }

  /**
   * Keeps work that did not land as a commit on its base under `refs/firetrident/preserved/<id>`. When it
   * returns with `done`, commit and ref are durable.
   */
  preserve(input: PreserveInput): { readonly commit: Oid; readonly ref: string; readonly outcome: RefOutcome } {
    const ref = `${preservedPrefix}${input.id}`;
    for (const [oid, bytes] of input.blobs) assert(this.hashBlob(bytes) === oid, `blob ${oid} has its own id`);
    const commit = this.#writeCommit(input.tree, input.blobs, { ...input, parents: [input.base] });
    return { commit, ref, outcome: this.setRef(ref, this.readRef(ref), commit) };
  }

  /** How many packs the repository has of its own. */
  packCount(): number {
    return packCount(this.#disk, this.directory);
  }

  /** Consolidates packs when there are many, while landing goes on. */
  async maintain(git: GitRunner, joiner: PackJoiner, options: MaintenanceOptions = {}): Promise<MaintenanceReport> {
    const report = await this.#maintenance.run(git, joiner, options);
    if (report.joined > 0 || report.repacked) this.#store.refresh();
    return report;
  }

  get #packFolder(): string {
    return `${this.directory}/objects/pack`;
  }

  #landed(prepared: PreparedCycle): void {
    const unlanded = this.#unlanded.get(prepared);
    assert(unlanded, 'a cycle lands once, in the repository that prepared it');
    this.#unlanded.delete(prepared);
    const { contents, tree, notes } = unlanded;
    this.#keep(contents, [
      { root: tree.root, levels: Number.POSITIVE_INFINITY },
      { root: notes.root, levels: notesLevelsKept },
    ]);
    for (const { oid, text } of contents.commits) {
      const isTip = oid === prepared.tip || oid === prepared.notesTip;
      if (isTip) this.#store.remember(oid, { type: 'commit', bytes: utf8(text) });
    }
    // Commits inside a cycle are nobody's base: work begins at a tip.
    this.#trees.set(prepared.tip, tree);
    this.#notes = { commit: prepared.notesTip, tree: notes };
  }

  /** What a pack brought is in the repository now; the folders that the trees still use are kept in memory. */
  #keep({ directories, commits }: PackContents, trees: readonly KeptTree[]): void {
    for (const commit of commits) this.#history.know(commit);
    for (const { root, levels } of trees) this.#keepFresh(root, levels);
    for (const directory of directories) {
      directory.stored = true;
      directory.origin = null;
    }
  }

  /** Keeps a new folder and new ones below it, `levels` in all; those below them are let go, to be read when needed. */
  #keepFresh(directory: Directory, levels: number): void {
    if (directory.stored || !directory.id) return;
    if (directory.origin?.id) this.#live.delete(oidText(directory.origin.id));
    this.#live.set(oidText(directory.id), directory);
    for (const piece of directory.pieces) {
      if (!piece.children) continue;
      if (levels > 1) for (const child of piece.children.values()) this.#keepFresh(child, levels - 1);
      else piece.children = null;
    }
  }

  /** Writes a pack with one commit, durably. */
  #writeCommit(tree: Tree, blobs: ReadonlyMap<Oid, Uint8Array>, parts: Omit<CommitParts, 'tree'>): Oid {
    this.#writer.abandon();
    this.#builtPack = null;
    this.#builder.begin();
    this.#builder.addBlobs(blobs);
    const commit = this.#builder.addCommit({ ...parts, tree: this.#builder.addTree(tree) });
    const { pack, contents } = this.#builder.finish();
    const path = beginPackFiles(this.#disk, this.#packFolder, { ...pack, packName: pack.name })();
    this.#store.addPack(path, pack.index);
    this.#keep(contents, [{ root: tree.root, levels: Number.POSITIVE_INFINITY }]);
    return commit;
  }

  #loadDirectory(id: Uint8Array): Directory {
    return this.#directory(oidText(id));
  }

  #directory(oid: Oid): Directory {
    const known = this.#live.get(oid) ?? this.#directories.get(oid);
    if (known) return known;
    const object = this.#store.read(oid);
    if (object?.type !== 'tree') throw new TrunkError('missing-object', `there is no tree ${oid}`);
    const directory = parseDirectory(object.bytes, oidBytes(oid));
    this.#directories.set(oid, directory);
    return directory;
  }

  /** Objects for the verifier, which computes their ids itself: folders in memory save reading packs. */
  #readForCheck(oid: Oid): StoredObject | null {
    const directory = this.#live.get(oid) ?? this.#directories.get(oid);
    if (!directory) return this.#store.read(oid);
    return { type: 'tree', bytes: this.#arena.put(directory) };
  }
}

/** The id that a blob with this content has. */
export function hashBlob(codec: ObjectCodec, bytes: Uint8Array): Oid {
  return oidText(codec.sha1([new TextEncoder().encode(`blob ${bytes.length}\0`), bytes]));
}

/** What the journal keeps of a prepared cycle. */
export function intentionOf(prepared: PreparedCycle): CycleIntention {
  const { oldTip, tip, oldNotes, notesTip, packName } = prepared;
  return { oldTip, newTip: tip, oldNotes, newNotes: notesTip, packName };
}
