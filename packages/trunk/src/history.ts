// Walking commits: ancestry and first-parent chains, bounded.

import { Heap, type Oid } from '@firetrident/base';
import { parseCommit } from './commit-codec.ts';
import { TrunkError } from './errors.ts';
import type { Commit } from './model.ts';
import type { ObjectStore } from './object-store.ts';

/** What a walk needs of a commit. */
export interface CommitNode {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  readonly timeSeconds: number;
}

/** Commits kept in memory for walks; an entry takes some 200 bytes. */
const nodesMax = 20_000;
/** Clocks differ: commits this much older than what is looked for are walked last, not never. */
const skewSeconds = 86_400;

/** Whether one commit descends from another; `unknown` when the walk reached its bound first. */
export type Ancestry = 'yes' | 'no' | 'unknown';

/** Commits of a repository. */
export class History {
  readonly #store: ObjectStore;
  readonly #nodes = new Map<Oid, CommitNode>();

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Takes note of a commit that was just written: of these fields only, whatever else the value holds. */
  know({ oid, parents, timeSeconds }: CommitNode): void {
    if (this.#nodes.size >= nodesMax) this.#nodes.clear();
    this.#nodes.set(oid, { oid, parents, timeSeconds });
  }

  /** Throws `missing-object` when there is no such commit, `corrupt` when it is malformed. */
  commit(oid: Oid): Commit {
    const object = this.#store.read(oid);
    if (object?.type !== 'commit') throw new TrunkError('missing-object', `there is no commit ${oid}`);
    return parseCommit(oid, object.bytes);
  }

  /**
   * Whether `ancestor` is `descendant` or one of its ancestors. Looks at newer commits first, and at most at `limit`
   * commits.
   */
  isAncestor(ancestor: Oid, descendant: Oid, limit = 1_000_000): Ancestry {
    if (ancestor === descendant) return 'yes';
    const horizon = this.#node(ancestor).timeSeconds - skewSeconds;
    const seen = new Set<Oid>([descendant]);
    const queue = new Heap<CommitNode>((left, right) => {
      return right.timeSeconds - left.timeSeconds || (left.oid < right.oid ? -1 : 1);
    });
    const older: CommitNode[] = [];
    queue.push(this.#node(descendant));
    for (let visited = 0; ; visited += 1) {
      const node = queue.pop() ?? older.pop();
      if (!node) return 'no';
      if (visited >= limit) return 'unknown';
      for (const parent of node.parents) {
        if (parent === ancestor) return 'yes';
        if (seen.has(parent)) continue;
        seen.add(parent);
        const found = this.#node(parent);
        if (found.timeSeconds < horizon) older.push(found);
        else queue.push(found);
      }
    }
  }

  /**
   * The first-parent commits from `tip` back to the first one for which `stop` holds, that one left out, newest first.
   * Null when none was found within `limit` commits or before the root.
   */
  firstParents(tip: Oid, stop: (oid: Oid) => boolean, limit: number): Oid[] | null {
    const chain: Oid[] = [];
    for (let oid = tip; !stop(oid); ) {
      chain.push(oid);
      const [first] = this.#node(oid).parents;
      if (first === undefined || chain.length >= limit) return null;
      oid = first;
    }
    return chain;
  }

  #node(oid: Oid): CommitNode {
    const known = this.#nodes.get(oid);
    if (known) return known;
    const { parents, timeSeconds } = this.commit(oid);
    const node = { oid, parents, timeSeconds };
    this.know(node);
    return node;
  }
}
