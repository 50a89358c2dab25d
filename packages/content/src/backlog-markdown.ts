// A backlog in Markdown: by checkboxes when there are any, else by headings.
//
// It never knows Markdown beyond headings, list items, fences and comments; everything else is text of a body.
//
// With checkboxes: every `- [ ] title` is a draft, what is indented below it is its body, an unchecked item below an
// unchecked one is a part of it. Checked items are done: their text is skipped, but an unchecked item below one still is
// a draft.
//
// With headings: each heading of one level is a draft, the text below it its body, deeper headings included. The level
// is the deepest one that is used throughout, that is under every heading above it and never twice with the same words
// (which would be the sections of a template); failing that the second, failing that the deepest.
//
// Invariants (and those of backlog.ts):
//   BM1. Nothing inside fenced code, comments or the front matter is a heading or a checkbox.

import { no, normaliseTitle, type Result } from '@firetrident/base';
import {
  type Backlog,
  type BacklogItem,
  type BacklogLine,
  type BacklogRefusal,
  backlogLengthLimit,
  fenceFollower,
  finishBacklog,
  uniqueKeys,
} from './backlog.ts';

interface Line {
  /** Outside code with tabs widened to the next multiple of four where they indent. */
  readonly text: string;
  readonly line: number;
  /** Inside fenced code, fences included. */
  readonly isCode: boolean;
}

interface Heading {
  readonly level: number;
  readonly title: string;
}

interface Checkbox {
  readonly indent: number;
  readonly isChecked: boolean;
  readonly title: string;
}

function widened(text: string): string {
  let width = 0;
  let index = 0;
  for (; index < text.length; index += 1) {
    const character = text.charAt(index);
    if (character === '\t') width += 4 - (width % 4);
    else if (character === ' ') width += 1;
    else break;
  }
  return ' '.repeat(width) + text.slice(index);
}

/** Offset behind the front matter: lines between two "---" at the very start. */
function frontMatterLines(lines: readonly string[]): number {
  if (lines[0]?.trimEnd() !== '---') return 0;
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---');
  return end < 0 ? 0 : end + 1;
}

/** Text of a line outside comments, and whether a comment is open behind it. */
function withoutComments(text: string, wasOpen: boolean): { text: string; isOpen: boolean } {
  let rest = text;
  let kept = '';
  let isOpen = wasOpen;
  for (;;) {
    const at = rest.indexOf(isOpen ? '-->' : '<!--');
    if (at < 0) return { text: isOpen ? kept : kept + rest, isOpen };
    if (!isOpen) kept += rest.slice(0, at);
    rest = rest.slice(at + (isOpen ? 3 : 4));
    isOpen = !isOpen;
  }
}

/** The lines that count (BM1). A line that holds only a comment is left out. */
function linesOf(text: string): readonly Line[] {
  const raw = text.replace(/^\uFEFF/, '').split(/\r\n|\r|\n/);
  const isCode = fenceFollower();
  const lines: Line[] = [];
  let inComment = false;
  for (let index = frontMatterLines(raw); index < raw.length; index += 1) {
    const written = raw[index] as string;
    if (!inComment && isCode(written)) {
      lines.push({ text: written, line: index + 1, isCode: true });
      continue;
    }
    const visible = withoutComments(written, inComment);
    inComment = visible.isOpen;
    if (visible.text !== written && visible.text.trim() === '') continue;
    lines.push({ text: widened(visible.text).trimEnd(), line: index + 1, isCode: false });
  }
  return lines;
}

function headingOf(line: Line): Heading | null {
  const match = line.isCode ? null : /^ {0,3}(#{1,6}) (.*)$/.exec(line.text);
  if (match === null) return null;
  const words = (match[2] as string).trim().split(' ');
  // A run of "#" behind the title closes it.
  if (/^#+$/.test(words.at(-1) ?? '')) words.pop();
  return { level: (match[1] as string).length, title: words.join(' ').trim() };
}

function checkboxOf(line: Line): Checkbox | null {
  const match = line.isCode ? null : /^( *)(?:[-*+]|\d{1,9}[.)]) +\[([ xX])\](?: (.*))?$/.exec(line.text);
  if (match === null) return null;
  return {
    indent: (match[1] as string).length,
    isChecked: match[2] !== ' ',
    title: (match[3] ?? '').trim(),
  };
}

function slug(title: string): string {
  const words = title.normalize('NFKC').toLowerCase();
  return words.replaceAll(/[^\p{L}\p{M}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '') || 'untitled';
}

function keyOf(path: readonly string[]): string {
  return `markdown:${path.map((title) => slug(title)).join('/')}`;
}

/** The headings that a line stands under, as a stack that follows the lines. */
function pushHeading(stack: Heading[], heading: Heading): void {
  while ((stack.at(-1)?.level ?? 0) >= heading.level) stack.pop();
  stack.push(heading);
}

function indentOf(text: string): number {
  let indent = 0;
  while (text.charAt(indent) === ' ') indent += 1;
  return indent;
}

/** Lines of a body without the indentation that the least indented of them has, lines that go on at the margin aside. */
function dedented(lines: readonly BacklogLine[]): readonly BacklogLine[] {
  const indents = lines.map(({ text }) => (text.trim() === '' ? 0 : indentOf(text))).filter((indent) => indent > 0);
  const shared = indents.length === 0 ? 0 : Math.min(...indents);
  return lines.map(({ text, line }) => ({ text: text.slice(Math.min(shared, indentOf(text))), line }));
}

/** How deep unchecked items may nest. */
const nestingLimit = 16;

interface OpenItem {
  readonly box: Checkbox;
  /** Position of its draft; null for a checked item. */
  readonly index: number | null;
  readonly body: BacklogLine[];
}

interface ItemState {
  readonly items: BacklogItem[];
  readonly headings: Heading[];
  /** From the outermost in; the last one takes the text that comes. */
  readonly open: OpenItem[];
  wasBlank: boolean;
  /** The first item that nests too deep. */
  tooDeep: number | null;
}

function openItem(state: ItemState, line: Line, box: Checkbox): void {
  while (state.open.length > 0 && (state.open.at(-1) as OpenItem).box.indent >= box.indent) state.open.pop();
  const parents = state.open.filter(({ index }) => index !== null);
  if (!box.isChecked && parents.length >= nestingLimit) {
    state.tooDeep = state.tooDeep ?? line.line;
    return;
  }
  // What is done counts in the keys of its parts too, so that checking it moves none of them (BL4).
  const path = [...state.headings, ...state.open.map((item) => item.box), box].map(({ title }) => title);
  const body: BacklogLine[] = [];
  const parent = parents.at(-1)?.index ?? null;
  state.items.push({
    isDone: box.isChecked,
    title: box.title,
    body,
    line: line.line,
    labels: [],
    key: keyOf(path),
    parent,
    after: [],
    aliases: [],
  });
  state.open.push({ box, index: box.isChecked ? null : state.items.length - 1, body });
}

function addText(state: ItemState, line: Line): void {
  const { text } = line;
  const isBlank = text === '' && !line.isCode;
  if (!isBlank) {
    const indent = indentOf(text);
    // Text at the margin goes on with an item only when it follows it at once and begins no other block.
    const isLazy = indent === 0 && !state.wasBlank && !/^(?:[-*+] |\d{1,9}[.)] |>)/.test(text);
    while (state.open.length > 0 && !isLazy && (state.open.at(-1) as OpenItem).box.indent >= indent) state.open.pop();
  }
  state.wasBlank = isBlank;
  state.open.at(-1)?.body.push({ text, line: line.line });
}

function itemsOfCheckboxes(lines: readonly Line[]): ItemState {
  const state: ItemState = { items: [], headings: [], open: [], wasBlank: true, tooDeep: null };
  for (const line of lines) {
    const heading = headingOf(line);
    const box = checkboxOf(line);
    if (heading !== null) {
      pushHeading(state.headings, heading);
      state.open.length = 0;
    } else if (box !== null) {
      openItem(state, line, box);
      state.wasBlank = false;
    } else addText(state, line);
  }
  return state;
}

function isUsedThroughout(headings: readonly Heading[], level: number): boolean {
  const titles = headings.filter((heading) => heading.level === level).map(({ title }) => normaliseTitle(title));
  if (new Set(titles).size < titles.length) return false;
  const above = Math.max(0, ...headings.map((heading) => heading.level).filter((each) => each < level));
  // A heading of the level above must have one of this level before the next of its own rank or higher.
  return headings.every((heading, index) => {
    if (heading.level !== above) return true;
    const next = headings.slice(index + 1).find((each) => each.level <= level);
    return next?.level === level;
  });
}

function draftLevel(headings: readonly Heading[]): number | null {
  const levels = [...new Set(headings.map(({ level }) => level))].sort((left, right) => right - left);
  const deepest = levels[0];
  if (deepest === undefined) return null;
  const throughout = levels.find((level) => level > 2 && isUsedThroughout(headings, level));
  return throughout ?? (levels.includes(2) ? 2 : deepest);
}

function itemsOfHeadings(lines: readonly Line[]): readonly BacklogItem[] {
  const level = draftLevel(lines.map((line) => headingOf(line)).filter((heading) => heading !== null));
  const items: BacklogItem[] = [];
  const stack: Heading[] = [];
  let body: BacklogLine[] = [];
  for (const line of lines) {
    const heading = headingOf(line);
    if (heading === null || level === null || heading.level > level) {
      body.push({ text: line.text, line: line.line });
      continue;
    }
    pushHeading(stack, heading);
    body = [];
    if (heading.level < level) continue;
    const key = keyOf(stack.map(({ title }) => title));
    items.push({
      isDone: false,
      title: heading.title,
      body,
      line: line.line,
      labels: [],
      key,
      parent: null,
      after: [],
      aliases: [],
    });
  }
  return items;
}

/**
 * A Markdown backlog. Keys are `markdown:` and the headings above, the items above and the title, each as words joined
 * by "-". No draft at all means that everything is checked. Refused: a text that is too long, one with neither
 * checkboxes nor headings, too many items or too deep ones, an empty title, a field that cannot be read.
 */
export function parseMarkdownBacklog(text: string): Result<Backlog, BacklogRefusal> {
  if (text.length > backlogLengthLimit) {
    return no({ line: null, reason: `the backlog has ${text.length} characters; the most is ${backlogLengthLimit}` });
  }
  const lines = linesOf(text);
  const { items, tooDeep } = itemsOfCheckboxes(lines);
  if (tooDeep !== null) return no({ line: tooDeep, reason: `items nest deeper than ${nestingLimit} levels` });
  if (items.length > 0) {
    return finishBacklog(items.map((item) => ({ ...item, body: dedented(item.body) })));
  }
  const sections = itemsOfHeadings(lines);
  if (sections.length === 0) return no({ line: 1, reason: 'the backlog has neither checkboxes nor headings' });
  return finishBacklog(sections);
}

/**
 * The text with the boxes of these keys checked; everything else stays as it is, to the byte. Keys that the backlog does
 * not have, or has checked already, change nothing.
 */
export function checkOffMarkdown(text: string, keys: ReadonlySet<string>): string {
  const { items } = itemsOfCheckboxes(linesOf(text));
  const checked = new Set<number>();
  for (const [index, key] of uniqueKeys(items).entries()) {
    const { isDone, line } = items[index] as BacklogItem;
    if (!isDone && line !== null && keys.has(key)) checked.add(line);
  }
  // Each line with the break behind it.
  const lines = text.match(/[^\r\n]*(?:\r\n|\r|\n|$)/g) ?? [];
  return lines.map((line, index) => (checked.has(index + 1) ? line.replace('[ ]', '[x]') : line)).join('');
}
