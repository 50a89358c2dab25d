// Checking a merge of keys: all four texts are read into flat maps from places to values, and these are compared.
//
// Knows JSON with comments and trailing commas, and no layout; YAML and TOML come as such maps already. A place is the
// list of keys that leads to it; an object stands in the map as the fact that there is one.
//
// Invariants:
//   VK1. At each place the result has what a three-way merge of that place has; where that does not decide, it is
//        refused, unless both are arrays that count as sets.
//   VK2. In JSON, the comments of the result are those of trunk's file, and the proposal changed none. In YAML and TOML
//        the changes of both sides in what follows a `#` are there, and no others.

import { keepTails, objectMark, type Places, tomlPlaces, yamlPlaces } from './verify-key-places.ts';

interface Flat {
  readonly places: ReadonlyMap<string, string>;
  readonly comments: string;
}

/** Why `result` is not the merge of the three texts before it, or null when it is (VK1, VK2). */
export function checkKeys(
  path: string,
  texts: readonly [string, string, string, string],
  arraysAreSets: boolean,
): string | null {
  if (/\.ya?ml$/i.test(path)) return checkRuns(texts.map(yamlPlaces), 'YAML');
  if (/\.toml$/i.test(path)) return checkRuns(texts.map(tomlPlaces), 'TOML');
  return checkJson(texts, arraysAreSets);
}

function checkRuns([before, our, their, all]: readonly (Places | null)[], language: string): string | null {
  if (!before || !our || !their || !all) return `one of the texts is not ${language}`;
  if (!keepTails(before, our, their, all)) return 'comments were changed';
  return checkPlaces([before, our, their, all], () => false);
}

function checkJson(
  [base, ours, theirs, result]: readonly [string, string, string, string],
  arraysAreSets: boolean,
): string | null {
  const flats = [base.trim() === '' ? '{}' : base, ours, theirs, result].map(flatten);
  const [before, our, their, all] = flats;
  if (!before || !our || !their || !all) return 'one of the texts is not JSON';
  if (before.comments !== their.comments || our.comments !== all.comments) return 'comments were changed';
  return checkPlaces([before, our, their, all], arraysAreSets ? isMergedSet : () => false);
}

type Placed = Pick<Flat, 'places'>;

/** (VK1) */
function checkPlaces(
  sides: readonly [Placed, Placed, Placed, Placed],
  isMerged: (had: string | null, has: string | null, gets: string | null, is: string | null) => boolean,
): string | null {
  const places = new Set(sides.flatMap((side) => [...side.places.keys()]));
  for (const place of places) {
    const [had, has, gets, is] = sides.map((side) => side.places.get(place) ?? null) as [
      string | null,
      string | null,
      string | null,
      string | null,
    ];
    let wanted = has;
    if (has !== gets && has === had) wanted = gets;
    if (has === gets || has === had || gets === had) {
      if (is !== wanted) return `${place || 'the text'} is not what both sides make of it`;
    } else if (!isMerged(had, has, gets, is)) {
      return `both sides changed ${place || 'the text'}`;
    }
  }
  return null;
}

/** Whether the elements of an array are those that a three-way merge of each one's presence gives. */
function isMergedSet(had: string | null, has: string | null, gets: string | null, is: string | null): boolean {
  const [before, our, their, all] = [had ?? '[]', has, gets, is].map(elementsOf);
  if (!before || !our || !their || !all) return false;
  return [...before, ...our, ...their, ...all].every((element) => {
    const wanted = our.has(element) === their.has(element) || their.has(element) === before.has(element);
    return all.has(element) === (wanted ? our : their).has(element);
  });
}

/** The different plain values of an array in its canonical form; null when it is anything else. */
function elementsOf(text: string | null): ReadonlySet<string> | null {
  if (text === null || !text.startsWith('[')) return null;
  const elements = JSON.parse(text) as unknown[];
  const set = new Set(elements.map((element) => (typeof element === 'string' ? element : '')));
  return set.has('') || set.size < elements.length ? null : set;
}

class NotJson extends Error {}

/** Places with their values; null for what is not JSON, repeats a key, or is nested too deep. */
function flatten(text: string): Flat | null {
  const scanner = new Scanner(text);
  try {
    const places = new Map<string, string>();
    scanner.walk('', places, 0);
    if (scanner.next() !== '' || places.get('') !== objectMark) return null;
    return { places, comments: scanner.comments.join('\n') };
  } catch (error) {
    if (error instanceof NotJson || error instanceof SyntaxError) return null;
    throw error;
  }
}

class Scanner {
  readonly comments: string[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next token's first character, behind blanks and comments; "" at the end. */
  next(): string {
    for (;;) {
      while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at += 1;
      const start = this.#at;
      if (this.#text.startsWith('//', start)) {
        while (!'\r\n'.includes(this.#text[this.#at] ?? '\n')) this.#at += 1;
      } else if (this.#text.startsWith('/*', start)) {
        const end = this.#text.indexOf('*/', start + 2);
        if (end < 0) throw new NotJson();
        this.#at = end + 2;
      } else return this.#text[start] ?? '';
      this.comments.push(this.#text.slice(start, this.#at));
    }
  }

  /** Notes a value at its place, and whatever lies below it. */
  walk(place: string, places: Map<string, string>, depth: number): void {
    if (depth > 100) throw new NotJson();
    if (this.next() !== '{') {
      places.set(place, this.#whole(depth));
      return;
    }
    places.set(place, objectMark);
    this.#elements('{', '}', () => {
      const below = `${place}/${JSON.stringify(this.#key())}`;
      if (places.has(below)) throw new NotJson();
      this.walk(below, places, depth + 1);
    });
  }

  /** A value in one spelling: objects inside arrays with their keys sorted, plain values as strings. */
  #whole(depth: number): string {
    if (depth > 100) throw new NotJson();
    const first = this.next();
    if (first === '"') return JSON.stringify(`"${this.#string()}`);
    if (first === '[') {
      const items: string[] = [];
      this.#elements('[', ']', () => items.push(this.#whole(depth + 1)));
      return `[${items.join(',')}]`;
    }
    if (first === '{') {
      const members = new Map<string, string>();
      this.#elements('{', '}', () => {
        const key = this.#key();
        if (members.has(key)) throw new NotJson();
        members.set(key, this.#whole(depth + 1));
      });
      const sorted = [...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`).sort();
      return `{${sorted.join(',')}}`;
    }
    const start = this.#at;
    while (/[-+.\w]/.test(this.#text[this.#at] ?? ' ')) this.#at += 1;
    const word = this.#text.slice(start, this.#at);
    JSON.parse(word);
    return JSON.stringify(word);
  }

  #key(): string {
    if (this.next() !== '"') throw new NotJson();
    const key = this.#string();
    if (this.next() !== ':') throw new NotJson();
    this.#at += 1;
    return key;
  }

  #string(): string {
    const start = this.#at;
    for (this.#at += 1; this.#text[this.#at] !== '"'; this.#at += this.#text[this.#at] === '\\' ? 2 : 1) {
      if (this.#at >= this.#text.length) throw new NotJson();
    }
    this.#at += 1;
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #elements(open: string, close: string, element: () => void): void {
    if (this.next() !== open) throw new NotJson();
    this.#at += 1;
    while (this.next() !== close) {
      element();
      if (this.next() === ',') this.#at += 1;
      else if (this.next() !== close) throw new NotJson();
    }
    this.#at += 1;
  }
}
