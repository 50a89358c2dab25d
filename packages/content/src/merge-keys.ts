// Objects of JSON whose keys were changed apart: merged key by key, in the layout of ours.
//
// Invariants:
//   MK1. Each key is merged as a three-way merge merges a path: what one side left as it was gives way to the other;
//        objects that both changed are merged key by key; anything else that both changed is a conflict.
//   MK2. Comments are those of ours; when theirs changed any, or a change takes one of ours away, it is a conflict.
//   MK3. A key that theirs added stands in its place by the alphabet where ours are sorted, else behind the key that
//        it stands behind in theirs.

import {
  type JsonArray,
  type JsonMember,
  type JsonNode,
  type JsonObject,
  parseJsonText,
  valueKey,
  writeNode,
} from './json-text.ts';

/** A conflict within: nothing is merged. */
class Conflict extends Error {}

const emptyObject: JsonObject = { kind: 'object', members: [], tail: '', trailingComma: false };

/** The merged text; null where a key conflicts or a text is not an object of JSON. An empty base has no keys (MK1, MK2). */
export function mergeKeys(base: string, ours: string, theirs: string, arraysAreSets: boolean): string | null {
  const [before, our, their] = [base.trim() === '' ? '{}' : base, ours, theirs].map(parseJsonText);
  if (!before || !our || !their) return null;
  const roots = [before.node, our.node, their.node];
  if (!roots.every((root) => root.kind === 'object')) return null;
  if (before.comments.join('\n') !== their.comments.join('\n')) return null;
  try {
    const [baseRoot, ourRoot, theirRoot] = roots as [JsonObject, JsonObject, JsonObject];
    const node = mergeObjects(baseRoot, ourRoot, theirRoot, arraysAreSets);
    const text = our.before + writeNode(node) + our.after;
    return parseJsonText(text)?.comments.join('\n') === our.comments.join('\n') ? text : null;
  } catch (error) {
    if (error instanceof Conflict) return null;
    throw error;
  }
}

function mergeObjects(base: JsonObject, ours: JsonObject, theirs: JsonObject, arraysAreSets: boolean): JsonObject {
  const [baseOf, theirsOf] = [base, theirs].map(
    (object) => new Map(object.members.map((member) => [member.key, member])),
  );
  const members: JsonMember[] = [];
  for (const member of ours.members) {
    const [before, their] = [baseOf?.get(member.key), theirsOf?.get(member.key)];
    const node = mergeNodes(before?.node ?? null, member.node, their?.node ?? null, arraysAreSets);
    if (node !== null) members.push(node === member.node ? member : { ...member, node });
  }
  const known = new Set(ours.members.map(({ key }) => key));
  const isSorted = isAscending(ours.members.map(({ key }) => key));
  let previous: string | null = null;
  for (const member of theirs.members) {
    if (
      !known.has(member.key) &&
      mergeNodes(baseOf?.get(member.key)?.node ?? null, null, member.node, arraysAreSets) !== null
    ) {
      insert(members, placeOf(members, member.key, previous, isSorted), member, ours);
    }
    previous = member.key;
  }
  // Nothing in ours shows how its brackets would stand apart.
  if (ours.members.length === 0) return { ...ours, members, tail: ours.tail === '' ? theirs.tail : ours.tail };
  return { ...ours, members };
}

/** The merged value, null for absent (MK1). */
function mergeNodes(
  base: JsonNode | null,
  ours: JsonNode | null,
  theirs: JsonNode | null,
  arraysAreSets: boolean,
): JsonNode | null {
  const [before, our, their] = [base, ours, theirs].map((node) => (node === null ? '' : valueKey(node)));
  if (our === their || their === before) return ours;
  if (our === before) return theirs;
  if (ours?.kind === 'object' && theirs?.kind === 'object' && (base === null || base.kind === 'object')) {
    return mergeObjects(base ?? emptyObject, ours, theirs, arraysAreSets);
  }
  if (arraysAreSets && ours?.kind === 'array' && theirs?.kind === 'array' && (base === null || base.kind === 'array')) {
    return mergeSets(base, ours, theirs);
  }
  throw new Conflict();
}

/** Arrays of different plain values as sets: ours without what theirs took out, then what theirs put in. */
function mergeSets(base: JsonArray | null, ours: JsonArray, theirs: JsonArray): JsonArray {
  const [before, our, their] = [base?.items ?? [], ours.items, theirs.items].map((items) => {
    const keys = new Set(items.map(({ node }) => (node.kind === 'scalar' ? node.value : raise())));
    return keys.size === items.length ? keys : raise();
  }) as [Set<string>, Set<string>, Set<string>];
  const keyOf = (item: JsonArray['items'][number]) => (item.node as { readonly value: string }).value;
  const kept = ours.items.filter((item) => their.has(keyOf(item)) || !before.has(keyOf(item)));
  const added = theirs.items.filter((item) => !our.has(keyOf(item)) && !before.has(keyOf(item)));
  const lead = ours.items.at(-1)?.lead;
  const items = [...kept, ...added.map((item) => ({ ...item, lead: lead ?? item.lead, trail: '' }))];
  return { ...ours, items, tail: ours.items.length === 0 ? theirs.tail : ours.tail };
}

function raise(): never {
  throw new Conflict();
}

/** (MK3) */
function placeOf(members: readonly JsonMember[], key: string, previous: string | null, isSorted: boolean): number {
  if (isSorted) {
    const next = members.findIndex((member) => member.key > key);
    return next < 0 ? members.length : next;
  }
  return members.findIndex((member) => member.key === previous) + 1;
}

/** Puts a member in, set apart as ours are. */
function insert(members: JsonMember[], place: number, member: JsonMember, ours: JsonObject): void {
  const like = place === 0 ? ours.members[0] : (ours.members[1] ?? ours.members[0]);
  const lead = like === undefined || like.lead.trim() !== '' ? member.lead : like.lead;
  members.splice(place, 0, { ...member, lead, trail: '' });
}

function isAscending(keys: readonly string[]): boolean {
  return keys.length > 1 && keys.every((key, index) => index === 0 || (keys[index - 1] as string) < key);
}
