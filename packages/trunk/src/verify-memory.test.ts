// What the verifier keeps from one cycle to the next.

import { utf8, utf8Text } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { VerifiedTrees } from './verify-memory.ts';

function idOf(number: number): Uint8Array {
  return new Uint8Array(20).fill(number);
}

describe('trees that were verified', () => {
  it('[VT1] are copies, and the first one under an id stays', () => {
    const trees = new VerifiedTrees(100);
    const content = utf8('first');
    const id = idOf(1);
    trees.keep(id, content);
    content.fill(0);
    id.fill(9);
    trees.keep(idOf(1), utf8('other'));
    expect(utf8Text(trees.get(idOf(1), 0) as Uint8Array)).toBe('first');
    expect(trees.get(idOf(2), 0)).toBeUndefined();
  });

  it('[VT1] are forgotten at once when there is no more room, and those that never fit are not kept', () => {
    const trees = new VerifiedTrees(100);
    for (let number = 0; number < 50; number += 1) {
      trees.keep(idOf(number), utf8(String(number).padEnd(30, '.')));
      const kept = [...Array(50).keys()].filter((each) => trees.get(idOf(each), 0) !== undefined);
      expect(kept).toEqual([...Array((number % 3) + 1).keys()].map((each) => number - (number % 3) + each));
      for (const each of kept) expect(utf8Text(trees.get(idOf(each), 0) as Uint8Array).trim()).toMatch(`${each}.`);
    }
    trees.keep(idOf(60), new Uint8Array(101));
    expect(trees.get(idOf(60), 0)).toBeUndefined();
  });
});
