// The output of a git process, line by line, without holding all of it.
//
//   GL1. Lines come as bytes read as Latin-1: nothing is lost, and a name in UTF-8 can be read from them.
//   GL2. A process that fails, or cannot be started, ends the lines with a HistoryError that says what git said.

import { spawn } from 'node:child_process';
import { environmentWithoutGit } from '@firetrident/adapters';

/** What a history cannot be read for: no repository, no such revision, no git. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
}

const fixedEnvironment = { LC_ALL: 'C', GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1', GIT_OPTIONAL_LOCKS: '0' };
/** Error output of git that is kept for the message, in characters. */
const errorLength = 2_000;

/** Runs git in a repository and gives the lines of its output (GL1, GL2). */
export async function* gitLines(repository: string, args: readonly string[]): AsyncGenerator<string> {
  const child = spawn('git', ['-C', repository, '-c', 'core.quotePath=false', ...args], {
    env: { ...environmentWithoutGit(), ...fixedEnvironment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(0, errorLength);
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', (error) => reject(new HistoryError(`git could not be started: ${error.message}`)));
    child.once('close', (code) => resolve(code));
  });
  // Looked at below; a failure to start must not be unheard until then.
  ended.catch(() => undefined);
  let rest = '';
  for await (const chunk of child.stdout.setEncoding('latin1') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
  if ((await ended) !== 0) throw new HistoryError(errors.trim() === '' ? 'git failed' : errors.trim());
}
