// Content as declared parts instead of bytes, and the merge that follows from them.
//
// For the simulator and for tests. A part stands for a stretch of text that git would merge as one: two changes of
// different parts merge, two different changes of one part conflict.

import { canonicalJson, type Oid, type TreePath } from '@firetrident/base';
import type { Entry, FileMode } from './model.ts';
import type { MergeFact } from './plan-port.ts';

/** What a file is made of. A part may be named by a line number or by the symbol that it declares. */
export interface FakeContent {
  readonly parts: Readonly<Record<string, string>>;
  /** Never merged. */
  readonly binary?: true;
  /** Symbols that the file exports from another one. */
  readonly from?: Readonly<Record<string, TreePath>>;
}

/** Forty digits that tell texts apart as far as a model needs it; not a cryptographic hash. */
export function fakeHash(text: string): Oid {
  let digits = '';
  for (let round = 1; round <= 5; round += 1) {
    let mixed = Math.imul(round, 0x9e3779b1) >>> 0;
    for (let index = 0; index < text.length; index += 1) {
      mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x01000193) >>> 0;
      mixed = (mixed ^ (mixed >>> 15)) >>> 0;
    }
    digits += mixed.toString(16).padStart(8, '0');
  }
  return digits;
}

/** Contents by their id: equal content, equal id. */
export class FakeContents {
  readonly #byOid = new Map<Oid, FakeContent>();

  put(content: FakeContent): Oid {
    const oid = fakeHash(
      canonicalJson({ parts: content.parts, binary: content.binary ?? false, from: content.from ?? {} }),
    );
    this.#byOid.set(oid, content);
    return oid;
  }

  get(oid: Oid): FakeContent | null {
    return this.#byOid.get(oid) ?? null;
  }

  /** Merges one path by git's rules for entries, and by parts where both sides changed the content. */
  merge(base: Entry | null, ours: Entry | null, theirs: Entry | null): MergeFact {
    if (ours === null || theirs === null) return { kind: 'conflict', conflict: 'delete/edit' };
    if (base === null) return { kind: 'conflict', conflict: 'add/add' };
    const mode = pickChanged<FileMode>(base.mode, ours.mode, theirs.mode);
    if (mode === null) return { kind: 'conflict', conflict: 'mode' };
    const oid = pickChanged<Oid>(base.oid, ours.oid, theirs.oid);
    if (oid !== null) return { kind: 'same', entry: { mode, oid } };
    const contents = [base, ours, theirs].map((entry) => this.get(entry.oid));
    const [baseContent, oursContent, theirsContent] = contents;
    if (!baseContent || !oursContent || !theirsContent || contents.some((content) => content?.binary)) {
      return { kind: 'conflict', conflict: 'binary' };
    }
    const parts = mergeParts(baseContent.parts, oursContent.parts, theirsContent.parts);
    if (parts === null) return { kind: 'conflict', conflict: 'content' };
    const merged = this.put({ ...oursContent, parts });
    if (merged === ours.oid || merged === theirs.oid) return { kind: 'same', entry: { mode, oid: merged } };
    return { kind: 'merged', entry: { mode, oid: merged }, proof: [base.oid, ours.oid, theirs.oid] };
  }
}

/** The side that changed; null when both did, differently. */
function pickChanged<T>(base: T, ours: T, theirs: T): T | null {
  if (ours === theirs || theirs === base) return ours;
  return ours === base ? theirs : null;
}

function mergeParts(
  base: FakeContent['parts'],
  ours: FakeContent['parts'],
  theirs: FakeContent['parts'],
): FakeContent['parts'] | null {
  const merged: Record<string, string> = {};
  for (const name of new Set([...Object.keys(base), ...Object.keys(ours), ...Object.keys(theirs)])) {
    const part = pickChanged(base[name], ours[name], theirs[name]);
    if (part === null) return null;
    if (part !== undefined) merged[name] = part;
  }
  return merged;
}
