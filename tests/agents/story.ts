// What the model does in these tests, told once for all vendors: a change that comes back, because somebody else landed on
// what it stands on, and that is repaired so that both hold.

import { type Answer, type Conversation, offered, type Script } from './model/conversation.ts';

/** The repository of the story. */
export const storyFiles = {
  'README.md': '# Story\n',
  'src/greet.ts': 'export const greeting = "hello";\nexport const name = "world";\n',
} as const;

const file = 'src/greet.ts';
/** What somebody else lands meanwhile. */
export const theirs = storyFiles[file].replace('"hello"', '"hey"');
/** What trunk says at the end: theirs and ours. */
export const both = storyFiles[file].replace('"hello"', '"good evening, hey"');

/** What a tool of the colony answered: data, or a text that was not understood. */
// biome-ignore lint/suspicious/noExplicitAny: answers of several tools, looked into by the steps that asked
type Told = any;

/** Works over the colony's own tools. `meanwhile` runs once, after the file was read and before the change is proposed. */
export function colonyStory(meanwhile: () => Promise<unknown>): Script {
  return async (conversation) => {
    const told = conversation.results.map(toldBy);
    const ask = (tool: string, input: Record<string, unknown>): Answer => ({
      call: offered(conversation, tool),
      input,
    });
    const [taken, , , returned, , landed, last] = told;
    const mine = { lease: taken?.lease?.id, epoch: taken?.lease?.epoch, waitMs: 60_000 };
    switch (told.length) {
      case 0:
        return ask('take', {});
      case 1:
        return ask('read', { path: 'README.md' });
      case 2:
        return ask('read', { path: file });
      case 3:
        await meanwhile();
        return ask('propose', {
          ...mine,
          base: taken.base.commit,
          message: 'Warmer.',
          writes: [{ path: file, edits: [{ old: '"hello"', replacement: '"good evening"' }] }],
        });
      case 4:
        expectTold(returned?.state === 'returned', returned);
        return ask('read', { path: file, at: returned.brief.trunk });
      case 5:
        return ask('repair', {
          ...mine,
          proposal: returned.proposal,
          answer: 'amend',
          writes: [{ path: file, edits: [{ old: '"hey"', replacement: '"good evening, hey"' }] }],
        });
      case 6:
        expectTold(landed?.state === 'landed', landed);
        return ask('take', {});
      default:
        expectTold(last?.wait !== undefined, last);
        return { say: 'There is no more work.' };
    }
  };
}

function expectTold(condition: boolean, told: Told): void {
  if (!condition) throw new Error(`the model did not expect this answer: ${JSON.stringify(told)}`);
}

/** The data of an answer. Harnesses hand it on among lines of their own, or as a list of parts. */
function toldBy({ tool, text }: { tool: string; text: string }): Told {
  for (const line of text.split('\n')) {
    try {
      const value: Told = JSON.parse(line);
      if (Array.isArray(value)) return JSON.parse(value[0].text);
      if (typeof value === 'object' && value !== null) return value;
    } catch (error) {
      // A line of the harness.
      if (!(error instanceof SyntaxError)) throw error;
    }
  }
  throw new Error(`${tool} answered what is no data: ${text}`);
}

/** How the model uses the tools that a harness has for files. Paths are those of the checkout. */
export interface FileTools {
  readonly read: (conversation: Conversation, path: string) => Answer;
  readonly edit: (conversation: Conversation, change: { path: string; before: string; after: string }) => Answer;
  readonly run: (conversation: Conversation, command: string) => Answer;
}

/** By harness. */
export const fileTools: Readonly<Record<'claude' | 'codex' | 'gemini' | 'opencode', FileTools>> = {
  claude: {
    read: (conversation, path) => ({ call: offered(conversation, 'Read'), input: { file_path: path } }),
    edit: (conversation, { path, before, after }) => ({
      call: offered(conversation, 'Edit'),
      input: { file_path: path, old_string: before, new_string: after },
    }),
    run: (conversation, command) => ({ call: offered(conversation, 'Bash'), input: { command, description: 'Run' } }),
  },
  codex: {
    read: (conversation, path) => ({ call: offered(conversation, 'exec_command'), input: { cmd: `cat ${path}` } }),
    edit: (conversation, { path, before, after }) => {
      const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n-${before}\n+${after}\n*** End Patch\n`;
      const tool = offered(conversation, 'apply_patch', 'exec_command');
      if (tool.isFreeform === true) return { call: tool, input: patch };
      return { call: tool, input: { cmd: `apply_patch <<'END'\n${patch}END\n` } };
    },
    run: (conversation, command) => ({ call: offered(conversation, 'exec_command'), input: { cmd: command } }),
  },
  gemini: {
    read: (conversation, path) => ({ call: offered(conversation, 'read_file'), input: { file_path: path } }),
    edit: (conversation, { path, before, after }) => ({
      call: offered(conversation, 'replace'),
      input: { file_path: path, instruction: 'Greet', old_string: before, new_string: after },
    }),
    run: (conversation, command) => ({ call: offered(conversation, 'run_shell_command'), input: { command } }),
  },
  opencode: {
    read: (conversation, path) => ({ call: offered(conversation, 'read'), input: { filePath: path } }),
    edit: (conversation, { path, before, after }) => ({
      call: offered(conversation, 'edit'),
      input: { filePath: path, oldString: before, newString: after },
    }),
    run: (conversation, command) => ({ call: offered(conversation, 'bash'), input: { command, description: 'Run' } }),
  },
};

const done: Answer = { say: 'It greets warmly now.' };

function hasShell({ tools }: Conversation): boolean {
  return tools.some(({ name }) => ['Bash', 'bash', 'exec_command', 'run_shell_command'].includes(name));
}

/**
 * Works with the harness's own tools in a checkout; whoever drives the harness proposes. `meanwhile` runs once, in the first
 * turn, after the file was read and before it is changed.
 */
export function checkoutStory(tools: FileTools, meanwhile: () => Promise<unknown>): Script {
  return async (conversation) => {
    const isRepair = conversation.said.some((text) => text.includes('Your change came back'));
    const [before, after] = isRepair ? ['"hey"', '"good evening, hey"'] : ['"hello"', '"good evening"'];
    const line = (value: string) => `export const greeting = ${value};`;
    switch (conversation.results.length) {
      case 0:
        return tools.read(conversation, 'README.md');
      case 1:
        return tools.read(conversation, file);
      case 2:
        expectTold(conversation.results[1]?.text.includes(before) === true, conversation.results);
        if (!isRepair) await meanwhile();
        return tools.edit(conversation, { path: file, before: line(before), after: line(after) });
      case 3:
        // Some harnesses do not offer a shell to a model that may only edit.
        return hasShell(conversation) ? tools.run(conversation, 'echo ran > ran.txt') : done;
      default:
        return done;
    }
  };
}
