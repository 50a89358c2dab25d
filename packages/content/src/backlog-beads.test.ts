import { expect, test } from 'vitest';
import type { Backlog } from './backlog.ts';
import { parseBeads } from './backlog-beads.ts';

function read(...beads: readonly object[]): Backlog {
  const parsed = parseBeads(beads.map((bead) => JSON.stringify(bead)).join('\n'));
  if (!parsed.ok) throw new Error(parsed.error.reason);
  return parsed.value;
}

const plain = { body: '', paths: [], priority: 0, labels: [] };
const blocks = (id: string) => ({ issue_id: 'x', depends_on_id: id, type: 'blocks' });

test('a bead is a draft with its parts, links and priority', () => {
  const text = read(
    {
      id: 'bd-1.1',
      title: ' Roof ',
      description: 'Tiles.\npaths: roof/**',
      acceptance_criteria: 'Dry inside.',
      status: 'open',
      priority: 0,
      issue_type: 'task',
      labels: ['house'],
      dependencies: [{ issue_id: 'bd-1.1', depends_on_id: 'bd-1', type: 'parent-child' }, blocks('bd-2')],
    },
    { id: 'bd-1', title: 'House', status: 'open', priority: 4, issue_type: 'epic' },
    { id: 'bd-2', title: 'Walls', status: 'blocked', dependencies: [{ ...blocks('bd-1'), type: 'related' }] },
  );
  expect(text).toEqual({
    drafts: [
      { ...plain, title: 'House', key: 'beads:bd-1', priority: -2 },
      {
        title: 'Roof',
        body: 'Tiles.\n\n## Acceptance criteria\n\nDry inside.',
        paths: ['roof/**'],
        priority: 2,
        labels: ['house'],
        key: 'beads:bd-1.1',
        parent: 0,
        after: ['beads:bd-2'],
      },
      { ...plain, title: 'Walls', key: 'beads:bd-2' },
    ],
    doneKeys: [],
  });
});

test('closed and deleted beads are done, and nothing waits for them', () => {
  const { drafts, doneKeys } = read(
    { id: 'a', title: 'A', dependencies: [blocks('b'), blocks('c')] },
    { id: 'b', title: 'B', status: 'closed' },
    { id: 'c', status: 'tombstone' },
  );
  expect(drafts).toEqual([{ ...plain, title: 'A', key: 'beads:a' }]);
  expect(doneKeys).toEqual(['beads:b', 'beads:c']);
});

test('[BB1] what somebody has in hand or was put off is held back, and so is whatever waits for it', () => {
  const { drafts, doneKeys } = read(
    { id: 'a', title: 'A', dependencies: [blocks('b')] },
    { id: 'b', title: 'B', dependencies: [blocks('c')] },
    { id: 'c', title: 'C', status: 'in_progress' },
    { id: 'd', title: 'D', status: 'deferred' },
    { id: 'e', title: 'E', dependencies: [{ ...blocks('d'), type: 'parent-child' }] },
    { id: 'f', title: 'F', status: 'closed', dependencies: [blocks('c')] },
  );
  expect(drafts.map(({ key }) => key)).toEqual(['beads:e']);
  expect(doneKeys).toEqual(['beads:f']);
});

test('beads that are no work are left out, a ring of parts is undone, and what is written again counts', () => {
  const part = (id: string) => ({ issue_id: 'x', depends_on_id: id, type: 'parent-child' });
  const { drafts } = read(
    { id: 'm', title: 'Hello', issue_type: 'message' },
    { id: 'a', title: 'A', dependencies: [part('b')] },
    { id: 'b', title: 'old', dependencies: [part('a')] },
    { id: 'b', title: 'B', dependencies: [part('a')] },
  );
  expect(drafts.map(({ title, parent }) => [title, parent])).toEqual([
    ['B', undefined],
    ['A', 0],
  ]);
});

test.each([
  ['{"id":"a","title":"A"}\n{oops', 2, 'no JSON'],
  ['\n[]', 2, 'not an object'],
  ['{"title":"A"}', 1, 'without an id'],
  ['{"id":"a"}', 1, 'a: no title'],
  ['{"id":"a","title":"A","status":3}', 1, 'the status is no text'],
  ['{"id":"a","title":"A","priority":7}', 1, 'the priority 7'],
  ['{"id":"a","title":"A","notes":7}', 1, 'are no text'],
  ['{"id":"a","title":"A","labels":[7]}', 1, 'no list of names'],
  ['{"id":"a","title":"A","dependencies":[{"type":"blocks"}]}', 1, 'no list of links'],
])('%j is refused at line %j', (text, line, reason) => {
  const parsed = parseBeads(text);
  expect(parsed).toMatchObject({ ok: false, error: { line } });
  expect(parsed.ok ? '' : parsed.error.reason).toContain(reason);
});
