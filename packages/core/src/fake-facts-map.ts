// A map of strings that does not change: setting and deleting give another map that shares all but one path of nodes.
//
// For trees of the simulator, which make a version for each landing. The order of iteration depends on the content
// and its history, never on time or place, so the same run iterates alike.

/** A leaf holds entries until there are too many; a branch spreads them by five bits of the key's hash. */
type Node<V> = Leaf<V> | Branch<V>;

interface Leaf<V> {
  readonly entries: readonly (readonly [string, V])[];
}

interface Branch<V> {
  readonly children: readonly (Node<V> | null)[];
}

const leafEntriesMax = 8;
const hashBits = 30;
const emptyLeaf: Leaf<never> = { entries: [] };
const noChildren: readonly null[] = new Array<null>(32).fill(null);

function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < key.length; index += 1) hash = Math.imul(hash ^ key.charCodeAt(index), 0x01000193);
  return hash ^ (hash >>> 15);
}

/** A persistent map from strings. Reading and writing cost a few steps, whatever its size. */
export class FakeMap<V> {
  readonly size: number;
  readonly #root: Node<V>;

  private constructor(root: Node<V>, size: number) {
    this.#root = root;
    this.size = size;
  }

  static empty<V>(): FakeMap<V> {
    return new FakeMap<V>(emptyLeaf, 0);
  }

  get(key: string): V | undefined {
    const hash = hashOf(key);
    let node: Node<V> = this.#root;
    for (let shift = 0; 'children' in node; shift += 5) {
      const child: Node<V> | null = node.children[(hash >>> shift) & 31] ?? null;
      if (child === null) return undefined;
      node = child;
    }
    for (const entry of node.entries) if (entry[0] === key) return entry[1];
    return undefined;
  }

  set(key: string, value: V): FakeMap<V> {
    const isKnown = this.get(key) !== undefined;
    return new FakeMap(setIn(this.#root, key, value, hashOf(key), 0), isKnown ? this.size : this.size + 1);
  }

  delete(key: string): FakeMap<V> {
    if (this.get(key) === undefined) return this;
    return new FakeMap(deleteIn(this.#root, key, hashOf(key), 0), this.size - 1);
  }

  entries(): Generator<readonly [string, V]> {
    return entriesOf(this.#root);
  }
}

function setIn<V>(node: Node<V>, key: string, value: V, hash: number, shift: number): Node<V> {
  if ('children' in node) {
    const place = (hash >>> shift) & 31;
    const children = node.children.slice();
    children[place] = setIn(node.children[place] ?? emptyLeaf, key, value, hash, shift + 5);
    return { children };
  }
  const entries = node.entries.filter((entry) => entry[0] !== key);
  entries.push([key, value]);
  if (entries.length <= leafEntriesMax || shift >= hashBits) return { entries };
  const children: (Node<V> | null)[] = noChildren.slice();
  for (const [each, held] of entries) {
    const eachHash = hashOf(each);
    const place = (eachHash >>> shift) & 31;
    children[place] = setIn(children[place] ?? emptyLeaf, each, held, eachHash, shift + 5);
  }
  return { children };
}

function deleteIn<V>(node: Node<V>, key: string, hash: number, shift: number): Node<V> {
  if (!('children' in node)) return { entries: node.entries.filter((entry) => entry[0] !== key) };
  const place = (hash >>> shift) & 31;
  const child = node.children[place];
  if (!child) return node;
  const children = node.children.slice();
  children[place] = deleteIn(child, key, hash, shift + 5);
  return { children };
}

function* entriesOf<V>(node: Node<V>): Generator<readonly [string, V]> {
  if (!('children' in node)) yield* node.entries;
  else for (const child of node.children) if (child !== null) yield* entriesOf(child);
}
