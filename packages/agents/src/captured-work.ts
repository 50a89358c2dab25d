// The captures of a colony's checkouts on this machine, as they can be listed and looked at.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { capturedRefs } from './capture.ts';
import { runGit } from './run-git.ts';

/** One capture. */
export interface CapturedWork {
  readonly id: string;
  readonly commit: string;
  /** When it was captured, as ISO 8601. */
  readonly at: string;
  /** The intent or agent that the work was for. */
  readonly reason: string;
}

/** Where the captures of a colony are kept below a data directory. */
export function capturedRepository(data: string, colony: string): string {
  return join(data, 'agents', colony, 'captured.git');
}

/** Every capture in a repository of captures, newest first. */
export async function listCaptured(captured: string): Promise<CapturedWork[]> {
  if (!existsSync(captured)) return [];
  const format = '%(refname)%00%(objectname)%00%(committerdate:iso-strict)%00%(contents:subject)';
  const args = ['for-each-ref', '--sort=-committerdate', `--format=${format}`, capturedRefs];
  const listed = await runGit(captured, args, { environment: { GIT_DIR: captured } });
  return listed
    .toString('utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [ref = '', commit = '', at = '', subject = ''] = line.split('\0');
      const reason = subject.replace(/^Captured: /, '');
      return { id: ref.slice(capturedRefs.length), commit, at: new Date(at).toISOString(), reason };
    });
}
