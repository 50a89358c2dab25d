// The shared file: one row for each folder, sorted. Every intent writes its own row, so neighbours meet here.

const rule = '|---|---|---|\n';
const head = `# Code index\n\n| folder | files | with a header |\n${rule}`;

/**
 * An index of folders of which none was visited yet.
 *
 * @param {Map<string, string[]>} folders
 */
export function emptyIndex(folders) {
  return head + [...folders].map(([folder, files]) => row(folder, files.length, 'not yet')).join('');
}

/**
 * The index with the row of a folder, put where it belongs when it is not there.
 *
 * @param {string} index
 * @param {string} folder
 * @param {number} files
 * @param {number} headers
 */
export function withRow(index, folder, files, headers) {
  const rows = index
    .slice(index.indexOf(rule) + rule.length)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(`| \`${folder}\` |`));
  const position = rows.findIndex((line) => (line.split('`')[1] ?? '') > folder);
  rows.splice(position < 0 ? rows.length : position, 0, row(folder, files, String(headers)).trimEnd());
  return `${head}${rows.join('\n')}\n`;
}

/**
 * @param {string} folder
 * @param {number} files
 * @param {string} headers
 */
function row(folder, files, headers) {
  return `| \`${folder}\` | ${files} | ${headers} |\n`;
}
