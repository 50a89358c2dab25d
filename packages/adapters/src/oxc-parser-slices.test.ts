// Slices of real source text: which declarations a name has, and what changes a slice and what does not.

import { type ParsedModule, symbolSlice } from '@firetrident/content';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseModule } from './oxc-parser-module.ts';

function moduleOf(text: string, path = 'x.tsx'): Extract<ParsedModule, { ok: true }> {
  const module = parseModule(path, text);
  if (!module?.ok) throw new Error(`${text} does not parse: ${module?.message}`);
  return module;
}

function slice(text: string, name = 'a', path?: string): string | null {
  return symbolSlice(moduleOf(text, path), name, { signature: false });
}

function signature(text: string, name = 'a', path?: string): string | null {
  return symbolSlice(moduleOf(text, path), name, { signature: true });
}

test.each([
  ['export const a = 1, b = 2;', 'const a = "1"'],
  ['const x = 1; export { x as a };', 'const x = "1"'],
  ['export function a(): void;\nexport function a(b?: any) {}', 'function a ( ) : void\nfunction a ( b ? : any ) { }'],
  ['export interface a { b: 1 }\nexport interface a { c: 2 }', 'interface a { b : "1" ; }\ninterface a { c : "2" ; }'],
  [
    'export class a {}\nexport namespace a { export const b = 1 }',
    'class a { }\nnamespace a { export const b = "1" ; }',
  ],
  ['export enum a { B = "b" }', 'enum a { B = "\\"b\\"" }'],
  ['export type a<T> = T[];', 'type a < T > = T [ ]'],
  ['export const { b: { a = 1 }, ...c } = d', 'const { b : { a = "1" } , ... c } = d'],
  ['export const [, a] = d', 'const [ , a ] = d'],
  ['export declare const a: 1', 'declare const a : "1"'],
  ['export abstract class a {}', 'abstract class a { }'],
  ['export async function* a() {}', 'async function * a ( ) { }'],
  ['export import a = B.C;', 'import a = B . C'],
  ['@dec export class a {}', '@ dec class a { }'],
  ['export @dec class a {}', '@ dec class a { }'],
  ['export declare namespace a.b { }', 'declare namespace a . b { }'],
  ['class B {} export type { B as a };', 'type\nclass B { }'],
  ['class B {} type C = 1; export { B as a, type C };', 'class B { }'],
  ['const b = 1; export { b as "a" }', 'const b = "1"'],
  ['export { c as a }; const c = 1, d = 2', 'const c = "1"'],
])('the slice of a in %j', (text, expected) => {
  expect(slice(text)).toBe(expected);
});

test.each([
  ['export default function () { return 1 }', 'function ( ) { return "1" ; }'],
  ['export default function f(): void;\nexport default function f() {}', 'function f ( ) : void\nfunction f ( ) { }'],
  ['export default function (): void;\nexport default function () {}', 'function ( ) : void\nfunction ( ) { }'],
  ['export default class {}', 'class { }'],
  ['export default class A {}\nnamespace A {}', 'class A { }\nnamespace A { }'],
  ['const b = 1; export default b', 'const b = "1"'],
  ['export default window;', 'window'],
  ['export default { a: 1 }', '{ a : "1" }'],
  ['const b = 1; export { b as default }', 'const b = "1"'],
  ['export default interface A { b: 1 }', 'interface A { b : "1" ; }'],
  ['const b = 1; export = b', 'const b = "1"'],
])('the slice of the default in %j', (text, expected) => {
  expect(slice(text, 'default', text.includes('export =') ? 'x.cts' : 'x.tsx')).toBe(expected);
});

test.each([
  ['export { a } from "./b"', './b', 'a', false],
  ['export { b as a } from "./b"', './b', 'b', false],
  ['export { default as a } from "./b"', './b', 'default', false],
  ['export * as a from "./b"', './b', '*', false],
  ['import { c } from "./b"; export { c as a }', './b', 'c', false],
  ['import c from "./b"; export { c as a }', './b', 'default', false],
  ['import * as c from "./b"; export { c as a }', './b', '*', false],
  ['import type { c } from "./b"; export { c as a }', './b', 'c', true],
  ['export { type a } from "./b"', './b', 'a', true],
  ['export type * as a from "./b"', './b', '*', true],
  ['export import a = require("./b")', './b', '*', false],
])('%j hands a on', (text, specifier, imported, typeOnly) => {
  expect(moduleOf(text).exports.get('a')).toEqual([{ kind: 'forwarded', typeOnly, specifier, imported }]);
});

test('what has no slice here', () => {
  for (const text of [
    '',
    'const a = 1',
    'export { a }',
    'module.exports.a = 1',
    'export * from "./b"',
    'declare module "a" {}',
  ]) {
    expect(slice(text)).toBe(null);
  }
  expect(moduleOf('export * from "./b"; export type * from "./c"').stars).toEqual([
    { specifier: './b', typeOnly: false },
    { specifier: './c', typeOnly: true },
  ]);
});

test('a type beside a value under one name has both', () => {
  expect(slice('export const a = 1; export type a = 2')).toBe('const a = "1"\ntype a = "2"');
  expect(slice('const b = 1; type c = 2; export { b as a }; export type { c as a }')).toBe(
    'const b = "1"\ntype\ntype c = "2"',
  );
});

test('functions that a declaration uses are no part of its slice', () => {
  expect(slice('function b() { return 1 } export const a = b()')).toBe(
    slice('function b() { return 2 } export const a = b()'),
  );
});

test.each([
  ['export function a<T>(b: T = 1): T { return b }', 'function a < T > ( b : T = "1" ) : T'],
  ['export function a(b): b is string { return true }', 'function a ( b ) : b is string'],
  ['export const a = (b: B): C => ({ b })', 'const a = ( b : B ) : C'],
  ['export const a: F = (b) => b', 'const a : F'],
  ['export const a = async function (): P { return b }', 'const a = async function ( ) : P'],
  ['export default (): A => b', '( ) : A'],
  ['export function a(b: B) { return b }', null],
  ['export const a = (b: B) => b', null],
  ['export const a: number = 5', null],
  ['export const a: F = make(() => 1)', null],
  ['export interface a { b(): void }', null],
  ['export type a = () => void', null],
  [
    'export class a<T> extends B(1) implements C { constructor(private b: B) { super(c()) } d(): D { return e } set f(g: G) { h() } get i() { return j } k: K = l; m = 1; #n = (): N => o; static { p() } abstract q(): void }',
    'class a < T > extends B ( "1" ) implements C { constructor ( private b : B ) d ( ) : D set f ( g : G ) get i ( ) { return j ; } k : K ; m = "1" ; # n = ( ) : N ; static { p ( ) ; } abstract q ( ) : void ; }',
  ],
  ['export const a = class { b(): void { c() } }', 'const a = class { b ( ) : void }'],
])('the signature in %j', (text, expected) => {
  const name = text.includes('default') ? 'default' : 'a';
  expect(signature(text, name)).toBe(expected ?? slice(text, name));
});

test.each([
  ['return\nb', 'return b'],
  ['b\n++c', 'b++\nc'],
  ['throw b', 'throw b;c'],
])('a line break that stands for a semicolon is a token: %j is not %j', (left, right) => {
  const wrapped = (body: string): string => `export function a(b, c) { ${body} }`;
  expect(slice(wrapped(left))).not.toBe(slice(wrapped(right)));
});

test.each([
  ['class a { b\n*c() {} }', 'class a { b; *c() {} }'],
  ['class a { get\nb() {} }', 'class a { get b() {} }'],
  ['const a = () => { b\nc }', 'const a = () => { b; c; };'],
  ['interface a { b: 1\nc: 2 }', 'interface a { b: 1; c: 2; }'],
  ['type a = 1', 'type a = 1;'],
  ['const a = <p>\n  one\n  <b/>\n</p>', 'const a = <p>one<b/></p>'],
  ['const a = 1 // one\n', 'const /* x */ a = 1'],
  ['function a() { for (;;) { break } }', 'function a() {\r\n\tfor (\n;\n;\n)\n{ break; } }'],
])('[SY1] %j and %j are the same', (left, right) => {
  expect(slice(`export ${left}`)).toBe(slice(`export ${right}`));
});

test.each([
  ['const a = `b c`', 'const a = `b  c`'],
  ['const a = `b\nc`', 'const a = `b c`'],
  ['const a = <p>b c</p>', 'const a = <p>bc</p>'],
  ['const a = <p>b {c}</p>', 'const a = <p>b{c}</p>'],
  ['const a = "b"', "const a = 'b'"],
  ['const a = "b c"', 'const a = "b  c"'],
  ['const a = /b c/', 'const a = /b  c/'],
  ['const a = b ? .5 : c', 'const a = b?.c'],
  ['const a = (b! = c)', 'const a = (b != c)'],
])('[SY2] %j and %j are not', (left, right) => {
  expect(slice(`export ${left}`)).not.toBe(slice(`export ${right}`));
});

// Each exports `target` alone, in a way of its own.
const samples: readonly string[] = [
  'export function target<T extends object>(first: T, second?: number): Map<string, T[]> { if (second ?? 0) { return call(first, `x\u0024{second}y`); } else { throw new Error("no"); } }',
  'export const target = { one: 1, ["two"]: [2, , 3], get three() { return this.one; }, async *four() { yield* other(); } };',
  'export class target<A = string> extends Base<A> implements One, Two { static readonly x: number = 0x1f; private y?: A; constructor(public z: A) { super(z); } get w(): A { return this.y!; } m(this: target<A>, ...rest: A[]): rest is A[] { return true; } }',
  'export interface target<K, V> extends Map<K, V> { readonly a: K; b?(c: V): void; [d: string]: unknown; new (e: number): target<K, V>; (f: string): f is "g"; }',
  'export type target<T> = { readonly [K in keyof T]-?: T[K] extends (infer U)[] ? U : `pre-\u0024{string & K}`; };',
  'export enum target { A = 1, B = "b", C = A | 4, }',
  'export namespace target { export const a = 1; namespace b.c { type D = 1; } }',
  'const inner = (a: number, b = /x\\/[/]y/g): string => a > 1 ? b.source : String(a ** 2 + +b.lastIndex); export { inner as target };',
  'export const { a: { target = 1 }, ...others } = await load("./x.json", { with: { type: "json" } });',
  'export let target = function named() { label: for (const x of [1, 2]) { do { continue label; } while (x); } switch (1) { case 1: break; default: debugger; } };',
  'export function target(a: string): void; export function target(a: number): void; export function target(a: any) { try { void a; } catch { delete a.b; } finally { typeof a; } }',
  'export abstract class target { declare q: string; abstract r(): void; protected static async s() { await null; } accessor t = 1n; static { u(); } }',
];

/** The tokens of a canonical text: words apart by blanks, and JSON strings. */
function tokensOf(canonical: string): readonly string[] {
  const tokens: string[] = [];
  for (let index = 0; index < canonical.length; ) {
    let end = index;
    if (canonical[index] === '"') {
      end += 1;
      while (canonical[end] !== '"') end += canonical[end] === '\\' ? 2 : 1;
      end += 1;
    } else while (end < canonical.length && canonical[end] !== ' ') end += 1;
    tokens.push(canonical.slice(index, end));
    index = end + 1;
  }
  return tokens;
}

/** Source text of canonical tokens, with `gaps` between them. */
function written(tokens: readonly string[], gaps: readonly string[]): string {
  return tokens
    .map((token, index) => {
      const gap = token === '#' ? '' : (gaps[index % gaps.length] ?? ' ');
      // After other tokens a line break could end the statement, so there the gap is kept to one line.
      const safe = /^[{([,;=:+|&?]$/.test(token) ? gap : gap.replaceAll(/\/\/.*|\n|\r/g, ' ');
      return (token.startsWith('"') ? (JSON.parse(token) as string) : token) + safe;
    })
    .join('');
}

const gap = fc.constantFrom(
  ' ',
  '  ',
  '\t',
  '/**/',
  ' /* a; b */ ',
  '\n',
  '\r\n\n',
  ' // c = 1\n',
  '\n/* d\n*/\n',
  '\u00a0',
);

describe.each(samples)('%s', (text) => {
  const module = moduleOf(text, 'x.ts');
  const own = symbolSlice(module, 'target', { signature: false });
  const ownSignature = symbolSlice(module, 'target', { signature: true });
  const tokens = tokensOf(module.tokens);

  test('[SY1] comments, blanks and line breaks never change a slice', () => {
    expect(own).not.toBe(null);
    fc.assert(
      fc.property(fc.array(gap, { minLength: 1, maxLength: 40 }), (gaps) => {
        const again = moduleOf(written(tokens, gaps), 'x.ts');
        expect(again.tokens).toBe(module.tokens);
        expect(symbolSlice(again, 'target', { signature: false })).toBe(own);
        expect(symbolSlice(again, 'target', { signature: true })).toBe(ownSignature);
      }),
      { numRuns: 60 },
    );
  });

  test('[SY2] changing any token of the declaration changes its slice', () => {
    const declaration = tokensOf(own ?? '');
    const start = tokens.findIndex((_, index) => declaration.every((token, at) => tokens[index + at] === token));
    // Overloads stand apart, with `export` between them: there the whole text is tried.
    const first = Math.max(0, start);
    const end = start < 0 ? tokens.length : first + declaration.length;
    let tried = 0;
    for (let index = first; index < end; index += 1) {
      if (tokens[index] === 'export') continue;
      for (const other of [['changed'], ['"7"'], ['"\'s\'"'], [';'], ['+'], ['const'], ['?'], [':', 'x'], []]) {
        const edited = [...tokens.slice(0, index), ...other, ...tokens.slice(index + 1)];
        const changed = parseModule('x.ts', written(edited, [' ']));
        if (!changed?.ok || changed.tokens === module.tokens) continue;
        tried += 1;
        expect(symbolSlice(changed, 'target', { signature: false }), changed.tokens).not.toBe(own);
      }
    }
    expect(tried).toBeGreaterThan(12);
  });
});
