// Where a result comes from: which code, when, by which command, on which machine.
//
//   PV1. The commit is that of the checkout that this code runs from; where it runs from none, it is null and not made up.

import { execFileSync } from 'node:child_process';
import { type BenchHost, benchHost } from '../live/result.ts';

/** What stands beside every written result. */
export interface Provenance {
  readonly date: string;
  /** Commit of the code, with a plus sign when files differed from it; null outside of a checkout (PV1). */
  readonly commit: string | null;
  readonly command: string;
  readonly host: BenchHost;
}

/** The provenance of what is measured now by a command. */
export function provenanceOf(command: string): Provenance {
  return { date: new Date().toISOString(), commit: commitOfCode(), command, host: benchHost() };
}

function commitOfCode(): string | null {
  const git = (...args: string[]) =>
    execFileSync('git', args, {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  try {
    // An installed copy may lie inside of somebody's repository.
    git('ls-files', '--error-unmatch', 'provenance.ts');
    return git('rev-parse', '--short=12', 'HEAD') + (git('status', '--porcelain', '-uno') === '' ? '' : '+');
  } catch {
    // No checkout of this code: its commit is not known.
    return null;
  }
}
