// The lines of a list of files that were read in a checkout. Whoever sees a read appends a line; whoever tells of reads takes them.
//
// It never knows who that is, nor where the list lies. A program that is told of FT_READS may append plain paths.

/** Who saw a read: `told` is the program itself. */
export type ListedSource = 'told' | 'acp' | 'jsonl' | 'hook';

/** Name of the list in the folder of git's own files, where nothing is proposed from and what goes away with the checkout. */
export const readListName = 'firetrident.reads';

/** The line of a path, with its end. Empty for a path that no line can hold. */
export function readListLine(path: string, source: ListedSource): string {
  if (path.includes('\n')) return '';
  return source === 'told' ? `${path}\n` : `${source}\t${path}\n`;
}

/** What a line says, without its end. */
export function parseReadLine(line: string): { readonly path: string; readonly source: ListedSource } {
  const [, source = 'told', path = ''] = /^(?:(acp|jsonl|hook)\t)?(.*)$/s.exec(line) ?? [];
  return { path, source: source as ListedSource };
}
