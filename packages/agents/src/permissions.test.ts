import { expect, test } from 'vitest';
import { isGranted, pathInside } from './permissions.ts';

test('[PE1] edits are granted inside the checkout, and nothing else is', () => {
  const directory = '/work/checkout';
  const may = (kind: string, ...paths: string[]) => isGranted('edits', { kind, paths, directory });
  expect(may('edit', '/work/checkout/src/a.ts', 'b.ts')).toBe(true);
  expect(may('edit', '/work/checkout/../other/a.ts')).toBe(false);
  expect(may('delete', '/work/checkout-2/a.ts')).toBe(false);
  expect(may('edit', '/work/checkout/.git/hooks/post-commit')).toBe(false);
  expect(may('execute')).toBe(false);
  expect(may('fetch')).toBe(false);
  expect(may('other')).toBe(false);
  expect(isGranted('all', { kind: 'execute', paths: ['/'], directory })).toBe(true);
  expect(isGranted('none', { kind: 'read', paths: [], directory })).toBe(false);
});

test('a path is one of the tree, or none', () => {
  expect(pathInside('/w', '/w/a/b')).toBe('a/b');
  expect(pathInside('/w', 'a/../b')).toBe('b');
  expect(pathInside('/w', '/w')).toBeNull();
  expect(pathInside('/w', '..')).toBeNull();
  expect(pathInside('/w', '/w/..a')).toBe('..a');
});
