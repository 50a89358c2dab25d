// The lines that agents print, by vendor: what each says about reads, edits, tools, cost and the end.
//
// Shapes as documented for `claude -p --output-format stream-json`, `codex exec --json` and `gemini --output-format
// stream-json`. A line that is none of them says nothing, and is no fault: vendors add lines.
//
//   JS1. Tokens are counted once: from the line that sums a turn up, never from the messages before it.

import type { Activity, Usage } from './driver.ts';
import { shellReads } from './shell-reads.ts';

/** What one line said. */
export interface Heard {
  readonly activities: readonly Activity[];
  readonly usage: Usage | null;
  /** Set by the line that ends a turn; `problem` is null when the turn went well. */
  readonly outcome: { readonly problem: string | null } | null;
}

type Json = Readonly<Record<string, unknown>>;

const nothing: Heard = { activities: [], usage: null, outcome: null };

/** Reads one line (JS1). */
export function hearLine(line: string): Heard {
  const message = parsed(line);
  if (message === null) return nothing;
  switch (message.type) {
    case 'assistant':
      return { ...nothing, activities: objects(object(message.message).content).flatMap(claudeTool) };
    case 'item.completed':
      return { ...nothing, activities: codexItem(object(message.item)) };
    case 'turn.completed':
      return { ...nothing, usage: usageOf(object(message.usage), null), outcome: { problem: null } };
    case 'turn.failed':
      return { ...nothing, outcome: { problem: text(object(message.error).message) ?? 'the turn failed' } };
    case 'tool_use':
      return { ...nothing, activities: geminiTool(message) };
    case 'result':
      return message.stats === undefined ? claudeResult(message) : geminiResult(message);
    default:
      return nothing;
  }
}

/** Tools of Claude Code whose use is a read or an edit of one file. */
const claudeFiles: Readonly<Record<string, 'read' | 'edit'>> = {
  Read: 'read',
  NotebookRead: 'read',
  Edit: 'edit',
  MultiEdit: 'edit',
  Write: 'edit',
  NotebookEdit: 'edit',
};

function claudeTool(part: Json): Activity[] {
  if (part.type !== 'tool_use') return [];
  const name = text(part.name) ?? 'tool';
  const input = object(part.input);
  return fileActivity(claudeFiles[name], text(input.file_path) ?? text(input.notebook_path), name);
}

function claudeResult(message: Json): Heard {
  const isWrong = message.is_error === true || (message.subtype !== undefined && message.subtype !== 'success');
  const problem = isWrong ? (text(message.result) ?? text(message.subtype) ?? 'the agent reported an error') : null;
  const cost = number(message.total_cost_usd);
  return { ...nothing, usage: usageOf(object(message.usage), cost), outcome: { problem } };
}

function codexItem(item: Json): Activity[] {
  switch (item.type) {
    case 'command_execution':
      return [
        { kind: 'tool', name: 'command' },
        ...shellReads(text(item.command) ?? '').map((path): Activity => ({ kind: 'read', path })),
      ];
    case 'mcp_tool_call':
      return [{ kind: 'tool', name: text(item.tool) ?? 'mcp' }];
    case 'file_change':
      return objects(item.changes).flatMap((change) => fileActivity('edit', text(change.path), 'file_change'));
    case 'web_search':
      return [{ kind: 'tool', name: 'web_search' }];
    default:
      return [];
  }
}

const geminiFiles: Readonly<Record<string, 'read' | 'edit'>> = {
  read_file: 'read',
  write_file: 'edit',
  replace: 'edit',
};

function geminiTool(message: Json): Activity[] {
  const name = text(message.tool_name) ?? 'tool';
  const input = object(message.parameters);
  return fileActivity(geminiFiles[name], text(input.file_path) ?? text(input.absolute_path), name);
}

function geminiResult(message: Json): Heard {
  const stats = object(message.stats);
  const tokens = number(stats.total_tokens) ?? (number(stats.input_tokens) ?? 0) + (number(stats.output_tokens) ?? 0);
  const isWrong = message.status !== undefined && message.status !== 'success';
  const problem = isWrong ? (text(object(message.error).message) ?? 'the agent reported an error') : null;
  return { ...nothing, usage: { tokens, costUsd: null }, outcome: { problem } };
}

function fileActivity(kind: 'read' | 'edit' | undefined, path: string | null, name: string): Activity[] {
  return kind !== undefined && path !== null ? [{ kind, path }] : [{ kind: 'tool', name }];
}

/**
 * Tokens in and out. Claude counts what comes from caches beside the input, in fields whose names begin with `cache_`;
 * Codex counts it within the input.
 */
function usageOf(usage: Json, costUsd: number | null): Usage {
  const fields = ['input_tokens', 'output_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
  return { tokens: fields.reduce((sum, field) => sum + (number(usage[field]) ?? 0), 0), costUsd };
}

function parsed(line: string): Json | null {
  if (!line.startsWith('{')) return null;
  try {
    return object(JSON.parse(line));
  } catch (error) {
    // Programs print other things too; what is no JSON is none of ours.
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function objects(value: unknown): Json[] {
  return Array.isArray(value) ? value.map(object) : [];
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
