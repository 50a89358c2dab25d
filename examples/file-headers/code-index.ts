// The shared file: one row for each folder, sorted. Every intent writes its own row, so neighbours meet here.

const head = '# Code index\n\n| folder | files | with a header |\n|---|---|---|\n';

/** An index of folders of which none was visited yet. */
export function emptyIndex(folders: ReadonlyMap<string, readonly string[]>): string {
  return head + [...folders].map(([folder, files]) => row(folder, files.length, 'not yet')).join('');
}

/** The index with the row of a folder, put where it belongs when it is not there. */
export function withRow(index: string, folder: string, files: number, headers: number): string {
  const start = `| \`${folder}\` |`;
  const rows = index
    .slice(index.indexOf('|---|---|---|\n') + '|---|---|---|\n'.length)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(start));
  const nameOf = (line: string) => line.split('`')[1] ?? '';
  const position = rows.findIndex((line) => nameOf(line) > folder);
  rows.splice(position < 0 ? rows.length : position, 0, row(folder, files, String(headers)).trimEnd());
  return `${head}${rows.join('\n')}\n`;
}

function row(folder: string, files: number, headers: string): string {
  return `| \`${folder}\` | ${files} | ${headers} |\n`;
}
