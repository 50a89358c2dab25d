// How a harness is told to report what its agent reads: an entry for the time after tool calls, in a file of the project.
//
//   HN2. What others wrote into a file stays, other hooks too; ours is there once, however often it is written.

import type { HarnessName } from './harnesses.ts';
import { isObject, readProjectFile, unusable } from './project-file.ts';

/** One harness: where the hooks of a project lie, and what stands there. */
export interface HarnessHooks {
  /** Path from the top of the repository. */
  readonly file: string;
  /** The file's text with the hook in it; `before` is null when there is no file (HN2). */
  readonly written: (before: string | null, command: readonly string[]) => string;
  /** What a person has to do before the harness runs it; null when nothing. */
  readonly next: string | null;
}

/** Tools after which something was read. Codex reads through its shell, which it calls by the same name. */
const claudeTools = 'Read|NotebookRead|Grep|Bash';
const codexTools = 'Bash';
/** Longest that a harness waits for the hook, seconds. */
const timeoutSeconds = 10;
/** What is put into the file, in the words of a refusal. */
const ours = 'hook';
/** Ends the command of our own hooks, whatever starts it. */
const ownEnd = ' hook read';

/** The harnesses that have such hooks. */
export const harnessHooks: Partial<Readonly<Record<HarnessName, HarnessHooks>>> = {
  claude: {
    file: '.claude/settings.json',
    written: (before, command) => withHook('.claude/settings.json', before, claudeTools, command),
    next: null,
  },
  codex: {
    file: '.codex/hooks.json',
    written: (before, command) => withHook('.codex/hooks.json', before, codexTools, command),
    next: 'Codex runs it once the project is trusted and the hook was looked through there, with /hooks.',
  },
};

function withHook(file: string, before: string | null, matcher: string, command: readonly string[]): string {
  const whole = readProjectFile(file, before, ours);
  const hooks = whole.hooks ?? {};
  if (!isObject(hooks)) throw unusable(file, 'hooks is not an object', ours);
  const after = hooks.PostToolUse ?? [];
  if (!Array.isArray(after)) throw unusable(file, 'hooks.PostToolUse is not a list', ours);
  const own = { matcher, hooks: [{ type: 'command', command: shellText(command), timeout: timeoutSeconds }] };
  const written = { ...whole, hooks: { ...hooks, PostToolUse: [...after.filter((each) => !isOurs(each)), own] } };
  return `${JSON.stringify(written, null, 2)}\n`;
}

/** Whether every hook of an entry is the one that is written here. */
function isOurs(entry: unknown): boolean {
  if (!isObject(entry) || !Array.isArray(entry.hooks) || entry.hooks.length === 0) return false;
  return entry.hooks.every(
    (hook) => isObject(hook) && typeof hook.command === 'string' && hook.command.endsWith(ownEnd),
  );
}

function shellText(words: readonly string[]): string {
  return words.map((word) => (/^[\w./:@=+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(' ');
}
