// The order of landings as the public interface shows it: what was queued while landing was paused is one cycle, so what
// lands, and in which order, can be told from outside.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { nineLines, type Puts, Story, type Worker } from './story.ts';

let daemon: TestDaemon;
let story: Story;
beforeAll(async () => {
  daemon = await startTestDaemon();
  story = await Story.open(daemon, { 'README.md': '# Story\n' });
});
afterAll(() => daemon.stop());

/** One proposal of a cycle: whose, what it writes, what it reads. */
type Part = readonly [name: string, puts: Puts, reads?: readonly object[]];

/** Has all of these queue while landing is paused, so that they are one cycle, in the order given. */
async function cycle(...parts: readonly Part[]): Promise<Worker[]> {
  const workers: Worker[] = [];
  for (const [name] of parts) workers.push(await story.work(name));
  await story.pause();
  for (const [index, [, puts, reads = []]] of parts.entries()) await workers[index]?.send(puts, { reads });
  await story.resume();
  return workers;
}

async function states(workers: readonly Worker[]): Promise<string[]> {
  const settled = await Promise.all(workers.map((worker) => worker.outcome()));
  return settled.map(({ state }) => state);
}

const landed = ['landed', 'landed'];

describe('readers before writers', () => {
  const pairs: readonly (readonly [string, Puts, object, Puts])[] = [
    ['a file', { 'f/a': 'a\n' }, { path: 'f/a' }, { 'f/a': 'b\n' }],
    ['an absent file', {}, { path: 'new/a' }, { 'new/a': 'a\n' }],
    ['lines', { 'l/a': nineLines() }, { path: 'l/a', lines: [4, 5] }, { 'l/a': nineLines({ 4: 'x' }) }],
    ['a listing that a file joins', { 'd/a': 'a\n' }, { dir: 'd' }, { 'd/b': 'b\n' }],
    ['a listing that a file leaves', { 'g/a': 'a\n', 'g/b': 'b\n' }, { dir: 'g' }, { 'g/a': null }],
    ['a listing in which a type changes', { 'h/a': 'a\n' }, { dir: 'h' }, { 'h/a': { content: 'x', mode: '120000' } }],
    ['a glob that a match joins', { 'm/a.ts': 'a\n' }, { glob: 'm/*.ts' }, { 'm/b.ts': 'b\n' }],
    ['a glob that a match leaves', { 'n/a.ts': 'a\n' }, { glob: 'n/*.ts' }, { 'n/a.ts': null }],
    [
      'a symbol',
      { 's/a.ts': 'export const a = 1;\n' },
      { path: 's/a.ts', symbol: 'a' },
      { 's/a.ts': 'export const a = 2;\n' },
    ],
  ];

  test.each(pairs)(
    '[O1a] who reads %s lands before who changes it, though it came later',
    async (name, base, read, puts) => {
      if (Object.keys(base).length > 0) await story.land(`base of ${name}`, base);
      const workers = await cycle([`changes ${name}`, puts], [`reads ${name}`, { [`out/${name}`]: 'o\n' }, [read]]);
      expect(await states(workers)).toEqual(landed);
      expect(await story.order(...workers)).toEqual([`reads ${name}`, `changes ${name}`]);
    },
  );

  test('[O1b] a folder counts as created in the listing above it when the cycle makes it appear', async () => {
    await story.land('a folder above', { 'above/a': 'a\n' });
    const workers = await cycle(
      ['makes a folder', { 'above/deep/er/x': 'x\n' }],
      ['reads the listing above', { 'out/above': 'o\n' }, [{ dir: 'above' }]],
    );
    expect(await states(workers)).toEqual(landed);
    expect(await story.order(...workers)).toEqual(['reads the listing above', 'makes a folder']);
  });

  test('[O1b] and as deleted when it makes it vanish, by several proposals together', async () => {
    await story.land('a folder to empty', { 'empty/f/1': '1\n', 'empty/f/2': '2\n', 'empty/x': 'x\n' });
    const workers = await cycle(
      ['empties one', { 'empty/f/1': null }],
      ['empties two', { 'empty/f/2': null }],
      ['reads the folder above', { 'out/empty': 'o\n' }, [{ dir: 'empty' }]],
    );
    expect(await states(workers)).toEqual([...landed, 'landed']);
    expect((await story.order(...workers))[0]).toBe('reads the folder above');
  });

  test('[O1c] of two that read what the other writes, the younger waits for the next cycle and is judged there', async () => {
    await story.land('a knot', { 'knot/a': 'a\n', 'knot/b': 'b\n' });
    const workers = await cycle(
      ['reads b, writes a', { 'knot/a': 'A\n' }, [{ path: 'knot/b' }]],
      ['reads a, writes b', { 'knot/b': 'B\n' }, [{ path: 'knot/a' }]],
    );
    expect(await states(workers)).toEqual(['landed', 'returned']);
    const { brief } = await (workers[1] as Worker).outcome();
    expect(brief.reads).toMatchObject([{ path: 'knot/a', intent: { title: 'reads b, writes a' } }]);
  });

  test('[O1d] a proposal that is stale already holds up nobody', async () => {
    await story.land('some files', { 'held/a': 'a\n', 'held/b': 'b\n' });
    const stale = await story.work('stale from the start');
    await story.land('moves a', { 'held/a': 'A\n' });
    const workers = [
      await story.work('writes what the stale one reads'),
      stale,
      await story.work('reads what it writes'),
    ];
    const [writer, , reader] = workers as [Worker, Worker, Worker];
    await story.pause();
    await writer.send({ 'held/b': 'B\n' });
    await stale.send({ 'held/c': 'c\n' }, { reads: [{ path: 'held/a' }, { path: 'held/b' }] });
    await reader.send({ 'held/d': 'd\n' }, { reads: [{ path: 'held/c' }] });
    await story.resume();
    expect(await states(workers)).toEqual(['landed', 'returned', 'landed']);
    const { brief } = await stale.outcome();
    expect(brief.reads).toMatchObject([{ path: 'held/a' }, { path: 'held/b' }]);
  });
});

describe('age', () => {
  test('[O2] where nothing binds the older lands first, also of writers of one path', async () => {
    const parts: Part[] = [
      ['age 1', { 'age/1': '1\n' }],
      ['age 2', { 'age/shared': nineLines({ 1: 'two' }) }],
      ['age 3', { 'age/3': '3\n' }],
      ['age 4', { 'age/shared': nineLines({ 9: 'four' }) }],
    ];
    await story.land('the shared file', { 'age/shared': nineLines() });
    const workers = await cycle(...parts);
    expect(await states(workers)).toEqual([...landed, ...landed]);
    expect(await story.order(...workers)).toEqual(parts.map(([name]) => name));
    expect(story.file('age/shared')).toBe(nineLines({ 1: 'two', 9: 'four' }));
  });

  test('[O2] of two that write the same lines the older lands and the younger goes back', async () => {
    const workers = await cycle(['elder', { 'same/line': 'elder\n' }], ['younger', { 'same/line': 'younger\n' }]);
    expect(await states(workers)).toEqual(['landed', 'returned']);
    expect(story.file('same/line')).toBe('elder\n');
  });
});

describe('pauses', () => {
  test('[O4a] what queued while landing stood still is one cycle, whatever proposalsPerCycle says', async () => {
    await story.policy({ limits: { proposalsPerCycle: 1 } });
    const parts = [1, 2, 3, 4].map((index): Part => [`one cycle ${index}`, { [`cycle-${index}/x`]: `${index}\n` }]);
    const workers = await cycle(...parts);
    expect(await states(workers)).toEqual([...landed, ...landed]);
    await story.policy({ limits: { proposalsPerCycle: 400 } });
    const { landings } = await story.admin(200, 'GET', '/landings?limit=4');
    const pages = [];
    for (const { landing } of landings) pages.push(await story.admin(200, 'GET', `/landings/${landing}`));
    expect(new Set(pages.map(({ cycle: id }) => id)).size).toBe(1);
    // One batch for each lane: here every proposal has a region of its own.
    expect(new Set(pages.map(({ batch }) => batch)).size).toBe(4);
  });

  test('[O4a] pausing twice and resuming what is not paused', async () => {
    await story.pause();
    await story.pause();
    await story.resume();
    expect((await story.admin(409, 'POST', '/trunk', { paused: false })).error.code).toBe('landing_not_frozen');
  });

  test('[O4b] what is deferred, or queued when the daemon stops, keeps its place', async () => {
    const workers = [await story.work('queued 1'), await story.work('queued 2')];
    await story.pause();
    for (const [index, worker] of workers.entries()) await worker.send({ [`queued/${index}`]: 'q\n' });
    await daemon.restart();
    expect((await story.admin(200, 'GET', '')).proposals.queued).toBe(2);
    await story.resume();
    expect(await states(workers)).toEqual(landed);
    expect(await story.order(...workers)).toEqual(['queued 1', 'queued 2']);
  });

  test('[G1] [G2] a proposal joins the lane of the region of most of its paths, ties by name', async () => {
    const workers = [await story.work('mostly b'), await story.work('a tie'), await story.work('at the root')];
    const [mostly, tie, root] = workers as [Worker, Worker, Worker];
    await story.pause();
    await mostly.send({ 'src/b/1': '1\n', 'src/b/deep/er/2': '2\n', 'src/a/1': '1\n' });
    await tie.send({ 'src/d/1': '1\n', 'src/c/1': '1\n' });
    await root.send({ 'root.txt': 'r\n' });
    const { lanes } = await story.admin(200, 'GET', '/lanes');
    await story.resume();
    expect(lanes.map(({ region, queued }: { region: string; queued: number }) => [region, queued]).sort()).toEqual([
      ['.', 1],
      ['src/b', 1],
      ['src/c', 1],
    ]);
    expect(await states(workers)).toEqual([...landed, 'landed']);
    const { landings } = await story.admin(200, 'GET', '/landings?limit=3');
    expect(landings.map(({ region }: { region: string }) => region).sort()).toEqual(['.', 'src/b', 'src/c']);
  });

  test('[G1] a workspace package that lies deeper is a region of its own', async () => {
    const files = {
      'package.json': '{ "workspaces": ["libs/group/*"] }\n',
      'libs/group/one/package.json': '{ "name": "one" }\n',
    };
    const packages = await Story.open(daemon, files);
    const { landing } = await packages.land('in a package', { 'libs/group/one/src/x.ts': 'export {};\n' });
    expect(await packages.admin(200, 'GET', `/landings/${landing}`)).toMatchObject({ region: 'libs/group/one' });
    const other = await packages.land('beside it', { 'libs/group/none/src/x.ts': 'export {};\n' });
    expect(await packages.admin(200, 'GET', `/landings/${other.landing}`)).toMatchObject({ region: 'libs/group' });
  });
});
