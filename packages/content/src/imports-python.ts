// The files of the tree that a Python file imports, by a scan of its lines.
//
// It never knows Python's grammar beyond import statements, comments and strings, nor installed packages. Absolute names
// are tried from the root of the tree, from `src`, and from each folder above the file, the outermost first.
//
// Invariants:
//   IY1. Text inside strings and comments is never an import.
//   IY2. Every path returned exists in the tree, is named once, and is not the file itself.

import { comparePaths, folderOf, type TreePath } from '@firetrident/base';

const closingQuotes = ['"""', "'''", '"', "'"];

/** Length of a backslash with the line break behind it, at `index`; 0 when there is none. */
function continuationLength(text: string, index: number): number {
  if (text.startsWith('\\\n', index)) return 2;
  return text.startsWith('\\\r\n', index) ? 3 : 0;
}

/** Statements with strings blanked, comments dropped, and lines inside brackets or behind a backslash joined (IY1). */
function logicalLines(text: string): readonly string[] {
  const lines: string[] = [];
  let line = '';
  let depth = 0;
  for (let index = 0; index < text.length; ) {
    const character = text.charAt(index);
    const quote = closingQuotes.find((each) => text.startsWith(each, index));
    const continuation = continuationLength(text, index);
    if (quote !== undefined) {
      index = stringEnd(text, index + quote.length, quote);
      line += "''";
    } else if (continuation > 0) {
      index += continuation;
      line += ' ';
    } else if (character === '#') {
      while (index < text.length && text.charAt(index) !== '\n') index += 1;
    } else {
      if ('([{'.includes(character)) depth += 1;
      if (')]}'.includes(character)) depth = Math.max(0, depth - 1);
      if ((character === '\n' && depth === 0) || character === ';') {
        lines.push(line);
        line = '';
      } else line += '\t\r\n()'.includes(character) ? ' ' : character;
      index += 1;
    }
  }
  lines.push(line);
  return lines;
}

/** Offset behind the string whose opening quote ends at `start`. A plain string also ends at its line. */
function stringEnd(text: string, start: number, quote: string): number {
  for (let index = start; index < text.length; index += 1) {
    if (text.charAt(index) === '\\') index += 1;
    else if (text.startsWith(quote, index)) return index + quote.length;
    else if (quote.length === 1 && text.charAt(index) === '\n') return index;
  }
  return text.length;
}

function wordsOf(text: string): readonly string[] {
  return text.split(' ').filter((word) => word !== '');
}

/** Names of a list such as "a as b, c" without their aliases. */
function listedNames(text: string): readonly string[] {
  return text
    .split(',')
    .map((item) => wordsOf(item)[0] ?? '')
    .filter((name) => name !== '' && name !== '*');
}

/** A module as written: how many dots lead it, the names behind them, and names that may be modules inside it. */
interface PythonImport {
  readonly dots: number;
  readonly names: readonly string[];
  readonly members: readonly string[];
}

/** The statement of a line, also behind the colon of a block that is opened on the same line. */
function statementOf(line: string): string {
  const colon = line.indexOf(':');
  const head = line.slice(0, Math.max(0, colon)).trim();
  const opensBlock = head === 'try' || head === 'else' || head === 'finally' || head.startsWith('if ');
  return (opensBlock ? line.slice(colon + 1) : line).trim();
}

/** Where the word `import` of a `from` statement begins: it stands behind a blank or the dots. */
function importWordAt(statement: string): number {
  for (let index = statement.indexOf('import'); index >= 0; index = statement.indexOf('import', index + 1)) {
    const before = statement.charAt(index - 1);
    const behind = statement.charAt(index + 'import'.length);
    if ((before === ' ' || before === '.') && (behind === ' ' || behind === '*')) return index;
  }
  return -1;
}

function leadingDots(text: string): number {
  let dots = 0;
  while (text.charAt(dots) === '.') dots += 1;
  return dots;
}

function importsOfLine(line: string): readonly PythonImport[] {
  const statement = statementOf(line);
  if (statement.startsWith('import ')) {
    const modules = listedNames(statement.slice('import'.length));
    return modules.map((name) => ({ dots: 0, names: name.split('.'), members: [] }));
  }
  if (!statement.startsWith('from ') && !statement.startsWith('from.')) return [];
  const split = importWordAt(statement);
  if (split < 0) return [];
  const source = statement.slice('from'.length, split).replaceAll(' ', '');
  const members = listedNames(statement.slice(split + 'import'.length));
  const dots = leadingDots(source);
  return [{ dots, names: source.length === dots ? [] : source.slice(dots).split('.'), members }];
}

function joined(folder: TreePath, names: readonly string[]): TreePath {
  return [...(folder === '' ? [] : [folder]), ...names].join('/');
}

function moduleFiles(path: TreePath, exists: (path: TreePath) => boolean): readonly TreePath[] {
  const candidates = path === '' ? ['__init__.py'] : [`${path}.py`, `${path}/__init__.py`, `${path}.pyi`];
  const found = candidates.find((candidate) => exists(candidate));
  return found === undefined ? [] : [found];
}

/** Files that loading the module `names` from the folder `root` runs: it, the packages around it, modules among its members. */
function filesFrom(root: TreePath, imported: PythonImport, exists: (path: TreePath) => boolean): readonly TreePath[] {
  const target = joined(root, imported.names);
  const own = moduleFiles(target, exists);
  const members = imported.members.flatMap((member) => moduleFiles(joined(target, [member]), exists));
  if (own.length === 0 && members.length === 0) return [];
  const packages = imported.names
    .slice(1)
    .map((_, index) => `${joined(root, imported.names.slice(0, index + 1))}/__init__.py`);
  return [...packages.filter((path) => exists(path)), ...own, ...members];
}

function foldersAbove(path: TreePath): readonly TreePath[] {
  const folders: TreePath[] = [];
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder)) folders.unshift(folder);
  return folders;
}

function filesOf(path: TreePath, imported: PythonImport, exists: (path: TreePath) => boolean): readonly TreePath[] {
  if (imported.dots > 0) {
    const segments = path.split('/').slice(0, -1);
    const above = imported.dots - 1;
    if (above > segments.length) return [];
    return filesFrom(segments.slice(0, segments.length - above).join('/'), imported, exists);
  }
  for (const root of new Set(['', 'src', ...foldersAbove(path)])) {
    const files = filesFrom(root, imported, exists);
    if (files.length > 0) return files;
  }
  return [];
}

/** Paths that the Python text at `path` imports, in order (IY1, IY2). `exists` tells whether a path is a file. */
export function pythonImports(path: TreePath, text: string, exists: (path: TreePath) => boolean): readonly TreePath[] {
  const paths = logicalLines(text)
    .flatMap((line) => importsOfLine(line))
    .flatMap((imported) => filesOf(path, imported, exists));
  return [...new Set(paths)].filter((imported) => imported !== path).sort(comparePaths);
}
