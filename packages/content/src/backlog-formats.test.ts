import { expect, test } from 'vitest';
import { type BacklogFormat, guessBacklogFormat, parseBacklog } from './backlog-formats.ts';

test.each<[string, string, BacklogFormat]>([
  ['BACKLOG.md', '', 'markdown'],
  ['notes', '', 'markdown'],
  ['issues.json', '[{"number":1}]', 'github'],
  ['issues.json', '[{"id": 9, "iid" : 1}]', 'gitlab'],
  ['issues.jsonl', '', 'beads'],
])('%s with %j is %s', (name, text, format) => {
  expect(guessBacklogFormat(name, text)).toBe(format);
});

test.each<[BacklogFormat, string]>([
  ['markdown', '- [ ] A'],
  ['github', '[{"number":1,"title":"A"}]'],
  ['gitlab', '[{"iid":1,"title":"A"}]'],
  ['beads', '{"id":"1","title":"A"}'],
])('keys of %s begin with its name', (format, text) => {
  const parsed = parseBacklog(text, format);
  expect(parsed.ok && parsed.value.drafts.map(({ key }) => key.startsWith(`${format}:`))).toEqual([true]);
});
