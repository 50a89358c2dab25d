// Text that people read: on one line, counted, and without characters that could steer a terminal.
//
// It never knows what the text is about or where it is shown.

/** A count with its noun: "1 file", "3 files". */
export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Text on one line, at most `length` characters long. Control characters, which could steer a terminal, become blanks. */
export function oneLine(text: string, length: number): string {
  const flat = printable(text).replace(/\s+/g, ' ').trim();
  return flat.length <= length ? flat : `${flat.slice(0, length - 1)}…`;
}

/** Text of several lines without control characters other than line ends and tabs. */
export function printable(text: string): string {
  return [...text].map((character) => (isControl(character) && !'\n\t'.includes(character) ? ' ' : character)).join('');
}

function isControl(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x20 || (code >= 0x7f && code < 0xa0);
}
