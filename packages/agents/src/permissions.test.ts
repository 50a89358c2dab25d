import { expect, test } from 'vitest';
import { isGranted, pathInside } from './permissions.ts';

test('[PE1] edits are granted inside the checkout, and nothing else is', () => {
  const directory = '/repository';
  const may = (kind: string, ...paths: string[]) => isGranted('edits', { kind, paths, directory });
  expect(may('edit', '/repository/src/a.ts', 'b.ts')).toBe(true);
  expect(may('edit', '/repository/../other/a.ts')).toBe(false);
  expect(may('delete', '/repository-2/a.ts')).toBe(false);
  expect(may('edit', '/repository/.git/hooks/post-commit')).toBe(false);
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
