import { describe, expect, it } from 'vitest';
import { regionOf, regionOfPaths, regionOfPatterns } from './regions.ts';

const none = new Set<string>();

describe('regions', () => {
  it.each([
    ['src/a/b/c.ts', 'src/a'],
    ['src/config.ts', 'src'],
    ['README.md', '.'],
  ])('[G1] %s lies in %s', (path, region) => {
    expect(regionOf(path, 2, none)).toBe(region);
  });

  it('[G1] a package folder deeper than the depth is a region of its own, the innermost one counts', () => {
    const packages = new Set(['tools/go/lint', 'tools/go/lint/inner/x', 'packages/a']);
    expect(regionOf('tools/go/lint/main.go', 2, packages)).toBe('tools/go/lint');
    expect(regionOf('tools/go/lint/inner/x/y.go', 2, packages)).toBe('tools/go/lint/inner/x');
    expect(regionOf('tools/go/other.go', 2, packages)).toBe('tools/go');
    expect(regionOf('packages/a/src/deep/f.ts', 2, packages)).toBe('packages/a');
  });

  it('[G2] the region of a proposal is that of most of its paths, ties by name', () => {
    expect(regionOfPaths(['b/x.ts', 'a/x.ts', 'b/y.ts'], 2, none)).toBe('b');
    expect(regionOfPaths(['b/x.ts', 'a/x.ts'], 2, none)).toBe('a');
    expect(regionOfPaths([], 2, none)).toBe('.');
  });

  it('[G2] predicted globs count for the folder before the first wildcard', () => {
    expect(regionOfPatterns(['src/a/**', 'src/b.ts', 'src/a/x/*.ts'], 2, none)).toBe('src/a');
    expect(regionOfPatterns(['**/*.ts'], 2, none)).toBe('.');
    expect(regionOfPatterns(['src/**'], 2, none)).toBe('src');
  });
});
