// A backlog that was written elsewhere, as drafts of intents.
//
// It never knows colonies, ids or files: text comes in, drafts or one refusal come out, nothing half-read. The fields
// that a body may carry on lines of their own are read here for every kind of backlog:
//
//   paths: src/a/**, src/b.ts      globs over the tree, also in backticks
//   priority: 3                    a whole number
//   labels: parser, easy
//   after: Title of another one    a title of this backlog or a key; one line for each, or several with commas
//
// Invariants:
//   BL1. The same backlog gives the same keys, and a draft keeps its key when others come, go, or move within their
//        heading.
//   BL2. Keys are unique within a backlog.
//   BL3. Recognised lines leave the body, all others stay, in order.
//   BL4. An item keeps its key when the backlog comes to say that it is done.

import { no, normaliseTitle, ok, type Result } from '@firetrident/base';
import { checkGlob, type GlobRefusal } from './globs.ts';

/** One piece of work as a backlog states it. */
export interface Draft {
  readonly title: string;
  /** Text without the recognised lines; "" when there is none. */
  readonly body: string;
  /** Globs; empty when none is given. */
  readonly paths: readonly string[];
  /** 0 when none is given; higher is more urgent. */
  readonly priority: number;
  readonly labels: readonly string[];
  /** Idempotency key (BL1, BL2). */
  readonly key: string;
  /** Position in the list of the draft that this one is a part of. Always before it. */
  readonly parent?: number;
  /** Keys of drafts in this backlog, and what is none as it was written. What the backlog says is done is left out. */
  readonly after?: readonly string[];
}

/** A backlog as it was read. */
export interface Backlog {
  /** What there is to do, in order. */
  readonly drafts: readonly Draft[];
  /** Keys of the items that the backlog says are done (BL4). */
  readonly doneKeys: readonly string[];
}

/** Where a backlog cannot be read, and why. */
export interface BacklogRefusal {
  /** Line from 1; null when the place is no line of the text. */
  readonly line: number | null;
  /** For people: what is wrong, with the offending value. */
  readonly reason: string;
}

/** Longest backlog, in UTF-16 units. */
export const backlogLengthLimit = 16 * 1024 * 1024;
/** Most drafts of one backlog. */
export const backlogDraftLimit = 10_000;
/** Longest title, in UTF-16 units. */
export const draftTitleLimit = 500;
/** Farthest priority from 0. */
export const draftPriorityLimit = 1_000_000;
/** Most paths and most labels of one draft. */
export const draftListLimit = 64;

/** A line of a body and where it stands in the backlog. */
export interface BacklogLine {
  readonly text: string;
  /** From 1. */
  readonly line: number;
}

/** An item of a backlog before keys are given and dependencies looked up. */
export interface BacklogItem {
  /** Whether it needs no more work. Of such an item only its names and its key count. */
  readonly isDone: boolean;
  readonly title: string;
  readonly body: readonly BacklogLine[];
  /** Where the title stands; null when the backlog has no lines to name. */
  readonly line: number | null;
  readonly labels: readonly string[];
  /** Key, unique or not: repeated ones are numbered in order. */
  readonly key: string;
  /** Position in the list of items of the one that this is a part of; before it, or null. */
  readonly parent: number | null;
  /** Names of what comes first, beside those that lines of the body give. */
  readonly after: readonly string[];
  /** Other words by which `after` may name it. */
  readonly aliases: readonly string[];
}

interface Fields {
  readonly paths: string[];
  priority: number;
  readonly labels: string[];
  readonly after: string[];
  readonly body: string[];
}

const fieldNames = ['paths', 'priority', 'labels', 'after'] as const;
type FieldName = (typeof fieldNames)[number];

function globReason(pattern: string, refusal: GlobRefusal): string {
  switch (refusal.code) {
    case 'empty':
      return 'an empty path';
    case 'too_long':
      return `the path pattern has ${refusal.length} characters; the most is ${refusal.limit}`;
    case 'too_many_alternatives':
      return `the path pattern "${pattern}" stands for more than ${refusal.limit} patterns`;
    case 'negated':
      return `the path pattern "${pattern}" begins with "!"; there are no negative patterns`;
    case 'not_inside_tree':
      return `the path pattern "${pattern}" does not lie inside the tree`;
    case 'unfinished':
      return `the path pattern "${pattern}" ends inside a "[" or an escape`;
  }
}

/** Splits at commas outside braces and backticks; backticks around an item are dropped. */
function listItems(value: string): readonly string[] {
  const items: string[] = [];
  let item = '';
  let depth = 0;
  for (const character of value) {
    if (character === '{') depth += 1;
    if (character === '}') depth = Math.max(0, depth - 1);
    if (character === ',' && depth === 0) {
      items.push(item);
      item = '';
    } else if (character !== '`') item += character;
  }
  items.push(item);
  return items.map((each) => each.trim()).filter((each) => each !== '');
}

/** Name and value of a recognised line, which may be a list item and have its name in bold. */
function fieldOf(text: string): { name: FieldName; value: string } | null {
  const bare = text
    .trim()
    .replace(/^[-*+] /, '')
    .trim();
  const colon = bare.indexOf(':');
  if (colon < 0) return null;
  const word = bare.slice(0, colon).replaceAll('*', '').trim().toLowerCase();
  const name = fieldNames.find((each) => each === word);
  if (name === undefined) return null;
  // The closing stars of a bold name may stand on either side of the colon.
  const value = bare.slice(colon + 1).trim();
  return { name, value: value.startsWith('** ') || value === '**' ? value.slice(2).trim() : value };
}

function applyField(fields: Fields, name: FieldName, value: string): string | null {
  switch (name) {
    case 'paths':
      for (const pattern of listItems(value)) {
        const checked = checkGlob(pattern);
        if (!checked.ok) return globReason(pattern, checked.error);
        fields.paths.push(pattern);
      }
      return fields.paths.length > draftListLimit ? `more than ${draftListLimit} paths` : null;
    case 'labels':
      fields.labels.push(...listItems(value));
      return fields.labels.length > draftListLimit ? `more than ${draftListLimit} labels` : null;
    case 'after':
      if (value !== '') fields.after.push(value);
      return null;
    case 'priority': {
      const priority = /^[+-]?\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
      if (!(Math.abs(priority) <= draftPriorityLimit)) {
        return `the priority "${value}" is no whole number between -${draftPriorityLimit} and ${draftPriorityLimit}`;
      }
      fields.priority = priority;
      return null;
    }
  }
}

/** Fence that a line opens or closes, such as "```"; null when it is none. */
export function fenceOf(text: string): string | null {
  const bare = text.trimStart();
  for (const character of ['`', '~']) {
    let length = 0;
    while (bare.charAt(length) === character) length += 1;
    // Backticks that close on the same line are code inside a paragraph.
    if (length >= 3 && !(character === '`' && bare.includes('`', length))) return character.repeat(length);
  }
  return null;
}

/** Follows fenced code through lines: tells for each line whether it is part of code, fences included. */
export function fenceFollower(): (text: string) => boolean {
  let open: string | null = null;
  return (text) => {
    const fence = fenceOf(text);
    if (open === null) {
      open = fence;
      return fence !== null;
    }
    // A closing fence is at least as long and has nothing behind it.
    if (fence?.startsWith(open) && text.trim() === fence) open = null;
    return true;
  };
}

function refuseDraft(
  draft: BacklogItem,
  line: number | null,
  reason: string,
): { readonly ok: false; readonly error: BacklogRefusal } {
  return draft.line === null ? no({ line: null, reason: `"${draft.title}": ${reason}` }) : no({ line, reason });
}

function readFields(draft: BacklogItem): Result<Fields, BacklogRefusal> {
  const fields: Fields = { paths: [], priority: 0, labels: [...draft.labels], after: [...draft.after], body: [] };
  const isCode = fenceFollower();
  for (const { text, line } of draft.body) {
    const field = isCode(text) ? null : fieldOf(text);
    if (field === null) {
      fields.body.push(text);
      continue;
    }
    const reason = applyField(fields, field.name, field.value);
    if (reason !== null) return refuseDraft(draft, line, reason);
  }
  return ok(fields);
}

function bodyText(lines: readonly string[]): string {
  const isBlank = (line: string): boolean => line.trim() === '';
  const first = lines.findIndex((line) => !isBlank(line));
  if (first < 0) return '';
  const last = lines.findLastIndex((line) => !isBlank(line));
  return lines.slice(first, last + 1).join('\n');
}

/** Keys of items: repeated ones are numbered in order (BL2). */
export function uniqueKeys(drafts: readonly BacklogItem[]): readonly string[] {
  const taken = new Set<string>();
  const counts = new Map<string, number>();
  return drafts.map(({ key }) => {
    let count = counts.get(key) ?? 0;
    let candidate: string;
    do {
      count += 1;
      candidate = count === 1 ? key : `${key}-${count}`;
    } while (taken.has(candidate));
    counts.set(key, count);
    taken.add(candidate);
    return candidate;
  });
}

/** Finds items by key, alias or title, what is to do before what is done, the first of several; null for what is done. */
function keyFinder(
  items: readonly BacklogItem[],
  keys: readonly string[],
): (name: string) => string | null | undefined {
  const byName = new Map<string, string | null>();
  const known = new Map<string, string | null>();
  for (const isDone of [true, false]) {
    for (let index = items.length - 1; index >= 0; index -= 1) {
      const item = items[index] as BacklogItem;
      if (item.isDone !== isDone) continue;
      const key = keys[index] as string;
      const found = isDone ? null : key;
      known.set(key, found);
      byName.set(`title:${normaliseTitle(item.title)}`, found);
      for (const alias of item.aliases) byName.set(`alias:${alias}`, found);
    }
  }
  return (name) => {
    for (const found of [known.get(name), byName.get(`alias:${name}`)]) if (found !== undefined) return found;
    return byName.get(`title:${normaliseTitle(name)}`);
  };
}

function dependencies(values: readonly string[], find: (name: string) => string | null | undefined): readonly string[] {
  const keys = new Set<string>();
  for (const value of values) {
    // A title may have commas of its own, so the whole line is tried first.
    const names = find(value) === undefined ? listItems(value) : [value];
    for (const name of names) {
      const key = find(name);
      if (key !== null) keys.add(key ?? name);
    }
  }
  return [...keys];
}

function titleReason(title: string): string | null {
  if (title === '') return 'an empty title';
  return title.length > draftTitleLimit
    ? `the title has ${title.length} characters; the most is ${draftTitleLimit}`
    : null;
}

/** Reads fields, gives keys and looks up dependencies (BL1 to BL4). */
export function finishBacklog(items: readonly BacklogItem[]): Result<Backlog, BacklogRefusal> {
  const count = items.filter(({ isDone }) => !isDone).length;
  if (count > backlogDraftLimit) {
    return no({ line: null, reason: `the backlog has ${count} items; the most is ${backlogDraftLimit}` });
  }
  const keys = uniqueKeys(items);
  const find = keyFinder(items, keys);
  const drafts: Draft[] = [];
  const doneKeys: string[] = [];
  // Where an item stands among the drafts.
  const positions = new Map<number, number>();
  for (const [index, item] of items.entries()) {
    const key = keys[index] as string;
    if (item.isDone) {
      doneKeys.push(key);
      continue;
    }
    const draft = finishDraft(item, key, find);
    if (!draft.ok) return draft;
    const parent = item.parent === null ? undefined : positions.get(item.parent);
    positions.set(index, drafts.length);
    drafts.push({ ...draft.value, ...(parent === undefined ? {} : { parent }) });
  }
  return ok({ drafts, doneKeys });
}

function finishDraft(
  item: BacklogItem,
  key: string,
  find: (name: string) => string | null | undefined,
): Result<Draft, BacklogRefusal> {
  const reason = titleReason(item.title);
  if (reason !== null) return refuseDraft(item, item.line, reason);
  const fields = readFields(item);
  if (!fields.ok) return fields;
  const after = dependencies(fields.value.after, find);
  return ok({
    title: item.title,
    body: bodyText(fields.value.body),
    paths: [...new Set(fields.value.paths)],
    priority: fields.value.priority,
    labels: [...new Set(fields.value.labels)],
    key,
    ...(after.length === 0 ? {} : { after }),
  });
}
