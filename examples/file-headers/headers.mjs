// The mechanical change to one file: an SPDX line where its language has comments, else a line end at its end.
//
// Texts are Latin-1 readings of bytes, so that every byte that is not touched stays what it was.

/** @type {[string[], string, string][]} endings of files, and what opens and closes a comment there */
const styles = [
  ['c h cc cpp hpp cs dart go java js jsx mjs cjs ts tsx mts cts kt rs scala swift proto zig'.split(' '), '// ', ''],
  ['py rb sh bash zsh pl toml yaml yml tf nix mk'.split(' '), '# ', ''],
  ['sql lua hs elm'.split(' '), '-- ', ''],
  ['css scss less'.split(' '), '/* ', ' */'],
  ['html vue svelte'.split(' '), '<!-- ', ' -->'],
];

const textEndings = new Set('md txt rst adoc json csv'.split(' '));

/** Bytes above which a file is left alone, and the length of a line that nobody wrote by hand. */
const bytesMax = 1_048_576;
const lineMax = 5_000;

/** Lines that have to stay in front: interpreter, encoding, document type, declaration. */
const leading = /^(?:#!|#.*coding[:=]|<!doctype\b|<\?xml\b)/i;

/**
 * The file's text after the change, and whether it has a header then.
 *
 * @param {string} path
 * @param {string} text
 * @param {string} licence
 * @returns {{ text: string, header: boolean }}
 */
export function withHeader(path, text, licence) {
  const ending = /[^/]\.([A-Za-z0-9]+)$/.exec(path)?.[1]?.toLowerCase() ?? '';
  const style = styles.find(([endings]) => endings.includes(ending));
  const generated = text.split('\n').some((line) => line.length > lineMax);
  if (text === '' || text.length > bytesMax || text.includes('\0') || generated) return { text, header: false };
  if (style === undefined) return { text: textEndings.has(ending) ? withEnd(text) : text, header: false };
  return { text: insertHeader(text, `${style[1]}SPDX-License-Identifier: ${licence}${style[2]}`), header: true };
}

/**
 * @param {string} text
 * @param {string} header
 */
function insertHeader(text, header) {
  const mark = text.startsWith('\xef\xbb\xbf') ? '\xef\xbb\xbf' : '';
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const lines = text.slice(mark.length).split(end);
  if (lines.slice(0, 20).some((line) => line.includes('SPDX-License-Identifier:'))) return text;
  let position = 0;
  while (position < 2 && leading.test(lines[position] ?? '')) position += 1;
  return mark + [...lines.slice(0, position), header, ...lines.slice(position)].join(end);
}

/** @param {string} text */
function withEnd(text) {
  if (text.endsWith('\n')) return text;
  return text + (text.includes('\r\n') ? '\r\n' : '\n');
}
