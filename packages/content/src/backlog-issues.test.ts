import { expect, test } from 'vitest';
import { parseIssues } from './backlog-issues.ts';

const address = 'https://github.com/o/r';

function issuesOf(value: unknown): ReturnType<typeof parseIssues> {
  return parseIssues(JSON.stringify(value), 'github');
}

test('what `gh issue list --json` prints', () => {
  const parsed = issuesOf([
    {
      number: 7,
      title: ' Fix the parser ',
      body: 'It breaks.\r\n\r\npaths: src/**\r\npriority: 2\r\nafter: #9',
      labels: [{ id: 'x', name: 'bug', color: 'f00' }],
      state: 'OPEN',
      url: `${address}/issues/7`,
    },
    { number: 8, title: 'Closed', body: '', labels: [], state: 'CLOSED', url: `${address}/issues/8` },
    { number: 9, title: 'Second', body: '- [ ] stays text', labels: [], state: 'OPEN', url: `${address}/issues/9` },
  ]);
  expect(parsed).toEqual({
    ok: true,
    value: {
      doneKeys: [`github:${address}/issues/8`],
      drafts: [
        {
          title: 'Fix the parser',
          body: 'It breaks.',
          paths: ['src/**'],
          priority: 2,
          labels: ['bug'],
          key: `github:${address}/issues/7`,
          after: [`github:${address}/issues/9`],
        },
        {
          title: 'Second',
          body: '- [ ] stays text',
          paths: [],
          priority: 0,
          labels: [],
          key: `github:${address}/issues/9`,
        },
      ],
    },
  });
});

test('what the REST interface answers: pull requests are skipped, null bodies and plain labels read, pages joined', () => {
  const api = 'https://api.github.com/repos/o/r/issues';
  const issue = {
    number: 1,
    title: 'One',
    body: null,
    labels: ['a', { name: 'b' }],
    state: 'open',
    url: `${api}/1`,
    html_url: `${address}/issues/1`,
  };
  const pull = { ...issue, number: 2, html_url: `${address}/pull/2`, pull_request: { url: 'x' } };
  const expected = [
    { title: 'One', body: '', paths: [], priority: 0, labels: ['a', 'b'], key: `github:${address}/issues/1` },
  ];
  expect(issuesOf([issue, pull])).toEqual({ ok: true, value: { drafts: expected, doneKeys: [] } });
  expect(issuesOf({ total_count: 2, items: [issue, pull] })).toEqual({
    ok: true,
    value: { drafts: expected, doneKeys: [] },
  });
  expect(issuesOf([[issue], [pull, issue]])).toEqual({ ok: true, value: { drafts: expected, doneKeys: [] } });
});

test('what GitLab answers: its own names of number, text, address and state', () => {
  const web = 'https://gitlab.example/o/r/-/issues';
  const parsed = parseIssues(
    JSON.stringify([
      {
        id: 910,
        iid: 4,
        title: 'Four',
        description: 'All of it.\nafter: #5',
        labels: ['a'],
        state: 'opened',
        web_url: `${web}/4`,
      },
      { id: 911, iid: 5, title: 'Five', description: null, labels: [], state: 'opened', web_url: `${web}/5` },
      { id: 912, iid: 6, title: 'Six', description: '', labels: [], state: 'closed', web_url: `${web}/6` },
    ]),
    'gitlab',
  );
  expect(parsed).toEqual({
    ok: true,
    value: {
      drafts: [
        {
          title: 'Four',
          body: 'All of it.',
          paths: [],
          priority: 0,
          labels: ['a'],
          key: `gitlab:${web}/4`,
          after: [`gitlab:${web}/5`],
        },
        { title: 'Five', body: '', paths: [], priority: 0, labels: [], key: `gitlab:${web}/5` },
      ],
      doneKeys: [`gitlab:${web}/6`],
    },
  });
});

test('what comes after a closed issue waits for nothing', () => {
  const parsed = issuesOf([
    { number: 1, title: 'One', body: 'after: #2', state: 'open' },
    { number: 2, title: 'Two', state: 'closed' },
  ]);
  expect(parsed.ok && parsed.value.drafts[0]?.after).toBe(undefined);
});

test('without an address the number is the key', () => {
  const parsed = issuesOf([{ number: 3, title: 'Three' }]);
  expect(parsed.ok && parsed.value.drafts[0]?.key).toBe('github:3');
});

test.each([
  [{}, 'no list of issues'],
  ['x', 'no list of issues'],
  [[1], 'issue 1 of the list: not an object'],
  [
    [
      { number: 1, title: 'a' },
      { number: 2, title: ' ' },
    ],
    'issue 2 of the list: no title',
  ],
  [[{ title: 'a' }], 'issue 1 of the list: neither a number nor an address'],
  [[{ number: 1.5, title: 'a' }], 'neither a number nor an address'],
  [[{ number: 1, title: 'a', body: 3 }], 'the body is no text'],
  [[{ number: 1, title: 'a', labels: 'x' }], 'no list of names'],
  [[{ number: 1, title: 'a', labels: [{ id: 1 }] }], 'no list of names'],
  [[{ number: 1, title: 'a', body: 'priority: soon' }], '"a": the priority "soon"'],
])('%j is refused', (value, reason) => {
  const parsed = issuesOf(value);
  expect(parsed).toMatchObject({ ok: false, error: { line: null } });
  expect(parsed.ok ? '' : parsed.error.reason).toContain(reason);
});

test('text that is no JSON is refused with its line', () => {
  const parsed = parseIssues('[\n  {"number": 1,\n  oops}\n]', 'github');
  expect(parsed).toEqual({ ok: false, error: { line: 3, reason: 'the text is no JSON' } });
});
