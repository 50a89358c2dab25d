import { expect, test } from 'vitest';
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
