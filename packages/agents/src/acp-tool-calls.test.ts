// What is told of tool calls, in the orders in which real agents announce and complete them.

import { expect, test } from 'vitest';
import { AcpToolCalls } from './acp-tool-calls.ts';

const at = (...paths: string[]) => ({ locations: paths.map((path) => ({ path })) });

test('[AT1] a place that comes after the announcement is told, and told once', () => {
  const calls = new AcpToolCalls();
  const one = { toolCallId: 'one' };
  expect(calls.hear({ ...one, title: 'Read File', kind: 'read', status: 'pending' })).toEqual([]);
  expect(calls.hear({ ...one, title: 'Read a.txt', ...at('a.txt') })).toEqual([{ kind: 'read', path: 'a.txt' }]);
  expect(calls.hear({ ...one, ...at('a.txt', 'b.txt', 'b.txt') })).toEqual([{ kind: 'read', path: 'b.txt' }]);
  expect(calls.hear({ ...one, status: 'completed' })).toEqual([]);
  const two = { toolCallId: 'two', title: 'Edit', kind: 'move' as const, status: 'completed' as const };
  expect(calls.hear({ ...two, ...at('a.txt', 'c.txt') })).toEqual([
    { kind: 'edit', path: 'a.txt' },
    { kind: 'edit', path: 'c.txt' },
  ]);
});

test('[AT1] a call without a place is told by its title, once', () => {
  const calls = new AcpToolCalls();
  const run = { toolCallId: 'run', title: 'echo', kind: 'execute' as const };
  expect(calls.hear({ ...run, status: 'pending' })).toEqual([{ kind: 'tool', name: 'echo' }]);
  expect(calls.hear({ ...run, status: 'completed', ...at('.') })).toEqual([]);
  const read = { toolCallId: 'read', title: 'Read nothing', kind: 'read' as const };
  expect(calls.hear({ ...read, status: 'pending' })).toEqual([]);
  expect(calls.hear({ ...read, status: 'failed' })).toEqual([{ kind: 'tool', name: 'Read nothing' }]);
  expect(calls.hear({ toolCallId: 'unannounced', status: 'completed' })).toEqual([{ kind: 'tool', name: 'tool' }]);
});
