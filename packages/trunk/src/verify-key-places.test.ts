// Merges of keys in YAML and TOML: what content makes is accepted, both ways round, and every lie is found.

import { utf8, utf8Text } from '@firetrident/base';
import { mergeByRule } from '@firetrident/content';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Places, tomlPlaces, yamlPlaces } from './verify-key-places.ts';
import { checkRule } from './verify-rules.ts';

type Texts = readonly [string, string, string];

/** Two levels of keys; a leaf is a line of values that both languages write alike. */
type Leaf = { readonly value: string; readonly comment: string };
type Tree = Readonly<Record<string, Leaf | Readonly<Record<string, Leaf>>>>;

const witness = { rule: 'keys', arraysAreSets: false } as const;

function check(path: string, [base, ours, theirs]: Texts, result: string): string | null {
  return checkRule(path, utf8(base), utf8(ours), utf8(theirs), witness, utf8(result));
}

/** Merges both ways round: the verdicts agree and both results are proven. */
function merged(path: string, [base, ours, theirs]: Texts): string | null {
  const [there, back] = [
    mergeByRule('keys', path, utf8(base), utf8(ours), utf8(theirs)),
    mergeByRule('keys', path, utf8(base), utf8(theirs), utf8(ours)),
  ];
  expect(there === null).toBe(back === null);
  if (there === null || back === null) return null;
  const [one, other] = [utf8Text(there.bytes), utf8Text(back.bytes)];
  expect(check(path, [base, ours, theirs], one)).toBeNull();
  expect(check(path, [base, theirs, ours], other)).toBeNull();
  return one;
}

const isLeaf = (node: Tree[string]): node is Leaf => typeof node.value === 'string';

/** A leaf's comment stands above it when it begins with "^", else behind its value. */
function lines(leaves: Iterable<[string, Tree[string]]>, indent: string, sign: string): string {
  let text = '';
  for (const [key, leaf] of leaves) {
    if (!isLeaf(leaf)) continue;
    const above = leaf.comment.startsWith('^') ? `${indent}# ${leaf.comment}\n` : '';
    const behind = leaf.comment === '' || above !== '' ? '' : ` # ${leaf.comment}`;
    text += `${above}${indent}${key}${sign} ${leaf.value}${behind}\n`;
  }
  return text;
}

const languages = {
  'a.yaml': (tree: Tree, indent: string) =>
    Object.entries(tree)
      .map(([key, node]) =>
        isLeaf(node) ? lines([[key, node]], '', ':') : `${key}:\n${lines(Object.entries(node), indent, ':')}\n`,
      )
      .join(''),
  'a.toml': (tree: Tree, indent: string) =>
    lines(Object.entries(tree), '', ' =') +
    Object.entries(tree)
      .map(([key, node]) => (isLeaf(node) ? '' : `\n[${key}]\n${lines(Object.entries(node), indent, ' =')}`))
      .join(''),
} as const;

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const leaf = fc.record({
  value: fc.constantFrom('1', '2', '"1"', '[1, 2]', 'true', '"x # y"', '1.5', '"# z"'),
  comment: fc.constantFrom('', '', 'why', 'how', '^above', '^over'),
});
const table = fc.dictionary(keys, leaf, { minKeys: 1, maxKeys: 4 });
const tree: fc.Arbitrary<Tree> = fc.dictionary(fc.constantFrom('k', 'l', 'm', 'n', 'o'), fc.oneof(leaf, table), {
  maxKeys: 5,
});
const edits = fc.array(fc.tuple(fc.constantFrom('k', 'l', 'm', 'n', 'o'), fc.option(keys), fc.option(leaf)), {
  maxLength: 3,
});
type Edits = [string, string | null, Leaf | null][];

/** Each edit sets or takes away a key of the root, or one below it where there is a table. */
function edited(tree: Tree, list: Edits): Tree {
  const copy: Record<string, Tree[string]> = { ...tree };
  for (const [outer, inner, to] of list) {
    const node = copy[outer];
    if (inner !== null && node !== undefined && !isLeaf(node)) {
      const { [inner]: _, ...rest } = node;
      if (to !== null || Object.keys(rest).length > 0) copy[outer] = to === null ? rest : { ...rest, [inner]: to };
    } else if (to === null) delete copy[outer];
    else copy[outer] = to;
  }
  return copy;
}

describe.each(['a.yaml', 'a.toml'] as const)('%s', (path) => {
  const write = languages[path];
  const read = (text: string) => (path === 'a.yaml' ? yamlPlaces(text) : tomlPlaces(text)) as Places;
  const indent = fc.constantFrom('  ', '  ', '    ');

  it('[VK1] [VK2] [VP1] commutes, and no other value or comment is accepted', () => {
    let clean = 0;
    const property = fc.property(tree, edits, edits, indent, indent, fc.nat(), (base, our, their, ...more) => {
      const [one, other, spoil] = more;
      const texts = [write(base, one), write(edited(base, our), one), write(edited(base, their), other)] as const;
      const found = merged(path, texts);
      if (found === null) return;
      clean += 1;
      const all = found.split('\n');
      const [line] = all.splice(spoil % all.length, 1) as [string];
      // Of two equal comments that both sides put in, one may be enough.
      const isTwice = line.trim().startsWith('#') && all.some((other) => other.trim() === line.trim());
      if (line.trim() !== '' && !isTwice) expect(check(path, texts, all.join('\n'))).not.toBeNull();
    });
    fc.assert(property, { numRuns: 250 });
    expect(clean).toBeGreaterThan(100);
  });

  it('[V4b] keys that each side added to one map always merge, into the union of both', () => {
    const added = (name: string) =>
      fc.dictionary(fc.constantFrom(`${name}1`, `b${name}`, `z${name}`), leaf, { minKeys: 1 });
    const property = fc.property(tree, table, added('p'), added('q'), fc.boolean(), (base, map, our, their, isDeep) => {
      const sides = [{}, our, their].map((more) => {
        return write(isDeep ? { ...base, m: { ...map, ...more } } : { ...base, ...more }, '  ');
      }) as unknown as Texts;
      const found = merged(path, sides);
      expect(found).not.toBeNull();
      const [ours, theirs, all] = [sides[1], sides[2], found as string].map((text) => read(text).places);
      expect([...(all ?? [])].sort()).toEqual([...new Map([...(ours ?? []), ...(theirs ?? [])])].sort());
    });
    fc.assert(property, { numRuns: 100 });
  });
});

it('[VP1] values that mean different things are told apart', () => {
  const differ = (read: (text: string) => Places | null, left: string, right: string) =>
    expect(read(left)?.places).not.toEqual(read(right)?.places);
  differ(yamlPlaces, 'a: 1', 'a: "1"');
  differ(yamlPlaces, 'a: null', 'a: "null"');
  differ(yamlPlaces, 'a: {}', 'a: null');
  differ(yamlPlaces, 'a: [1]', 'a: ["1"]');
  differ(tomlPlaces, 'a = 1', 'a = 1.0');
  differ(tomlPlaces, 'a = 1979-05-27', 'a = "1979-05-27"');
  differ(tomlPlaces, 'a = 1979-05-27', 'a = 1979-05-28');
  expect(yamlPlaces('a: 1\n')?.places).toEqual(yamlPlaces('{ "a": 1 }')?.places);
});

it('[VK2] texts that are not of the language are refused', () => {
  for (const lie of ['a: 1\nb: 2\nb: 2', 'a: [', '- a', 'a: 1\n---\nb: 2', `a: ${'['.repeat(5_000)}`]) {
    expect(check('x.yml', ['', 'a: 1', 'b: 2'], lie)).toContain('not YAML');
  }
  for (const lie of ['a = 1\nb = 2\nb = 2', 'a = [', 'a: 1', `a = ${'['.repeat(5_000)}`]) {
    expect(check('x.toml', ['', 'a = 1', 'b = 2'], lie)).toContain('not TOML');
  }
});
