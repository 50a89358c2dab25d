// Paths of answers as text for a terminal.

/** A path in an answer: text, or bytes in base64 when they are not UTF-8. */
export interface AnsweredPath {
  readonly path?: string;
  readonly pathBase64?: string;
}

/** The path for a person; bytes that are not UTF-8 show as the replacement character. */
export function pathText(named: AnsweredPath | string): string {
  if (typeof named === 'string') return named;
  if (named.path !== undefined) return named.path;
  return Buffer.from(named.pathBase64 ?? '', 'base64').toString('utf8');
}

/** A read as a person would say it. */
export interface AnsweredRead extends AnsweredPath {
  readonly dir?: string;
  readonly dirBase64?: string;
  readonly glob?: string;
  readonly symbol?: string;
  readonly signature?: boolean;
  readonly lines?: readonly [number, number];
}

/** What was read: a file, a part of one, a listing or a pattern. */
export function readText(read: AnsweredRead): string {
  if (read.glob !== undefined) return `what matches ${read.glob}`;
  const folder =
    read.dir ?? (read.dirBase64 === undefined ? undefined : Buffer.from(read.dirBase64, 'base64').toString('utf8'));
  if (folder !== undefined) return `the listing of ${folder === '' ? 'the root' : folder}`;
  const path = pathText(read);
  if (read.symbol !== undefined)
    return `${read.signature === true ? 'the signature of ' : ''}${read.symbol} of ${path}`;
  if (read.lines !== undefined) return `lines ${read.lines[0]} to ${read.lines[1]} of ${path}`;
  return path;
}
