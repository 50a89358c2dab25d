// What git says is held up to a bound.

import { expect, test } from 'vitest';
import { NodeGit } from './git.ts';

test('[GT2] git is stopped where its output passes the bound, and nothing of it is held', async () => {
  const git = new NodeGit({ outputBytesMax: 1_000_000 });
  const short = await git.run(['version']);
  expect(short).toMatchObject({ code: 0, isCut: false });
  // An alias that never ends by itself.
  const long = await git.run(['-c', 'alias.endless=!exec yes', 'endless']);
  expect(long).toMatchObject({ isCut: true, stdout: Buffer.alloc(0) });
  expect(long.code).not.toBe(0);
});
