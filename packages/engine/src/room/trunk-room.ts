// The room where the bytes are: plans, builds and verifies cycles, and reads the repository for everybody else.
//
// Synchronous inside, asynchronous outside, so it runs in a thread of its own or in the engine's. It knows trees,
// blobs and landings; it never knows leases, tokens or the journal.
//
// Invariants:
//   TR1. One cycle is planned at a time; planning another before the last was moved or discarded is a broken assumption.
//   TR2. Nothing is written before `write`, and no ref moves before `move`.
//   TR3. A proposal that verification stops is left out and the rest is built again.
//   TR4. Between plan and the end of a cycle nothing else builds objects: the built pack is a view of buffers that the
//        repository uses again. What asks to be preserved meanwhile waits.
//   TR5. Leftovers are not taken away while packs are joined: what joining is about to name looks like one.

import {
  assert,
  type CycleId,
  type LandingId,
  no,
  type Oid,
  ok,
  type ProposalId,
  type Result,
  type TreePath,
} from '@firetrident/base';
import type { Parser } from '@firetrident/content';
import { type ArchivedLanding, type LandedWrite, plan, type Quarantine, type RefMove } from '@firetrident/core';
import {
  DiskError,
  type GitRunner,
  type JoinOutcome,
  type ObjectCodec,
  type PackJoiner,
  type PreparedCycle,
  type Tree,
  TrunkError,
  type TrunkRepository,
} from '@firetrident/trunk';
import type { EngineRefusal, FileAnswer, TreeAnswer } from '../colony.ts';
import {
  type BlameAnswer,
  type CycleAnswer,
  type CycleRequest,
  type ForeignChange,
  type Lineage,
  type LineageRequest,
  type MaintenanceAnswer,
  type MoveAnswer,
  type PreserveRequest,
  type RecoveryAnswer,
  type ResolveRequest,
  type RoomFigures,
  type StagedBlob,
  StorageFailureError,
  type TrunkService,
} from '../trunk-service.ts';
import { blameLine } from './blame.ts';
import { type CommitGroup, cycleCommit, declaration, groupLandings, outcomesOf, proposalsOf } from './build.ts';
import { MergeMemory, RoomFacts } from './facts.ts';
import { isoTime } from './lineage.ts';
import { readLineage } from './lineage-reading.ts';
import { Materials } from './materials.ts';
import { mergeRules } from './merge-rule.ts';
import { Observer, textHash } from './observe.ts';
import { PathHistory } from './path-history.ts';
import { resolveProposal } from './resolve.ts';
import { strictRule } from './strict.ts';

/** Trees of recent commits kept decoded. */
const keptTrees = 64;

export interface RoomPorts {
  readonly codec: ObjectCodec;
  readonly git: GitRunner;
  /** Joins packs beside the thread that lands. */
  readonly joiner: PackJoiner;
  readonly parser: Parser;
  /** Directory of the bare repository, for stock git. */
  readonly directory: string;
  openRepository(): TrunkRepository;
  /** Monotonic milliseconds, for figures only. */
  elapsedMs(): number;
  /** Fault tests alter what was built before it is verified; null in a product. */
  readonly alter: ((prepared: PreparedCycle) => PreparedCycle) | null;
}

interface Pending {
  readonly cycle: CycleId;
  readonly prepared: PreparedCycle | null;
  readonly groups: readonly CommitGroup[];
}

/** The trunk service in the caller's thread. Rejects with `StorageFailureError` when a port fails. */
export class TrunkRoom implements TrunkService {
  readonly #ports: RoomPorts;
  #repository: TrunkRepository;
  readonly #materials: Materials;
  readonly #observer: Observer;
  readonly #merges = new MergeMemory();
  readonly #blobHash: (bytes: Uint8Array) => Oid;
  #history = new PathHistory();
  #pending: Pending | null = null;
  #afterPending: (() => void)[] = [];
  readonly #trees = new Map<Oid, Tree>();
  readonly #trunkCommits = new Set<Oid>();
  /** Ends when the packs that are being joined are; null when none are (TR5). */
  #joining: Promise<void> | null = null;
  /** Whether it was opened before. */
  #isOpened = false;
  readonly #joiner: PackJoiner = { join: (packFolder, packNames) => this.#join(packFolder, packNames) };

  constructor(ports: RoomPorts) {
    this.#ports = ports;
    this.#repository = guarded(() => ports.openRepository());
    this.#blobHash = (bytes) => this.#repository.hashBlob(bytes);
    this.#materials = new Materials((oid) => this.#repository.readBlob(oid), ports.parser);
    this.#observer = new Observer(
      this.#materials,
      textHash((parts) => ports.codec.sha1(parts)),
    );
  }

  async open(history: readonly ArchivedLanding[]) {
    await this.#joined();
    return guarded(() => {
      this.#repository = this.#ports.openRepository();
      this.#repository.removeLeftovers();
      // Later on, git of ours may be at work.
      if (!this.#isOpened) this.#repository.removeLeftoversOfGit();
      this.#isOpened = true;
      this.#history = new PathHistory();
      this.#forgetPending();
      this.#trees.clear();
      this.#trunkCommits.clear();
      for (const landing of [...history].reverse())
        this.#remember(landing.landing, landing.intent, landing.commit, landing.writes);
      return { tip: this.#repository.tip(), notes: this.#repository.notesTip() };
    });
  }

  async lineage(request: LineageRequest): Promise<Lineage> {
    return guarded(() => readLineage(this.#repository, request));
  }

  async stage(blobs: readonly StagedBlob[]): Promise<void> {
    for (const blob of blobs) this.#materials.stage(blob.oid, blob.bytes);
  }

  async unstage(oids: readonly Oid[]): Promise<void> {
    for (const oid of oids) this.#materials.unstage(oid);
  }

  async hasBlobs(oids: readonly Oid[]): Promise<readonly boolean[]> {
    return guarded(() => oids.map((oid) => this.#materials.has(oid)));
  }

  async resolve(request: ResolveRequest) {
    return guarded(() =>
      resolveProposal(
        { materials: this.#materials, observer: this.#observer, treeAt: (commit) => this.#trunkTree(commit) },
        request,
      ),
    );
  }

  async plan(request: CycleRequest): Promise<CycleAnswer> {
    assert(this.#pending === null, 'the last cycle was moved or discarded'); // (TR1)
    return guarded(() => {
      const change = this.#foreign(request.tip);
      return change === null ? this.#planOnTip(request) : { kind: 'foreign', change };
    });
  }

  async write(cycle: CycleId): Promise<void> {
    guarded(() => {
      const { prepared } = this.#expect(cycle);
      if (prepared !== null) this.#repository.writePack(prepared); // (TR2)
    });
  }

  async move(cycle: CycleId): Promise<MoveAnswer> {
    return guarded((): MoveAnswer => {
      const { prepared, groups } = this.#expect(cycle);
      if (prepared !== null) {
        const outcome = this.#repository.moveRefs(prepared);
        if (outcome.kind === 'locked') return { kind: 'locked', ref: outcome.ref };
        if (outcome.kind === 'moved') return { kind: 'stale', ref: outcome.ref, found: outcome.found ?? '' };
        this.#rememberLanded(prepared, groups);
      }
      this.#forgetPending();
      return { kind: 'moved' };
    });
  }

  async discard(cycle: CycleId): Promise<void> {
    if (this.#pending?.cycle === cycle) this.#forgetPending();
  }

  async recover(refs: RefMove): Promise<RecoveryAnswer> {
    await this.#joined();
    return guarded((): RecoveryAnswer => {
      const { oldTip, newTip, oldNotes, newNotes } = refs;
      assert(newNotes !== null, 'a cycle that moves trunk moves its notes');
      const found = this.#repository.recoverCycle({ oldTip, newTip, oldNotes, newNotes, packName: '' });
      this.#repository.removeLeftovers();
      return found.kind === 'foreign' ? { kind: 'foreign', tip: found.tip } : { kind: found.kind };
    });
  }

  async foreign(known: Oid): Promise<ForeignChange | null> {
    return guarded(() => this.#foreign(known));
  }

  async remember(landing: LandingId, title: string, writes: readonly LandedWrite[], commit: Oid): Promise<void> {
    this.#remember(landing, { id: null, title }, commit, writes);
  }

  async preserve(request: PreserveRequest): Promise<{ readonly commit: Oid; readonly ref: string }> {
    // (TR4) Several may wait, and a cycle may have begun again by the time that one is woken.
    while (this.#pending !== null) await new Promise<void>((resolve) => this.#afterPending.push(resolve));
    return guarded(() => {
      const base = this.#repository.commitTree(request.base);
      const blobs = new Map<Oid, Uint8Array>();
      for (const { after } of request.writes) {
        if (after === null || after.mode === '160000') continue;
        const bytes = this.#materials.fresh(after.oid);
        if (bytes !== null) blobs.set(after.oid, bytes);
        // A ref must never hold a tree whose files are nowhere.
        else if (!this.#materials.has(after.oid))
          throw new StorageFailureError(`blob ${after.oid} of ${request.preserved} is lost`, 'restore it', false);
      }
      const person = { name: `FireTrident ${request.colony}`, email: 'colony@firetrident.invalid' };
      const kept = this.#repository.preserve({
        id: request.preserved,
        base: request.base,
        tree: base.with(request.writes.map((write) => ({ path: write.path, entry: write.after }))),
        message: `${request.title}\n\nKept at ${isoTime(request.now)}.\n`,
        author: person,
        committer: person,
        blobs,
        timeSeconds: Math.floor(request.now / 1_000),
      });
      if (kept.outcome.kind !== 'done') {
        throw new StorageFailureError(`${kept.outcome.ref} is ${kept.outcome.kind}`, 'it is tried again', true);
      }
      return { commit: kept.commit, ref: kept.ref };
    });
  }

  async readFile(path: TreePath, commit: Oid): Promise<Result<FileAnswer, EngineRefusal>> {
    return guarded((): Result<FileAnswer, EngineRefusal> => {
      const tree = this.#anyTree(commit);
      if (tree === null) return no({ code: 'unknown_commit', commit });
      const entry = tree.entry(path);
      if (entry === null) return no({ code: 'unknown_path', path, commit });
      const bytes = entry.mode === '160000' ? new Uint8Array() : this.#materials.bytes(entry.oid);
      return ok({ path, commit, entry, bytes });
    });
  }

  async readTree(path: TreePath, commit: Oid): Promise<Result<TreeAnswer, EngineRefusal>> {
    return guarded((): Result<TreeAnswer, EngineRefusal> => {
      const tree = this.#anyTree(commit);
      if (tree === null) return no({ code: 'unknown_commit', commit });
      const items = tree.list(path);
      if (items === null) return no({ code: 'unknown_path', path, commit });
      const entries = items.map((item) => ({
        name: item.name,
        kind: item.kind,
        entry: item.kind === 'file' ? item.entry : null,
      }));
      return ok({ path, commit, entries });
    });
  }

  async blame(path: TreePath, line: number, commit: Oid): Promise<Result<BlameAnswer, EngineRefusal>> {
    const file = await this.readFile(path, commit);
    if (!file.ok) return file;
    return blameLine(this.#ports.git, this.#ports.directory, file.value, line);
  }

  async maintain(): Promise<MaintenanceAnswer> {
    const { packsAfter, joined, repacked } = await this.#repository.maintain(this.#ports.git, this.#joiner);
    return { packs: packsAfter, joined, repacked };
  }

  async close(): Promise<void> {
    this.#trees.clear();
    await this.#ports.git.close();
  }

  #join(packFolder: string, packNames: readonly string[]): Promise<JoinOutcome> {
    const joined = this.#ports.joiner.join(packFolder, packNames);
    const end = () => {
      this.#joining = null;
    };
    this.#joining = joined.then(end, end);
    return joined;
  }

  /** Waits until no packs are being joined (TR5). */
  async #joined(): Promise<void> {
    while (this.#joining !== null) await this.#joining;
  }

  #planOnTip(request: CycleRequest): CycleAnswer {
    const tip = this.#repository.commitTree(request.tip);
    const treeAt = (commit: Oid) => this.#trunkTree(commit);
    const ruleOf = mergeRules(request.policy);
    const facts = new RoomFacts(
      tip,
      this.#materials,
      this.#observer,
      this.#history,
      this.#blobHash,
      treeAt,
      ruleOf,
      this.#merges,
    );
    const quarantined = new Map<ProposalId, string>();
    const stopped: Quarantine[] = [];
    let planMs = 0;
    let buildMs = 0;
    let verifyMs = 0;
    for (;;) {
      const planStart = this.#ports.elapsedMs();
      const planned = plan(
        {
          proposals: request.entries.map((entry) => entry.proposal),
          titles: new Map(request.entries.map((entry) => [entry.proposal.id, entry.intent.title])),
          landings: new Map(request.entries.map((entry) => [entry.proposal.id, entry.landing])),
          returnedPredecessors: new Set(request.returnedPredecessors),
          strict: strictRule(request.policy),
          quarantined,
        },
        facts,
      );
      const groups = groupLandings(planned, request);
      const buildStart = this.#ports.elapsedMs();
      planMs += buildStart - planStart;
      const prepared = groups.length === 0 ? null : this.#build(groups, request);
      const verifyStart = this.#ports.elapsedMs();
      buildMs += verifyStart - buildStart;
      const verdict =
        prepared === null
          ? null
          : this.#repository.verify(prepared, declaration(groups, request.tip, request.notes), (oid) =>
              this.#materials.fresh(oid),
            );
      verifyMs += this.#ports.elapsedMs() - verifyStart;
      if (verdict === null || verdict.ok) {
        this.#pending = { cycle: request.cycle, prepared, groups };
        const refs = prepared === null ? null : refMove(prepared);
        const outcomes = outcomesOf(planned, groups, prepared?.commits ?? [], prepared?.tip ?? request.tip);
        return {
          kind: 'planned',
          refs,
          outcomes,
          quarantined: stopped,
          figures: { planMs, buildMs, verifyMs, ...this.#verdicts() },
        };
      }
      // (TR3) What cannot be pinned on one commit stops the whole cycle's landings.
      const blamed = verdict.commit === null ? groups : [groups[verdict.commit] as CommitGroup];
      for (const proposal of blamed.flatMap(proposalsOf)) {
        quarantined.set(proposal, verdict.detail);
        stopped.push({ proposal, problem: verdict.detail });
      }
    }
  }

  #verdicts(): Pick<RoomFigures, 'verdictsRecalled' | 'verdictsFound'> {
    const memories = [this.#observer.memory, this.#merges];
    const sum = (of: (memory: (typeof memories)[number]) => number) =>
      memories.reduce((all, each) => all + of(each), 0);
    return { verdictsRecalled: sum(({ recalled }) => recalled), verdictsFound: sum(({ found }) => found) };
  }

  #build(groups: readonly CommitGroup[], request: CycleRequest): PreparedCycle {
    const blobs = new Map<Oid, Uint8Array>();
    for (const group of groups) {
      for (const write of group.landings.flatMap((landing) => landing.writes)) {
        const bytes = write.after === null ? null : this.#materials.fresh(write.after.oid);
        if (write.after !== null && bytes !== null) blobs.set(write.after.oid, bytes);
      }
    }
    const prepared = this.#repository.prepare({
      parent: request.tip,
      notesParent: request.notes,
      commits: groups.map((group) => cycleCommit(group, request)),
      blobs,
      timeSeconds: Math.floor(request.now / 1_000),
    });
    return this.#ports.alter === null ? prepared : this.#ports.alter(prepared);
  }

  #foreign(known: Oid): ForeignChange | null {
    const move = this.#repository.detectForeign(known);
    switch (move.kind) {
      case 'same':
        return null;
      case 'rewound':
        // Agents may be at work on what trunk was.
        this.#trunkCommits.add(known);
        return { kind: 'rewound', tip: move.tip };
      case 'advanced': {
        const newest = move.commits[move.commits.length - 1] as Oid;
        const title = this.#repository.readCommit(newest).message.split('\n', 1)[0] ?? '';
        return { kind: 'advanced', tip: move.tip, commits: move.total, title, writes: move.changes };
      }
    }
  }

  #expect(cycle: CycleId): Pending {
    assert(this.#pending !== null && this.#pending.cycle === cycle, `cycle ${cycle} is the one that was planned`);
    return this.#pending;
  }

  #forgetPending(): void {
    this.#pending = null;
    this.#materials.clearMade();
    for (const resolve of this.#afterPending.splice(0)) resolve();
  }

  #rememberLanded(prepared: PreparedCycle, groups: readonly CommitGroup[]): void {
    groups.forEach((group, index) => {
      group.landings.forEach((landing, position) => {
        const entry = group.entries[position];
        assert(entry !== undefined, 'every landing has its entry');
        const { id, title } = entry.intent;
        this.#remember(entry.landing, { id, title }, prepared.commits[index] as Oid, landing.writes);
      });
    });
  }

  #remember(
    landing: LandingId,
    intent: { id: ArchivedLanding['intent']['id']; title: string },
    commit: Oid,
    writes: readonly LandedWrite[],
  ): void {
    this.#history.add({
      landing,
      intent: { id: intent.id, title: intent.title },
      commit,
      writes: writes.map(({ path, before, after }) => ({ path, before, after })),
    });
  }

  /** The tree of a commit that is or was trunk's; null for anything else. */
  #trunkTree(commit: Oid): Tree | null {
    const known = this.#trees.get(commit);
    if (known !== undefined) return known;
    if (!this.#isTrunkCommit(commit)) return null;
    return this.#keepTree(commit);
  }

  #isTrunkCommit(commit: Oid): boolean {
    if (this.#history.knows(commit) || this.#trunkCommits.has(commit)) return true;
    if (this.#repository.resolveCommit(commit) === null) return false;
    const isOne = this.#repository.isAncestor(commit, this.#repository.tip()) === 'yes';
    if (isOne) this.#trunkCommits.add(commit);
    return isOne;
  }

  /** The tree of any commit in the repository: trunk's, or one that was preserved. */
  #anyTree(commit: Oid): Tree | null {
    return (
      this.#trees.get(commit) ??
      (this.#repository.resolveCommit(commit) === null ? null : this.#repository.commitTree(commit))
    );
  }

  #keepTree(commit: Oid): Tree {
    const tree = this.#repository.commitTree(commit);
    this.#trees.set(commit, tree);
    if (this.#trees.size > keptTrees) this.#trees.delete(this.#trees.keys().next().value as Oid);
    return tree;
  }
}

function refMove(prepared: PreparedCycle): RefMove {
  return { oldTip: prepared.oldTip, newTip: prepared.tip, oldNotes: prepared.oldNotes, newNotes: prepared.notesTip };
}

/** Storage failures are classified here, once; everything else is a broken assumption and goes up as it is. */
function guarded<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (error instanceof DiskError) {
      const hint =
        error.kind === 'full' ? 'free some room on the disk' : 'make the data directory writable for the daemon';
      throw new StorageFailureError(`${error.operation} ${error.path}: ${error.kind}`, hint, true);
    }
    if (error instanceof TrunkError)
      throw new StorageFailureError(error.message, 'check the repository with git fsck', false);
    throw error;
  }
}
