// JSON with comments as a tree of source texts: taken apart and put together again, it is the same text.
//
// For merging key by key with the layout kept. Values are compared, never computed with: a number is its spelling.
//
// Invariants:
//   JT1. writeNode(parse(text)) inside its surroundings gives the text back, byte for byte.
//   JT2. What is not plainly JSON with comments and trailing commas, names a key twice, or is nested deeper than
//        `depthLimit`, is refused.

/** How deep objects and arrays may be nested. */
const depthLimit = 100;

/** A value with its place in its parent: `lead` is what stands before it or its key, `trail` before the comma. */
export type JsonNode =
  | JsonObject
  | JsonArray
  | { readonly kind: 'scalar'; readonly text: string; readonly value: string };

/** `tail` is what stands before the closing bracket. */
export interface JsonObject {
  readonly kind: 'object';
  readonly members: readonly JsonMember[];
  readonly tail: string;
  readonly trailingComma: boolean;
}

export interface JsonMember {
  readonly key: string;
  readonly lead: string;
  /** The key as written, the colon and the blanks around it. */
  readonly head: string;
  readonly node: JsonNode;
  readonly trail: string;
}

export interface JsonArray {
  readonly kind: 'array';
  readonly items: readonly { readonly lead: string; readonly node: JsonNode; readonly trail: string }[];
  readonly tail: string;
  readonly trailingComma: boolean;
}

/** A whole text: its value and what stands around it. */
export interface JsonText {
  readonly before: string;
  readonly node: JsonNode;
  readonly after: string;
  /** All comments in the order of the text. */
  readonly comments: readonly string[];
}

class Malformed extends Error {}

const blanks = /[ \t\r\n]*/y;
const scalar = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
// What a string may hold is left to the engine's own reader.
const quoted = /"(?:[^"\\\n\r]|\\.)*"/y;
const comment = /\/\/[^\n\r]*|\/\*[\s\S]*?\*\//y;

/** Takes a text apart; null when it is refused (JT2). */
export function parseJsonText(text: string): JsonText | null {
  const reader = new Reader(text);
  try {
    const before = reader.space();
    const node = reader.value(0);
    const after = reader.space();
    return reader.atEnd ? { before, node, after, comments: reader.comments } : null;
  } catch (error) {
    if (error instanceof Malformed || error instanceof SyntaxError) return null;
    throw error;
  }
}

class Reader {
  readonly comments: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at === this.#text.length;
  }

  /** Blanks and comments. */
  space(): string {
    let space = this.#match(blanks) ?? '';
    for (let found = this.#match(comment); found !== null; found = this.#match(comment)) {
      this.comments.push(found);
      space += found + (this.#match(blanks) ?? '');
    }
    return space;
  }

  value(depth: number): JsonNode {
    if (depth > depthLimit) throw new Malformed();
    const character = this.#text[this.#at];
    if (character === '{') return this.#object(depth);
    if (character === '[') return this.#array(depth);
    if (character === '"') {
      const text = this.#string();
      return { kind: 'scalar', text, value: `s${JSON.parse(text)}` };
    }
    const text = this.#match(scalar);
    if (text === null || text === '') throw new Malformed();
    return { kind: 'scalar', text, value: `v${text}` };
  }

  #object(depth: number): JsonObject {
    const members: JsonMember[] = [];
    const keys = new Set<string>();
    const { tail, trailingComma } = this.#list('}', (lead) => {
      const written = this.#string();
      const key = JSON.parse(written) as string;
      if (keys.has(key)) throw new Malformed();
      keys.add(key);
      const head = written + this.space() + this.#expect(':') + this.space();
      const node = this.value(depth + 1);
      members.push({ key, lead, head, node, trail: this.space() });
    });
    return { kind: 'object', members, tail: moveTail(members, tail), trailingComma };
  }

  #array(depth: number): JsonArray {
    const items: { lead: string; node: JsonNode; trail: string }[] = [];
    const { tail, trailingComma } = this.#list(']', (lead) => {
      const node = this.value(depth + 1);
      items.push({ lead, node, trail: this.space() });
    });
    return { kind: 'array', items, tail: moveTail(items, tail), trailingComma };
  }

  /** Reads elements up to `close`; what stands before it is the tail. */
  #list(close: string, element: (lead: string) => void): { tail: string | null; trailingComma: boolean } {
    this.#at += 1;
    for (let isFirst = true; ; isFirst = false) {
      const lead = this.space();
      if (this.#text[this.#at] === close) {
        this.#at += 1;
        return { tail: lead, trailingComma: !isFirst };
      }
      element(lead);
      if (this.#text[this.#at] === close) {
        this.#at += 1;
        return { tail: null, trailingComma: false };
      }
      this.#expect(',');
    }
  }

  #string(): string {
    const text = this.#match(quoted);
    if (text === null) throw new Malformed();
    return text;
  }

  #expect(character: string): string {
    if (this.#text[this.#at] !== character) throw new Malformed();
    this.#at += 1;
    return character;
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found === null) return null;
    this.#at += found[0].length;
    return found[0];
  }
}

/** Without a comma behind it, what follows the last element belongs to the bracket. */
function moveTail<T extends { readonly trail: string }>(elements: T[], tail: string | null): string {
  if (tail !== null) return tail;
  const last = elements.pop() as T;
  elements.push({ ...last, trail: '' });
  return last.trail;
}

/** The text of a value (JT1). */
export function writeNode(node: JsonNode): string {
  switch (node.kind) {
    case 'scalar':
      return node.text;
    case 'object':
      return writeList(
        '{}',
        node,
        node.members.map(({ lead, head, node: value, trail }) => lead + head + writeNode(value) + trail),
      );
    case 'array':
      return writeList(
        '[]',
        node,
        node.items.map(({ lead, node: value, trail }) => lead + writeNode(value) + trail),
      );
  }
}

function writeList(brackets: string, list: JsonObject | JsonArray, written: readonly string[]): string {
  const comma = list.trailingComma && written.length > 0 ? ',' : '';
  return brackets.charAt(0) + written.join(',') + comma + list.tail + brackets.charAt(1);
}

/** A text that two values share exactly when they are equal: layout, comments and the order of keys do not count. */
export function valueKey(node: JsonNode): string {
  switch (node.kind) {
    case 'scalar':
      return JSON.stringify(node.value);
    case 'array':
      return `[${node.items.map((item) => valueKey(item.node)).join(',')}]`;
    case 'object': {
      const members = node.members.map(({ key, node: value }) => `${JSON.stringify(key)}:${valueKey(value)}`);
      return `{${members.sort().join(',')}}`;
    }
  }
}
