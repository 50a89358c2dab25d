// Merge rules on texts that a reader can follow.

import { utf8, utf8Text } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { mergeLines } from './merge.ts';
import { type MergeRule, mergeByRule } from './merge-rules.ts';

function merge(rule: MergeRule, base: string, ours: string, theirs: string, path = 'a.ts'): string | null {
  const merged = mergeByRule(rule, path, utf8(base), utf8(ours), utf8(theirs));
  return merged === null ? null : utf8Text(merged.bytes);
}

/** Whether the merge of lines gives up, so that a rule is asked at all. */
function conflicts(base: string, ours: string, theirs: string): boolean {
  return mergeLines(utf8(base), utf8(ours), utf8(theirs)).kind === 'conflict';
}

describe('append', () => {
  it('[MA1] ours, then what theirs added', () => {
    expect(conflicts('a\n', 'a\nb\n', 'a\nc\n')).toBe(true);
    expect(merge('append', 'a\n', 'a\nb\n', 'a\nc\n')).toBe('a\nb\nc\n');
    expect(merge('append', '', 'b\n', 'c\n')).toBe('b\nc\n');
  });

  it('[MA1] a last line without a line break is a line', () => {
    expect(merge('append', 'a', 'a\nb', 'a\nc')).toBe('a\nb\nc');
    expect(merge('append', 'a', 'a\nb\n', 'a\nc')).toBe('a\nb\nc');
    expect(merge('append', 'a\n', 'a\nb', 'a\nc\n')).toBe('a\nb\nc\n');
  });

  it('[MR1] whoever did anything else conflicts', () => {
    expect(merge('append', 'a\nb\n', 'a\nc\n', 'a\nb\nd\n')).toBeNull();
    expect(merge('append', 'a\n', 'b\na\n', 'a\nd\n')).toBeNull();
    expect(merge('append', 'a\n', 'a\n\0', 'a\nd\n')).toBeNull();
  });
});

const manifest = (dependencies: string): string => `{
  "name": "web",
  "dependencies": {
${dependencies}
  }
}
`;

describe('keys', () => {
  it('[MK1] [MK3] keys that each side added both stand in their places', () => {
    const base = manifest('    "a": "1",\n    "f": "1"');
    const ours = manifest('    "a": "1",\n    "c": "2",\n    "f": "1"');
    const theirs = manifest('    "a": "1",\n    "b": "3",\n    "f": "1"');
    expect(conflicts(base, ours, theirs)).toBe(true);
    expect(merge('keys', base, ours, theirs)).toBe(
      manifest('    "a": "1",\n    "b": "3",\n    "c": "2",\n    "f": "1"'),
    );
  });

  it('[MK3] where ours are in no order, a key stands behind the one that it stands behind in theirs', () => {
    expect(merge('keys', '{"z": 1, "a": 1}', '{"z": 1, "y": 2, "a": 1}', '{"z": 1, "a": 1, "q": 3}')).toBe(
      '{"z": 1, "y": 2, "a": 1, "q": 3}',
    );
  });

  it('[MK1] [MR3] one side removes, the other changes; nested objects go key by key', () => {
    const merged = merge(
      'keys',
      '{"a":1,"b":{"x":1,"y":1},"c":1}',
      '{"b":{"x":2,"y":1},"c":1}',
      '{"a":1,"b":{"x":1},"c":9}',
    );
    expect(merged).toBe('{"b":{"x":2},"c":9}');
  });

  it('[MK1] what both changed conflicts', () => {
    for (const [base, ours, theirs] of [
      ['{"a":1}', '{"a":2}', '{"a":3}'],
      ['{"a":1}', '{}', '{"a":3}'],
      ['{}', '{"a":2}', '{"a":3}'],
      ['{"a":1}', '{"a":{"b":1}}', '{"a":{"c":1}}'],
      ['{"a":[1]}', '{"a":[1,2]}', '{"a":[1,3]}'],
      ['{"a":[1]}', '{"a":[1,2],"a":2}', '{"a":[1]}'],
      ['[1]', '[1,2]', '[1,3]'],
      ['{"a":1}', '{"a":1,}}', '{"a":1,"b":2}'],
    ] as const) {
      expect(merge('keys', base, ours, theirs)).toBeNull();
    }
  });

  it('[MK2] comments stay where ours has them, and a change of one is a conflict', () => {
    const base = '{\n  // why\n  "a": 1\n}\n';
    const ours = '{\n  // why\n  "a": 1, /* more */\n  "b": 2\n}\n';
    expect(merge('keys', base, ours, '{\n  // why\n  "a": 1,\n  "c": 3\n}\n')).toBe(
      '{\n  // why\n  "a": 1, /* more */\n  "b": 2,\n  "c": 3\n}\n',
    );
    expect(merge('keys', base, ours, '{\n  // because\n  "a": 1,\n  "c": 3\n}\n')).toBeNull();
    expect(merge('keys', '{"a": {/* in */}, "b": 1}', '{"a": {/* in */}, "b": 2}', '{"b": 1}')).toBeNull();
  });

  it('[MK1] arrays are sets of plain values only when that was asked for', () => {
    const [base, ours, theirs] = ['{"f": ["a", "b"]}', '{"f": ["a", "b", "c"]}', '{"f": ["b", "d"]}'];
    expect(merge('keys', base, ours, theirs)).toBeNull();
    expect(merge('keys:sets', base, ours, theirs)).toBe('{"f": [ "b", "c", "d"]}'.replace('[ ', '[ '));
    expect(merge('keys:sets', '{"f": []}', '{"f": [1]}', '{"f": [{"a": 1}]}')).toBeNull();
    expect(merge('keys:sets', '{"f": []}', '{"f": [1, 1]}', '{"f": [2]}')).toBeNull();
  });

  it('[MR1] only arrays of JSON are sets: files of YAML and TOML stay a conflict by that rule', () => {
    for (const [path, sign] of [
      ['a.yaml', ': '],
      ['a.toml', ' = '],
    ] as const) {
      const texts = ['a', 'ab', 'ac'].map((keys) => [...keys].map((key) => `${key}${sign}1\n`).join(''));
      const [base = '', ours = '', theirs = ''] = texts;
      expect(merge('keys', base, ours, theirs, path)).not.toBeNull();
      expect(merge('keys:sets', base, ours, theirs, path)).toBeNull();
    }
  });
});

describe('imports', () => {
  it('[MI1] [MI3] statements that each side added', () => {
    const [base, ours, theirs] = [
      "import { a } from './a.ts';\n\nrun(a);\n",
      "import { a } from './a.ts';\nimport { b } from './b.ts';\n\nrun(a);\n",
      "import { a } from './a.ts';\nimport { c } from './c.ts';\n\nrun(a);\n",
    ];
    expect(conflicts(base, ours, theirs)).toBe(true);
    expect(merge('imports', base, ours, theirs)).toBe(
      "import { a } from './a.ts';\nimport { b } from './b.ts';\nimport { c } from './c.ts';\n\nrun(a);\n",
    );
  });

  it('[MI1] names that each side added to one statement, and one that was taken away', () => {
    const text = (names: string) => `import { ${names} } from "x"\nrun()\n`;
    expect(merge('imports', text('b, k'), text('b, d, k'), text('a, b'))).toBe(text('a, b, d'));
  });

  it('[MI2] other lines are merged as ever, and conflict as ever', () => {
    const text = (one: string, two: string) => `import a from 'a'\n${one}x\n1\n2\n3\n${two}`;
    const [base, ours] = [text('', 'end\n'), text("import b from 'b'\n", 'end\n')];
    expect(merge('imports', base, ours, text("import c from 'c'\n", 'fin\n'))).toBe(
      text("import b from 'b'\nimport c from 'c'\n", 'fin\n'),
    );
    expect(
      merge('imports', base, text("import b from 'b'\n", 'ende\n'), text("import c from 'c'\n", 'fin\n')),
    ).toBeNull();
  });

  it('[MI1] [IL1] nothing is bound twice, and effects and `__future__` are no set', () => {
    expect(merge('imports', 'x\n', "import { a } from 'p'\nx\n", "import { a } from 'q'\nx\n")).toBeNull();
    expect(merge('imports', 'x\n', "import 'p'\nx\n", "import 'q'\nx\n")).toBeNull();
    expect(merge('imports', 'x\n', 'from __future__ import a\nx\n', 'import b\nx\n', 'a.py')).toBeNull();
    expect(merge('imports', 'x\n', "import a from 'a'\nx\n", "import b from 'b'\nx\n", 'a.rb')).toBeNull();
  });

  it('[MI1] Python, by module and by name', () => {
    const merged = merge(
      'imports',
      'import os\nfrom a import b\n\nx = 1\n',
      'import os\nimport sys\nfrom a import b, d\n\nx = 1\n',
      'import os\nimport re as regex\nfrom a import b, c\n\nx = 1\n',
      'a.py',
    );
    expect(merged).toBe('import os\nimport sys\nfrom a import b, c, d\nimport re as regex\n\nx = 1\n');
  });
});
