// Lines that import names, and nothing else: one whole statement on one line that begins at the margin.
//
// Invariants:
//   IL1. A line that is recognised binds names of another module and does nothing more at that place: no import for
//        its effects alone, none from `__future__`, nothing inside brackets that other lines belong to.
//   IL2. The key and the names of a line, together, say the same as the line, whatever its spacing and quotes.

import { nameOf, type TreePath } from '@firetrident/base';

/** One import statement. */
export interface ImportLine {
  /** The statement without its list of names, in one spelling (IL2). */
  readonly key: string;
  /** The list as written, each with its alias; null for a statement without one. */
  readonly names: readonly string[] | null;
  /** The names that it makes known in the file. */
  readonly binds: readonly string[];
  /** The line with another list. */
  readonly withNames: (names: readonly string[]) => string;
}

export type ImportReader = (line: string) => ImportLine | null;

const identifier = '[A-Za-z_$][\\w$]*';
const listed = new RegExp(`^(?:type +)?(?:${identifier}|default)(?: +as +${identifier})?$`);
const script = new RegExp(
  String.raw`^import +(type +)?(?:(${identifier})(?: *, *)?)?(?:\* +as +(${identifier})|\{([^{}'"]*)\})? *from *(['"])([^'"\\]+)\5 *;?[ \t]*\r?\n?$`,
);
const pythonNames = /^(from +[\w.]+ +import +)([\w, ]+?)([ \t]*\r?\n?)$/;
const pythonModule = /^import +([\w.]+)(?: +as +(\w+))?[ \t]*\r?\n?$/;
const pythonListed = /^\w+(?: +as +\w+)?$/;

/** What reads the import lines of a file by its name; null when its language is not known. */
export function importReader(path: TreePath): ImportReader | null {
  const name = nameOf(path);
  if (/\.[cm]?[jt]sx?$/.test(name)) return scriptImport;
  return /\.pyi?$/.test(name) ? pythonImport : null;
}

function scriptImport(line: string): ImportLine | null {
  const found = script.exec(line);
  if (found === null) return null;
  const [, type, standard, namespace, list, , module] = found;
  if (standard === undefined && namespace === undefined && list === undefined) return null;
  // `import type from` and `import type, {` take "type" for a name; leave such lines alone.
  if (standard === 'type' || (standard !== undefined && /^import +\S+ +[{*]/.test(line) && !line.includes(',')))
    return null;
  const names = list === undefined ? null : namesOf(list);
  if (names !== null && (names.length === 0 || !names.every((each) => listed.test(each)))) return null;
  const head = [
    type === undefined ? 'import' : 'import type',
    standard ?? '-',
    namespace ?? '-',
    names === null ? '-' : '{}',
  ];
  const binds = [standard, namespace, ...(names ?? []).map(boundName)].filter((each) => each !== undefined);
  const [open, close] = [line.indexOf('{'), line.indexOf('}')];
  return {
    key: `${head.join(' ')} from ${module}`,
    names,
    binds,
    withNames: (other) => `${line.slice(0, open)}{ ${other.join(', ')} }${line.slice(close + 1)}`,
  };
}

function pythonImport(line: string): ImportLine | null {
  const whole = pythonModule.exec(line);
  if (whole !== null) {
    const [, module = '', alias] = whole;
    const binds = [alias ?? module];
    return { key: `import ${module} as ${alias ?? '-'}`, names: null, binds, withNames: () => line };
  }
  const found = pythonNames.exec(line);
  if (found === null) return null;
  const [, head = '', list = '', end = ''] = found;
  const names = namesOf(list);
  if (names.length === 0 || !names.every((each) => pythonListed.test(each)) || /^from +__future__ /.test(head))
    return null;
  const key = head.replace(/ +/g, ' ').trim();
  return { key, names, binds: names.map(boundName), withNames: (other) => head + other.join(', ') + end };
}

function namesOf(list: string): readonly string[] {
  return list
    .split(',')
    .map((name) => name.trim().replace(/ +/g, ' '))
    .filter((name) => name !== '');
}

function boundName(listedName: string): string {
  return listedName.slice(listedName.lastIndexOf(' ') + 1);
}
