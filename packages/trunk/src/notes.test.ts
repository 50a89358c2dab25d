// Notes keep their place and content while their folders move from one cut to two.

import type { Oid } from '@firetrident/base';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { land, makeTrunk } from './landing.fixture.ts';
import { MemoryDisk } from './memory-disk.ts';
import { addNotes, findNote, notesPerFolderMax } from './notes.ts';

// Few first digits, so that folders fill up.
const commitOf = fc
  .tuple(fc.constantFrom('00', 'ab', 'ff'), fc.integer({ min: 0, max: 0xfffff }))
  .map(([first, rest]) => first + rest.toString(16).padStart(38, '7'));

describe('addNotes', () => {
  it('[NT1] [NT2] keeps every note findable, and no folder of the first cut beyond its limit', () => {
    const roundsOf = fc.array(fc.uniqueArray(commitOf, { maxLength: 12 }), { maxLength: 12 });
    const limit = 10;
    fc.assert(
      fc.property(roundsOf, (rounds) => {
        let notes = makeTrunk(new MemoryDisk()).emptyTree();
        const expected = new Map<Oid, Oid>();
        for (const [round, commits] of rounds.entries()) {
          const blob = String(round).padStart(40, 'e');
          const fresh = commits.filter((commit) => !expected.has(commit));
          for (const commit of fresh) expected.set(commit, blob);
          notes = addNotes(
            notes,
            fresh.map((commit) => ({ commit, blob })),
            limit,
          );
          for (const [commit, wanted] of expected) expect(findNote(notes, commit)).toBe(wanted);
          expect([...notes.paths()].length).toBe(expected.size);
          for (const folder of notes.list('') ?? []) {
            const { files, folders } = notes.countOf(folder.name);
            expect(files === 0 || (folders === 0 && files <= limit)).toBe(true);
          }
        }
      }),
    );
  });

  it('[NT1] is over before 32,000 notes, however they are spread', () => {
    expect(notesPerFolderMax * 256).toBeLessThan(32_000);
  });

  it('serves the text of a landing', () => {
    const repository = makeTrunk(new MemoryDisk());
    const { commits } = land(repository, [[{ path: 'a', text: 'a\n' }], [{ path: 'b', text: 'b\n' }]]);
    for (const commit of commits) expect(repository.note(commit)).toBe(`{"commit":"${commit}"}\n`);
    expect(repository.note('0'.repeat(40))).toBeNull();
  });
});
