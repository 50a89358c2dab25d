// A unified diff to be read, of one file, never longer than it may be.
//
// It is for people and agents, not for `patch`: it may be cut short, and bytes that are not UTF-8 are shown as U+FFFD.
// What is not cut and was UTF-8 applies as a patch does.
//
// Invariants:
//   UD1. The text, as UTF-8, is never longer than `limitBytes`.
//   UD2. What is missing is said: a text cut short ends in a line that says so, as far as the limit leaves room for it.
//   UD3. Nothing of a path or a line can pass for a line of the diff's own: control characters in a path are escaped,
//        and each line of content stands behind its mark.

import { sameBytes, type TreePath, utf8 } from '@firetrident/base';
import { diffNumbers, type Hunk } from './diff.ts';
import { isBinary, LineNumbering, lineBytes, type NumberedText } from './lines.ts';

/** A range of lines, 1-based and inclusive. */
export type LineRange = { readonly from: number; readonly to: number };

export type UnifiedDiffOptions = {
  readonly path: TreePath;
  /** Unchanged lines shown around changes. */
  readonly contextLines: number;
  /** The most bytes the result may have as UTF-8. */
  readonly limitBytes: number;
  /** Keep only hunks in which a change lies in these lines of the text before, or right beside them. */
  readonly onlyRange?: LineRange;
};

const nothing = new Uint8Array(0);
// A byte order mark is part of its line: whether it came or went must be seen.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const truncationNote = '[diff truncated]\n';

/**
 * The unified diff from `before` to `after`; null stands for an absent file. Empty when there is nothing to show: equal
 * texts, or no change near `onlyRange`.
 */
export function unifiedDiff(before: Uint8Array | null, after: Uint8Array | null, options: UnifiedDiffOptions): string {
  const beforeBytes = before ?? nothing;
  const afterBytes = after ?? nothing;
  const isSame = sameBytes(beforeBytes, afterBytes);
  if (isSame && (before === null) === (after === null)) return '';
  const beforeName = before === null ? '/dev/null' : quotedPath(`a/${options.path}`);
  const afterName = after === null ? '/dev/null' : quotedPath(`b/${options.path}`);
  const writer = new BoundedText(options.limitBytes);
  if (isBinary(beforeBytes) || isBinary(afterBytes)) {
    writer.add(`Binary files ${beforeName} and ${afterName} differ\n`);
    return writer.text();
  }
  const numbering = new LineNumbering();
  const beforeText = numbering.number(beforeBytes);
  const afterText = numbering.number(afterBytes);
  const script = diffNumbers(beforeText.numbers, afterText.numbers, numbering.count);
  const { contextLines, onlyRange } = options;
  const groups = groupHunks(script, contextLines);
  const shown = onlyRange === undefined ? groups : groups.filter((group) => group.some(touches(onlyRange)));
  if (shown.length === 0 && !isSame) return '';
  writer.add(`--- ${beforeName}\n`);
  writer.add(`+++ ${afterName}\n`);
  for (const group of shown) writeGroup(writer, group, beforeText, afterText, contextLines);
  return writer.text();
}

function touches(range: LineRange): (hunk: Hunk) => boolean {
  return (hunk) => hunk.beforeStart <= range.to && hunk.beforeStart + hunk.beforeCount >= range.from - 1;
}

/** Puts hunks together whose context would meet. */
function groupHunks(script: readonly Hunk[], contextLines: number): Hunk[][] {
  const groups: Hunk[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const hunk of script) {
    const group = groups.at(-1);
    if (group !== undefined && hunk.beforeStart - end <= 2 * contextLines) group.push(hunk);
    else groups.push([hunk]);
    end = hunk.beforeStart + hunk.beforeCount;
  }
  return groups;
}

function writeGroup(
  writer: BoundedText,
  group: readonly Hunk[],
  before: NumberedText,
  after: NumberedText,
  contextLines: number,
): void {
  const first = group[0];
  const last = group.at(-1);
  if (first === undefined || last === undefined) return;
  const above = Math.min(contextLines, first.beforeStart);
  const lastEnd = last.beforeStart + last.beforeCount;
  const below = Math.min(contextLines, before.numbers.length - lastEnd);
  const beforeStart = first.beforeStart - above;
  const afterStart = first.afterStart - above;
  const beforeRange = rangeText(beforeStart, lastEnd + below - beforeStart);
  const afterRange = rangeText(afterStart, last.afterStart + last.afterCount + below - afterStart);
  writer.add(`@@ -${beforeRange} +${afterRange} @@\n`);
  let line = beforeStart;
  for (const hunk of group) {
    writeLines(writer, ' ', before, line, hunk.beforeStart - line);
    writeLines(writer, '-', before, hunk.beforeStart, hunk.beforeCount);
    writeLines(writer, '+', after, hunk.afterStart, hunk.afterCount);
    line = hunk.beforeStart + hunk.beforeCount;
  }
  writeLines(writer, ' ', before, line, below);
}

/** A range of lines as headers have it: an empty one names the line before it. */
function rangeText(start: number, count: number): string {
  if (count === 0) return `${start},0`;
  return count === 1 ? `${start + 1}` : `${start + 1},${count}`;
}

function writeLines(writer: BoundedText, mark: string, text: NumberedText, start: number, count: number): void {
  for (let line = start; line < start + count && !writer.isFull; line += 1) {
    const bytes = lineBytes(text, line, 1);
    // No more than could be shown is decoded: a line may be a whole minified file.
    const content = decoder.decode(bytes.subarray(0, writer.limitBytes));
    writer.add(`${mark}${content}`);
    if (bytes.at(-1) !== newline) writer.add('\n\\ No newline at end of file\n');
  }
}

const newline = 0x0a;

/** A path as git shows it: between quotes with escapes when it has control characters, quotes or backslashes (UD3). */
function quotedPath(path: string): string {
  const shown = path.toWellFormed();
  const escaped = shown.replace(/["\\\p{Cc}\u2028\u2029]/gu, (character) =>
    character === '"' || character === '\\'
      ? `\\${character}`
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return escaped === shown ? shown : `"${escaped}"`;
}

/** Collects text up to a limit in UTF-8 bytes, and then says that there was more (UD1, UD2). */
class BoundedText {
  readonly limitBytes: number;
  readonly #parts: string[] = [];
  #usedBytes = 0;
  #isFull = false;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** Whether something did not fit; what is added after that is dropped. */
  get isFull(): boolean {
    return this.#isFull;
  }

  add(part: string): void {
    if (this.#isFull) return;
    this.#parts.push(part);
    this.#usedBytes += utf8(part).length;
    this.#isFull = this.#usedBytes > this.limitBytes;
  }

  text(): string {
    const whole = this.#parts.join('');
    if (!this.#isFull) return whole;
    const room = Math.max(0, this.limitBytes - truncationNote.length - 1);
    const kept = cutToBytes(whole, room);
    const note = kept === '' || kept.endsWith('\n') ? truncationNote : `\n${truncationNote}`;
    return cutToBytes(`${kept}${note}`, this.limitBytes);
  }
}

/** The longest start of `text` that has at most `limitBytes` bytes as UTF-8, without half a character at its end. */
function cutToBytes(text: string, limitBytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(limitBytes));
  return text.slice(0, read);
}
