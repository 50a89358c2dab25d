// Which commit made a line, by stock git's blame.

import { isTextPath, no, ok, pathBytes, type Result, utf8Text } from '@firetrident/base';
import type { GitRunner } from '@firetrident/trunk';
import type { EngineRefusal, FileAnswer } from '../colony.ts';
import { type BlameAnswer, StorageFailureError } from '../trunk-service.ts';

/** Blames one line (from 1) of a file at a commit. */
export async function blameLine(
  git: GitRunner,
  directory: string,
  file: FileAnswer,
  line: number,
): Promise<Result<BlameAnswer, EngineRefusal>> {
  const lines = utf8Text(file.bytes).split('\n');
  const count = lines[lines.length - 1] === '' ? lines.length - 1 : lines.length;
  if (line < 1 || line > count) return no({ code: 'line_out_of_range', line, lines: count });
  const answer = await git.run(blameArguments(file, line), { directory });
  if (answer.code !== 0)
    throw new StorageFailureError(
      `git blame failed: ${answer.stderr.trim()}`,
      'check the repository with git fsck',
      false,
    );
  const output = utf8Text(answer.stdout);
  const field = (key: string) => new RegExp(`^${key} (.*)$`, 'm').exec(output)?.[1] ?? '';
  return ok({
    commit: output.slice(0, 40),
    summary: field('summary'),
    author: field('author'),
    at: Number(field('author-time')) * 1_000,
    text: lines[line - 1] ?? '',
  });
}

/** An argument of a program is text here, so a path that is not UTF-8 reaches git through the shell of an alias. */
function blameArguments(file: FileAnswer, line: number): string[] {
  const blame = ['blame', '--porcelain', '-L', `${line},${line}`, file.commit, '--'];
  if (isTextPath(file.path)) return [...blame, file.path];
  const octal = [...pathBytes(file.path)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
  // The dot keeps the shell from trimming line feeds at the end of the name.
  const script = `!path=$(printf '${octal}.'); exec git ${blame.join(' ')} "\${path%.}"`;
  return ['-c', `alias.blame-bytes=${script}`, 'blame-bytes'];
}
