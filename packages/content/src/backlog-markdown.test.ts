import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backlogDraftLimit, type Draft } from './backlog.ts';
import { checkOffMarkdown, parseMarkdownBacklog } from './backlog-markdown.ts';

function draftsOf(text: string): readonly Draft[] {
  const parsed = parseMarkdownBacklog(text);
  if (!parsed.ok) throw new Error(parsed.error.reason);
  return parsed.value.drafts;
}

function titlesOf(text: string): readonly string[] {
  return draftsOf(text).map(({ title }) => title);
}

const empty = { body: '', paths: [], priority: 0, labels: [] };

test('checkboxes: unchecked items are drafts with indented text as body, checked ones are skipped', () => {
  const text = `# Plan

Some words before.

- [ ] Split the parser
  Two files.

  - keep the API
    - really
  paths: src/parser/**, \`src/{a,b}.ts\`
- [x] Done already
  with text
* [ ] Another
1. [ ] Numbered
- [X] done too
- plain bullet
`;
  expect(draftsOf(text)).toEqual([
    {
      ...empty,
      title: 'Split the parser',
      body: 'Two files.\n\n- keep the API\n  - really',
      paths: ['src/parser/**', 'src/{a,b}.ts'],
      key: 'markdown:plan/split-the-parser',
    },
    { ...empty, title: 'Another', key: 'markdown:plan/another' },
    { ...empty, title: 'Numbered', key: 'markdown:plan/numbered' },
  ]);
});

test('nested unchecked items are parts of the nearest unchecked item around them', () => {
  const text = `- [ ] a
  - [ ] b
    text of b
    - [x] c
      - [ ] d
  text of a
- [x] e
\t- [ ] f
`;
  expect(draftsOf(text)).toEqual([
    { ...empty, title: 'a', key: 'markdown:a', body: 'text of a' },
    { ...empty, title: 'b', key: 'markdown:a/b', body: 'text of b', parent: 0 },
    { ...empty, title: 'd', key: 'markdown:a/b/c/d', parent: 1 },
    { ...empty, title: 'f', key: 'markdown:e/f' },
  ]);
});

test('text at the margin goes on with an item only when it follows at once', () => {
  const text = '- [ ] a\nlazy\n\nnot part\n- [ ] b\n> quote\n';
  expect(draftsOf(text).map(({ body }) => body)).toEqual(['lazy', '']);
});

test.each([
  ['## A\ntext\n### Details\nmore\n## B\n', ['A', 'B']],
  ['# Backlog\n## Parser\n### One\n### Two\n## Trunk\n### Three\n', ['One', 'Two', 'Three']],
  ['## A\n### Context\n### Goal\n## B\n### Context\n### Goal\n', ['A', 'B']],
  ['# Intro\ntext\n# Backlog\n## a\n## b ##\n', ['a', 'b']],
  ['# One\n# Two\n', ['One', 'Two']],
  ['### Only\n### Deep\n', ['Only', 'Deep']],
  ['# Title\n### a\n### b\n', ['a', 'b']],
  ['#no heading\n# one\n####### seven\n', ['one']],
])('headings of %j give %j', (text, titles) => {
  expect(titlesOf(text)).toEqual(titles);
});

test('headings: the text below is the body, recognised lines leave it', () => {
  const text = `# Backlog\r
\r
## Faster take\r
Why.\r
Priority: 3\r
**Labels:** core, speed\r
- after: Indexes\r
### Notes\r
\r
Done.\r
\r
## Indexes\r
`;
  expect(draftsOf(text)).toEqual([
    {
      title: 'Faster take',
      body: 'Why.\n### Notes\n\nDone.',
      paths: [],
      priority: 3,
      labels: ['core', 'speed'],
      key: 'markdown:backlog/faster-take',
      after: ['markdown:backlog/indexes'],
    },
    { ...empty, title: 'Indexes', key: 'markdown:backlog/indexes' },
  ]);
});

test('dependencies are found by title or key, whole or listed; what is done is left out, what is unknown stays', () => {
  const text = `- [x] Old
- [ ] First, second
- [ ] Third
- [ ] Last
  after: First, second
  after: third, old, int_0001
  after: markdown:third
`;
  expect(draftsOf(text)[2]?.after).toEqual(['markdown:first-second', 'markdown:third', 'int_0001']);
});

test('[BM1] fences, comments and front matter hold no items', () => {
  const text = `---
title: x
# not
---
<!-- - [ ] hidden
# hidden
-->
- [ ] real <!-- aside -->
  \`\`\`md
  - [ ] code
  \tpriority: high
  \`\`\`
~~~
# code
~~~
\`\`\`inline\`\`\`
- [ ] second
`;
  const drafts = draftsOf(text);
  expect(drafts.map(({ title, key }) => [title, key])).toEqual([
    ['real', 'markdown:real'],
    ['second', 'markdown:second'],
  ]);
  expect(drafts[0]?.body).toContain('```md\n- [ ] code\n\tpriority: high\n```');
});

test('[BL2] repeated keys are numbered in order', () => {
  expect(draftsOf('- [ ] a\n- [ ] a!\n- [ ] a 2\n- [ ] A\n').map(({ key }) => key)).toEqual([
    'markdown:a',
    'markdown:a-2',
    'markdown:a-2-2',
    'markdown:a-3',
  ]);
});

test('everything checked is an empty list', () => {
  expect(draftsOf('# x\n- [x] a\n')).toEqual([]);
});

test.each([
  ['', 1, 'neither checkboxes nor headings'],
  ['just text', 1, 'neither checkboxes nor headings'],
  ['- [ ] a\n- [ ]\n', 2, 'empty title'],
  ['# a\n\n## #\n', 3, 'empty title'],
  ['- [ ] a\n  priority: high', 2, 'the priority "high"'],
  ['- [ ] a\n  priority: 1.5', 2, 'the priority "1.5"'],
  ['- [ ] a\n  priority: 9999999', 2, 'the priority "9999999"'],
  ['## a\ntext\npaths: a, !b', 3, '"!b" begins with "!"'],
  ['## a\npaths: ../b', 2, 'does not lie inside the tree'],
  ['## a\npaths: [b', 2, 'ends inside'],
  ['- [ ] a\n  paths: {a,b}{a,b}{a,b}{a,b}{a,b}', 2, 'more than 16'],
  [`- [ ] a\n  paths: ${'a'.repeat(1025)}`, 2, '1025 characters'],
  [`- [ ] a\n  labels: ${Array.from({ length: 65 }, (_, index) => `l${index}`).join(',')}`, 2, 'more than 64 labels'],
  [`- [ ] ${'a'.repeat(501)}`, 1, '501 characters'],
  ['- [ ] a\n'.repeat(backlogDraftLimit + 1), null, `${backlogDraftLimit + 1} items`],
  [Array.from({ length: 20 }, (_, depth) => `${'  '.repeat(depth)}- [ ] a`).join('\n'), 17, 'deeper than 16'],
])('%j is refused at line %j', (text, line, reason) => {
  const parsed = parseMarkdownBacklog(text);
  expect(parsed).toMatchObject({ ok: false, error: { line } });
  expect(parsed.ok ? '' : parsed.error.reason).toContain(reason);
});

const line = fc.oneof(
  fc.constantFrom('- [ ] a', '  - [ ] b', '- [x] c', '# h', '## i', '### j', '```', 'text', '', '  text', 'after: a'),
  fc.constantFrom('<!--', '-->', '---', 'paths: a/**', 'priority: 2', '\t- [ ] d', '> x', '1. [ ] e'),
  fc.string({ maxLength: 12 }),
);

test('[BL2] any text gives drafts with unique keys, earlier parents and no empty title, or a refusal', () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 30 }), (lines) => {
      const parsed = parseMarkdownBacklog(lines.join('\n'));
      if (!parsed.ok) {
        expect(parsed.error.reason).not.toBe('');
        return;
      }
      expect(new Set(parsed.value.drafts.map(({ key }) => key)).size).toBe(parsed.value.drafts.length);
      for (const [index, draft] of parsed.value.drafts.entries()) {
        expect(draft.title).not.toBe('');
        if (draft.parent !== undefined) expect(draft.parent).toBeLessThan(index);
      }
    }),
    { numRuns: 500 },
  );
});

test('[BL1] a draft keeps its key when others come before it', () => {
  const title = fc.stringMatching(/^[a-z]{1,6}( [a-z]{1,4})?$/);
  fc.assert(
    fc.property(fc.uniqueArray(title, { minLength: 2, maxLength: 8 }), fc.nat(), (titles, at) => {
      const left = titles.filter((_, index) => index !== at % titles.length);
      const write = (each: readonly string[]): string => `# Work\n${each.map((word) => `- [ ] ${word}\n`).join('')}`;
      const keys = new Map(draftsOf(write(titles)).map((draft) => [draft.title, draft.key]));
      for (const draft of draftsOf(write(left))) expect(draft.key).toBe(keys.get(draft.title));
    }),
  );
});

const boxes = fc.array(
  fc.record({
    depth: fc.integer({ min: 0, max: 3 }),
    checked: fc.boolean(),
    title: fc.constantFrom('a', 'b', 'c', 'd'),
  }),
  { minLength: 1, maxLength: 12 },
);

test('[BL4] checking boxes moves no key: what was a draft is done, all else is as it was, and so is every other byte', () => {
  fc.assert(
    fc.property(boxes, fc.func(fc.boolean()), fc.constantFrom('\n', '\r\n'), (items, isChosen, end) => {
      const text = items
        .map(({ depth, checked, title }) => `${'  '.repeat(depth)}- [${checked ? 'X' : ' '}] ${title}${end}`)
        .join('');
      const before = parseMarkdownBacklog(text);
      if (!before.ok) throw new Error(before.error.reason);
      const keys = before.value.drafts.map(({ key }) => key);
      const chosen = new Set(keys.filter((key) => isChosen(key)));
      const checked = checkOffMarkdown(text, chosen);
      const after = parseMarkdownBacklog(checked);
      if (!after.ok) throw new Error(after.error.reason);
      expect(after.value.drafts.map(({ key }) => key)).toEqual(keys.filter((key) => !chosen.has(key)));
      expect(new Set(after.value.doneKeys)).toEqual(new Set([...before.value.doneKeys, ...chosen]));
      expect(checked.replaceAll('[x]', '[ ]')).toBe(text);
    }),
  );
});

test('a box inside code is not checked, nor one whose key is not named', () => {
  const text = '# h\n```\n- [ ] a\n```\n- [ ] a\n  [ ] text\n- [ ] b';
  expect(checkOffMarkdown(text, new Set(['markdown:h/a', 'markdown:other']))).toBe(
    '# h\n```\n- [ ] a\n```\n- [x] a\n  [ ] text\n- [ ] b',
  );
});
