// Which commit made a line, by stock git's blame.

import { no, ok, pathBytes, type Result, utf8Text } from '@firetrident/base';
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
  const name = utf8Text(pathBytes(file.path));
  const answer = await git.run(['blame', '--porcelain', '-L', `${line},${line}`, file.commit, '--', name], {
    directory,
  });
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
