// Refs by lock file on a disk in memory. Against stock git they are tested with the adapters.

import { utf8, utf8Text } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { DiskError } from './disk.ts';
import { FaultyDisk } from './faulty-disk.ts';
import { checkReachable, cycleOf, land, makeTrunk } from './landing.fixture.ts';
import { MemoryDisk } from './memory-disk.ts';
import { RefStore } from './refs.ts';
import { intentionOf } from './repository.ts';

const [one, two, three] = ['1', '2', '3'].map((digit) => digit.repeat(40)) as [string, string, string];
const main = 'refs/heads/main';

function refsOn(disk = new MemoryDisk()): { disk: MemoryDisk; refs: RefStore } {
  disk.makeDirectory('/data/r.git/refs/heads');
  return { disk, refs: new RefStore(disk, '/data/r.git') };
}

describe('RefStore', () => {
  it('[RF1] moves only from the expected value, and says what it found', () => {
    const { refs } = refsOn();
    expect(refs.compareAndSwap(main, null, one)).toEqual({ kind: 'done' });
    expect(refs.compareAndSwap(main, null, two)).toEqual({ kind: 'moved', ref: main, found: one });
    expect(refs.compareAndSwap(main, three, two)).toEqual({ kind: 'moved', ref: main, found: one });
    expect(refs.compareAndSwap(main, one, two)).toEqual({ kind: 'done' });
    expect(refs.read(main)).toBe(two);
  });

  it('[RF1] respects a lock that is held, and leaves none behind', () => {
    const { disk, refs } = refsOn();
    disk.write('/data/r.git/refs/heads/main.lock', utf8(''));
    expect(refs.compareAndSwap(main, null, one)).toEqual({ kind: 'locked', ref: main });
    expect(disk.read('/data/r.git/refs/heads/main.lock')).not.toBeNull();
    disk.remove('/data/r.git/refs/heads/main.lock');
    refs.compareAndSwap(main, null, one);
    refs.compareAndSwap(main, two, three);
    expect(disk.list('/data/r.git/refs/heads')).toEqual(['main']);
    expect(disk.list('/data/r.git/firetrident')).toEqual([]);
  });

  it('[RF2] never writes into the file of a live ref, even when a kill left its second name', () => {
    const { disk, refs } = refsOn();
    const staged = refs.stage(main, one);
    expect(refs.lock(staged, null)).toEqual({ kind: 'done' });
    refs.move(staged);
    // Killed here: the staged name still leads to the file that is now the ref.
    refs.stage(main, two);
    const again = refs.stage(main, one);
    expect(again.path).toBe(staged.path);
    disk.write(again.path, utf8('scribble'));
    expect(refs.read(main)).toBe(one);
  });

  it('[RF2] recognises its own lock by its content, and no other', () => {
    const { disk, refs } = refsOn();
    const staged = refs.stage(main, one);
    refs.lock(staged, null);
    disk.write('/data/r.git/refs/heads/other.lock', utf8(`${one}\n`));
    expect(refs.removeOwnLock(main, [two])).toBe(false);
    expect(refs.removeLeftovers()).toEqual(['/data/r.git/refs/heads/main.lock', staged.path]);
    expect(disk.list('/data/r.git/refs/heads')).toEqual(['other.lock']);
  });

  it('reads, prefers loose over packed, and deletes from packed refs', () => {
    const { disk, refs } = refsOn();
    const packed = `# pack-refs with: peeled fully-peeled sorted \n${one} ${main}\n${two} refs/tags/v1\n^${three}\n`;
    disk.write('/data/r.git/packed-refs', utf8(packed));
    expect(refs.read(main)).toBe(one);
    expect(refs.compareAndSwap(main, one, two)).toEqual({ kind: 'done' });
    expect(refs.read(main)).toBe(two);
    expect(refs.list('refs/')).toEqual([
      { name: main, oid: two },
      { name: 'refs/tags/v1', oid: two },
    ]);
    expect(refs.compareAndSwap('refs/tags/v1', one, null)).toMatchObject({ kind: 'moved' });
    expect(refs.compareAndSwap('refs/tags/v1', two, null)).toEqual({ kind: 'done' });
    expect(refs.compareAndSwap(main, two, null)).toEqual({ kind: 'done' });
    expect(refs.list('refs/')).toEqual([]);
    expect(utf8Text(disk.read('/data/r.git/packed-refs') ?? utf8(''))).toBe(
      '# pack-refs with: peeled fully-peeled sorted \n',
    );
  });

  it('follows symbolic refs, and calls damage by its name', () => {
    const { disk, refs } = refsOn();
    disk.write('/data/r.git/HEAD', utf8(`ref: ${main}\n`));
    expect(refs.read('HEAD')).toBeNull();
    refs.compareAndSwap(main, null, one);
    expect(refs.read('HEAD')).toBe(one);
    disk.write('/data/r.git/refs/heads/torn', utf8('12345'));
    expect(() => refs.read('refs/heads/torn')).toThrow('does not name an object');
    expect(() => refs.compareAndSwap('refs/heads/torn', null, one)).toThrow('does not name an object');
    expect(disk.read('/data/r.git/refs/heads/torn.lock')).toBeNull();
  });
});

function errorKindOf(action: () => void): string | null {
  try {
    action();
    return null;
  } catch (error) {
    return error instanceof DiskError ? error.kind : String(error);
  }
}

describe('moveRefs', () => {
  const writes = [[{ path: 'a', text: 'a\n' }]];

  it('[TK2] moves neither ref when one is locked or has moved', () => {
    for (const [ref, outcome] of [
      ['refs/notes/firetrident', 'locked'],
      ['refs/heads/main', 'locked'],
      ['refs/notes/firetrident', 'moved'],
      ['refs/heads/main', 'moved'],
    ] as const) {
      const disk = new MemoryDisk();
      const repository = makeTrunk(disk);
      const { tip, notesTip } = land(repository, [[{ path: 'first', text: 'first\n' }]]);
      const prepared = repository.prepare(cycleOf(repository, writes).input);
      repository.writePack(prepared);
      const path = `/data/trunk.git/${ref}`;
      const [old, other] = [disk.read(path) as Uint8Array, ref.includes('heads') ? notesTip : tip];
      if (outcome === 'locked') disk.write(`${path}.lock`, utf8(`${one}\n`));
      else disk.write(path, utf8(`${other}\n`));
      const expected = outcome === 'locked' ? { kind: outcome, ref } : { kind: outcome, ref, found: other };
      expect(repository.moveRefs(prepared)).toEqual(expected);
      if (outcome === 'locked') disk.remove(`${path}.lock`);
      else disk.write(path, old);
      expect([repository.tip(), repository.notesTip()]).toEqual([tip, notesTip]);
      expect(disk.list('/data/trunk.git/refs/heads')).toEqual(['main']);
      // The same cycle can be tried again.
      expect(repository.moveRefs(prepared)).toEqual({ kind: 'done' });
    }
  });

  it('answers a full or read-only disk with an error of that kind, after which recovery finds the old state', () => {
    for (const kind of ['full', 'read-only'] as const) {
      let failures = 0;
      for (let failed = true; failed; failures += 1) {
        const disk = new FaultyDisk();
        const repository = makeTrunk(disk);
        const before = land(repository, [[{ path: 'first', text: 'first\n' }]]);
        const prepared = repository.prepare(cycleOf(repository, writes).input);
        disk.failFrom(disk.operations + 1 + failures, kind, 1_000_000);
        const found = errorKindOf(() => {
          repository.writePack(prepared);
          repository.moveRefs(prepared);
        });
        failed = found !== null;
        expect(found).toBe(failed ? kind : null);
        disk.heal();
        const recovery = repository.recoverCycle(intentionOf(prepared));
        expect(recovery.tip).toBe(recovery.kind === 'finished' ? prepared.tip : before.tip);
        if (!failed) expect(recovery.kind).toBe('finished');
        expect(repository.removeLeftovers()).toEqual([]);
        land(repository, [[{ path: 'next', text: 'next\n' }]]);
        checkReachable(repository);
      }
      expect(failures).toBeGreaterThan(15);
    }
  });
});
