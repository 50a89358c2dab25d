// What a file without bytes remembers.

import { describe, expect, it } from 'vitest';
import { FileVersion, TrunkFile } from './file-versions.ts';

let versions = 0;

function version(line: number, symbols: readonly string[] | null = []): FileVersion {
  versions += 1;
  return new FileVersion(`v${versions}`, Int32Array.of(line, line + 1, 1), symbols);
}

describe('a file without bytes', () => {
  it('[FV1] maps a change through what landed since, and no further back than its history', () => {
    const file = new TrunkFile('a', 0);
    const base = file.tip;
    for (let count = 0; count < 3; count += 1) file.land(version(10));
    expect(file.mapped(Int32Array.of(20, 21, 0), base, file.tip)).toEqual(Int32Array.of(23, 24, 0));
    expect(file.mapped(Int32Array.of(11, 12, 0), base, file.tip)).toBeNull();
    for (let count = 0; count < 2_000; count += 1) file.land(version(10));
    expect(file.mapped(Int32Array.of(20, 21, 0), base, file.tip)).toBeNull();
  });

  it('[FV2] shows for each name the version that touched it last', () => {
    const file = new TrunkFile('a', 0);
    const first = file.showingAtTip('one');
    const one = version(1, ['one']);
    file.land(one);
    expect(file.showingAtTip('one')).toBe(one);
    expect(file.showingAtTip('two')).toBe(first);
    file.land(version(2));
    expect(file.showingAtTip('*')).toBe(one);
    const unknown = version(3, null);
    file.land(unknown);
    for (const name of ['one', 'two', '*']) expect(file.showingAtTip(name)).toBe(unknown);
  });

  it('[TF1] shows on each tree of a plan what was planned up to it', () => {
    const file = new TrunkFile('a', 0);
    const tip = file.tip;
    const early = version(1, ['one']);
    const late = version(5, ['two']);
    file.put(1, 2, early);
    file.put(1, 4, late);
    expect([0, 1, 2, 3, 4].map((tree) => file.at(1, tree))).toEqual([tip, tip, early, early, late]);
    expect(file.showing('one', 1, 4)).toBe(early);
    expect(file.showing('two', 1, 3)).toBe(tip);
    expect(file.mapped(Int32Array.of(9, 10, 0), tip, late)).toEqual(Int32Array.of(11, 12, 0));
    expect(file.at(2, 9)).toBe(tip);
  });
});
