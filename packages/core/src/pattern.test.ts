import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePattern, patternsOverlap, repels } from './pattern.ts';

function overlap(left: string, right: string): boolean {
  const forward = patternsOverlap(parsePattern(left), parsePattern(right));
  expect(patternsOverlap(parsePattern(right), parsePattern(left))).toBe(forward);
  return forward;
}

describe('patterns', () => {
  it.each([
    ['src/a.ts', 'src/a.ts', true],
    ['src/a.ts', 'src/b.ts', false],
    ['src', 'src/a.ts', true],
    ['src/', 'src/a/b.ts', true],
    ['src/**', 'src/a/b.ts', true],
    ['src/**', 'srcs/a.ts', false],
    ['a.ts/**', 'a.ts', false],
    ['src/**', 'src', true],
    ['src/**', 'src/*', true],
    ['src/*.ts', 'src/a.ts', true],
    ['src/*.ts', 'src/a/b.ts', false],
    ['src/*.ts', 'src/a.md', false],
    ['src/**/*.ts', 'src/a/b/c.ts', true],
    ['src/**/*.ts', 'src/a.md', false],
    ['src/**/test/*.ts', 'src/a/test/x.ts', true],
    ['src/?.ts', 'src/ab.ts', false],
    ['src/{a,b}/x.ts', 'src/a/x.ts', true],
    ['**', 'a', true],
    ['**/*.md', 'src/a.ts', false],
    ['./src//a.ts', 'src/a.ts', true],
  ])('[T2b] %s and %s overlap: %s', (left, right, expected) => {
    expect(overlap(left, right)).toBe(expected);
  });

  it('[T2b] a glob made by replacing parts of a path by wildcards overlaps with that path', () => {
    const segment = fc.stringMatching(/^[a-c]{1,3}$/);
    const hide = fc.constantFrom('keep', 'star', 'globstar', 'tail');
    fc.assert(
      fc.property(fc.array(fc.tuple(segment, hide), { minLength: 1, maxLength: 6 }), (parts) => {
        const path = parts.map(([text]) => text).join('/');
        const glob = parts
          .map(([text, how]) =>
            how === 'keep' ? text : how === 'star' ? '*' : how === 'globstar' ? '**' : `${text[0]}*`,
          )
          .join('/');
        expect(overlap(path, glob)).toBe(true);
      }),
    );
  });

  it('[T2c] a glob without a literal root neither repels nor is repelled by one with a root', () => {
    expect(repels(parsePattern('**/*.ts'), parsePattern('src/a.ts'))).toBe(false);
    expect(repels(parsePattern('**/*.ts'), parsePattern('**'))).toBe(true);
    expect(repels(parsePattern('src/**'), parsePattern('src/a.ts'))).toBe(true);
    expect(parsePattern('README.md').wide).toBe(false);
  });
});
