import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pythonImports } from './imports-python.ts';

const tree = new Set([
  'app/__init__.py',
  'app/models.py',
  'app/views/__init__.py',
  'app/views/home.py',
  'app/views/parts.py',
  'src/lib/__init__.py',
  'src/lib/text.py',
  'tool.py',
  'scripts/run.py',
  'scripts/shared.py',
  'types.pyi',
]);

function importsOf(text: string, path = 'app/views/home.py'): readonly string[] {
  return pythonImports(path, text, (each) => tree.has(each));
}

test.each([
  ['import app.models', ['app/__init__.py', 'app/models.py']],
  ['import app.models as m, tool', ['app/__init__.py', 'app/models.py', 'tool.py']],
  ['from app.models import User, Group as G', ['app/__init__.py', 'app/models.py']],
  ['from app import models', ['app/__init__.py', 'app/models.py']],
  ['from . import parts', ['app/views/__init__.py', 'app/views/parts.py']],
  ['from .parts import (\n  a, # first\n  b,\n)', ['app/views/parts.py']],
  ['from .. import models', ['app/__init__.py', 'app/models.py']],
  ['from ..models import *', ['app/models.py']],
  ['from .import parts', ['app/views/__init__.py', 'app/views/parts.py']],
  ['from \\\n  app.models \\\r\n import User', ['app/__init__.py', 'app/models.py']],
  ['from lib.text import slug', ['src/lib/__init__.py', 'src/lib/text.py']],
  ['import types', ['types.pyi']],
  ['if True:\n\timport tool', ['tool.py']],
  ['try: import tool\nexcept ImportError: pass', ['tool.py']],
  ['a = 1; import tool', ['tool.py']],
  ['import os, sys', []],
  ['from ....x import y', []],
  ['importtool\nfrom_ = 1\nfromtool import x', []],
  ['yield from tool', []],
  ['from .home import x', []],
])('%j imports %j', (text, expected) => {
  expect(importsOf(text)).toEqual(expected);
});

test.each([
  '"""\nimport tool\n"""',
  "'''\nimport tool\n'''",
  '# import tool',
  'x = "\\"; import tool"',
  'x = """a\\""" \nimport tool\n"""',
  'x = [\nimport tool\n]',
])('[IY1] %j imports nothing', (text) => {
  expect(importsOf(text)).toEqual([]);
});

test('a plain string ends at its line, so that a stray quote hides no import', () => {
  expect(importsOf("x = 'a\nimport tool")).toEqual(['tool.py']);
});

test('a module beside a script is found when none stands at a root', () => {
  expect(importsOf('import shared', 'scripts/run.py')).toEqual(['scripts/shared.py']);
});

describe('any program', () => {
  const names = ['a', 'b', 'util', 'core'];
  const name = fc.constantFrom(...names);
  const folder = fc.array(name, { maxLength: 3 });
  /** A tree of modules and packages over few names, so that imports often meet something. */
  const trees = fc
    .array(
      fc.tuple(folder, name, fc.constantFrom('.py', '/__init__.py', '.pyi')).map(([above, own, end]) => {
        return `${[...above, own].join('/')}${end}`;
      }),
      { maxLength: 12 },
    )
    .map((paths) => new Set(paths));
  const places = fc.tuple(folder, name).map(([above, own]) => `${[...above, own].join('/')}.py`);
  /** Ways to write the same statement: on one line, over several, with remarks. */
  const manners: ((source: string, members: readonly string[]) => string)[] = [
    (source, members) => `from ${source} import ${members.join(', ')}`,
    (source, members) => `from ${source} import (\n    ${members.join(',  # why\n    ')},\n)`,
    (source, members) => `from ${source} \\\n    import ${members.map((each) => `${each} as x_${each}`).join(', ')}`,
    (source, members) => `"import z"; from ${source} import ${members.join(', ')}  # import z`,
  ];
  const statements = fc.record({
    dots: fc.nat({ max: 3 }),
    names: folder,
    members: fc.uniqueArray(name, { minLength: 1, maxLength: 3 }),
  });
  const sourceOf = (dots: number, written: readonly string[]) => `${'.'.repeat(dots)}${written.join('.')}`;

  test('[IY2] names paths of the tree, each once and in order, and never itself', () => {
    const words = fc.constantFrom(
      'import ',
      'from ',
      'a',
      '.',
      ' as ',
      ',',
      '(',
      ')',
      '\n',
      '"',
      "'''",
      '#',
      '\\\n',
      ';',
      ' ',
    );
    fc.assert(
      fc.property(trees, places, fc.array(words, { maxLength: 40 }), (files, path, text) => {
        const found = pythonImports(path, text.join(''), (each) => files.has(each));
        expect(found.every((each) => files.has(each) && each !== path)).toBe(true);
        expect([...new Set(found)].sort()).toEqual([...found].sort());
      }),
    );
  });

  test('[IY1] reads a statement alike however it is written', () => {
    fc.assert(
      fc.property(trees, places, statements, (files, path, { dots, names: written, members }) => {
        fc.pre(dots > 0 || written.length > 0);
        const found = manners.map((manner) =>
          pythonImports(path, manner(sourceOf(dots, written), members), (each) => files.has(each)),
        );
        for (const each of found) expect(each).toEqual(found[0]);
      }),
    );
  });

  test('[IY2] a relative import finds the module that its dots lead to', () => {
    fc.assert(
      fc.property(trees, folder, fc.integer({ min: 1, max: 4 }), name, (files, above, dots, module) => {
        const path = [...above, 'here.py'].join('/');
        const root = above.slice(0, above.length - (dots - 1));
        const target = [...root, module].join('/');
        const candidates = [`${target}.py`, `${target}/__init__.py`, `${target}.pyi`];
        const wanted = dots - 1 > above.length ? undefined : candidates.find((each) => files.has(each));
        const found = pythonImports(path, `from ${'.'.repeat(dots)}${module} import thing`, (each) => files.has(each));
        if (wanted === undefined) expect(found.filter((each) => candidates.includes(each))).toEqual([]);
        else expect(found).toContain(wanted);
      }),
    );
  });
});
