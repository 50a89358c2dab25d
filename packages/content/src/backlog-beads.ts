// A backlog of beads: one JSON object a line, as `bd export` writes them and as `.beads/issues.jsonl` keeps them.
//
// It never knows the tracker's database. Work that is open or blocked is a draft; what is closed or deleted is done; what
// somebody has in hand, or was put off, is held back, and so is whatever waits for it. Only kinds that are work count.
//
// Invariants (and those of backlog.ts):
//   BB1. What is held back is neither offered nor called done.

import { type Json, no, ok, type Result } from '@firetrident/base';
import { type Backlog, type BacklogItem, type BacklogRefusal, backlogLengthLimit, finishBacklog } from './backlog.ts';
import { bodyLines, isList, isObject, type JsonObject, labelNames, parseJson } from './backlog-json.ts';

type Standing = 'open' | 'done' | 'held-back';

/** States that are open or done. All others hold the work back, states that a project made up among them (BB1). */
const standings: ReadonlyMap<string, Standing> = new Map([
  ['open', 'open'],
  ['blocked', 'open'],
  ['closed', 'done'],
  ['tombstone', 'done'],
]);

/** Kinds by which agents of that tracker talk and arrange themselves. */
const otherKinds: ReadonlySet<string> = new Set([
  'agent',
  'convoy',
  'event',
  'gate',
  'merge-request',
  'message',
  'molecule',
  'role',
]);

/** Links that make one bead wait for another. */
const waitingLinks: ReadonlySet<string> = new Set(['blocks', 'conditional-blocks', 'waits-for']);

/** The tracker counts from 0, the most urgent, to 4; where nothing is said it is this. */
const usualPriority = 2;

interface Bead {
  readonly id: string;
  readonly standing: Standing;
  readonly item: Omit<BacklogItem, 'parent' | 'isDone'>;
  readonly parent: string | null;
}

interface Links {
  readonly parent: string | null;
  readonly after: readonly string[];
}

function refuse(line: number, reason: string): { readonly ok: false; readonly error: BacklogRefusal } {
  return no({ line, reason });
}

function linksOf(value: Json | undefined): Links | null {
  if (value === undefined || value === null) return { parent: null, after: [] };
  if (!isList(value)) return null;
  let parent: string | null = null;
  const after: string[] = [];
  for (const link of value) {
    if (!isObject(link) || typeof link.depends_on_id !== 'string') return null;
    if (link.type === 'parent-child') parent = link.depends_on_id;
    else if (typeof link.type === 'string' && waitingLinks.has(link.type)) after.push(link.depends_on_id);
  }
  return { parent, after };
}

/** The parts that a bead keeps beside its description, under headings of their own. */
const bodyParts = [
  ['design', 'Design'],
  ['acceptance_criteria', 'Acceptance criteria'],
  ['notes', 'Notes'],
] as const;

function bodyOf(bead: JsonObject): BacklogItem['body'] | null {
  const description = bodyLines(bead.description);
  if (description === null) return null;
  const body = [...description];
  for (const [name, heading] of bodyParts) {
    const part = bodyLines(bead[name]);
    if (part === null) return null;
    if (part.some(({ text }) => text.trim() !== '')) {
      for (const text of ['', `## ${heading}`, '']) body.push({ text, line: body.length + 1 });
      body.push(...part);
    }
  }
  return body;
}

/** Its place among urgencies, in which 0 is usual and higher is sooner; null for what is no number of the tracker. */
function priorityOf(value: Json | undefined): number | null {
  if (value === undefined || value === null) return 0;
  const isPriority = typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 4;
  return isPriority ? usualPriority - value : null;
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}

/** One bead; null for what is no work. */
function beadOf(value: Json, line: number): Result<Bead | null, BacklogRefusal> {
  if (!isObject(value)) return refuse(line, 'not an object');
  const { id, title, status = 'open', issue_type: kind } = value;
  if (!isText(id)) return refuse(line, 'a bead without an id');
  if (typeof kind === 'string' && otherKinds.has(kind)) return ok(null);
  if (typeof status !== 'string') return refuse(line, `${id}: the status is no text`);
  const standing = standings.get(status) ?? 'held-back';
  if (!isText(title) && standing !== 'done') return refuse(line, `${id}: no title`);
  const body = bodyOf(value);
  if (body === null) return refuse(line, `${id}: the description, design, criteria or notes are no text`);
  const labels = labelNames(value.labels);
  if (labels === null) return refuse(line, `${id}: the labels are no list of names`);
  const links = linksOf(value.dependencies);
  if (links === null) return refuse(line, `${id}: the dependencies are no list of links`);
  const priority = priorityOf(value.priority);
  if (priority === null)
    return refuse(line, `${id}: the priority ${JSON.stringify(value.priority)} is none from 0 to 4`);
  const stated = priority === 0 ? body : [{ text: `priority: ${priority}`, line }, ...body];
  const item = {
    title: isText(title) ? title.trim() : id,
    body: stated,
    line: null,
    labels,
    key: `beads:${id}`,
    after: links.after,
    aliases: [id],
  };
  return ok({ id, standing, item, parent: links.parent });
}

/** Ids of what is held back: by its own state, or because it waits for such work (BB1). */
function heldBack(beads: ReadonlyMap<string, Bead>): ReadonlySet<string> {
  const waiting = new Map<string, string[]>();
  for (const { id, item } of beads.values()) {
    for (const before of item.after) waiting.set(before, [...(waiting.get(before) ?? []), id]);
  }
  const held = new Set<string>();
  const next = [...beads.values()].filter(({ standing }) => standing === 'held-back').map(({ id }) => id);
  for (let id = next.pop(); id !== undefined; id = next.pop()) {
    if (held.has(id) || beads.get(id)?.standing === 'done') continue;
    held.add(id);
    next.push(...(waiting.get(id) ?? []));
  }
  return held;
}

/** The beads with every one behind what it is a part of; parts of a ring come in the order of the text, ring undone. */
function parentsFirst(beads: ReadonlyMap<string, Bead>): readonly Bead[] {
  const ordered = new Map<string, Bead>();
  for (const bead of beads.values()) {
    const chain: Bead[] = [];
    const seen = new Set<string>();
    for (let at: Bead | undefined = bead; at !== undefined && !ordered.has(at.id) && !seen.has(at.id); ) {
      chain.push(at);
      seen.add(at.id);
      at = beads.get(at.parent ?? '');
    }
    for (const each of chain.reverse()) ordered.set(each.id, each);
  }
  return [...ordered.values()];
}

/**
 * The beads of a text in lines of JSON, whole before part, in order otherwise. Keys are `beads:` and the id. Priorities
 * are turned round: 0, the most urgent, becomes 2, and 4 becomes -2. Refused, with the line: what is no JSON object, a
 * bead without id or title, a field of the wrong kind.
 */
export function parseBeads(text: string): Result<Backlog, BacklogRefusal> {
  if (text.length > backlogLengthLimit) {
    return no({ line: null, reason: `the backlog has ${text.length} characters; the most is ${backlogLengthLimit}` });
  }
  const beads = new Map<string, Bead>();
  for (const [index, line] of text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .entries()) {
    if (line.trim() === '') continue;
    const json = parseJson(line);
    if (!json.ok) return refuse(index + 1, 'the line is no JSON');
    const bead = beadOf(json.value, index + 1);
    if (!bead.ok) return bead;
    // A bead that is written again replaces what was said before.
    if (bead.value !== null) beads.set(bead.value.id, bead.value);
  }
  const held = heldBack(beads);
  const shown = parentsFirst(beads).filter(({ id }) => !held.has(id));
  const positions = new Map(shown.map(({ id }, index) => [id, index]));
  return finishBacklog(
    shown.map(({ item, standing, parent }, index) => {
      const position = positions.get(parent ?? '');
      const isBefore = position !== undefined && position < index;
      return { ...item, isDone: standing === 'done', parent: isBefore ? position : null };
    }),
  );
}
