// One proposal against one tree: every way in which a write can fit or not.

import { describe, expect, test } from 'vitest';
import { FakeFacts } from './fake-facts.ts';
import { fakeProposal } from './fake-facts-proposal.ts';
import { FakeTree } from './fake-facts-tree.ts';
import type { ConflictKind, Entry, FileMode } from './model.ts';
import type { MergeFact } from './plan-port.ts';
import { type ValidationFacts, type Verdict, validate } from './validate.ts';

const facts = new FakeFacts();

/** "x", "x y" (parts by place), with a mode after "@": "x@120000"; "!x" is binary; null is absent. */
function entry(text: string | null): Entry | null {
  if (text === null) return null;
  const [content = '', mode = '100644'] = text.split('@');
  const parts = Object.fromEntries(content.split(' ').entries());
  return facts.file(content.startsWith('!') ? { parts, binary: true } : { parts }, mode as FileMode);
}

function tree(files: Readonly<Record<string, string>>): FakeTree {
  return FakeTree.of(Object.entries(files).map(([path, text]) => [path, entry(text) as Entry]));
}

type Writes = Readonly<Record<string, readonly [base: string | null, after: string | null]>>;

function judge(files: Readonly<Record<string, string>>, writes: Writes, told: Partial<ValidationFacts> = {}): Verdict {
  const list = Object.entries(writes).map(([path, [base, after]]) => ({
    path,
    base: entry(base),
    after: entry(after),
  }));
  const validation: ValidationFacts = {
    merge: (path, base, ours, theirs) => facts.merge(path, base, ours, theirs),
    observe: (at, read) => facts.observe(at, read),
    strict: () => false,
    ...told,
  };
  return validate(fakeProposal({ id: 'prp_1', writes: list }), tree(files), validation);
}

/** The verdict in short: what each path becomes, is, or fails by. */
function short(verdict: Verdict): Readonly<Record<string, unknown>> {
  if (verdict.kind === 'unchanged') return { unchanged: verdict.unchanged };
  if (verdict.kind === 'unfit') return Object.fromEntries(verdict.writes.map(({ write, kind }) => [write.path, kind]));
  const landed = Object.fromEntries(verdict.writes.map(({ path, after }) => [path, after]));
  return verdict.unchanged.length > 0 ? { ...landed, unchanged: verdict.unchanged } : landed;
}

describe('[V2a] [V2b] [V2e] [V2f] what lands', () => {
  test.each<[string, Record<string, string>, Writes, Record<string, string | null>]>([
    ['an edit of what stands', { f: 'a' }, { f: ['a', 'b'] }, { f: 'b' }],
    ['a new file', {}, { 'x/f': [null, 'b'] }, { 'x/f': 'b' }],
    ['a delete of what stands', { f: 'a' }, { f: ['a', null] }, { f: null }],
    ['a merge of two parts', { f: 'b y' }, { f: ['a y', 'a z'] }, { f: 'b z' }],
    ['the mode of one under the text of the other', { f: 'a@100755' }, { f: ['a', 'b'] }, { f: 'b@100755' }],
    ['a file that makes way for a folder', { f: 'a' }, { f: ['a', null], 'f/x': [null, 'b'] }, { f: null, 'f/x': 'b' }],
    [
      'a folder that makes way for a file',
      { 'f/x': 'a' },
      { f: [null, 'b'], 'f/x': ['a', null] },
      { f: 'b', 'f/x': null },
    ],
    [
      'a new spelling of a name',
      { readme: 'a' },
      { README: [null, 'a'], readme: ['a', null] },
      { README: 'a', readme: null },
    ],
    ['an edit beside another spelling', { readme: 'a', README: 'a' }, { readme: ['a', 'b'] }, { readme: 'b' }],
    [
      'new files in both of two spellings of a folder',
      { 'd/a': 'a', 'D/a': 'a' },
      { 'd/b': [null, 'b'], 'D/b': [null, 'b'] },
      { 'd/b': 'b', 'D/b': 'b' },
    ],
    [
      'a new file in one of two spellings of a folder',
      { 'd/a': 'a', 'D/a': 'a' },
      { 'd/b': [null, 'b'] },
      { 'd/b': 'b' },
    ],
  ])('%s', (_name, files, writes, landed) => {
    const expected = Object.fromEntries(Object.entries(landed).map(([path, text]) => [path, entry(text)]));
    expect(short(judge(files, writes))).toEqual(expected);
  });

  test('[V2b] a merge carries its base, its proposal and its proof, and is named', () => {
    const verdict = judge({ f: 'b y', g: 'a' }, { f: ['a y', 'a z'], g: ['a', 'b'] });
    if (verdict.kind !== 'fits') throw new Error(verdict.kind);
    const proof = [entry('a y')?.oid, entry('b y')?.oid, entry('a z')?.oid];
    expect(verdict.writes[0]?.merge).toEqual({ base: entry('a y'), theirs: entry('a z'), proof });
    expect(verdict.writes[1]?.merge).toBeNull();
    expect(verdict.merged).toEqual(['f']);
    expect(verdict.tree.entry('f')).toEqual(entry('b z'));
  });
});

describe('[V2g] [L7] what is unchanged', () => {
  test.each<[string, Record<string, string>, Writes]>([
    ['what trunk holds already', { f: 'b' }, { f: ['a', 'b'] }],
    ['what equals its base, whatever trunk holds', { f: 'c' }, { f: ['a', 'a'] }],
    ['what equals its base, though trunk has deleted it', {}, { f: ['a', 'a'] }],
    ['a delete of what is gone', {}, { f: ['a', null] }],
    ['a delete of what became a folder', { 'f/x': 'a' }, { f: ['a', null] }],
    ['an addition that was made already', { f: 'b' }, { f: [null, 'b'] }],
    ['a change that trunk holds within a greater one', { f: 'b z' }, { f: ['a y', 'b y'] }],
  ])('%s', (_name, files, writes) => {
    expect(short(judge(files, writes))).toEqual({ unchanged: ['f'] });
  });

  test('what is unchanged is named beside what lands', () => {
    expect(short(judge({ f: 'b' }, { f: ['a', 'b'], g: [null, 'c'] }))).toEqual({ g: entry('c'), unchanged: ['f'] });
  });

  test('[V2h] [VA3] with nothing to write, a stale read matters to nobody', () => {
    const proposal = fakeProposal({ id: 'prp_1', reads: [facts.read({ path: 'r' }, tree({ r: 'a' }))] });
    const validation = { merge: facts.merge, observe: facts.observe.bind(facts), strict: () => false };
    expect(validate(proposal, tree({ r: 'b' }), validation)).toEqual({ kind: 'unchanged', unchanged: [] });
  });
});

describe('[V2b] [V2d] [V2e] [V2f] what conflicts', () => {
  test.each<[string, Record<string, string>, Writes, Record<string, ConflictKind>]>([
    ['two edits of one part', { f: 'b' }, { f: ['a', 'c'] }, { f: 'content' }],
    ['an edit of what was deleted', {}, { f: ['a', 'b'] }, { f: 'delete/edit' }],
    ['a delete of what was edited', { f: 'b' }, { f: ['a', null] }, { f: 'delete/edit' }],
    ['two different additions', { f: 'b' }, { f: [null, 'c'] }, { f: 'add/add' }],
    ['two edits of a binary file', { f: '!b' }, { f: ['!a', '!c'] }, { f: 'binary' }],
    ['two modes', { f: 'a@100755' }, { f: ['a', 'a@120000'] }, { f: 'mode' }],
    ['a file below a file', { f: 'a' }, { 'f/x/y': [null, 'b'] }, { 'f/x/y': 'file/directory' }],
    ['a file where a folder stands', { 'f/x': 'a' }, { f: [null, 'b'] }, { f: 'file/directory' }],
    ['an edit of a file that became a folder', { 'f/x': 'a' }, { f: ['a', 'b'] }, { f: 'file/directory' }],
    ['an edit below what became a file', { f: 'a' }, { 'f/x': ['a', 'b'] }, { 'f/x': 'file/directory' }],
    [
      'half of a folder making way for a file',
      { 'f/x': 'a', 'f/y': 'a' },
      { f: [null, 'b'], 'f/x': ['a', null] },
      { f: 'file/directory' },
    ],
    [
      'a proposal that is at odds with itself',
      {},
      { f: [null, 'a'], 'f/x': [null, 'b'] },
      { f: 'file/directory', 'f/x': 'file/directory' },
    ],
    ['another spelling of a file', { readme: 'a' }, { README: [null, 'b'] }, { README: 'case' }],
    ['another spelling of a folder', { 'src/a': 'a' }, { 'SRC/b': [null, 'b'] }, { 'SRC/b': 'case' }],
    ['two spellings of a folder in one proposal', {}, { 'a/x': [null, 'x'], 'A/y': [null, 'x'] }, { 'A/y': 'case' }],
    ['two spellings in one proposal', {}, { a: [null, 'x'], A: [null, 'x'] }, { A: 'case' }],
    [
      'everything at once',
      { f: 'b', g: 'b', readme: 'a' },
      { f: ['a', 'c'], g: ['a', null], README: [null, 'c'], h: [null, 'd'] },
      { f: 'content', g: 'delete/edit', README: 'case' },
    ],
    [
      'a folder in the way of which an edit stands',
      { f: 'b' },
      { f: ['a', null], 'f/x': [null, 'c'] },
      { f: 'delete/edit' },
    ],
  ])('%s', (_name, files, writes, conflicts) => {
    expect(short(judge(files, writes))).toEqual(conflicts);
  });

  test('[V2c] a merge on a strict path', () => {
    const strict = { strict: (path: string) => path === 'f' };
    expect(short(judge({ f: 'b y' }, { f: ['a y', 'a z'] }, strict))).toEqual({ f: 'strict' });
    expect(short(judge({ g: 'b y' }, { g: ['a y', 'a z'] }, strict))).toEqual({ g: entry('b z') });
    expect(short(judge({ f: 'a@100755' }, { f: ['a', 'b'] }, strict))).toEqual({ f: 'strict' });
    expect(short(judge({ f: 'a' }, { f: ['a', 'b'] }, strict))).toEqual({ f: entry('b') });
    expect(short(judge({ f: 'b z' }, { f: ['a y', 'b y'] }, strict))).toEqual({ unchanged: ['f'] });
  });

  test('[V2d] a delete against an edit is never put to the merge', () => {
    const merge = (): MergeFact => ({ kind: 'same', entry: null });
    expect(short(judge({ f: 'b' }, { f: ['a', null] }, { merge }))).toEqual({ f: 'delete/edit' });
    expect(short(judge({}, { f: ['a', 'b'] }, { merge }))).toEqual({ f: 'delete/edit' });
  });

  test('[V2b] a merge that no longer parses', () => {
    const merge = (): MergeFact => ({ kind: 'conflict', conflict: 'parse' });
    expect(short(judge({ f: 'b y' }, { f: ['a y', 'a z'] }, { merge }))).toEqual({ f: 'parse' });
  });

  test('[V1b] [VA2] all stale reads are named beside all conflicts, but not those of written paths', () => {
    const seen = tree({ f: 'a', g: 'a', h: 'a', 'd/x': 'a' });
    const reads = [{ path: 'f' }, { path: 'g' }, { path: 'h' }, { dir: 'd' }, { glob: 'd/*' }, { path: 'd/x' }];
    const proposal = fakeProposal({
      id: 'prp_1',
      writes: [facts.write('f', entry('c'), seen)],
      reads: reads.map((query) => facts.read(query, seen)),
    });
    const now = tree({ f: 'b', g: 'b', h: 'a', 'd/x': 'a', 'd/y': 'a' });
    const validation = { merge: facts.merge.bind(facts), observe: facts.observe.bind(facts), strict: () => false };
    const verdict = validate(proposal, now, validation);
    if (verdict.kind !== 'unfit') throw new Error(verdict.kind);
    expect(verdict.reads.map(({ read }) => read)).toEqual([proposal.reads[1], proposal.reads[3], proposal.reads[4]]);
    expect(verdict.reads[0]?.now).toBe(entry('b')?.oid);
    expect(verdict.writes.map(({ kind }) => kind)).toEqual(['content']);
  });
});
