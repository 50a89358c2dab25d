import fc from 'fast-check';
import { expect, test } from 'vitest';
import { joinPath, resolveSpecifier } from './imports-resolve.ts';

const tree = new Set([
  'src/a.ts',
  'src/b.tsx',
  'src/c.js',
  'src/d/index.ts',
  'src/e.d.ts',
  'src/f.mts',
  'src/g.test.ts',
  'src/icon.svg',
  'src/h',
  'src/h.ts',
  'src/both.js',
  'src/both.ts',
  'index.js',
  'src.ts',
  'src/index.tsx',
]);

function resolved(specifier: string, from = 'src/main.ts'): string | null {
  return resolveSpecifier(from, specifier, (path) => tree.has(path));
}

test.each([
  ['./a.ts', 'src/a.ts'],
  ['./a', 'src/a.ts'],
  ['./a.js', 'src/a.ts'],
  ['./b', 'src/b.tsx'],
  ['./b.js', 'src/b.tsx'],
  ['./b.jsx', 'src/b.tsx'],
  ['./c', 'src/c.js'],
  ['./d', 'src/d/index.ts'],
  ['./d/', 'src/d/index.ts'],
  ['./e', 'src/e.d.ts'],
  ['./e.js', 'src/e.d.ts'],
  ['./f.mjs', 'src/f.mts'],
  ['./g.test', 'src/g.test.ts'],
  ['./icon.svg?raw', 'src/icon.svg'],
  ['./h', 'src/h'],
  ['./both.js', 'src/both.js'],
  ['.', 'src/index.tsx'],
  ['./', 'src/index.tsx'],
  ['..', 'index.js'],
  ['../src', 'src.ts'],
  ['../src/', 'src/index.tsx'],
  ['./../src/./a', 'src/a.ts'],
  ['../../a', null],
  ['./none', null],
  ['src/a', null],
  ['a', null],
  ['/src/a.ts', null],
  ['.a', null],
  ['', null],
])('[IR2] %s is %j', (specifier, expected) => {
  expect(resolved(specifier)).toBe(expected);
});

test('[IR1] what is resolved exists and is the plain path', () => {
  const part = fc.constantFrom('.', '..', '', 'src', 'a', 'd', 'a.js', 'x?y');
  fc.assert(
    fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
      const found = resolved(`./${parts.join('/')}`);
      if (found === null) return;
      expect(tree.has(found)).toBe(true);
      expect(joinPath('', found)).toBe(found);
    }),
  );
});
