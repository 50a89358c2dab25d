// The contract suite of the journal port: the same tests for every implementation, real or simulated.
// It never knows a test runner; the runner's functions are handed in.

import { emptyBatch, type Journal, type JournalBatch, JournalError } from './port.ts';
import { replay } from './replay.ts';

/** The part of a test runner that the suite needs; vitest's functions fit. */
export interface TestFunctions {
  describe(name: string, body: () => void): unknown;
  it(name: string, body: () => Promise<void>): unknown;
  expect(actual: unknown): { toBe(expected: unknown): void; toEqual(expected: unknown): void };
}

/** One place where a journal lives, made anew for each test. */
export interface JournalPlace {
  /** Opens the journal, as its owner does at a start. */
  open(): Promise<Journal>;
  /** Opens it although `held` still holds it, as when a person removed the lock of an owner believed dead. */
  seize(held: Journal): Promise<Journal>;
  /** Ends `held` as a kill does: nothing more is written, nothing is told. */
  kill(held: Journal): Promise<void>;
  /** Removes everything. */
  dispose(): Promise<void>;
}

type Body = (place: JournalPlace) => Promise<void>;

/** Declares the contract suite for the implementation called `name`. */
export function journalContract(functions: TestFunctions, name: string, create: () => Promise<JournalPlace>): void {
  const { describe, it } = functions;
  const test = (title: string, body: Body) => {
    it(title, async () => {
      const place = await create();
      try {
        await body(place);
      } finally {
        await place.dispose();
      }
    });
  };
  describe(`journal contract: ${name}`, () => {
    declareAppends(test, functions.expect);
    declareAtomicity(test, functions.expect);
    declareOwnership(test, functions.expect);
    declareBlobs(test, functions.expect);
    declareArchive(test, functions.expect);
    declareSnapshots(test, functions.expect);
    declareRestarts(test, functions.expect);
  });
}

type Declare = (test: (title: string, body: Body) => void, expect: TestFunctions['expect']) => void;

function events(...bodies: string[]): JournalBatch {
  return { ...emptyBatch, events: bodies };
}

function archive(kind: string, id: string, keys: string[], body: string): JournalBatch {
  return { ...emptyBatch, archive: [{ kind, id, keys, body }] };
}

function oidOf(value: number): string {
  return value.toString(16).padStart(40, '0');
}

async function bodies(journal: Journal, after = 0): Promise<string[]> {
  return (await journal.events(after, 10_000)).map(({ body }) => body);
}

/** The kind of refusal of an operation, or `none`. Anything but a JournalError crashes the test. */
async function refusal(operation: Promise<unknown>): Promise<string> {
  try {
    await operation;
    return 'none';
  } catch (error) {
    if (error instanceof JournalError) return error.kind;
    throw error;
  }
}

const declareAppends: Declare = (test, expect) => {
  test('[J2] appended events come back in order, with their sequences', async (place) => {
    const journal = await place.open();
    await journal.append(events('{"n":1}', '{"n":2}'), 0);
    await journal.append(events('{"n":3}'), 2);
    expect(await journal.events(0, 10)).toEqual([
      { sequence: 1, body: '{"n":1}' },
      { sequence: 2, body: '{"n":2}' },
      { sequence: 3, body: '{"n":3}' },
    ]);
    expect((await journal.events(1, 1)).map(({ sequence }) => sequence)).toEqual([2]);
    expect(await journal.events(3, 10)).toEqual([]);
  });

  test('[J2] appends made without waiting become durable in the order they were made', async (place) => {
    const journal = await place.open();
    const settled: number[] = [];
    const appends = Array.from({ length: 300 }, (_, index) =>
      journal.append(events(`{"n":${index}}`), index).then(() => settled.push(index)),
    );
    await Promise.all(appends);
    const expected = Array.from({ length: 300 }, (_, index) => index);
    expect(settled).toEqual(expected);
    expect((await bodies(journal)).map((body) => (JSON.parse(body) as { n: number }).n)).toEqual(expected);
  });

  test('[J6] a read asked for after an acknowledgement sees what was acknowledged', async (place) => {
    const journal = await place.open();
    for (let sequence = 0; sequence < 50; sequence += 1) {
      await journal.append({ ...events(`{"n":${sequence}}`), ...archiveOf(`row-${sequence}`) }, sequence);
      expect((await journal.events(sequence, 1)).length).toBe(1);
      expect(await journal.archived('intent', `row-${sequence}`)).toBe('{}');
    }
  });
};

const declareAtomicity: Declare = (test, expect) => {
  test('[J3] an append that expects another last sequence is fenced, and the handle lives on', async (place) => {
    const journal = await place.open();
    await journal.append(events('{}', '{}'), 0);
    expect(await refusal(journal.append(events('{"lost":1}'), 1))).toBe('fenced');
    expect(await refusal(journal.append(events('{"lost":1}'), 3))).toBe('fenced');
    await journal.append(events('{"kept":1}'), 2);
    expect(await bodies(journal)).toEqual(['{}', '{}', '{"kept":1}']);
  });

  test('[J1] a refused append leaves none of its parts', async (place) => {
    const journal = await place.open();
    const blob = { oid: oidOf(1), bytes: new Uint8Array([1]) };
    const batch = { ...events('{}'), ...archiveOf('row'), blobs: [blob] };
    expect(await refusal(journal.append(batch, 7))).toBe('fenced');
    expect(await bodies(journal)).toEqual([]);
    expect(await journal.blob(blob.oid)).toBe(null);
    expect(await journal.archived('intent', 'row')).toBe(null);
  });

  test('[J1] a batch without events is durable like any other', async (place) => {
    const journal = await place.open();
    await journal.append(archive('intent', 'a', [], '{"a":1}'), 0);
    await journal.append(emptyBatch, 0);
    expect(await journal.archived('intent', 'a')).toBe('{"a":1}');
    expect(await bodies(journal)).toEqual([]);
  });

  test('[JR3] texts come back as they went in, whatever their characters', async (place) => {
    const journal = await place.open();
    const body = JSON.stringify({ text: 'é漢😀\u0000\u2028"\\', lone: '\udc80' });
    const row = { kind: 'k\u0000é', id: '漢\u0000', keys: ['😀\u0000'], body };
    await journal.append({ ...events(body), archive: [row] }, 0);
    expect(await bodies(journal)).toEqual([body]);
    expect(await journal.archived(row.kind, row.id)).toBe(body);
    expect(await journal.archivedByKey(row.kind, '😀\u0000')).toBe(body);
    expect(await journal.archivedByKey(row.kind, '😀')).toBe(null);
  });
};

function archiveOf(id: string): Pick<JournalBatch, 'archive'> {
  return { archive: [{ kind: 'intent', id, keys: [], body: '{}' }] };
}

const declareOwnership: Declare = (test, expect) => {
  test('[J4] each opening raises the epoch by one', async (place) => {
    const epochs: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      const journal = await place.open();
      epochs.push(journal.opening.epoch);
      await journal.close();
    }
    expect(epochs).toEqual([1, 2, 3]);
  });

  test('[J4] a handle whose journal was seized is fenced for good and writes nothing', async (place) => {
    const old = await place.open();
    await old.append(events('{"by":"old"}'), 0);
    const owner = await place.seize(old);
    expect(owner.opening.epoch).toBe(old.opening.epoch + 1);
    expect(owner.opening.sequence).toBe(1);
    expect(await refusal(old.append(events('{"by":"old"}'), 1))).toBe('fenced');
    await owner.append(events('{"by":"owner"}'), 1);
    expect(await refusal(old.append(events('{"by":"old"}'), 1))).toBe('fenced');
    expect(await refusal(old.append(archive('intent', 'a', [], '{}'), 1))).toBe('fenced');
    expect(await refusal(old.putSnapshot(1, new Uint8Array(1)))).toBe('fenced');
    expect(await bodies(owner)).toEqual(['{"by":"old"}', '{"by":"owner"}']);
    expect(await owner.archived('intent', 'a')).toBe(null);
    expect(await owner.latestSnapshot()).toBe(null);
    await old.close();
    await owner.append(events('{"by":"owner"}'), 2);
    await owner.close();
  });

  test('[J5] a closed handle refuses everything as closed, and closing it again is harmless', async (place) => {
    const journal = await place.open();
    await journal.close();
    await journal.close();
    const operations = [
      journal.append(emptyBatch, 0),
      journal.events(0, 1),
      journal.putSnapshot(0, new Uint8Array(0)),
      journal.latestSnapshot(),
      journal.blob(oidOf(1)),
      journal.blobs(),
      journal.archived('intent', 'a'),
      journal.archivedByKey('intent', 'a'),
      journal.archivedAllByKey('intent', 'a', 1),
      journal.archivedPage('intent', { limit: 1 }),
    ];
    for (const operation of operations) expect(await refusal(operation)).toBe('closed');
  });
};

const declareBlobs: Declare = (test, expect) => {
  const stage = (oid: string, ...bytes: number[]): JournalBatch => ({
    ...emptyBatch,
    blobs: [{ oid, bytes: new Uint8Array(bytes) }],
  });

  test('a staged blob comes back byte for byte, an empty one too', async (place) => {
    const journal = await place.open();
    await journal.append(stage(oidOf(2), 0, 255, 10), 0);
    await journal.append(stage(oidOf(1)), 0);
    expect([...((await journal.blob(oidOf(2))) ?? [])]).toEqual([0, 255, 10]);
    expect((await journal.blob(oidOf(1)))?.length).toBe(0);
    expect(await journal.blob(oidOf(3))).toBe(null);
    expect(await journal.blobs()).toEqual([oidOf(1), oidOf(2)]);
  });

  test('staging a blob again and dropping one that is not there change nothing', async (place) => {
    const journal = await place.open();
    await journal.append(stage(oidOf(1), 1, 2), 0);
    await journal.append(stage(oidOf(1), 1, 2), 0);
    await journal.append({ ...emptyBatch, droppedBlobs: [oidOf(9)] }, 0);
    expect(await journal.blobs()).toEqual([oidOf(1)]);
  });

  test('a dropped blob is gone; one that a batch both drops and stages stays', async (place) => {
    const journal = await place.open();
    await journal.append(
      { ...emptyBatch, blobs: [1, 2].map((n) => ({ oid: oidOf(n), bytes: new Uint8Array([n]) })) },
      0,
    );
    await journal.append({ ...stage(oidOf(2), 2), droppedBlobs: [oidOf(1), oidOf(2)] }, 0);
    expect(await journal.blobs()).toEqual([oidOf(2)]);
    expect(await journal.blob(oidOf(1))).toBe(null);
  });
};

const declareArchive: Declare = (test, expect) => {
  test('a row is found by its id and by each of its keys, within its kind', async (place) => {
    const journal = await place.open();
    await journal.append(archive('proposal', 'p1', ['key-a', 'key-b'], '{"p":1}'), 0);
    expect(await journal.archived('proposal', 'p1')).toBe('{"p":1}');
    expect(await journal.archivedByKey('proposal', 'key-a')).toBe('{"p":1}');
    expect(await journal.archivedByKey('proposal', 'key-b')).toBe('{"p":1}');
    expect(await journal.archived('intent', 'p1')).toBe(null);
    expect(await journal.archivedByKey('intent', 'key-a')).toBe(null);
    expect(await journal.archivedByKey('proposal', 'p1')).toBe(null);
  });

  test('archiving a row again replaces its body and all its keys', async (place) => {
    const journal = await place.open();
    await journal.append(archive('proposal', 'p1', ['old', 'both'], '{"v":1}'), 0);
    await journal.append(archive('proposal', 'p1', ['both', 'both', 'fresh'], '{"v":2}'), 0);
    expect(await journal.archived('proposal', 'p1')).toBe('{"v":2}');
    expect(await journal.archivedByKey('proposal', 'old')).toBe(null);
    expect(await journal.archivedByKey('proposal', 'both')).toBe('{"v":2}');
    expect(await journal.archivedByKey('proposal', 'fresh')).toBe('{"v":2}');
  });

  test('of several rows with one key, the one first inserted last is found', async (place) => {
    const journal = await place.open();
    await journal.append(archive('landing', 'a', ['path'], '{"id":"a"}'), 0);
    await journal.append(archive('landing', 'b', ['path'], '{"id":"b"}'), 0);
    await journal.append(archive('landing', 'a', ['path'], '{"id":"a","again":true}'), 0);
    expect(await journal.archivedByKey('landing', 'path')).toBe('{"id":"b"}');
  });

  test('all rows that carry a key are found, as they are now', async (place) => {
    const journal = await place.open();
    const rows = ['a', 'b', 'c'].map((id) => ({ kind: 'landing', id, keys: ['one', id], body: `"${id}"` }));
    await journal.append({ ...emptyBatch, archive: rows }, 0);
    await journal.append(archive('landing', 'b', ['two'], '"b2"'), 0);
    await journal.append(archive('other', 'z', ['one'], '"z"'), 0);
    await journal.append(archive('landing', 'a', ['one'], '"a2"'), 0);
    expect(await journal.archivedAllByKey('landing', 'one', 9)).toEqual(['"c"', '"a2"']);
    expect(await journal.archivedAllByKey('landing', 'one', 1)).toEqual(['"c"']);
    expect(await journal.archivedAllByKey('landing', 'none', 9)).toEqual([]);
    expect(await journal.archivedAllByKey('nothing', 'one', 9)).toEqual([]);
  });

  test('pages run from the newest row to the oldest by first insertion', async (place) => {
    const journal = await place.open();
    const rows = ['d', 'a', 'e', 'b', 'c'].map((id) => ({ kind: 'landing', id, keys: [], body: `"${id}"` }));
    await journal.append({ ...emptyBatch, archive: rows }, 0);
    await journal.append(archive('landing', 'a', [], '"a2"'), 0);
    await journal.append(archive('other', 'z', [], '"z"'), 0);
    const seen: { id: string; body: string }[] = [];
    for (let beforeId: string | undefined; ; ) {
      const page = await journal.archivedPage('landing', { limit: 2, ...(beforeId !== undefined && { beforeId }) });
      if (page.length === 0) break;
      seen.push(...page);
      beforeId = page[page.length - 1]?.id;
    }
    expect(seen.map(({ id }) => id)).toEqual(['c', 'b', 'e', 'a', 'd']);
    expect(seen.map(({ body }) => body)).toEqual(['"c"', '"b"', '"e"', '"a2"', '"d"']);
    expect(await journal.archivedPage('landing', { beforeId: 'unknown', limit: 9 })).toEqual([]);
    expect(await journal.archivedPage('nothing', { limit: 9 })).toEqual([]);
  });
};

const declareSnapshots: Declare = (test, expect) => {
  test('the snapshot with the highest sequence is the latest, byte for byte', async (place) => {
    const journal = await place.open();
    expect(await journal.latestSnapshot()).toBe(null);
    await journal.append(events('{}', '{}', '{}', '{}'), 0);
    for (const sequence of [1, 3, 4]) await journal.putSnapshot(sequence, new Uint8Array([sequence, 0, 255]));
    await journal.putSnapshot(2, new Uint8Array([2]));
    const latest = await journal.latestSnapshot();
    expect(latest?.sequence).toBe(4);
    expect([...(latest?.body ?? [])]).toEqual([4, 0, 255]);
  });

  test('a snapshot of the same sequence replaces the earlier one; a large one comes back whole', async (place) => {
    const journal = await place.open();
    await journal.append(events('{}'), 0);
    const large = Uint8Array.from({ length: 3_000_001 }, (_, index) => (index * 31) & 0xff);
    await journal.putSnapshot(1, new Uint8Array([1]));
    await journal.putSnapshot(1, large);
    const body = (await journal.latestSnapshot())?.body ?? new Uint8Array(0);
    expect(body.length).toBe(large.length);
    expect(body.every((byte, index) => byte === large[index])).toBe(true);
  });

  test('a snapshot that comes part by part comes back as one, and appends go on meanwhile', async (place) => {
    const journal = await place.open();
    await journal.append(events('{}'), 0);
    async function* parts() {
      for (const byte of [1, 2, 3]) {
        await journal.append(events('{}'), byte);
        yield new Uint8Array(5).fill(byte).subarray(1, 3);
      }
    }
    await journal.putSnapshot(1, parts());
    expect([...((await journal.latestSnapshot())?.body ?? [])]).toEqual([1, 1, 2, 2, 3, 3]);
    expect((await bodies(journal)).length).toBe(4);
  });

  test('a snapshot of an event that is still being appended waits for it', async (place) => {
    const journal = await place.open();
    const appends = Array.from({ length: 30 }, (_, index) => journal.append(events('{}'), index));
    await journal.putSnapshot(30, new Uint8Array([30]));
    expect((await journal.events(29, 10)).length).toBe(1);
    await Promise.all(appends);
    await place.kill(journal);
    const after = await place.open();
    expect(after.opening.sequence).toBe(30);
    expect((await after.latestSnapshot())?.sequence).toBe(30);
  });

  test('appends go on while a snapshot is being put', async (place) => {
    const journal = await place.open();
    await journal.append(events('{}'), 0);
    const put = journal.putSnapshot(1, new Uint8Array(5_000_000));
    await Promise.all(Array.from({ length: 20 }, (_, index) => journal.append(events('{}'), index + 1)));
    await put;
    expect((await bodies(journal)).length).toBe(21);
    expect((await journal.latestSnapshot())?.body.length).toBe(5_000_000);
  });
};

const declareRestarts: Declare = (test, expect) => {
  async function fill(journal: Journal): Promise<void> {
    const blob = { oid: oidOf(7), bytes: new Uint8Array([7]) };
    const row = { kind: 'intent', id: 'i1', keys: ['k'], body: '{"i":1}' };
    await journal.append({ ...events('{"n":1}', '{"n":2}'), blobs: [blob], archive: [row] }, 0);
    await journal.putSnapshot(1, new Uint8Array([1]));
    await journal.append(events('{"n":3}'), 2);
  }

  async function expectFilled(journal: Journal): Promise<void> {
    expect(journal.opening.sequence).toBe(3);
    expect(await bodies(journal, 1)).toEqual(['{"n":2}', '{"n":3}']);
    expect([...((await journal.blob(oidOf(7))) ?? [])]).toEqual([7]);
    expect(await journal.archivedByKey('intent', 'k')).toBe('{"i":1}');
    expect((await journal.latestSnapshot())?.sequence).toBe(1);
    await journal.append(events('{"n":4}'), 3);
    expect((await bodies(journal)).length).toBe(4);
  }

  test('everything is there after a close and a new opening, with nothing to report', async (place) => {
    const before = await place.open();
    await fill(before);
    await before.close();
    const after = await place.open();
    expect(after.opening.report).toEqual([]);
    await expectFilled(after);
  });

  test('everything acknowledged is there after a kill', async (place) => {
    const before = await place.open();
    await fill(before);
    await place.kill(before);
    await expectFilled(await place.open());
  });

  test('closing waits for the appends that were made', async (place) => {
    const before = await place.open();
    const appends = Array.from({ length: 40 }, (_, index) => before.append(events(`{"n":${index}}`), index));
    await before.close();
    await Promise.all(appends);
    expect((await place.open()).opening.sequence).toBe(40);
  });

  test('replay visits every event once, over pages, from where it is told', async (place) => {
    const journal = await place.open();
    await journal.append(events(...Array.from({ length: 25 }, (_, index) => `${index + 1}`)), 0);
    for (const pageSize of [1, 7, 25, 100]) {
      const seen: string[] = [];
      expect(await replay(journal, 4, ({ body }) => seen.push(body), pageSize)).toBe(25);
      expect(seen).toEqual(Array.from({ length: 21 }, (_, index) => `${index + 5}`));
    }
  });
};
