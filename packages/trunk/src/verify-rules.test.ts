// Merges by rules: what content makes is accepted, both ways round, and every lie is found.

import { utf8, utf8Text } from '@firetrident/base';
import { type MergeRule, mergeByRule } from '@firetrident/content';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RuleWitness } from './model.ts';
import { checkRule } from './verify-rules.ts';

type Texts = readonly [string, string, string];

function check(path: string, [base, ours, theirs]: Texts, witness: RuleWitness, result: string): string | null {
  return checkRule(path, utf8(base), utf8(ours), utf8(theirs), witness, utf8(result));
}

/** Merges both ways round: the verdicts agree and both results are proven. Gives them, or null. */
function merged(rule: MergeRule, path: string, [base, ours, theirs]: Texts) {
  const [there, back] = [
    mergeByRule(rule, path, utf8(base), utf8(ours), utf8(theirs)),
    mergeByRule(rule, path, utf8(base), utf8(theirs), utf8(ours)),
  ];
  expect(there === null).toBe(back === null);
  if (there === null || back === null) return null;
  const [one, other] = [utf8Text(there.bytes), utf8Text(back.bytes)];
  expect(check(path, [base, ours, theirs], there.witness, one)).toBeNull();
  expect(check(path, [base, theirs, ours], back.witness, other)).toBeNull();
  return { one, other, witness: there.witness };
}

const sortedLines = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .sort();

/** A text with one character put elsewhere, left out, or doubled. */
const spoils = fc.tuple(fc.nat(), fc.constantFrom('drop', 'double', 'swap'));
function spoiled(text: string, [at, how]: [number, string]): string {
  if (text === '') return 'x';
  const place = at % text.length;
  const [before, here, after] = [text.slice(0, place), text.charAt(place), text.slice(place + 1)];
  if (how === 'drop') return before + after;
  return how === 'double' ? before + here + here + after : before + after.slice(0, 1) + here + after.slice(1);
}

describe('append', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 4 });
  const end = fc.boolean();
  const text = (all: readonly string[], ended: boolean) => all.join('\n') + (ended && all.length > 0 ? '\n' : '');

  it('[VR1] commutes but for the order, and nothing else is accepted', () => {
    const property = fc.property(lines, lines, lines, end, end, end, spoils, (base, our, their, ...more) => {
      const [first, second, third, spoil] = more;
      const texts = [text(base, first), text([...base, ...our], second), text([...base, ...their], third)] as const;
      const found = merged('append', 'log', texts);
      if (found === null) return;
      expect(sortedLines(found.one)).toEqual(sortedLines(found.other));
      const lie = spoiled(found.one, spoil);
      if (lie !== found.one) expect(check('log', texts, found.witness, lie)).not.toBeNull();
    });
    fc.assert(property, { numRuns: 400 });
  });
});

describe('keys', () => {
  const value: fc.Arbitrary<unknown> = fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    fc.constantFrom(1, 2, 'x', true, null, ['p'], ['p', 'q'], ['q', 'r', 's'], [{ b: 1, a: 2 }], {}),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', '__proto__'), fc.constantFrom(1, 2, { z: 1 }, { y: 2 }, {}), {
      maxKeys: 4,
    }),
  );
  const object = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), value, { maxKeys: 5 });
  const layout = fc.constantFrom(undefined, 2, '\t');

  /** Some keys of an object set to something else, or taken out. */
  const changes = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c', 'd', 'e'), fc.option(value)), { maxLength: 3 });
  const changed = (base: Record<string, unknown>, list: [string, unknown][]) => {
    const entries = new Map(Object.entries(base));
    for (const [key, to] of list) to === null ? entries.delete(key) : entries.set(key, to);
    return Object.fromEntries(entries);
  };
  const sorted = (text: string): unknown =>
    JSON.parse(text, (_, each) =>
      each !== null && typeof each === 'object' && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).sort(([left], [right]) => (left < right ? -1 : 1)))
        : Array.isArray(each) && each.every((item) => typeof item === 'string')
          ? [...each].sort()
          : each,
    );

  it('[VK1] commutes, and no other value is accepted', () => {
    let clean = 0;
    const property = fc.property(
      fc.tuple(object, changes, changes),
      fc.tuple(layout, layout, layout),
      fc.constantFrom<MergeRule>('keys', 'keys:sets'),
      changes,
      ([base, our, their], layouts, rule, lies) => {
        const values = [base, changed(base, our), changed(base, their)];
        const texts = values.map((each, index) => JSON.stringify(each, null, layouts[index])) as unknown as Texts;
        const found = merged(rule, 'x.json', texts);
        if (found === null) return;
        clean += 1;
        expect(sorted(found.one)).toEqual(sorted(found.other));
        const lie = JSON.stringify(changed(JSON.parse(found.one), lies));
        if (JSON.stringify(sorted(lie)) === JSON.stringify(sorted(found.one))) return;
        expect(check('x.json', texts, found.witness, lie)).not.toBeNull();
      },
    );
    fc.assert(property, { numRuns: 600 });
    expect(clean).toBeGreaterThan(100);
  });

  it('[VK2] comments that came or went, and texts that are not JSON, are refused', () => {
    const witness = { rule: 'keys', arraysAreSets: false } as const;
    const texts = ['{}', '{"a":1 /* x */}', '{"b":2}'] as const;
    expect(check('x', texts, witness, '{"a":1 /* x */,"b":2}')).toBeNull();
    expect(check('x', texts, witness, '{"a":1,"b":2}')).toContain('comments');
    for (const lie of ['{"a":1 /* x */,"b":2', '{"a":1 /* x */,"b":2,"b":2}', '{"a":01 /* x */,"b":2}', '[] /* x */']) {
      expect(check('x', texts, witness, lie)).toContain('not JSON');
    }
  });
});

describe('imports', () => {
  const statements = {
    'a.ts': ['p', 'q', 'r'].flatMap((module) => [
      ...['x', 'y', 'x, y', 'z as w', 'type t'].map((names) => `import { ${names} } from './${module}'`),
      `import ${module} from "${module}";`,
      `import * as ${module}s from "${module}";`,
    ]),
    'a.py': ['p', 'q', 'r'].flatMap((module) => [
      ...['x', 'y', 'x, y', 'z as w'].map((names) => `from ${module} import ${names}`),
      `import ${module}.m as ${module}m`,
      `import ${module}`,
    ]),
  } as const;

  it.each(['a.ts', 'a.py'] as const)('[VI1] [VI2] [VI3] %s: commutes, and every lie is found', (path) => {
    const line = fc.constantFrom(...statements[path], 'code()', 'more()', '');
    const edit = fc.tuple(fc.nat(), fc.constantFrom('add', 'drop', 'replace'), line);
    const edited = (lines: readonly string[], edits: readonly [number, string, string][]) => {
      const all = [...lines];
      for (const [at, how, text] of edits)
        all.splice(at % (all.length + 1), how === 'add' ? 0 : 1, ...(how === 'drop' ? [] : [text]));
      return all;
    };
    const edits = fc.array(edit, { maxLength: 3 });
    const text = (lines: readonly string[]) => lines.map((each) => `${each}\n`).join('');
    let clean = 0;
    const property = fc.property(
      fc.uniqueArray(line, { maxLength: 7 }),
      edits,
      edits,
      spoils,
      fc.nat(),
      (base, our, their, spoil, swap) => {
        const texts = [text(base), text(edited(base, our)), text(edited(base, their))] as const;
        const found = merged('imports', path, texts);
        if (found === null) return;
        clean += 1;
        const bare = (all: string) =>
          sortedLines(
            all.replace(/import (.*) from|import (.*)/g, (line) =>
              line
                .replace(/[{}, ]+/g, ' ')
                .split(' ')
                .sort()
                .join(' '),
            ),
          );
        expect(bare(found.one)).toEqual(bare(found.other));
        const lie = spoiled(found.one, spoil);
        const sameWords = (all: string) => sortedLines(all.replace(/[^\S\n]+|;/g, ''));
        if (JSON.stringify(sameWords(lie)) !== JSON.stringify(sameWords(found.one))) {
          expect(check(path, texts, found.witness, lie)).not.toBeNull();
        }
        const lines = found.one.split('\n').slice(0, -1);
        const doubled = lines[swap % Math.max(1, lines.length)];
        if (doubled?.includes('import'))
          expect(check(path, texts, found.witness, `${found.one}${doubled}\n`)).not.toBeNull();
      },
    );
    fc.assert(property, { numRuns: 500 });
    expect(clean).toBeGreaterThan(100);
  });

  it('[VI3] what content places, nobody refuses, also where all around it was rewritten', () => {
    const base = 'from r import y\nfrom p import x\n\n';
    const ours = '\nfrom p import x\nfrom r import y\n';
    const theirs = 'from r import y\nimport p.m as pm\nfrom p import x\n\n';
    merged('imports', 'a.py', [base, ours, theirs]);
  });

  it('[VI3] a statement that stands elsewhere is refused', () => {
    const texts = [
      'import a from "a"\nx\ny\nz\n',
      'import a from "a"\nimport b from "b"\nx\ny\nz\n',
      'import a from "a"\nimport c from "c"\nx\ny\nz\n',
    ] as const;
    const found = merged('imports', 'a.ts', texts);
    const witness = found?.witness as RuleWitness;
    const right = 'import a from "a"\nimport b from "b"\nimport c from "c"\nx\ny\nz\n';
    expect(check('a.ts', texts, witness, right)).toBeNull();
    expect(
      check('a.ts', texts, witness, 'import a from "a"\nimport b from "b"\nx\ny\nimport c from "c"\nz\n'),
    ).toContain('elsewhere');
  });
});
