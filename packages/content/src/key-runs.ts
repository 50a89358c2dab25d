// A file of keys as runs of whole lines: one run for each key, with what stands between them, and their merge.
//
// Knows no language: readers for YAML and TOML cut a text into runs. Whatever a person wrote stays as it was written,
// since a run is moved as it is or not at all.
//
// Invariants:
//   KR1. The text of a region that a reader cut is that part of the file, byte for byte.
//   KR2. What one side left as it was gives way to the other, value and comments together; what both changed is merged
//        key by key where both are regions, and is a conflict otherwise. Which side is ours decides about place and
//        layout only.
//   KR3. A key that theirs added stands in its place by the alphabet where ours are sorted, else behind the key that
//        it stands behind in theirs; comments right above a key come and go with it.

/** A conflict within: nothing is merged. */
export class KeyConflict extends Error {}

/** What lies between two places of a text: keys at one level of one map. */
export interface KeyRegion {
  /** What stands before the first key and stays there. */
  readonly head: string;
  readonly entries: readonly KeyEntry[];
  readonly tail: string;
  /** What all keys of the region have before them on their lines. */
  readonly indent: string;
}

/** One key with its value. */
export interface KeyEntry {
  /** Names the key within its region. */
  readonly id: string;
  /** Blank lines and comments above the key. */
  readonly lead: string;
  /** The lines of the key, without those of `region`. */
  readonly body: string;
  /** Equal for equal values; the spelling of plain values counts, layout and comments do not. Says nothing of `region`. */
  readonly value: string;
  /** The keys below, where the value is a map whose keys have lines of their own. */
  readonly region: KeyRegion | null;
}

/** A key as a reader found it: offsets of its first character and behind the last one of its value. */
export interface FoundKey {
  readonly id: string;
  readonly start: number;
  readonly end: number;
  readonly value: string;
  /** Where the key itself ends, and the keys below it. */
  readonly below: { readonly keyEnd: number; readonly keys: readonly FoundKey[] } | null;
}

/** Cuts a text between two line starts; null when a key shares a line with anything but its value (KR1). */
export function cutRegion(text: string, from: number, to: number, keys: readonly FoundKey[]): KeyRegion | null {
  const entries: KeyEntry[] = [];
  let indent: string | null = null;
  let at = from;
  for (const key of keys) {
    const start = text.lastIndexOf('\n', key.start - 1) + 1;
    const before = text.slice(start, key.start);
    indent ??= before;
    if (start < at || before !== indent || before.trim() !== '') return null;
    const end = lineEnd(text, key.end - 1);
    const bodyEnd = key.below === null ? end : lineEnd(text, key.below.keyEnd - 1);
    const region = key.below === null ? null : cutRegion(text, bodyEnd, end, key.below.keys);
    if (key.below !== null && (region === null || bodyEnd > end)) return null;
    const body = text.slice(start, bodyEnd);
    entries.push({ id: key.id, lead: text.slice(at, start), body, value: key.value, region });
    at = end;
  }
  return { head: '', entries, tail: text.slice(at, to), indent: indent ?? '' };
}

/** Where the line of a place ends, behind its line break. */
function lineEnd(text: string, place: number): number {
  const end = text.indexOf('\n', place);
  return end < 0 ? text.length : end + 1;
}

/** The text of a region as lines: each but the last one ends with a line break. */
export function writeRegion(region: KeyRegion): string {
  let text = '';
  const add = (piece: string) => {
    if (piece === '') return;
    text += text === '' || text.endsWith('\n') ? piece : `\n${piece}`;
  };
  add(region.head);
  for (const { lead, body, region: below } of region.entries) {
    add(lead);
    add(body);
    if (below !== null) add(writeRegion(below));
  }
  add(region.tail);
  return text;
}

/** A text that two regions share exactly when keys and values are the same: order, layout and comments do not count. */
export function regionKey(region: KeyRegion): string {
  const entries = region.entries.map((entry) => `${JSON.stringify(entry.id)}:${valueKey(entry)}`);
  return `{${entries.sort().join(',')}}`;
}

function valueKey(entry: KeyEntry): string {
  return entry.value + (entry.region === null ? '' : regionKey(entry.region));
}

/** From each `#` to the end of its line, wherever it stands: every comment, and what looks like one inside a value. */
export function hashTails(text: string): string[] {
  return [...text.matchAll(/#.*/g)].map(([tail]) => tail.trimEnd());
}

const emptyRegion: KeyRegion = { head: '', entries: [], tail: '', indent: '' };

/** Merges key by key (KR2, KR3). An absent base has no keys. Throws `KeyConflict`. */
export function mergeRegions(base: KeyRegion | null, ours: KeyRegion, theirs: KeyRegion): KeyRegion {
  const before = base ?? emptyRegion;
  if (ours.entries.length > 0 && theirs.entries.length > 0 && ours.indent !== theirs.indent) throw new KeyConflict();
  const [baseOf, theirsOf] = [before, theirs].map(({ entries }) => new Map(entries.map((each) => [each.id, each])));
  const entries: KeyEntry[] = [];
  for (const entry of ours.entries) {
    const merged = mergeEntry(baseOf?.get(entry.id) ?? null, entry, theirsOf?.get(entry.id) ?? null);
    if (merged !== null) entries.push(merged);
  }
  const ids = ours.entries.map(({ id }) => id);
  const known = new Set(ids);
  const isSorted = ids.length > 1 && ids.every((id, index) => index === 0 || (ids[index - 1] as string) < id);
  let previous: string | null = null;
  for (const entry of theirs.entries) {
    const merged = known.has(entry.id) ? null : mergeEntry(baseOf?.get(entry.id) ?? null, null, entry);
    if (merged !== null) entries.splice(placeOf(entries, entry.id, previous, isSorted), 0, merged);
    previous = entry.id;
  }
  return {
    head: settle(before.head, ours.head, theirs.head),
    entries,
    tail: settle(before.tail, ours.tail, theirs.tail),
    indent: ours.entries.length > 0 ? ours.indent : theirs.indent,
  };
}

/** (KR3) */
function placeOf(entries: readonly KeyEntry[], id: string, previous: string | null, isSorted: boolean): number {
  if (!isSorted) return entries.findIndex((entry) => entry.id === previous) + 1;
  const next = entries.findIndex((entry) => entry.id > id);
  return next < 0 ? entries.length : next;
}

/** The merged entry, null for absent (KR2). */
function mergeEntry(base: KeyEntry | null, ours: KeyEntry | null, theirs: KeyEntry | null): KeyEntry | null {
  const [before, our, their] = [markOf(base), markOf(ours), markOf(theirs)];
  if (ours === null || theirs === null) {
    if (our === before || their === before) return our === before ? theirs : ours;
    throw new KeyConflict();
  }
  const lead = settle(base?.lead ?? '', ours.lead, theirs.lead);
  if (our === their || their === before) return { ...ours, lead };
  if (our === before) return { ...theirs, lead };
  if (ours.region === null || theirs.region === null || (base !== null && base.region === null)) {
    throw new KeyConflict();
  }
  const region = mergeRegions(base?.region ?? null, ours.region, theirs.region);
  return { ...ours, lead, body: settle(base?.body ?? '', ours.body, theirs.body), region };
}

/** Value and comments of an entry, but for those above it. */
function markOf(entry: KeyEntry | null): string {
  if (entry === null) return '';
  const text = entry.body + (entry.region === null ? '' : writeRegion(entry.region));
  return JSON.stringify([valueKey(entry), hashTails(text)]);
}

/** Of three texts between keys, or keys of regions, the one whose comments a side changed. */
function settle(base: string, ours: string, theirs: string): string {
  const [before, our, their] = [base, ours, theirs].map((text) => hashTails(text).join('\n'));
  if (our === their || their === before) return ours;
  if (our === before) return theirs;
  throw new KeyConflict();
}
