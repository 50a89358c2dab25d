// The order of a cycle: who must land before whom.

import { describe, expect, test } from 'vitest';
import { FakeFacts, type FakeQuery } from './fake-facts.ts';
import { fakeProposal } from './fake-facts-proposal.ts';
import { FakeTree } from './fake-facts-tree.ts';
import { orderProposals } from './order.ts';
import { compareAge } from './order-age.ts';
import { literalPrefix } from './order-graph.ts';

type Writes = Readonly<Record<string, string | null>>;

const facts = (() => {
  const made = new FakeFacts();
  const paths = ['a/1', 'a/2', 'b/c/1', 'b/c/2', 'b/d/1', 'top'];
  const tip = FakeTree.of(paths.map((path) => [path, made.file('x')]));
  return Object.assign(new FakeFacts(tip), { contents: made.contents });
})();

function proposal(number: number, writes: Writes, reads: readonly FakeQuery[] = [], predecessor?: number) {
  return fakeProposal({
    id: `prp_${number}`,
    writes: Object.entries(writes).map(([path, text]) => facts.write(path, text === null ? null : facts.file(text))),
    reads: reads.map((query) => facts.read(query)),
    predecessor: predecessor === undefined ? null : `prp_${predecessor}`,
  });
}

function ordered(...proposals: ReturnType<typeof proposal>[]): { order: string; deferred: string } {
  const { order, deferred } = orderProposals(proposals, facts);
  const plain = (list: readonly { readonly id: string }[]) => list.map(({ id }) => id.slice(4)).join(' ');
  return { order: plain(order), deferred: plain(deferred) };
}

describe('[O1a] [O1b] [OG1] [OG2] readers before writers', () => {
  const readers: readonly (readonly [string, FakeQuery, Writes, boolean])[] = [
    ['a file that is written', { path: 'a/1' }, { 'a/1': 'y' }, true],
    ['another file', { path: 'a/1' }, { 'a/2': 'y' }, false],
    ['a symbol of a written file', { path: 'a/1', symbol: 'f' }, { 'a/1': 'y' }, true],
    ['lines of a written file', { path: 'a/1', lines: [1, 2] }, { 'a/1': 'y' }, true],
    ['a file that is deleted', { path: 'a/1' }, { 'a/1': null }, true],
    ['an absent file that is created', { path: 'a/3' }, { 'a/3': 'y' }, true],
    ['a folder with a new file', { dir: 'a' }, { 'a/3': 'y' }, true],
    ['a folder with a file less', { dir: 'a' }, { 'a/1': null }, true],
    ['a folder with an edited file', { dir: 'a' }, { 'a/1': 'y' }, false],
    ['a folder above a folder with a new file', { dir: 'b' }, { 'b/c/3': 'y' }, false],
    ['a folder with a new folder', { dir: 'b' }, { 'b/new/deep/1': 'y' }, true],
    ['the root with a new folder', { dir: '' }, { 'new/1': 'y' }, true],
    ['the root with a new file far below', { dir: '' }, { 'b/c/3': 'y' }, false],
    ['a folder with a folder less', { dir: 'b' }, { 'b/d/1': null }, true],
    ['a folder above a folder with a file less', { dir: 'b' }, { 'b/c/1': null }, false],
    ['a glob with a new match', { glob: 'b/**/3' }, { 'b/c/3': 'y' }, true],
    ['a glob with a match less', { glob: '**/1' }, { 'a/1': null }, true],
    ['a glob with an edited match', { glob: 'a/*' }, { 'a/1': 'y' }, false],
    ['a glob with a new file that it does not match', { glob: 'b/*' }, { 'b/c/3': 'y' }, false],
    ['a file whose write says what its base said', { path: 'a/1' }, { 'a/1': 'x' }, false],
  ];
  test.each(readers)('%s', (_name, query, writes, isEdge) => {
    const writer = proposal(1, writes);
    const reader = proposal(2, { 'z/out': 'y' }, [query]);
    // Age alone would let the writer go first.
    expect(ordered(writer, reader).order).toBe(isEdge ? '2 1' : '1 2');
  });

  test('[O1b] two that together empty a folder both come after the reader of the folder above', () => {
    const one = proposal(1, { 'b/c/1': null });
    const other = proposal(2, { 'b/c/2': null });
    expect(ordered(one, other, proposal(3, { 'z/out': 'y' }, [{ dir: 'b' }])).order).toBe('3 1 2');
  });

  test('[V1b] a read of a path that the reader writes itself binds nothing', () => {
    expect(ordered(proposal(1, { 'a/1': 'y' }), proposal(2, { 'a/1': 'z' }, [{ path: 'a/1' }])).order).toBe('1 2');
  });

  test('a file with a mode of its own changes the listing', () => {
    const link = fakeProposal({ id: 'prp_1', writes: [facts.write('a/1', facts.file('x', '120000'))] });
    expect(ordered(link, proposal(2, { 'z/out': 'y' }, [{ dir: 'a' }])).order).toBe('2 1');
  });
});

describe('[O1c] cycles', () => {
  test('the younger of two is deferred', () => {
    const one = proposal(1, { 'a/1': 'y' }, [{ path: 'a/2' }]);
    const other = proposal(2, { 'a/2': 'y' }, [{ path: 'a/1' }]);
    expect(ordered(one, other)).toEqual({ order: '1', deferred: '2' });
    expect(ordered(other, one)).toEqual({ order: '1', deferred: '2' });
  });

  test('of many that list a folder and add to it, one stays', () => {
    const all = [1, 2, 3, 4, 5].map((number) => proposal(number, { [`a/n${number}`]: 'y' }, [{ dir: 'a' }]));
    expect(ordered(...all)).toEqual({ order: '1', deferred: '2 3 4 5' });
  });

  test('adding files to different folders of a listed root is no cycle', () => {
    const all = [1, 2].map((number) => proposal(number, { [`b/c/n${number}`]: 'y' }, [{ dir: '' }, { dir: 'b' }]));
    expect(ordered(...all)).toEqual({ order: '1 2', deferred: '' });
  });
});

describe('[O3c] chains', () => {
  test('[OG3] a part that reads what the part before it wrote comes after it', () => {
    const first = proposal(1, { 'a/1': 'y' });
    const second = proposal(2, { 'a/2': 'y' }, [{ path: 'a/1' }], 1);
    expect(ordered(second, first)).toEqual({ order: '1 2', deferred: '' });
  });

  test('a part comes after a reader of what the part before it writes', () => {
    const first = proposal(1, { 'a/1': 'y' });
    const second = proposal(2, { 'b/c/1': 'y' }, [], 1);
    expect(ordered(first, second, proposal(3, { 'z/out': 'y' }, [{ path: 'a/1' }])).order).toBe('3 1 2');
  });

  test('[OR3] a deferred part takes the later parts along', () => {
    const first = proposal(2, { 'a/1': 'y' }, [{ path: 'a/2' }]);
    const second = proposal(3, { 'b/c/1': 'y' }, [], 2);
    const other = proposal(1, { 'a/2': 'y' }, [{ path: 'a/1' }]);
    const others = proposal(4, { 'b/d/1': 'y' }, [], 1);
    expect(ordered(first, second, other, others)).toEqual({ order: '1 4', deferred: '2 3' });
  });
});

test('[O2] [OR4] writers of one path and all that nothing binds go by age', () => {
  expect(ordered(proposal(3, { 'a/1': 'c' }), proposal(1, { 'a/1': 'a' }), proposal(2, { 'a/1': 'b' })).order).toBe(
    '1 2 3',
  );
});

test('[O2] [OG4] a longer id is a younger one', () => {
  const ids = ['prp_10000001', 'prp_2000001', 'prp_a000001'] as const;
  expect([...ids].sort((left, right) => compareAge({ id: left }, { id: right }))).toEqual([ids[1], ids[2], ids[0]]);
});

test.each([
  ['src/a/*.ts', 'src/a/'],
  ['src/*/b', 'src/'],
  ['*.ts', ''],
  ['src/a.ts', 'src/'],
  ['src/{a,b}/c', 'src/'],
  ['!src/a', ''],
  ['./src/a', ''],
  ['src/../a/*', ''],
  ['/src/*', ''],
  ['src//a/*', ''],
])('[OG2] matches of %s lie below %j', (glob, prefix) => {
  expect(literalPrefix(glob)).toBe(prefix);
});
