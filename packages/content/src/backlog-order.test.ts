import { expect, test } from 'vitest';
import type { Draft } from './backlog.ts';
import { groupByDependency } from './backlog-order.ts';

function draft(key: string, more: Partial<Draft> = {}): Draft {
  return { title: key, body: '', paths: [], priority: 0, labels: [], key, ...more };
}

const nobody = () => false;

test('a draft comes behind what it waits for and what it is a part of, in the order of the backlog otherwise', () => {
  const drafts = [draft('a', { after: ['c'] }), draft('b'), draft('c'), draft('d', { parent: 0 })];
  const groups = groupByDependency(drafts, nobody);
  expect(groups.ok && groups.value.map((group) => group.map(({ key }) => key))).toEqual([['b', 'c'], ['a'], ['d']]);
});

test('what the backlog does not have may be waited for when it is known, and is refused by name otherwise', () => {
  const drafts = [draft('a', { after: ['int_1'] })];
  expect(groupByDependency(drafts, (name) => name === 'int_1')).toEqual({ ok: true, value: [drafts] });
  expect(groupByDependency(drafts, nobody)).toMatchObject({ ok: false, error: { kind: 'unknown', name: 'int_1' } });
});

test('a ring is refused by its first draft', () => {
  const drafts = [draft('a'), draft('b', { after: ['c'] }), draft('c', { after: ['b'] })];
  expect(groupByDependency(drafts, nobody)).toMatchObject({ ok: false, error: { kind: 'cycle', draft: { key: 'b' } } });
});
