// Which files a tool call of an agent's harness read, from what the harness tells its hooks.
//
// It never knows where the answer goes. Nothing here fails on a shape that it does not know: that tells of no reads.
//
// Invariants:
//   HR1. Only files that exist count.

import { shellReads } from '@firetrident/agents';
import { isObject } from './mcp/project-file.ts';

/** What of a hook's message matters. Claude Code and Codex send the same fields. */
export interface HookMessage {
  readonly event: string;
  readonly tool: string;
  /** Folder in which relative paths are meant; null when the message names none. */
  readonly cwd: string | null;
  readonly input: Readonly<Record<string, unknown>>;
  readonly response: unknown;
}

/** Paths of one call; a search through a large repository may name many. */
const pathsAtMost = 1_000;

/** Reads a message; null when the text is no such message. */
export function readHookMessage(text: string): HookMessage | null {
  const value = parsed(text);
  if (!isObject(value) || typeof value.hook_event_name !== 'string' || typeof value.tool_name !== 'string') return null;
  return {
    event: value.hook_event_name,
    tool: value.tool_name,
    cwd: typeof value.cwd === 'string' ? value.cwd : null,
    input: isObject(value.tool_input) ? value.tool_input : {},
    response: value.tool_response,
  };
}

/** Paths that a call has read, as they were named; `isFile` tells of a path whether it is a file (HR1). */
export function pathsRead(message: HookMessage, isFile: (path: string) => boolean): readonly string[] {
  if (message.event !== 'PostToolUse') return [];
  const named = [...new Set(namedPaths(message))];
  return named.filter(isFile).slice(0, pathsAtMost);
}

function namedPaths({ tool, input, response }: HookMessage): readonly string[] {
  switch (tool) {
    case 'Read':
      return texts(input.file_path);
    case 'NotebookRead':
      return texts(input.notebook_path);
    case 'Grep':
      return [...texts(input.path), ...searched(response)];
    case 'Bash':
      return shellReads(commandOf(input.command));
    default:
      return [];
  }
}

/** Files in which a search found something: listed, or before the line numbers of what it shows. */
function searched(response: unknown): readonly string[] {
  if (!isObject(response)) return [];
  const listed = Array.isArray(response.filenames) ? response.filenames.flatMap(texts) : [];
  const shown = typeof response.content === 'string' ? response.content.split('\n') : [];
  return [...listed, ...shown.flatMap((line) => /^(.+?)[:-]\d+[:-]/.exec(line)?.[1] ?? [])];
}

/** What a tool for shell commands was given: a line, or the words of one command. */
function commandOf(command: unknown): string | readonly string[] {
  return typeof command === 'string' ? command : Array.isArray(command) ? command.flatMap(texts) : '';
}

function texts(value: unknown): readonly string[] {
  return typeof value === 'string' && value !== '' ? [value] : [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
