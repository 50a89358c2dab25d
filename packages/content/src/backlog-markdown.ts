// A backlog in Markdown: by checkboxes when there are any, else by headings.
//
// It never knows Markdown beyond headings, list items, fences and comments; everything else is text of a body.
//
// With checkboxes: every `- [ ] title` is a draft, what is indented below it is its body, an unchecked item below an
// unchecked one is a part of it. Checked items are done: they are skipped with their text, but an unchecked item below
// one still is a draft.
//
// With headings: each heading of one level is a draft, the text below it its body, deeper headings included. The level
// is the deepest one that is used throughout, that is under every heading above it and never twice with the same words
// (which would be the sections of a template); failing that the second, failing that the deepest.
//
// Invariants (and those of backlog.ts):
//   BM1. Nothing inside fenced code, comments or the front matter is a heading or a checkbox.

import { no, normaliseTitle, type Result } from '@firetrident/base';
import {
  type BacklogLine,
  type BacklogRefusal,
  backlogLengthLimit,
  type Draft,
  fenceFollower,
  finishDrafts,
  type UnresolvedDraft,
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
  readonly drafts: (Omit<UnresolvedDraft, 'body'> & { readonly body: BacklogLine[] })[];
  readonly doneTitles: Set<string>;
  readonly headings: Heading[];
  /** From the outermost in; the last one takes the text that comes. */
  readonly open: OpenItem[];
  wasBlank: boolean;
  /** The first item that nests too deep. */
  tooDeep: number | null;
}

function openItem(state: ItemState, line: Line, box: Checkbox): void {
  while (state.open.length > 0 && (state.open.at(-1) as OpenItem).box.indent >= box.indent) state.open.pop();
  if (box.isChecked) {
    state.doneTitles.add(box.title);
    state.open.push({ box, index: null, body: [] });
    return;
  }
  const parents = state.open.filter(({ index }) => index !== null);
  if (parents.length >= nestingLimit) {
    state.tooDeep = state.tooDeep ?? line.line;
    return;
  }
  const path = [...state.headings, ...parents.map((item) => item.box), box].map(({ title }) => title);
  const body: BacklogLine[] = [];
  state.drafts.push({
    title: box.title,
    body,
    line: line.line,
    labels: [],
    key: keyOf(path),
    parent: parents.at(-1)?.index ?? null,
    aliases: [],
  });
  state.open.push({ box, index: state.drafts.length - 1, body });
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

function draftsOfItems(lines: readonly Line[]): ItemState {
  const state: ItemState = { drafts: [], doneTitles: new Set(), headings: [], open: [], wasBlank: true, tooDeep: null };
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

function draftsOfHeadings(lines: readonly Line[]): readonly UnresolvedDraft[] {
  const level = draftLevel(lines.map((line) => headingOf(line)).filter((heading) => heading !== null));
  const drafts: UnresolvedDraft[] = [];
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
    drafts.push({ title: heading.title, body, line: line.line, labels: [], key, parent: null, aliases: [] });
  }
  return drafts;
}

/**
 * Drafts of a Markdown backlog, in order. Keys are `markdown:` and the headings above, the items above and the title,
 * each as words joined by "-". An empty list means that everything is checked. Refused: a text that is too long, one
 * with neither checkboxes nor headings, too many items or too deep ones, an empty title, a field that cannot be read.
 */
export function parseMarkdownBacklog(text: string): Result<readonly Draft[], BacklogRefusal> {
  if (text.length > backlogLengthLimit) {
    return no({ line: null, reason: `the backlog has ${text.length} characters; the most is ${backlogLengthLimit}` });
  }
  const lines = linesOf(text);
  const items = draftsOfItems(lines);
  if (items.tooDeep !== null)
    return no({ line: items.tooDeep, reason: `items nest deeper than ${nestingLimit} levels` });
  if (items.drafts.length > 0 || items.doneTitles.size > 0) {
    const drafts = items.drafts.map((draft) => ({ ...draft, body: dedented(draft.body) }));
    return finishDrafts(drafts, items.doneTitles);
  }
  const drafts = draftsOfHeadings(lines);
  if (drafts.length === 0) return no({ line: 1, reason: 'the backlog has neither checkboxes nor headings' });
  return finishDrafts(drafts, new Set());
}
