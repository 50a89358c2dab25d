// What a colony learns from what lands about where work will touch the tree (T5): which paths go with the words of a
// title, and which paths change together.
//
// It never knows intents or claims: it is told titles and paths, and asked for paths.
//
//   LE1. Words, paths and what is kept of each are bounded; what was seen longest ago is forgotten first.
//   LE2. What is predicted follows from what was told, in its order, and from nothing else.

import { type TreePath, textWords } from '@firetrident/base';

/** With what something was seen, and how often. Replaced when it grows, so that a snapshot may still be writing it. */
export interface Association {
  /** Changes in which it was seen, fading. */
  readonly seen: number;
  /** Paths that these changed, and how many of them. */
  readonly paths: readonly PathCount[];
}

/** A path, and how often it was changed. */
export type PathCount = readonly [path: TreePath, count: number];

/** A change to learn from. */
export interface LearnedChange {
  readonly title: string;
  readonly paths: readonly TreePath[];
}

/** What is learned: by word of a title, and by path. */
export interface Learning {
  readonly titleWords: Map<string, Association>;
  readonly coChanges: Map<TreePath, Association>;
}

/** Words and paths that are remembered (LE1). */
const wordsKept = 4_096;
const pathsKept = 16_384;
/** Paths kept for each word or path. */
const pathsEach = 16;
/** A change of more paths is a sweep: it says nothing of where work belongs. */
const pathsPerChange = 12;
const wordsPerTitle = 12;
/** After so many changes all counts are halved, so that what was true long ago fades. */
const halveAfter = 64;

/** Changes with a word from which something follows, and the probability from which a path is predicted. */
const wordSeenAtLeast = 2;
const predictFrom = 0.5;
/** The same for a path that changes together with another. */
const pathSeenAtLeast = 3;
const togetherFrom = 0.6;
const pathsByTitle = 4;
const pathsInAll = 8;

/** Learns from one change (LE1). */
export function learn(learning: Learning, { title, paths }: LearnedChange): void {
  const changed = [...new Set(paths)];
  if (changed.length === 0 || changed.length > pathsPerChange) return;
  for (const word of wordsOf(title)) note(learning.titleWords, word, changed, wordsKept);
  for (const path of changed) {
    const others = changed.filter((other) => other !== path);
    note(learning.coChanges, path, others, pathsKept);
  }
}

/** The paths that work of a title will probably touch, the likeliest first; none without evidence (LE2). */
export function predict(learning: Learning, title: string): readonly TreePath[] {
  const unlikely = new Map<TreePath, number>();
  for (const word of wordsOf(title)) {
    const known = learning.titleWords.get(word);
    if (known === undefined || known.seen < wordSeenAtLeast) continue;
    for (const [path, count] of known.paths) {
      // Each word is taken for an independent hint.
      unlikely.set(path, (unlikely.get(path) ?? 1) * (1 - likelihood(count, known.seen)));
    }
  }
  const byTitle = [...unlikely]
    .filter(([, rest]) => 1 - rest >= predictFrom)
    .sort(([leftPath, left], [rightPath, right]) => left - right || (leftPath < rightPath ? -1 : 1))
    .slice(0, pathsByTitle)
    .map(([path]) => path);
  const predicted = new Set(byTitle);
  for (const path of byTitle) {
    const known = learning.coChanges.get(path);
    if (known === undefined || known.seen < pathSeenAtLeast) continue;
    for (const [other, count] of known.paths) {
      if (predicted.size < pathsInAll && likelihood(count, known.seen) >= togetherFrom) predicted.add(other);
    }
  }
  return [...predicted];
}

/** How likely a path is, after `count` of `seen` changes: one change more that did not touch it is taken for granted. */
function likelihood(count: number, seen: number): number {
  return count / (seen + 1);
}

function wordsOf(title: string): readonly string[] {
  const telling = [...textWords(title)].filter((word) => word.length > 2 && !/^\p{N}+$/u.test(word));
  return telling.slice(0, wordsPerTitle);
}

function note<K>(map: Map<K, Association>, key: K, changed: readonly TreePath[], bound: number): void {
  const before = map.get(key);
  const paths = [...(before?.paths ?? [])];
  for (const path of changed) count(paths, path);
  const association = { seen: (before?.seen ?? 0) + 1, paths };
  map.delete(key);
  map.set(key, association.seen >= halveAfter ? halved(association) : association);
  if (map.size <= bound) return;
  const oldest = map.keys().next();
  if (oldest.done !== true) map.delete(oldest.value);
}

/** One more change of a path; the rarest one gives way to it when all places are taken. */
function count(paths: PathCount[], path: TreePath): void {
  const place = paths.findIndex(([other]) => other === path);
  if (place >= 0) {
    paths[place] = [path, (paths[place] as PathCount)[1] + 1];
    return;
  }
  if (paths.length < pathsEach) {
    paths.push([path, 1]);
    return;
  }
  let rarest = 0;
  for (const [index, [, times]] of paths.entries()) if (times < (paths[rarest]?.[1] ?? 0)) rarest = index;
  paths[rarest] = [path, 1];
}

function halved({ seen, paths }: Association): Association {
  const kept = paths.map(([path, times]): PathCount => [path, times / 2]).filter(([, times]) => times >= 1);
  return { seen: seen / 2, paths: kept };
}
