// The independent check of a prepared cycle, before any ref moves.
//
// Shares no code with what builds cycles: it reads the pack's bytes by its own means and computes every id anew. What
// lies outside the pack it gets from an injected function and does not believe either: those ids are computed too.
//
// Invariants:
//   VF1. Each commit has one parent: the commit before it, for the first one the declared tip.
//   VF2. The paths in which a commit's tree differs from its parent's are exactly the declared writes, and each entry
//        is the proposed one or a merge that its witness or its rule proves, of base, parent and proposal.
//   VF3. Every blob that a declared write names is there.
//   VF4. The notes commit follows the declared one, and its tree differs from that by one note for each commit and
//        by nothing else; notes may only have moved between folders, with their content.
//   VF5. Whatever is wrong, the answer is a verdict, and nothing has been changed by asking.

import { hexText, type Oid, type TreePath } from '@firetrident/base';
import type { CycleDeclaration, DeclaredWrite, Entry, PreparedCycle, Verdict } from './model.ts';
import { IdMap, sameId } from './verify-id.ts';
import type { VerifiedTrees } from './verify-memory.ts';
import { checkMerge } from './verify-merge.ts';
import {
  hasText,
  IdComputer,
  type PackedObject,
  Refused,
  ScannedPack,
  type SeenObject,
  type Sha1,
} from './verify-pack.ts';
import { checkRule } from './verify-rules.ts';
import { compareTrees, type SeenChange, type TreeReaders } from './verify-tree.ts';

/** What the verifier is given besides the cycle. */
export interface VerifierSources {
  readonly sha1: Sha1;
  /** An object of the repository, or null. The bytes need to stay as they are only until the verdict. */
  readonly read: (oid: Oid) => SeenObject | null;
  /** Bytes of a proposed blob that a merge starts from and that need not be in the repository, or null. */
  readonly proposed?: (oid: Oid) => Uint8Array | null;
  /** What earlier verifications have seen; this one adds to it when it ends well. */
  readonly memory?: VerifiedTrees;
}

/** The parts of a prepared cycle that are checked. */
export type CheckedCycle = Pick<PreparedCycle, 'pack' | 'index' | 'commits' | 'tip' | 'notesTip'>;

/** Checks a cycle against what it was declared to do (VF1 to VF5). */
export function verifyCycle(cycle: CheckedCycle, declaration: CycleDeclaration, sources: VerifierSources): Verdict {
  const check = new CycleCheck(cycle, declaration, sources);
  try {
    check.run();
    return { ok: true };
  } catch (error) {
    if (error instanceof Refused) return verdictOf(error, check.commitIndex);
    if (error instanceof RangeError) return verdictOf(new Refused('pack-malformed', error.message), check.commitIndex);
    throw error;
  }
}

function verdictOf({ problem, message, path }: Refused, commit: number | null): Verdict {
  const verdict = { ok: false, commit, problem, detail: message } as const;
  return path === undefined ? verdict : { ...verdict, path };
}

const emptyTree = new Uint8Array(0);

class CycleCheck {
  /** The commit under examination; null for the cycle as a whole. */
  commitIndex: number | null = null;
  readonly #cycle: CheckedCycle;
  readonly #declaration: CycleDeclaration;
  readonly #sources: VerifierSources;
  readonly #ids: IdComputer;
  readonly #outside = new IdMap<SeenObject>();
  /** Trees of the pack that no later commit of the cycle replaces, as far as is known. */
  readonly #newest = new Set<PackedObject>();
  #pack: ScannedPack | null = null;

  constructor(cycle: CheckedCycle, declaration: CycleDeclaration, sources: VerifierSources) {
    this.#cycle = cycle;
    this.#declaration = declaration;
    this.#sources = sources;
    this.#ids = new IdComputer(sources.sha1);
  }

  run(): void {
    const { commits, tip } = this.#cycle;
    const declared = this.#declaration.commits;
    this.#pack = new ScannedPack(this.#cycle.pack, this.#cycle.index, this.#ids);
    if (commits.length !== declared.length || commits.length === 0) {
      throw new Refused('commit-count', `${commits.length} commits were built for ${declared.length} declared ones`);
    }
    let parent = idOf(this.#declaration.parent);
    let parentTree = this.#treeOf(parent);
    for (const [index, commit] of commits.entries()) {
      this.commitIndex = index;
      const id = idOf(commit);
      const tree = this.#checkedTree(id, parent);
      this.#checkWrites(parentTree, tree, declared[index]?.writes ?? []);
      parent = id;
      parentTree = tree;
    }
    this.commitIndex = null;
    if (!sameId(parent, 0, idOf(tip), 0)) throw new Refused('tip-wrong', 'the new tip is not the last commit');
    this.#checkNotes();
    for (const { id, bytes } of this.#newest) this.#sources.memory?.keep(id, bytes);
  }

  /** The content of the commit's tree, once its parent is right (VF1). */
  #checkedTree(id: Uint8Array, parent: Uint8Array): Uint8Array {
    const header = readHeader(this.#inPack(id, 'commit'));
    const [only] = header.parents;
    if (header.parents.length !== 1 || !only || !sameId(only, 0, parent, 0)) {
      throw new Refused('wrong-parent', 'the commit does not follow the one before it');
    }
    return this.#tree(header.tree, 0);
  }

  /** (VF2, VF3) */
  #checkWrites(before: Uint8Array, after: Uint8Array, writes: readonly DeclaredWrite[]): void {
    const due = new Map<TreePath, DeclaredWrite>();
    for (const write of writes) due.set(write.path, write);
    compareTrees(before, after, this.#read, (change) => {
      const write = due.get(change.path);
      if (!write) throw new Refused('undeclared-change', `${change.path} changes undeclared`, change.path);
      due.delete(change.path);
      if (write.kind === 'proposed') this.#checkEntry(change, write.entry);
      else this.#checkMerged(change, write);
    });
    for (const path of due.keys()) throw new Refused('missing-change', `${path} was to change and does not`, path);
  }

  #checkEntry({ path, after }: SeenChange, entry: Entry | null): void {
    if (!after || !entry) {
      if (after || entry) throw new Refused('wrong-entry', `${path} is ${after ? 'there' : 'missing'}`, path);
      return;
    }
    if (!isIdOf(after.id, entry.oid)) throw new Refused('wrong-entry', `${path} has other content`, path);
    if (after.mode !== entry.mode) throw new Refused('wrong-mode', `${path} has mode ${after.mode}`, path);
    if (entry.mode !== '160000') this.#blob(after.id, path);
  }

  #checkMerged({ path, before, after }: SeenChange, write: DeclaredWrite & { readonly kind: 'merged' }): void {
    if (!before || !isIdOf(before.id, write.ours.oid) || plainMode(before.mode) !== write.ours.mode) {
      throw new Refused('merge-not-proved', `${path} was merged with something else than trunk has`, path);
    }
    if (!after) throw new Refused('wrong-entry', `${path} is missing`, path);
    if (after.mode !== write.mode) throw new Refused('wrong-mode', `${path} has mode ${after.mode}`, path);
    const baseMode = write.base?.mode ?? write.ours.mode;
    const mode = write.ours.mode === baseMode ? write.theirs.mode : write.ours.mode;
    if (mode !== write.mode || (write.theirs.mode !== baseMode && write.theirs.mode !== mode)) {
      throw new Refused('merge-not-proved', `${path} cannot have mode ${write.mode} by merging`, path);
    }
    const base = write.base === null ? emptyTree : this.#mergeInput(write.base.oid, path);
    const [ours, theirs] = [this.#blob(before.id, path), this.#mergeInput(write.theirs.oid, path)];
    const { witness } = write;
    const result = this.#blob(after.id, path);
    const wrong =
      'rule' in witness
        ? checkRule(path, base, ours, theirs, witness, result)
        : checkMerge(base, ours, theirs, witness, result);
    if (wrong !== null) throw new Refused('merge-not-proved', `the merge of ${path} is not proved: ${wrong}`, path);
  }

  /** (VF4) */
  #checkNotes(): void {
    const header = readHeader(this.#inPack(idOf(this.#cycle.notesTip), 'commit'));
    const wanted = this.#declaration.notesParent;
    const [only] = header.parents;
    const follows = wanted === null ? header.parents.length === 0 : only && sameId(only, 0, idOf(wanted), 0);
    if (!follows || header.parents.length > 1) throw new Refused('notes-parent', 'the notes follow another commit');
    const before = wanted === null ? emptyTree : this.#treeOf(idOf(wanted));
    const removed = new Map<string, string>();
    const added = new Map<string, string>();
    compareTrees(before, this.#tree(header.tree, 0), this.#read, (change) => {
      const commit = change.path.replaceAll('/', '');
      if (change.after && change.after.mode !== '100644') {
        throw new Refused('notes-changed', `the note at ${change.path} has mode ${change.after.mode}`);
      }
      if (change.before) removed.set(commit, hexText(change.before.id));
      if (change.after) added.set(commit, hexText(change.after.id));
    });
    for (const [commit, blob] of removed) {
      if (added.get(commit) !== blob) throw new Refused('notes-changed', `the note of ${commit} was lost or changed`);
      added.delete(commit);
    }
    for (const [index, commit] of this.#cycle.commits.entries()) {
      this.commitIndex = index;
      const blob = added.get(commit);
      if (blob === undefined) throw new Refused('note-missing', `commit ${commit} has no note`);
      this.#blob(idOf(blob), null);
      added.delete(commit);
    }
    this.commitIndex = null;
    for (const commit of added.keys()) throw new Refused('notes-changed', `a note for ${commit} was not asked for`);
  }

  readonly #read: TreeReaders = {
    before: (bytes, at) => {
      const replaced = this.#pack?.get(bytes, at);
      if (replaced) this.#newest.delete(replaced);
      return this.#tree(bytes, at);
    },
    after: (bytes, at) => {
      const built = this.#pack?.get(bytes, at);
      if (built?.type === 'tree') this.#newest.add(built);
      return this.#tree(bytes, at);
    },
  };

  #treeOf(commit: Uint8Array): Uint8Array {
    const object = this.#object(commit, 0);
    if (object?.type !== 'commit') throw new Refused('object-missing', `there is no commit ${hexText(commit)}`);
    return this.#tree(readHeader(object.bytes).tree, 0);
  }

  #tree(bytes: Uint8Array, at: number): Uint8Array {
    const object = this.#object(bytes, at);
    if (object?.type === 'tree') return object.bytes;
    throw new Refused('object-missing', `there is no tree ${hexText(bytes.subarray(at, at + 20))}`);
  }

  #blob(id: Uint8Array, path: TreePath | null): Uint8Array {
    const object = this.#object(id, 0);
    if (object?.type === 'blob') return object.bytes;
    throw new Refused('blob-missing', `there is no blob ${hexText(id)}`, path ?? undefined);
  }

  /** What a merge starts from: unlike its result it may be a blob that nothing but the proposal names (VF3). */
  #mergeInput(oid: Oid, path: TreePath): Uint8Array {
    const bytes = this.#sources.proposed?.(oid) ?? null;
    const id = idOf(oid);
    if (bytes !== null && sameId(this.#ids.idOf({ type: 'blob', bytes }), 0, id, 0)) return bytes;
    return this.#blob(id, path);
  }

  #inPack(id: Uint8Array, type: SeenObject['type']): Uint8Array {
    const object = this.#pack?.get(id, 0);
    if (object?.type === type) return object.bytes;
    throw new Refused('object-missing', `the pack has no ${type} ${hexText(id)}`);
  }

  #object(bytes: Uint8Array, at: number): SeenObject | null {
    const known = this.#pack?.get(bytes, at) ?? this.#outside.get(bytes, at);
    if (known) return known;
    const remembered = this.#sources.memory?.get(bytes, at);
    if (remembered) return { type: 'tree', bytes: remembered };
    const oid = hexText(bytes.subarray(at, at + 20));
    const object = this.#sources.read(oid);
    if (!object) return null;
    if (!sameId(this.#ids.idOf(object), 0, bytes, at)) {
      throw new Refused('object-missing', `the repository's object ${oid} has other content than its id says`);
    }
    this.#outside.set(bytes.slice(at, at + 20), object);
    return object;
  }
}

/** What old modes mean: files are plain or executable by the owner's bit. */
function plainMode(mode: string): string {
  if (!mode.startsWith('100')) return mode;
  return (Number.parseInt(mode, 8) & 0o100) === 0 ? '100644' : '100755';
}

function idOf(oid: Oid): Uint8Array {
  const id = new Uint8Array(20);
  for (let index = 0; index < 20; index += 1) id[index] = byteOf(oid, index);
  return id;
}

function byteOf(oid: Oid, index: number): number {
  return digit(oid.charCodeAt(index * 2)) * 16 + digit(oid.charCodeAt(index * 2 + 1));
}

function digit(code: number): number {
  return code < 0x3a ? code - 0x30 : code - 0x57;
}

function isIdOf(id: Uint8Array, oid: Oid): boolean {
  for (let index = 0; index < 20; index += 1) if (id[index] !== byteOf(oid, index)) return false;
  return true;
}

/** The id whose digits lie in a commit at an offset. */
function idAt(commit: Uint8Array, at: number): Uint8Array {
  const id = new Uint8Array(20);
  for (let index = 0; index < 20; index += 1) {
    const from = at + index * 2;
    id[index] = digit(commit[from] as number) * 16 + digit(commit[from + 1] as number);
  }
  return id;
}

interface Header {
  readonly tree: Uint8Array;
  readonly parents: readonly Uint8Array[];
}

/** Reads the first lines of a commit: "tree", any number of "parent", then "author". */
function readHeader(commit: Uint8Array): Header {
  if (!hasText(commit, 0, 'tree ') || commit[45] !== 0x0a) throw malformedCommit();
  const tree = idAt(commit, 5);
  const parents: Uint8Array[] = [];
  let at = 46;
  for (; hasText(commit, at, 'parent '); at += 48) {
    if (commit[at + 47] !== 0x0a) throw malformedCommit();
    parents.push(idAt(commit, at + 7));
  }
  if (!hasText(commit, at, 'author ')) throw malformedCommit();
  return { tree, parents };
}

function malformedCommit(): Refused {
  return new Refused('commit-malformed', 'a commit object is malformed');
}
