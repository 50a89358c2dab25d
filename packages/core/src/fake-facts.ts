// Facts of planning over plain maps: no bytes, no git, no history but what it is told.
//
// For the simulator and for tests, which plan with the same code as the daemon. Contents are declared parts
// (fake-facts-content.ts), trees are maps (fake-facts-tree.ts), and the causes are the landings recorded here.

import type { LandingId, Oid, ProposalId, TreePath } from '@firetrident/base';
import { type FakeContent, FakeContents, fakeHash } from './fake-facts-content.ts';
import { type FakeListed, FakeTree } from './fake-facts-tree.ts';
import type { Cause, Entry, FileMode, LandedWrite, Proposal, ResolvedRead, ResolvedWrite } from './model.ts';
import type { MergeFact, Observation, PlanFacts, PlanTree } from './plan-port.ts';
import { LandingTouches } from './plan-touches.ts';

/** A read before it has a basis. */
export type FakeQuery =
  | { readonly path: TreePath }
  | { readonly dir: TreePath }
  | { readonly glob: string }
  | { readonly path: TreePath; readonly symbol: string; readonly signature?: boolean }
  | { readonly path: TreePath; readonly lines: readonly [number, number] };

const unknownCause: Cause = { landing: null, intent: { id: null, title: '' } };
const nowhere: Oid = fakeHash('the base of a fake read');
const noProposals: ReadonlySet<ProposalId> = new Set();

/** Facts for one cycle after another: `record` moves the tip. */
export class FakeFacts implements PlanFacts {
  readonly contents = new FakeContents();
  readonly #history = new LandingTouches((glob, path) => this.matchesGlob(glob, path));
  readonly #globs = new Map<string, RegExp>();
  #tip: FakeTree;

  constructor(tip: FakeTree = FakeTree.of([])) {
    this.#tip = tip;
  }

  get tip(): FakeTree {
    return this.#tip;
  }

  /** An entry with this content. */
  file(content: FakeContent | FakeContent['parts'] | string, mode: FileMode = '100644'): Entry {
    if (typeof content === 'string') return { mode, oid: this.contents.put({ parts: { 1: content } }) };
    return { mode, oid: this.contents.put(isContent(content) ? content : { parts: content }) };
  }

  /** Replaces the tip by what a landing made, and remembers the landing as a cause. */
  record(
    landing: { readonly landing: LandingId; readonly proposal: Proposal; readonly title: string },
    writes: readonly LandedWrite[],
  ): void {
    const after = this.#tip.with(writes.map(({ path, after: entry }) => ({ path, entry })));
    const paths = writes.map((write) => write.path);
    this.#history.add({ ...landing, paths }, writes, this.#tip, after);
    this.#tip = after;
  }

  /** A read with the basis that it has in `tree`. */
  read(query: FakeQuery, tree: FakeTree = this.#tip): ResolvedRead {
    if ('dir' in query) return { kind: 'dir', path: query.dir, at: nowhere, basis: listingBasis(tree, query.dir) };
    if ('glob' in query) {
      return { kind: 'glob', glob: query.glob, at: nowhere, basis: this.#globBasis(tree, query.glob) };
    }
    const { path } = query;
    if ('lines' in query) {
      const [from, to] = query.lines;
      return { kind: 'lines', path, from, to, at: nowhere, basis: tree.entry(path)?.oid ?? null };
    }
    if ('symbol' in query) {
      const { symbol, signature = false } = query;
      const basis = this.#symbolBasis(tree, path, signature ? `${symbol}()` : symbol);
      return { kind: 'symbol', path, symbol, signature, at: nowhere, basis };
    }
    return { kind: 'file', path, at: nowhere, basis: tree.entry(path)?.oid ?? null };
  }

  /** A write against `tree`. */
  write(path: TreePath, after: Entry | null, tree: PlanTree = this.#tip): ResolvedWrite {
    return { path, base: tree.entry(path), after };
  }

  merge(_path: TreePath, base: Entry | null, ours: Entry | null, theirs: Entry | null): MergeFact {
    return this.contents.merge(base, ours, theirs);
  }

  observe(tree: PlanTree, read: ResolvedRead): Observation {
    const now = this.#basisIn(tree as FakeTree, read);
    if (read.kind !== 'lines') return { stale: now !== read.basis, now };
    return { stale: this.#lines(now, read.from, read.to) !== this.#lines(read.basis, read.from, read.to), now };
  }

  causeOfRead(read: ResolvedRead): Cause {
    const landing = this.#history.ofRead(read, noProposals);
    return landing === null ? unknownCause : causeOf(landing);
  }

  causeOfWrite(path: TreePath): Cause {
    const landing = this.#history.ofPath(path, noProposals);
    return landing === null ? unknownCause : causeOf(landing);
  }

  diffOfRead(tree: PlanTree, read: ResolvedRead): string {
    return `-${read.basis}\n+${this.#basisIn(tree as FakeTree, read)}\n`;
  }

  diffOfWrite(_path: TreePath, base: Entry | null, tip: Entry | null): string {
    return `-${base?.oid}\n+${tip?.oid}\n`;
  }

  /** What ends in `.lock` is made anew. */
  regenerationOf(path: TreePath): string | null {
    return path.endsWith('.lock') ? 'make lock' : null;
  }

  /** Understands "*", "?" and "**" between slashes. */
  matchesGlob(glob: string, path: TreePath): boolean {
    let pattern = this.#globs.get(glob);
    if (pattern === undefined) {
      pattern = globPattern(glob);
      this.#globs.set(glob, pattern);
    }
    return pattern.test(path);
  }

  #basisIn(tree: FakeTree, read: ResolvedRead): string | null {
    switch (read.kind) {
      case 'file':
      case 'lines':
        return tree.entry(read.path)?.oid ?? null;
      case 'dir':
        return listingBasis(tree, read.path);
      case 'glob':
        return this.#globBasis(tree, read.glob);
      case 'symbol':
        return this.#symbolBasis(tree, read.path, read.signature ? `${read.symbol}()` : read.symbol);
    }
  }

  #globBasis(tree: FakeTree, glob: string): string {
    const matching = [...tree.entries()].map(([path]) => path).filter((path) => this.matchesGlob(glob, path));
    return fakeHash(matching.sort().join('\n'));
  }

  /** The part that the symbol names, followed through re-exports; the whole file where there is no such part. */
  #symbolBasis(tree: FakeTree, path: TreePath, part: string): string {
    const entry = tree.entry(path);
    if (entry === null) return 'absent';
    const content = this.contents.get(entry.oid);
    const source = content?.from?.[part];
    if (source !== undefined && source !== path) return this.#symbolBasis(tree, source, part);
    return content?.parts[part] ?? entry.oid;
  }

  #lines(oid: string | null, from: number, to: number): string | null {
    const parts = oid === null ? null : this.contents.get(oid)?.parts;
    if (!parts) return oid;
    const inside = Object.keys(parts).filter((name) => Number(name) >= from && Number(name) <= to);
    return inside
      .sort()
      .map((name) => `${name} ${parts[name]}`)
      .join('\n');
  }
}

function isContent(content: FakeContent | FakeContent['parts']): content is FakeContent {
  return typeof content.parts === 'object';
}

function causeOf(landing: { readonly landing: LandingId; readonly proposal: Proposal; readonly title: string }): Cause {
  return { landing: landing.landing, intent: { id: landing.proposal.intent, title: landing.title } };
}

/** Hashes of listings, kept as long as the listing itself. */
const listingHashes = new WeakMap<readonly FakeListed[], Oid>();

function listingBasis(tree: FakeTree, folder: TreePath): string {
  const listed = tree.list(folder);
  if (listed === null) return 'absent';
  let hash = listingHashes.get(listed);
  if (hash === undefined) {
    hash = fakeHash(listed.map(({ name, type }) => `${type} ${name}`).join('\n'));
    listingHashes.set(listed, hash);
  }
  return hash;
}

function globPattern(glob: string): RegExp {
  const source = glob
    .split(/(\*\*\/|\*\*|\*|\?)/)
    .map((piece) => {
      switch (piece) {
        case '**/':
          return '(?:[^/]+/)*';
        case '**':
          return '.*';
        case '*':
          return '[^/]*';
        case '?':
          return '[^/]';
        default:
          return piece.replace(/[.+^${}()|[\]\\]/g, '\\$&');
      }
    })
    .join('');
  return new RegExp(`^${source}$`, 's');
}
