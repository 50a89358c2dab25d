// Agents that print JSON lines: each vendor's documented lines, printed by a real child process.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { temporaryDirectory } from '../../../tests/support/git-repository.ts';
import type { Activity, TurnSettings } from './driver.ts';
import { runJsonlTurn } from './jsonl-driver.ts';
import { CommandUnusableError } from './process-group.ts';
import { agentCommand } from './vendors.ts';

const place = temporaryDirectory('firetrident-jsonl-');
afterAll(() => place.remove());

/** Prints lines as an agent does: not all at once, and other things between them. */
async function printing(name: string, lines: readonly object[], more: Partial<TurnSettings> = {}, code = 0) {
  const file = join(place.path, name);
  writeFileSync(file, `starting up\n${lines.map((line) => JSON.stringify(line)).join('\n')}\n{not json\n`);
  const activities: Activity[] = [];
  const end = await runJsonlTurn({
    command: ['sh', '-c', `cat > ${file}.prompt; head -c 100 ${file}; sleep 0.05; tail -c +101 ${file}; exit ${code}`],
    directory: place.path,
    environment: {},
    input: '',
    prompt: 'Do the work.\n',
    permissions: 'edits',
    timeoutMs: 60_000,
    signal: new AbortController().signal,
    onActivity: (activity) => activities.push(activity),
    ...more,
  });
  return { end, activities };
}

test('[JS1] claude -p --output-format stream-json', async () => {
  const usage = { input_tokens: 10, cache_creation_input_tokens: 20, cache_read_input_tokens: 30, output_tokens: 5 };
  const tool = (name: string, input: object) => ({ type: 'tool_use', id: 'toolu_1', name, input });
  const assistant = (...content: object[]) => ({
    type: 'assistant',
    session_id: 's',
    message: { role: 'assistant', content, usage },
  });
  const result = { type: 'result', session_id: 's', num_turns: 2, total_cost_usd: 0.0225, usage, modelUsage: {} };
  const lines = [
    { type: 'system', subtype: 'init', session_id: 's', tools: ['Read', 'Edit', 'Bash'], model: 'm' },
    assistant({ type: 'text', text: 'Looking.' }, tool('Read', { file_path: '/w/a.ts' })),
    {
      type: 'user',
      session_id: 's',
      message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1' }] },
    },
    assistant(
      tool('Edit', { file_path: '/w/a.ts', old_string: 'a', new_string: 'b' }),
      tool('Bash', { command: 'ls' }),
    ),
  ];
  const well = await printing('claude', [
    ...lines,
    { ...result, subtype: 'success', is_error: false, result: 'Done.' },
  ]);
  expect(well.end).toMatchObject({ code: 0, problem: null, usage: { tokens: 65, costUsd: 0.0225 } });
  expect(well.activities).toEqual([
    { kind: 'read', path: '/w/a.ts' },
    { kind: 'edit', path: '/w/a.ts' },
    { kind: 'tool', name: 'Bash' },
  ]);
  const ill = await printing('claude', [...lines, { ...result, subtype: 'error_max_turns', is_error: true }]);
  expect(ill.end).toMatchObject({ code: 0, problem: 'error_max_turns' });
});

test('[JS1] codex exec --json', async () => {
  const item = (item: object) => ({ type: 'item.completed', item });
  const usage = { input_tokens: 100, cached_input_tokens: 80, output_tokens: 20, reasoning_output_tokens: 5 };
  const lines = [
    { type: 'thread.started', thread_id: 't' },
    { type: 'turn.started' },
    {
      type: 'item.started',
      item: { id: 'i0', type: 'command_execution', command: "/bin/bash -lc 'cat a'", status: 'in_progress' },
    },
    item({
      id: 'i0',
      type: 'command_execution',
      command: "/bin/bash -lc 'cat a'",
      aggregated_output: '',
      exit_code: 0,
      status: 'completed',
    }),
    item({
      id: 'i1',
      type: 'file_change',
      changes: [
        { path: 'a.ts', kind: 'update' },
        { path: 'b.ts', kind: 'add' },
      ],
      status: 'completed',
    }),
    item({ id: 'i2', type: 'mcp_tool_call', server: 's', tool: 'find', status: 'completed' }),
    item({ id: 'i3', type: 'agent_message', text: 'Done.' }),
  ];
  const well = await printing('codex', [...lines, { type: 'turn.completed', usage }]);
  expect(well.end).toMatchObject({ problem: null, usage: { tokens: 120, costUsd: null } });
  expect(well.activities).toEqual([
    { kind: 'tool', name: 'command' },
    { kind: 'read', path: 'a' },
    { kind: 'edit', path: 'a.ts' },
    { kind: 'edit', path: 'b.ts' },
    { kind: 'tool', name: 'find' },
  ]);
  const ill = await printing('codex', [...lines, { type: 'turn.failed', error: { message: 'no quota' } }], {}, 1);
  expect(ill.end).toMatchObject({ code: 1, problem: 'no quota' });
});

test('[JS1] gemini --output-format stream-json', async () => {
  const lines = [
    { type: 'init', session_id: 's', model: 'm' },
    { type: 'message', role: 'user', content: 'Do the work.' },
    { type: 'tool_use', tool_name: 'read_file', tool_id: '1', parameters: { file_path: 'a.ts' } },
    { type: 'tool_result', tool_id: '1', status: 'success', output: '' },
    { type: 'tool_use', tool_name: 'replace', tool_id: '2', parameters: { file_path: 'a.ts' } },
    { type: 'tool_use', tool_name: 'run_shell_command', tool_id: '3', parameters: { command: 'ls' } },
    { type: 'message', role: 'assistant', content: 'Done.', delta: true },
  ];
  const stats = { total_tokens: 42, input_tokens: 40, output_tokens: 2, cached: 30, duration_ms: 5, tool_calls: 3 };
  const well = await printing('gemini', [...lines, { type: 'result', status: 'success', stats }]);
  expect(well.end).toMatchObject({ problem: null, usage: { tokens: 42, costUsd: null } });
  expect(well.activities).toEqual([
    { kind: 'read', path: 'a.ts' },
    { kind: 'edit', path: 'a.ts' },
    { kind: 'tool', name: 'run_shell_command' },
  ]);
  const error = { type: 'FatalError', message: 'no key' };
  const ill = await printing('gemini', [{ type: 'result', status: 'error', error, stats }]);
  expect(ill.end.problem).toBe('no key');
});

test('an agent that is not there is told so, and one that says nothing is judged by its exit code', async () => {
  await expect(printing('absent', [], { command: ['no-such-agent-here'] })).rejects.toThrow(CommandUnusableError);
  expect((await printing('silent', [], {}, 3)).end).toMatchObject({ code: 3, problem: null, usage: null });
});

test('known agents get their options; a whole command stays as it is', () => {
  expect(agentCommand('jsonl', ['codex'])).toEqual(['codex', 'exec', '--json', '--sandbox', 'workspace-write', '-']);
  expect(agentCommand('acp', ['gemini'])).toEqual(['gemini', '--acp']);
  expect(agentCommand('acp', ['gemini', '--acp', '-m', 'x'])).toEqual(['gemini', '--acp', '-m', 'x']);
  expect(agentCommand('command', ['claude'])).toEqual(['claude']);
});
