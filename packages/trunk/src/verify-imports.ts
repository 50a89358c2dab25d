// Checking a merge of import lines: as sets of statements and names, and all other lines by their proof.
//
// Reads statements token by token. A line that it does not read is an ordinary one, which the proof has to cover.
//
// Invariants:
//   VI1. Each statement and each of its names is in the result exactly when a three-way merge of its presence says so,
//        and at most once; no name is bound twice.
//   VI2. The texts without the statements that differ between them are a proven merge.
//   VI3. A statement that differs stands where a side that has it has it: behind or before the same ordinary line.

import { utf8, utf8Text } from '@firetrident/base';
import type { MergeWitness } from './model.ts';
import { checkMerge } from './verify-merge.ts';

interface Statement {
  readonly module: string;
  readonly names: readonly string[];
  readonly bound: readonly string[];
}

interface Line {
  readonly text: string;
  readonly statement: Statement | null;
}

type Four<T> = readonly [T, T, T, T];

/** Why the last text is not the merge of the three before it, or null when it is (VI1 to VI3). */
export function checkImports(path: string, bytes: Four<Uint8Array>, rest: MergeWitness): string | null {
  const isPython = /\.pyi?$/.test(path);
  const texts = bytes.map((each) => linesOf(utf8Text(each), isPython)) as unknown as Four<readonly Line[]>;
  const sets = texts.map(statementsOf);
  const [before, ours, theirs, result] = sets;
  if (!before || !ours || !theirs || !result) return 'a statement is there twice';
  const differing = new Set<string>();
  for (const module of new Set([before, ours, theirs, result].flatMap((set) => [...set.keys()]))) {
    const forms = [before, ours, theirs].map((set) => formOf(set.get(module)));
    if (forms[0] !== forms[1] || forms[1] !== forms[2]) differing.add(module);
    const wrong = checkStatement(module, [before, ours, theirs, result].map((set) => set.get(module)?.names) as never);
    if (wrong !== null) return wrong;
  }
  const bound = [...result.values()].flatMap((statement) => statement.bound);
  if (new Set(bound).size < bound.length) return 'a name is imported twice';
  const [first, second, third, fourth] = texts.map((lines) => {
    return utf8(lines.map((line) => (differs(line, differing) ? '' : line.text)).join(''));
  }) as unknown as Four<Uint8Array>;
  return checkMerge(first, second, third, rest, fourth) ?? checkPlaces(texts, differing);
}

function formOf(statement: Statement | undefined): string {
  return statement === undefined ? '' : [...statement.names].sort().join();
}

function differs({ statement }: Line, differing: ReadonlySet<string>): boolean {
  return statement !== null && differing.has(statement.module);
}

/** (VI1) for one statement, by the names of it that each text has. */
function checkStatement(
  module: string,
  [before, ours, theirs, result]: Four<readonly string[] | undefined>,
): string | null {
  for (const name of new Set([before, ours, theirs, result].flatMap((names) => names ?? []))) {
    const [had, has, gets, is] = [before, ours, theirs, result].map((names) => names?.includes(name) === true);
    if (is !== (has === gets || gets === had ? has : gets))
      return `${name} of ${module} is not what both sides make of it`;
  }
  return null;
}

/** Every line that differs has a neighbour among the others that it has in a side too (VI3). */
function checkPlaces([, ours, theirs, result]: Four<readonly Line[]>, differing: ReadonlySet<string>): string | null {
  const known = new Map<string, Set<string>>();
  for (const side of [ours, theirs]) {
    for (const { module, neighbours } of placesOf(side, differing)) {
      const places = known.get(module) ?? new Set();
      for (const neighbour of neighbours) places.add(neighbour);
      known.set(module, places);
    }
  }
  for (const { module, neighbours } of placesOf(result, differing)) {
    if (!neighbours.some((neighbour) => known.get(module)?.has(neighbour))) return `${module} stands elsewhere`;
  }
  return null;
}

/** The ordinary lines before and behind each line that differs. */
function placesOf(lines: readonly Line[], differing: ReadonlySet<string>) {
  const places: { module: string; neighbours: [string, string] }[] = [];
  let open: typeof places = [];
  let before = 'the beginning';
  for (const line of lines) {
    if (line.statement !== null && differs(line, differing)) {
      const place: (typeof places)[number] = {
        module: line.statement.module,
        neighbours: [`after ${before}`, 'before the end'],
      };
      places.push(place);
      open.push(place);
      continue;
    }
    before = line.text.trimEnd();
    for (const place of open) place.neighbours[1] = `before ${before}`;
    open = [];
  }
  return places;
}

/** Statements by what they import from; null when one is there twice. */
function statementsOf(lines: readonly Line[]): ReadonlyMap<string, Statement> | null {
  const found = new Map<string, Statement>();
  for (const { statement } of lines) {
    if (statement === null) continue;
    if (found.has(statement.module)) return null;
    found.set(statement.module, statement);
  }
  return found;
}

function linesOf(text: string, isPython: boolean): readonly Line[] {
  const lines = text.split('\n');
  const last = lines.pop() ?? '';
  const whole = lines.map((line) => `${line}\n`);
  if (last !== '') whole.push(last);
  return whole.map((line) => ({ text: line, statement: statementOf(line, isPython) }));
}

function statementOf(line: string, isPython: boolean): Statement | null {
  if (!line.startsWith('import ') && !(isPython && line.startsWith('from '))) return null;
  const tokens = line.trimEnd().match(isPython ? /[\w.]+|\S/g : /'[^'"\\]+'|"[^'"\\]+"|[\w$]+|\S/g);
  const words = new Words(tokens ?? []);
  return isPython ? pythonStatement(words) : scriptStatement(words);
}

class Words {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  get ended(): boolean {
    return this.#at === this.#tokens.length;
  }

  peek(ahead = 0): string {
    return this.#tokens[this.#at + ahead] ?? '';
  }

  take(): string {
    this.#at += 1;
    return this.#tokens[this.#at - 1] ?? '';
  }

  has(token: string): boolean {
    if (this.peek() !== token) return false;
    this.#at += 1;
    return true;
  }

  /** A name, with its alias; null when there is none. */
  name(): { readonly listed: string; readonly bound: string } | null {
    const prefix =
      this.peek() === 'type' && isName(this.peek(1)) && this.peek(1) !== 'as' && this.has('type') ? 'type ' : '';
    const name = this.take();
    if (!isName(name)) return null;
    if (!this.has('as')) return { listed: prefix + name, bound: name };
    const alias = this.take();
    return isName(alias) ? { listed: `${prefix}${name} as ${alias}`, bound: alias } : null;
  }
}

function isName(token: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(token);
}

/** A statement's own presence counts like a name of it, so that one without a list is a set too. */
const itself = '*';

function scriptStatement(words: Words): Statement | null {
  words.take();
  const isType = words.peek() === 'type' && words.peek(1) !== 'from' && words.peek(1) !== ',' && words.has('type');
  const parts: string[] = [];
  const bound: string[] = [];
  let names: string[] | null = null;
  if (isName(words.peek())) {
    const standard = words.take();
    if (standard === 'type') return null;
    parts.push(standard);
    bound.push(standard);
    if (words.peek() !== 'from' && !words.has(',')) return null;
  }
  if (words.has('*')) {
    const namespace = words.has('as') ? words.take() : '';
    if (!isName(namespace)) return null;
    parts.push(`* ${namespace}`);
    bound.push(namespace);
  } else if (words.has('{')) {
    names = [];
    parts.push('{}');
    while (!words.has('}')) {
      const name = words.name();
      if (name === null) return null;
      names.push(name.listed);
      bound.push(name.bound);
      if (words.peek() !== '}' && !words.has(',')) return null;
    }
    if (names.length === 0) return null;
  }
  if (parts.length === 0 || !words.has('from')) return null;
  const module = words.take();
  words.has(';');
  if (!words.ended || !/^['"]/.test(module)) return null;
  return {
    module: `${isType ? 'type ' : ''}${parts.join()} of ${module.slice(1, -1)}`,
    names: names ?? [itself],
    bound,
  };
}

function pythonStatement(words: Words): Statement | null {
  const isFrom = words.take() === 'from';
  const module = words.take();
  if (!/^[\w.]+$/.test(module) || module === '__future__') return null;
  if (!isFrom) {
    const alias = words.has('as') ? words.take() : '';
    return words.ended ? { module: `${module} as ${alias}`, names: [itself], bound: [alias || module] } : null;
  }
  if (!words.has('import')) return null;
  const names: string[] = [];
  const bound: string[] = [];
  do {
    const name = words.name();
    if (name === null) return null;
    names.push(name.listed);
    bound.push(name.bound);
  } while (words.has(','));
  return words.ended ? { module: `names of ${module}`, names, bound } : null;
}
