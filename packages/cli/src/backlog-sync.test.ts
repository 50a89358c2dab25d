import { parseBacklog } from '@firetrident/content';
import { expect, test } from 'vitest';
import { planSync, sourceOf } from './backlog-sync.ts';
import type { ListedIntent } from './intent-pages.ts';

function intent(
  key: string | undefined,
  state: ListedIntent['state'],
  fields: Partial<ListedIntent> = {},
): ListedIntent {
  return {
    id: `int_${key ?? 'none'}`,
    ...(key === undefined ? {} : { key }),
    title: key?.slice('markdown:'.length) ?? 'none',
    body: '',
    paths: [],
    learnedPaths: [],
    priority: 0,
    after: [],
    waitingOn: [],
    parent: null,
    labels: [],
    state,
    createdAt: '2026-01-01T00:00:00.000Z',
    returns: 0,
    attempts: 0,
    lease: null,
    duplicateOf: [],
    reason: null,
    landings: [],
    ...fields,
  } as ListedIntent;
}

function plan(text: string, intents: readonly ListedIntent[], namesEverything = false) {
  const parsed = parseBacklog(text, 'markdown');
  if (!parsed.ok) throw new Error(parsed.error.reason);
  const { create, edit, withdraw, close, same } = planSync(parsed.value, 'markdown', intents, namesEverything);
  const keys = (each: readonly ListedIntent[]) => each.map(({ key }) => key);
  return { create, edit: edit.map((each) => each.changes), withdraw: keys(withdraw), close: keys(close), same };
}

test('[BS2] the backlog says what there is to do, the colony what has landed', () => {
  const text = '- [ ] a\n- [ ] b\n  priority: 3\n- [ ] c\n- [ ] d\n- [x] e\n- [x] f\n- [ ] g\n';
  const intents = [
    intent('markdown:a', 'taken'),
    intent('markdown:b', 'open'),
    intent('markdown:c', 'landed', { title: 'an older title' }),
    intent('markdown:e', 'blocked'),
    intent('markdown:f', 'landed'),
    intent('markdown:g', 'abandoned', { title: 'an older title' }),
  ];
  expect(plan(text, intents)).toEqual({
    create: ['markdown:d'],
    edit: [{ priority: 3 }],
    withdraw: ['markdown:e'],
    close: ['markdown:c'],
    same: 2,
  });
});

test('[BS1] [BS3] other work is not touched, and what is not named is withdrawn only from a whole backlog', () => {
  const intents = [intent(undefined, 'open'), intent('github:https://a/1', 'open'), intent('markdown:gone', 'open')];
  const nothing = { create: [], edit: [], withdraw: [], close: [], same: 0 };
  expect(plan('- [x] done', intents)).toEqual(nothing);
  expect(plan('- [x] done', intents, true)).toEqual({ ...nothing, withdraw: ['markdown:gone'] });
});

test('the source of an intent is its key without the kind', () => {
  expect(sourceOf(intent('github:https://a/1', 'open'))).toBe('https://a/1');
});
