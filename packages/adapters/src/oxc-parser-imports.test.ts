// What written files read of the tree, and slices that lie behind re-exports, with the parser that production uses.

import { type ImportedRead, readsOfImports, symbolSliceAcross } from '@firetrident/content';
import { afterAll, describe, expect, test } from 'vitest';
import { createOxcParser } from './oxc-parser.ts';

const parser = createOxcParser();

afterAll(() => parser.close());

const tree = new Set([
  'src/a.ts',
  'src/b.tsx',
  'src/c/index.ts',
  'src/data.json',
  'src/style.css',
  'src/main.ts',
  'lib/tool.py',
  'lib/__init__.py',
]);

function reads(text: string, path = 'src/main.ts'): readonly ImportedRead[] {
  return readsOfImports(path, text, (each) => tree.has(each), parser);
}

test.each([
  ['import { y, x } from "./a.ts"', [{ path: 'src/a.ts', symbols: ['x', 'y'] }]],
  ['import { x as y, type Z } from "./a"', [{ path: 'src/a.ts', symbols: ['Z', 'x'] }]],
  ['import type { x } from "./a.js"', [{ path: 'src/a.ts', symbols: ['x'] }]],
  ['import d, { x } from "./a.ts"', [{ path: 'src/a.ts', symbols: ['default', 'x'] }]],
  ['import { x } from "./a.ts"; import { y } from "./a"', [{ path: 'src/a.ts', symbols: ['x', 'y'] }]],
  ['import { x } from "./a.ts"; import * as all from "./a"', [{ path: 'src/a.ts', symbols: null }]],
  ['import * as all from "./a.ts"; import { x } from "./a"', [{ path: 'src/a.ts', symbols: null }]],
  ['import "./a.ts"', [{ path: 'src/a.ts', symbols: null }]],
  ['export { x as y } from "./a.ts"', [{ path: 'src/a.ts', symbols: ['x'] }]],
  ['export * from "./a.ts"', [{ path: 'src/a.ts', symbols: null }]],
  ['const a = await import("./a.ts")', [{ path: 'src/a.ts', symbols: null }]],
  ['const a = await import(`./a.ts`)', [{ path: 'src/a.ts', symbols: null }]],
  ['const a = require("./a.ts")', [{ path: 'src/a.ts', symbols: null }]],
  ['import a = require("./a")', [{ path: 'src/a.ts', symbols: null }]],
  ['type A = import("./a").B.C', [{ path: 'src/a.ts', symbols: ['B'] }]],
  [
    'import data from "./data.json"; import "./style.css"',
    [
      { path: 'src/data.json', symbols: null },
      { path: 'src/style.css', symbols: null },
    ],
  ],
  [
    'import { c } from "./c"; import { b } from "./b"',
    [
      { path: 'src/b.tsx', symbols: ['b'] },
      { path: 'src/c/index.ts', symbols: ['c'] },
    ],
  ],
  [
    'import { x } from "x"; import { y } from "./none"; import(z); require("./" + z); import { m } from "./main.ts"',
    [],
  ],
  ['import { x } from', []],
  ['// import { x } from "./a"\nconst a = "import b from \'./b\'"', []],
])('[IM1] [IM2] %j reads %j', (text, expected) => {
  expect(reads(text)).toEqual(expected);
});

test('Python files are read too, other languages not', () => {
  expect(reads('from . import tool', 'lib/x.py')).toEqual([
    { path: 'lib/__init__.py', symbols: null },
    { path: 'lib/tool.py', symbols: null },
  ]);
  expect(reads('import "./a.ts"', 'src/x.go')).toEqual([]);
});

describe('slices across modules', () => {
  const texts = new Map([
    ['src/index.ts', 'import { parse as p } from "./parse.js";\nexport { p as parse };\nexport * from "./shape";\n'],
    ['src/parse.ts', 'export default 1;\nexport function parse(a: string): number { return Number(a); }\n'],
    ['src/shape/index.ts', 'export * from "../shape/circle.ts";\nexport type { Square } from "./square.ts";\n'],
    ['src/shape/circle.ts', 'export * from "../index.ts";\nexport const circle = 1;\n'],
    ['src/shape/square.ts', 'export class Square {}\n'],
  ]);

  function across(name: string, edits: readonly (readonly [string, string])[] = []): string | null {
    const edited = new Map([...texts, ...edits]);
    const load = (path: string): ReturnType<typeof parser.parse> => {
      const text = edited.get(path);
      return text === undefined ? null : parser.parse(path, text);
    };
    return symbolSliceAcross('src/index.ts', name, { signature: true }, load, (path) => edited.has(path));
  }

  test.each([
    ['parse', 'function parse ( a : string ) : number'],
    ['circle', 'const circle = "1"'],
    ['Square', 'type\nclass Square { }'],
    ['none', null],
  ])('%s is %j', (name, expected) => {
    expect(across(name)).toBe(expected);
  });

  test('a change of another symbol on the way moves nothing, one of the declaration does', () => {
    const other = texts.get('src/parse.ts')?.replace('default 1', 'default 2') ?? '';
    expect(across('parse', [['src/parse.ts', other]])).toBe(across('parse'));
    const same = other.replace('string', 'unknown');
    expect(across('parse', [['src/parse.ts', same]])).not.toBe(across('parse'));
  });
});
