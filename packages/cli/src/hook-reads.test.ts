// What the messages of hooks tell of reads, for the tools of both harnesses.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { pathsRead, readHookMessage } from './hook-reads.ts';

const files = new Set(['a.ts', 'src/b.ts', 'with blank.txt', '/repository/a.ts']);

function read(tool: string, input: object, response: unknown = {}): readonly string[] {
  const text = JSON.stringify({
    session_id: 's',
    cwd: '/repository',
    hook_event_name: 'PostToolUse',
    tool_name: tool,
    tool_input: input,
    tool_response: response,
  });
  const message = readHookMessage(text);
  if (message === null) throw new Error('a message');
  return pathsRead(message, (path) => files.has(path));
}

describe('[HR1] what counts as read', () => {
  test.each<[string, object, unknown, readonly string[]]>([
    ['Read', { file_path: '/repository/a.ts' }, {}, ['/repository/a.ts']],
    ['Read', { file_path: 'gone.ts' }, {}, []],
    ['Grep', { pattern: 'x' }, { mode: 'files_with_matches', filenames: ['src/b.ts', 'a.ts'] }, ['src/b.ts', 'a.ts']],
    [
      'Grep',
      { pattern: 'x', path: 'a.ts' },
      { mode: 'content', content: 'src/b.ts:3:x\nsrc/b.ts-4-y' },
      ['a.ts', 'src/b.ts'],
    ],
    ['Glob', { pattern: '**/*.ts' }, { filenames: ['a.ts'] }, []],
    ['Edit', { file_path: 'a.ts' }, {}, []],
    ['Bash', { command: 'sed -n 1,20p a.ts | grep x' }, '', ['a.ts']],
    ['Bash', { command: "cat 'with blank.txt' && rg x src/b.ts" }, '', ['with blank.txt', 'src/b.ts']],
    ['Bash', { command: ['bash', '-lc', 'cat a.ts'] }, '', ['a.ts']],
    ['Bash', { command: 'cat src/b.ts > a.ts; cat gone.ts' }, '', ['src/b.ts']],
    ['apply_patch', { command: '*** Update File: a.ts' }, '', []],
  ])('%s %o', (tool, input, response, expected) => {
    expect(read(tool, input, response)).toEqual(expected);
  });
});

test('what comes before the call, and what is no message, tells of nothing', () => {
  expect(readHookMessage('no JSON')).toBeNull();
  expect(readHookMessage('[]')).toBeNull();
  const before = readHookMessage(
    '{"hook_event_name":"PreToolUse","tool_name":"Read","tool_input":{"file_path":"a.ts"}}',
  );
  expect(before === null ? null : pathsRead(before, () => true)).toEqual([]);
});

test('[HR1] any JSON is a message or none, and names only what exists, each once', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('Read', 'Grep', 'Bash', 'Glob'),
      fc.jsonValue(),
      fc.jsonValue(),
      (tool, input, response) => {
        const message = readHookMessage(
          JSON.stringify({
            hook_event_name: 'PostToolUse',
            tool_name: tool,
            tool_input: input,
            tool_response: response,
          }),
        );
        const found = message === null ? [] : pathsRead(message, (path) => path.length % 2 === 0);
        expect(new Set(found).size).toBe(found.length);
        expect(found.every((path) => path.length % 2 === 0)).toBe(true);
      },
    ),
  );
});
