// Commits as text and as data.

import { isOid, type Oid, utf8Text } from '@firetrident/base';
import { TrunkError } from './errors.ts';
import type { Commit, Person } from './model.ts';

/** What a commit object says. */
export interface CommitParts {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: Person;
  readonly committer: Person;
  readonly message: string;
  /** Time for whoever brings none of their own. */
  readonly timeSeconds: number;
}

// Characters that end a name, a line or a header in git's format, and other control characters.
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not get into a header
const reserved = /[\x00-\x1f\x7f<>]+/g;

function personLine({ name, email, timeSeconds }: Person, cycleTimeSeconds: number): string {
  const plainName = name.replace(reserved, ' ').trim() || 'unknown';
  const plainEmail = email.replace(reserved, '').trim();
  return `${plainName} <${plainEmail}> ${Math.max(0, Math.floor(timeSeconds ?? cycleTimeSeconds))} +0000`;
}

/** The text of a commit object. The message gets its final newline when it has none. */
export function commitText(parts: CommitParts): string {
  let text = `tree ${parts.tree}\n`;
  for (const parent of parts.parents) text += `parent ${parent}\n`;
  text += `author ${personLine(parts.author, parts.timeSeconds)}\n`;
  text += `committer ${personLine(parts.committer, parts.timeSeconds)}\n\n`;
  const message = parts.message.includes('\0') ? parts.message.replaceAll('\0', '') : parts.message;
  return message === '' || message.endsWith('\n') ? text + message : `${text}${message}\n`;
}

/** Reads a commit object. Throws `corrupt` when it lacks what every commit has. */
export function parseCommit(oid: Oid, bytes: Uint8Array): Commit {
  const text = utf8Text(bytes);
  const end = text.indexOf('\n\n');
  const header = end < 0 ? text : text.slice(0, end);
  const parents: Oid[] = [];
  let tree = '';
  let author = '';
  let committer = '';
  for (const line of header.split('\n')) {
    if (line.startsWith('tree ') && tree === '') tree = line.slice(5);
    else if (line.startsWith('parent ')) parents.push(line.slice(7));
    else if (line.startsWith('author ') && author === '') author = line.slice(7);
    else if (line.startsWith('committer ') && committer === '') committer = line.slice(10);
  }
  if (!isOid(tree) || !parents.every(isOid)) throw new TrunkError('corrupt', `commit ${oid} is malformed`);
  const time = /> (\d+)(?: [+-]\d+)?$/.exec(committer);
  const message = end < 0 ? '' : text.slice(end + 2);
  return { oid, tree, parents, author, committer, timeSeconds: Number(time?.[1] ?? 0), message };
}
