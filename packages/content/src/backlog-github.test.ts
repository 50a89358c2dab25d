import { expect, test } from 'vitest';
import { parseGithubIssues } from './backlog-github.ts';

const address = 'https://github.com/o/r';

function issuesOf(value: unknown): ReturnType<typeof parseGithubIssues> {
  return parseGithubIssues(JSON.stringify(value));
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
    value: [
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
  expect(issuesOf([issue, pull])).toEqual({ ok: true, value: expected });
  expect(issuesOf({ total_count: 2, items: [issue, pull] })).toEqual({ ok: true, value: expected });
  expect(issuesOf([[issue], [pull, issue]])).toEqual({ ok: true, value: expected });
});

test('without an address the number is the key', () => {
  const parsed = issuesOf([{ number: 3, title: 'Three' }]);
  expect(parsed.ok && parsed.value[0]?.key).toBe('github:3');
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
  const parsed = parseGithubIssues('[\n  {"number": 1,\n  oops}\n]');
  expect(parsed).toEqual({ ok: false, error: { line: 3, reason: 'the text is no JSON' } });
});
