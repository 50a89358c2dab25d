import { expect, test } from 'vitest';
import type { ModuleExport, ParsedModule } from './parser.ts';
import { resolveSymbol, symbolDepthLimit, symbolSlice, symbolSliceAcross } from './symbols.ts';

function declared(tokens: string, typeOnly = false): ModuleExport {
  return { kind: 'declared', typeOnly, declarations: [{ tokens, signature: null }] };
}

function forwarded(specifier: string, imported: string, typeOnly = false): ModuleExport {
  return { kind: 'forwarded', typeOnly, specifier, imported };
}

function module(
  exports: Readonly<Record<string, ModuleExport | readonly ModuleExport[]>>,
  stars: readonly (string | { specifier: string; typeOnly: boolean })[] = [],
): ParsedModule {
  const entries = Object.entries(exports).map(([name, entry]) => [name, [entry].flat()] as const);
  return {
    ok: true,
    tokens: 'all of it',
    exports: new Map(entries),
    stars: stars.map((star) => (typeof star === 'string' ? { specifier: star, typeOnly: false } : star)),
    imports: [],
  };
}

function sliceIn(tree: Readonly<Record<string, ParsedModule>>, path: string, name: string): string | null {
  return symbolSliceAcross(
    path,
    name,
    { signature: false },
    (each) => tree[each] ?? null,
    (each) => tree[each] !== undefined,
  );
}

const failed: ParsedModule = { ok: false, reason: 'syntax', message: 'x', line: 1 };

test('a slice is all declarations of the name, with their signatures when asked for', () => {
  const one: ModuleExport = {
    kind: 'declared',
    typeOnly: false,
    declarations: [
      { tokens: 'f ( ) { }', signature: 'f ( )' },
      { tokens: 'namespace f', signature: null },
    ],
  };
  expect(symbolSlice(module({ f: one }), 'f', { signature: false })).toBe('f ( ) { }\nnamespace f');
  expect(symbolSlice(module({ f: one }), 'f', { signature: true })).toBe('f ( )\nnamespace f');
});

test('[SY3] no slice without a declaration here', () => {
  const options = { signature: false };
  expect(symbolSlice(failed, 'a', options)).toBe(null);
  expect(symbolSlice(module({}), 'a', options)).toBe(null);
  expect(symbolSlice(module({ a: forwarded('./b', 'a') }), 'a', options)).toBe(null);
  expect(symbolSlice(module({ a: [declared('a'), forwarded('./b', 'a')] }), 'a', options)).toBe(null);
  expect(symbolSlice(module({}), '*', options)).toBe('all of it');
});

test('an export by type only is another thing than one of the value', () => {
  expect(sliceIn({ 'a.ts': module({ A: declared('class A') }) }, 'a.ts', 'A')).toBe('class A');
  expect(sliceIn({ 'a.ts': module({ A: declared('class A', true) }) }, 'a.ts', 'A')).toBe('type\nclass A');
  const tree = { 'a.ts': module({ A: forwarded('./b', 'A', true) }), 'b.ts': module({ A: declared('class A') }) };
  expect(sliceIn(tree, 'a.ts', 'A')).toBe('type\nclass A');
  const star = {
    'a.ts': module({}, [{ specifier: './b', typeOnly: true }]),
    'b.ts': module({ A: declared('class A') }),
  };
  expect(sliceIn(star, 'a.ts', 'A')).toBe('type\nclass A');
});

test('re-exports are followed under their other names, also through stars and folders', () => {
  const tree = {
    'index.ts': module({ z: forwarded('./lib', 'y') }, ['./other.js']),
    'lib/index.ts': module({ y: forwarded('./x.ts', 'default') }),
    'lib/x.ts': module({ default: declared('const x') }),
    'other.ts': module({ w: declared('const w'), default: declared('no') }),
  };
  expect(sliceIn(tree, 'index.ts', 'z')).toBe('const x');
  expect(sliceIn(tree, 'index.ts', 'w')).toBe('const w');
  expect(sliceIn(tree, 'index.ts', 'default')).toBe(null);
});

test('a namespace is all of the other module', () => {
  const tree = { 'a.ts': module({ ns: forwarded('./b', '*') }), 'b.ts': module({ c: declared('c') }) };
  expect(sliceIn(tree, 'a.ts', 'ns')).toBe('all of it');
});

test('[SY3] packages, missing files and files that do not parse cannot be resolved', () => {
  const tree = {
    'a.ts': module({ p: forwarded('zod', 'p'), m: forwarded('./missing', 'm'), f: forwarded('./failed', 'f') }, [
      'zod',
    ]),
    'failed.ts': failed,
  };
  for (const name of ['p', 'm', 'f', 'other']) expect(sliceIn(tree, 'a.ts', name)).toBe(null);
  expect(sliceIn(tree, 'none.ts', 'a')).toBe(null);
});

test('[SY3] two stars with different things under one name give neither, with the same thing that one', () => {
  const same = {
    'a.ts': module({}, ['./b', './c', 'react']),
    'b.ts': module({ x: forwarded('./d', 'x') }),
    'c.ts': module({}, ['./d']),
    'd.ts': module({ x: declared('x') }),
  };
  expect(sliceIn(same, 'a.ts', 'x')).toBe('x');
  expect(sliceIn({ ...same, 'c.ts': module({ x: declared('another') }) }, 'a.ts', 'x')).toBe(null);
  expect(sliceIn({ ...same, 'a.ts': module({ x: declared('own') }, ['./b', './c']) }, 'a.ts', 'x')).toBe('own');
});

test('[SY4] cycles end, and do not hide what lies beside them', () => {
  const tree = {
    'a.ts': module({ loop: forwarded('./b', 'loop') }, ['./b']),
    'b.ts': module({ loop: forwarded('./a', 'loop') }, ['./a', './c']),
    'c.ts': module({ x: declared('x') }, ['./a']),
  };
  expect(sliceIn(tree, 'a.ts', 'loop')).toBe(null);
  expect(sliceIn(tree, 'a.ts', 'x')).toBe('x');
  expect(sliceIn(tree, 'a.ts', 'none')).toBe(null);
});

test('[SY4] depth and number of modules are limited', () => {
  function load(path: string): ParsedModule {
    const number = Number(path.slice(0, -3));
    return number === symbolDepthLimit
      ? module({ x: declared('x') })
      : module({ x: forwarded(`./${number + 1}.ts`, 'x') });
  }
  expect(resolveSymbol('0.ts', 'x', load, () => true)?.path).toBe(`${symbolDepthLimit}.ts`);
  expect(resolveSymbol('-1.ts', 'x', load, () => true)).toBe(null);
  let loaded = 0;
  function fan(): ParsedModule {
    loaded += 1;
    return module(
      {},
      Array.from({ length: 8 }, (_, index) => `./${loaded}-${index}.ts`),
    );
  }
  expect(resolveSymbol('0.ts', 'x', fan, () => true)).toBe(null);
  expect(loaded).toBe(512);
});
