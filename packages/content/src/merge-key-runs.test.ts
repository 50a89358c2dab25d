// Keys of YAML and TOML, merged by runs of lines: on texts that a reader can follow. The property tests, with the
// verifier's own readers as the judge, are those of packages/trunk.

import { utf8, utf8Text } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { writeRegion } from './key-runs.ts';
import { mergeLines } from './merge.ts';
import { mergeByRule } from './merge-rules.ts';
import { readTomlRuns } from './toml-runs.ts';
import { readYamlRuns } from './yaml-runs.ts';

function merge(path: string, base: string, ours: string, theirs: string): string | null {
  const merged = mergeByRule('keys', path, utf8(base), utf8(ours), utf8(theirs));
  const back = mergeByRule('keys', path, utf8(base), utf8(theirs), utf8(ours));
  expect(merged === null).toBe(back === null);
  return merged === null ? null : utf8Text(merged.bytes);
}

const workflow = (jobs: string) => `# what runs on a push
name: ci

on: [push]
jobs:
${jobs}  last:
    runs-on: linux # the small one

# that is all
`;

describe('YAML', () => {
  it('[KR1] runs give the text back, whatever stands between keys', () => {
    for (const text of [
      workflow(''),
      'a:\n  - x\n  -\n# c\nb: |\n  text # no comment\n\nc:\nd: "q"',
      '---\na: >+\n  folded\n\nb:\n    - {x: 1}\n    - y:\n        z\n    # odd\n  # odder\nc: 1\n...\n',
      '# nothing\n',
    ]) {
      const region = readYamlRuns(text);
      expect(region && writeRegion(region)).toBe(text);
    }
  });

  it('[KR2] [KR3] keys that each side added come with the comments above them', () => {
    const job = (name: string, why: string) => `  # ${why}\n  ${name}:\n    runs-on: linux\n`;
    const [base, ours, theirs] = [workflow(''), workflow(job('lint', 'style')), workflow(job('test', 'proof'))];
    expect(mergeLines(utf8(base), utf8(ours), utf8(theirs)).kind).toBe('conflict');
    expect(merge('ci.yml', base, ours, theirs)).toBe(workflow(job('test', 'proof') + job('lint', 'style')));
  });

  it('[KR3] in a sorted map each key stands in its place', () => {
    expect(merge('a.yaml', 'a: 1\nk: 1\n', 'a: 1\nc: 2\nk: 1\n', 'a: 1\nb: |\n  3\nk: 1\n')).toBe(
      'a: 1\nb: |\n  3\nc: 2\nk: 1\n',
    );
  });

  it('[KR2] one side removes, the other changes elsewhere; nested maps go key by key', () => {
    const base = 'a: 1\nb:\n  x: 1 # one\n  y: 1\nc: 1\n';
    expect(merge('a.yml', base, 'b:\n  x: 2 # two\n  y: 1\nc: 1\n', 'a: 1\nb:\n  x: 1 # one\nc: 9\n')).toBe(
      'b:\n  x: 2 # two\nc: 9\n',
    );
  });

  it('[KR2] [MR4] what both changed conflicts, and so does what cannot be read apart', () => {
    for (const [base, ours, theirs] of [
      ['a: 1\n', 'a: 2\n', 'a: 3\n'],
      ['a: 1\n', '', 'a: 3\n'],
      ['', 'a: 2\n', 'a: 3\n'],
      ['a: [1]\n', 'a: [1, 2]\n', 'a: [1, 3]\n'],
      ['a: 1\n', 'a: 1 # x\nb: 1\n', 'a: 1 # y\nc: 1\n'],
      ['a: 1\n', 'a: 1\nb: &x 1\n', 'a: 1\nc: 1\n'],
      ['a: 1\n', 'a: 1\n<<: *x\n', 'a: 1\nc: 1\n'],
      ['a: 1\n', 'a: 1\nb: 2\n---\nc: 1\n', 'a: 1\nc: 1\n'],
      ['a: 1\n', '{a: 1, b: 1}\n', '{a: 1, c: 1}\n'],
      ['m:\n  a: 1\n', 'm:\n    a: 1\n    b: 1\n', 'm:\n  a: 1\n  c: 1\n'],
      ['m:\n  a: 1\n  b: 1\n', 'm:\n  a: 1\n', 'm:\n  b: 1\n'],
      ['a: 1\n', 'a: 1\n1: 2\n', 'a: 1\n"1": 2\n'],
      ['a: 1\n', 'a: 1\n? [b]\n: 2\n', 'a: 1\nc: 2\n'],
      ['a: 1\n', 'a: 1\nb: !!str 2\n', 'a: 1\nc: 2\n'],
      ['a: 1\n', `a: 1\nb: ${'['.repeat(5_000)}\n`, 'a: 1\nc: 2\n'],
    ] as const) {
      expect(merge('a.yaml', base, ours, theirs)).toBeNull();
    }
  });

  it('[MR4] the same comment on lines that each side added stands twice', () => {
    expect(merge('a.yml', 'a: 1\n', 'a: 1\nb: 1 # v4\n', 'a: 1\nc: 1 # v4\n')).toBe('a: 1\nb: 1 # v4\nc: 1 # v4\n');
  });
});

describe('TOML', () => {
  const manifest = (dependencies: string, end = '') =>
    `# made by hand\n\n[package]\nname = "p" # ours\n\n[dependencies]\nanyhow = "1"\n${dependencies}zip = "2"\n${end}`;

  it('[KR1] runs give the text back', () => {
    for (const text of [manifest('', '[[bin]]\nname = "x"\n'), 'a.b = 1\na.c = [\n  1, # one\n]\n[t]', '# none', '']) {
      const runs = readTomlRuns(text);
      expect(runs && writeRegion(runs.region)).toBe(text);
    }
  });

  it('[KR2] [KR3] keys and tables that each side added', () => {
    const ours = manifest('# for errors\nerr = "3"\n', '\n[features]\nall = []\n');
    const theirs = manifest('cfg = { version = "4", features = [\n  "x",\n] }\n', '\n[dev]\nrun = "5"\n');
    expect(mergeLines(utf8(manifest('')), utf8(ours), utf8(theirs)).kind).toBe('conflict');
    expect(merge('Cargo.toml', manifest(''), ours, theirs)).toBe(
      manifest(
        'cfg = { version = "4", features = [\n  "x",\n] }\n# for errors\nerr = "3"\n',
        '\n[dev]\nrun = "5"\n\n[features]\nall = []\n',
      ),
    );
  });

  it('[TR1] keys of the root stay in front of all tables', () => {
    expect(merge('a.toml', '[t]\n', 'x = 1\n[t]\n', 'y = 2\n[t]\n')).toBe('x = 1\ny = 2\n[t]\n');
  });

  it('[KR2] [MR4] what both changed, or what the two together would make invalid, conflicts', () => {
    for (const [base, ours, theirs] of [
      ['a = 1\n', 'a = 2\n', 'a = 3\n'],
      ['a = 1\n', 'b = 1\n', 'a = 3\n'],
      ['', 'a.b = 1\n', 'a = 3\n'],
      ['', 'a.b = 1\n', '[a]\nb = 1\n'],
      ['[a.b]\nx = 1\n', '[a.b]\nx = 1\n[a.c]\n', ''],
      ['x = 1\n[l]\na = 1\n', 'x = 1\n', 'x = 1\nl = 1\n'],
      ['x = 1\nl = 1\n', 'x = 1\n', 'x = 1\n[l]\na = 1\n'],
      ['[l.m]\na = 1\n', '', '[l]\nm = 1\n'],
      ['[[a]]\nx = 1\n', '[[a]]\nx = 1\n[[a]]\nx = 2\n', '[[a]]\nx = 1\n[[a]]\nx = 3\n'],
      ['[[a]]\nx = 1\n[[a]]\nx = 2\n', '[[a]]\nx = 9\n[[a]]\nx = 2\n', '[[a]]\nx = 1\n[[a]]\nx = 8\n'],
      ['a = 1\n', 'a = 1 b = 2\n', 'a = 1\nc = 3\n'],
      ['a = 1\n', `a = 1\nb = ${'['.repeat(5_000)}\n`, 'a = 1\nc = 2\n'],
    ] as const) {
      expect(merge('a.toml', base, ours, theirs)).toBeNull();
    }
  });
});
