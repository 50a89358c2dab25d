// Reads as the public interface shows them: every kind, each with its own basis, declared, recorded or derived.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { git } from '../support/git-repository.ts';
import { nineLines, type Puts, Story, type Worker } from './story.ts';

const files = {
  'file.txt': 'one\n',
  'lines.txt': nineLines(),
  'dir/a.txt': 'a\n',
  'dir/deep/b.txt': 'b\n',
  'glob/a.ts': 'export const a = 1;\n',
  'glob/a.md': 'a\n',
  'code/parse.ts': [
    'export function parse(text: string): number {',
    '  return text.length;',
    '}',
    'export function other(): void {}',
    '',
  ].join('\n'),
  'code/index.ts': "export { parse } from './parse.ts';\nexport * from './more.ts';\n",
  'code/more.ts': 'export const more = 1;\n',
};

const parse = (signature: string, body: string, rest = 'export function other(): void {}\n') =>
  `export function parse(${signature} {\n  ${body}\n}\n${rest}`;

let daemon: TestDaemon;
let story: Story;
beforeAll(async () => {
  daemon = await startTestDaemon();
  story = await Story.open(daemon, files);
});
afterAll(() => daemon.stop());

let number = 0;

/** What becomes of a proposal with these reads when this lands after its base. Trunk is put back afterwards. */
async function fate(reads: readonly object[], moves: Puts) {
  number += 1;
  const tag = `fate ${number}`;
  const worker = await story.work(tag);
  const moved = await story.land(`moves for ${tag}`, moves);
  const status = await worker.propose({ [`out/${number}.txt`]: 'out\n' }, { reads });
  const undone = await story.admin(202, 'POST', `/landings/${moved.landing}/revert`, {});
  const settled = await story.admin(200, 'GET', `/proposals/${undone.proposal}?waitMs=60000`);
  expect(settled.state).toBe('landed');
  if (status.state === 'returned') await worker.release();
  return { status, worker, moved };
}

/** A table of readings: what was read, what moved, and whether the reading is stale. */
type Row = readonly [string, object, Puts, 'landed' | 'returned'];

const rows: readonly Row[] = [
  ['a file that changed', { path: 'file.txt' }, { 'file.txt': 'two\n' }, 'returned'],
  ['a file that is gone', { path: 'file.txt' }, { 'file.txt': null }, 'returned'],
  [
    'a file whose mode changed only',
    { path: 'file.txt' },
    { 'file.txt': { content: 'one\n', mode: '100755' } },
    'landed',
  ],
  ['another file that changed', { path: 'file.txt' }, { 'lines.txt': 'x\n' }, 'landed'],
  ['an absent file that came', { path: 'absent.txt' }, { 'absent.txt': 'here\n' }, 'returned'],
  ['an absent file that stays away', { path: 'absent.txt' }, { 'file.txt': 'two\n' }, 'landed'],
  ['a listing with a new file', { dir: 'dir' }, { 'dir/new.txt': 'n\n' }, 'returned'],
  ['a listing whose folder came', { dir: 'dir' }, { 'dir/folder/x.txt': 'n\n' }, 'returned'],
  ['a listing whose file is gone', { dir: 'dir' }, { 'dir/a.txt': null }, 'returned'],
  ['a listing whose file became a link', { dir: 'dir' }, { 'dir/a.txt': { content: 'b', mode: '120000' } }, 'returned'],
  ['a listing whose file only changed', { dir: 'dir' }, { 'dir/a.txt': 'changed\n' }, 'landed'],
  ['a listing with something new deeper down', { dir: 'dir' }, { 'dir/deep/new.txt': 'n\n' }, 'landed'],
  ['the listing of the root', { dir: '' }, { 'new-at-the-root.txt': 'n\n' }, 'returned'],
  ['the listing of a folder that is not there', { dir: 'nowhere' }, { 'nowhere/x.txt': 'n\n' }, 'returned'],
  ['a glob with a new match', { glob: 'glob/**/*.ts' }, { 'glob/deep/new.ts': 'n\n' }, 'returned'],
  ['a glob whose match is gone', { glob: 'glob/**/*.ts' }, { 'glob/a.ts': null }, 'returned'],
  ['a glob whose match only changed', { glob: 'glob/**/*.ts' }, { 'glob/a.ts': 'export const a = 2;\n' }, 'landed'],
  ['a glob that something else joined', { glob: 'glob/**/*.ts' }, { 'glob/new.md': 'n\n' }, 'landed'],
  ['lines that changed', { path: 'lines.txt', lines: [4, 6] }, { 'lines.txt': nineLines({ 5: 'five' }) }, 'returned'],
  [
    'lines with one inserted inside',
    { path: 'lines.txt', lines: [4, 6] },
    { 'lines.txt': nineLines({ 5: 'line 5\nmore' }) },
    'returned',
  ],
  [
    'lines that only moved down',
    { path: 'lines.txt', lines: [4, 6] },
    { 'lines.txt': nineLines({ 1: 'new\nline 1' }) },
    'landed',
  ],
  ['lines beside a change', { path: 'lines.txt', lines: [4, 6] }, { 'lines.txt': nineLines({ 8: 'eight' }) }, 'landed'],
  [
    'a symbol whose body changed',
    { path: 'code/parse.ts', symbol: 'parse' },
    { 'code/parse.ts': parse('text: string): number', 'return 1;') },
    'returned',
  ],
  [
    'a symbol beside another that changed',
    { path: 'code/parse.ts', symbol: 'parse' },
    {
      'code/parse.ts': parse(
        'text: string): number',
        'return text.length;',
        'export function other(): number { return 2; }\n',
      ),
    },
    'landed',
  ],
  [
    'a symbol with other layout and comments',
    { path: 'code/parse.ts', symbol: 'parse' },
    { 'code/parse.ts': parse('text :string) : number', '// how long\n    return text.length;') },
    'landed',
  ],
  [
    'a signature whose body changed',
    { path: 'code/parse.ts', symbol: 'parse', signature: true },
    { 'code/parse.ts': parse('text: string): number', 'return 1;') },
    'landed',
  ],
  [
    'a signature whose parameters changed',
    { path: 'code/parse.ts', symbol: 'parse', signature: true },
    { 'code/parse.ts': parse('text: string, from: number): number', 'return 1;') },
    'returned',
  ],
  [
    'a signature whose result type changed',
    { path: 'code/parse.ts', symbol: 'parse', signature: true },
    { 'code/parse.ts': parse('text: string): bigint', 'return 1n;') },
    'returned',
  ],
  [
    'a re-exported symbol that changed where it is made',
    { path: 'code/index.ts', symbol: 'parse' },
    { 'code/parse.ts': parse('text: string): number', 'return 1;') },
    'returned',
  ],
  [
    'a symbol behind a star export that changed',
    { path: 'code/index.ts', symbol: 'more' },
    { 'code/more.ts': 'export const more = 2;\n' },
    'returned',
  ],
  [
    'a re-exported symbol beside a change',
    { path: 'code/index.ts', symbol: 'more' },
    { 'code/parse.ts': parse('text: string): number', 'return 1;') },
    'landed',
  ],
  [
    'a name that nothing exports, as the whole file',
    { path: 'code/more.ts', symbol: 'none' },
    { 'code/more.ts': 'export const more = 1; // said\n' },
    'returned',
  ],
];

describe('[V1a] a read is stale when what it shows differs from what was seen', () => {
  test.each(rows)('[V1a] %s', async (_, read, moves, outcome) => {
    const { status, moved } = await fate([read], moves);
    expect(status.state, JSON.stringify(status)).toBe(outcome);
    if (outcome === 'landed') return;
    expect(status.brief.writes).toEqual([]);
    expect(status.brief.reads).toMatchObject([{ ...read, landing: moved.landing }]);
    expect(status.brief.reads[0].was).not.toBe(status.brief.reads[0].now);
  });

  test('[V1a] what went away and came back is not stale', async () => {
    const worker = await story.work('there and back');
    await story.land('away', { 'file.txt': 'two\n' });
    await story.land('and back', { 'file.txt': 'one\n' });
    await worker.landed({ 'back.txt': 'b\n' }, { reads: [{ path: 'file.txt' }, { dir: '' }] });
  });

  test('[V1a] each read has a basis of its own: the commit where it was read, or the blob that was seen', async () => {
    const worker = await story.work('reads at several commits');
    const { commit } = await story.land('moves file', { 'file.txt': 'two\n' });
    const blob = story.git('rev-parse', `${commit}:file.txt`);
    for (const read of [
      { path: 'file.txt', at: commit },
      { path: 'file.txt', blob },
    ]) {
      await worker.landed({ [`several-${read.blob === undefined}.txt`]: 's\n' }, { reads: [read], final: false });
    }
    const stale = await worker.returned({ 'several.txt': 's\n' }, { reads: [{ path: 'file.txt', blob: null }] });
    expect(stale.brief.reads).toMatchObject([{ path: 'file.txt', was: null, now: blob }]);
    await story.land('puts file back', { 'file.txt': 'one\n' });
  });

  test('[R1c] of a name that comes from another file, the landing of the same cycle that moved it is the cause', async () => {
    const mover = await story.work('moves more');
    const bystander = await story.work('moves something else');
    const reader = await story.work('reads more through the index');
    await story.pause();
    await mover.send({ 'code/more.ts': 'export const more = 3;\n' });
    await bystander.send({ 'code/beside.ts': 'export const beside = 3;\n' });
    await reader.send({ 'through.txt': 't\n' }, { reads: [{ path: 'code/index.ts', symbol: 'more' }] });
    await story.resume();
    const { landing } = await mover.outcome();
    expect((await bystander.outcome()).state).toBe('landed');
    expect((await reader.outcome()).brief.reads).toMatchObject([{ path: 'code/index.ts', landing }]);
    await story.land('puts more back', { 'code/more.ts': files['code/more.ts'] });
  });

  test('[V1a] of two readings of one thing the later counts', async () => {
    const old = (await story.work('knows an old commit')).base;
    const { commit } = await story.land('moves file again', { 'file.txt': 'three\n' });
    const [then, now] = [
      { path: 'file.txt', at: old },
      { path: 'file.txt', at: commit },
    ];
    await (await story.work('read it again')).landed({ 'again.txt': 'a\n' }, { reads: [then, now] });
    await (await story.work('read the old last')).returned({ 'old-last.txt': 'a\n' }, { reads: [now, then] });
    await story.land('puts file back once more', { 'file.txt': 'one\n' });
  });

  test('[V1b] a read of a path that the proposal writes is left to the write; a listing of its folder is not', async () => {
    const worker = await story.work('reads what it writes');
    await story.land('changes line 1', { 'lines.txt': nineLines({ 1: 'one' }), 'dir/one-more.txt': 'o\n' });
    const own = { 'lines.txt': nineLines({ 9: 'nine' }), 'dir/mine.txt': 'm\n' };
    const reads = [{ path: 'lines.txt' }, { path: 'lines.txt', lines: [1, 2] }, { dir: 'dir' }];
    const status = await worker.returned(own, { reads });
    expect(status.brief.reads).toMatchObject([{ dir: 'dir' }]);
    expect(await worker.repair('confirm')).toMatchObject({ state: 'landed', merged: ['lines.txt'] });
    await story.land('puts lines back', { 'lines.txt': nineLines() });
  });

  test.each([
    [{ path: '../x' }, 'path_outside'],
    [{ path: 'a//b' }, 'path_invalid'],
    [{ dir: '/etc' }, 'path_outside'],
    [{ glob: '[' }, 'glob_invalid'],
    [{ glob: '!a' }, 'glob_invalid'],
    [{ path: 'file.txt', at: '1'.repeat(40) }, 'unknown_base'],
    [{ path: 'file.txt', lines: [6, 4] }, 'invalid_request'],
    [{ path: 'file.txt', lines: [0, 4] }, 'invalid_request'],
    [{ path: 'file.txt', symbol: 'a', lines: [1, 2] }, 'invalid_request'],
    [{ dir: 'a', glob: 'b' }, 'invalid_request'],
    [{ glob: 'a', blob: null }, 'invalid_request'],
  ])('[RS1] %j cannot be read, and nothing is proposed', async (read, code) => {
    const worker = await story.work(`cannot read ${JSON.stringify(read)}`);
    await worker.proposeRefused(422, code, { 'refused.txt': 'r\n' }, { reads: [read] });
    await worker.release();
  });
});

describe('reads that nobody declared', () => {
  test('[V1c] a file that was served is a read at its own commit; the later of two readings counts', async () => {
    const worker = await story.work('is served');
    await worker.open('file.txt');
    await worker.open('served-absent.txt');
    const { commit } = await story.land('moves what was served', { 'file.txt': 'two\n' });
    const { brief } = await worker.returned({ 'served.txt': 's\n' });
    expect(brief.reads).toMatchObject([{ path: 'file.txt' }]);
    await worker.release();
    const second = await story.work('is served twice');
    await story.land('moves it again', { 'file.txt': 'one\n' });
    expect(await second.open('file.txt')).toBe('two\n');
    expect(await second.open('file.txt', story.git('rev-parse', 'main'))).toBe('one\n');
    const { landing } = await second.landed({ 'served-twice.txt': 's\n' });
    const { reads } = await story.admin(200, 'GET', `/landings/${landing}`);
    expect(reads).toMatchObject([{ path: 'file.txt', at: story.git('rev-parse', 'main~1') }]);
    expect(commit).not.toBe(reads[0].at);
  });

  test('[N4] what a heartbeat declares as read is told of, and what is proposed rests on it', async () => {
    await story.land('file to read', { 'n4/a.md': 'one\n' });
    const blob = story.git('rev-parse', 'main:n4/a.md');
    const worker = await story.work('reads by itself');
    const reads = [{ path: 'n4/a.md', blob }];
    expect(await worker.expect(200, 'POST', '/heartbeat', { ...worker.holder, reads })).toMatchObject({ notices: [] });
    const { landing } = await story.land('changes it', { 'n4/a.md': 'two\n' });
    const { notices } = await worker.heartbeat();
    expect(notices).toMatchObject([{ landings: [{ landing, paths: [{ path: 'n4/a.md', why: 'read' }] }] }]);
    const status = await worker.propose({ 'n4/b.md': 'new\n' });
    expect(status).toMatchObject({ state: 'returned', brief: { reads: [{ path: 'n4/a.md', was: blob, landing }] } });
    const outside = { ...worker.holder, reads: [{ path: '../a.md', blob: null }] };
    await worker.expect(422, 'POST', '/heartbeat', outside);
  });

  test('[V1c] preserved work that was looked at is no read of trunk', async () => {
    const first = await story.work('leaves something behind');
    await story.land('moves file once', { 'file.txt': 'two\n' });
    await first.returned({ 'file.txt': 'mine\n', 'left.txt': 'left\n' });
    await first.release();
    const { commit } = await first.preserved();
    const second = await story.take(await story.register('follows'), { intent: first.intent });
    expect(await second.open('left.txt', commit)).toBe('left\n');
    expect(await second.open('file.txt', commit)).toBe('mine\n');
    await second.open('nowhere-at-all.txt', commit);
    const { landing } = await second.landed({ 'follows.txt': 'f\n' });
    expect((await story.admin(200, 'GET', `/landings/${landing}`)).reads).toEqual([]);
    await story.land('puts file back after that', { 'file.txt': 'one\n' });
  });

  test('[A3] what cannot be recorded any more is not served', async () => {
    const worker = await story.work('reads a lot');
    await story.policy({ limits: { recordedReadsPerLease: 1 } });
    await worker.open('file.txt');
    await worker.open('file.txt');
    const error = await story.scene.refused(
      429,
      'limit_reached',
      'GET',
      '/files/lines.txt',
      undefined,
      worker.agent.token,
    );
    expect(error.value).toBe('recordedReadsPerLease');
    await story.policy({ limits: { recordedReadsPerLease: 10_000 } });
  });

  test('[V1c] declared reads replace what was served for the same path', async () => {
    const worker = await story.work('declares less than it was served');
    await worker.open('lines.txt');
    await story.land('changes line 9', { 'lines.txt': nineLines({ 9: 'nine' }) });
    await worker.landed({ 'declared.txt': 'd\n' }, { reads: [{ path: 'lines.txt', lines: [1, 3] }] });
    await story.land('puts lines back after that', { 'lines.txt': nineLines() });
  });

  test('[V1c] a part that writes what was served reads it no more', async () => {
    const worker = await story.work('is served, then writes');
    await worker.open('lines.txt');
    await worker.landed({ 'lines.txt': nineLines({ 2: 'two' }) }, { final: false });
    await worker.landed({ 'after-lines.txt': 'a\n' });
    await story.land('puts lines back at last', { 'lines.txt': nineLines() });
  });

  const uses = { 'code/uses.ts': "import { parse } from './parse.ts';\nexport const used = parse('a');\n" };
  const body = { 'code/parse.ts': parse('text: string): number', 'return 1;') };
  const beside = { 'code/parse.ts': `${files['code/parse.ts']}export const beside = 1;\n` };

  test.each([
    ['symbol', beside, 'landed'],
    ['symbol', body, 'returned'],
    ['file', beside, 'returned'],
    ['none', body, 'landed'],
  ] as const)('[V1c] grain %s: a served and imported file that moved like that', async (grain, moves, outcome) => {
    await story.policy({ reads: { default: 'file', paths: { 'code/**': grain } } });
    const worker = await story.work(`grain ${grain} ${outcome}`);
    await worker.open('code/parse.ts');
    const moved = await story.land(`moves for grain ${grain} ${outcome}`, moves);
    const status = await worker.propose({ [`code/uses-${number++}.ts`]: uses['code/uses.ts'] });
    expect(status.state, JSON.stringify(status)).toBe(outcome);
    if (outcome === 'returned') await worker.release();
    await story.admin(202, 'POST', `/landings/${moved.landing}/revert`, {});
    await story.until(
      async () => story.file('code/parse.ts'),
      (text) => text === files['code/parse.ts'],
    );
    await story.policy({ reads: { default: 'symbol', paths: {} } });
  });

  test('[V5a] what was found for one proposal is recalled for others while nothing that it rests on moved', async () => {
    const reads = [{ path: 'code/parse.ts', symbol: 'parse' }, { glob: 'code/**' }, { dir: 'code' }];
    const figures = async () => (await story.admin(200, 'GET', '')).cycle;
    await story.land('finds', { 'recall/first.txt': 'f\n' }, { reads });
    const before = await figures();
    await story.land('recalls', { 'recall/second.txt': 's\n' }, { reads });
    const after = await figures();
    expect(after.verdictsRecalled).toBeGreaterThanOrEqual(before.verdictsRecalled + reads.length);
    expect(after.verdictsFound).toBe(before.verdictsFound);
    const page = await story.scene.call('GET', '/metrics');
    expect(page.bytes.toString('utf8')).toMatch(/firetrident_verdicts_total\{[^}]*source="recalled"\} [1-9]/);
    const stale = await story.work('is not fooled by what is remembered');
    await story.land('moves what was recalled', { 'code/recalled.ts': 'export const recalled = 1;\n' });
    const { brief } = await stale.returned({ 'recall/third.txt': 't\n' }, { reads });
    expect(brief.reads.map(({ glob, dir }: { glob?: string; dir?: string }) => glob ?? dir)).toEqual([
      'code/**',
      'code',
    ]);
  });

  test('[V3a] a global input that moved makes nobody stale who was served it, unless it was declared or a path rule says so', async () => {
    const inputs = ['package-lock.json', 'packages/deep/tsconfig.build.json', '.github/workflows/ci.yml'];
    const puts = (content: string) => Object.fromEntries(inputs.map((path) => [path, `${content}\n`]));
    await story.land('makes global inputs', puts('{}'));
    const opens = async (worker: Worker) => {
      for (const path of inputs) await worker.open(path);
    };
    const [served, declares, ruled] = [
      await story.work('is served global inputs'),
      await story.work('declares a global input'),
      await story.work('has a rule for a global input'),
    ];
    for (const worker of [served, declares, ruled]) await opens(worker);
    await story.land('moves global inputs', puts('{ "moved": true }'));
    await served.landed({ 'global/served.txt': 's\n' });
    const { brief } = await declares.returned({ 'global/declares.txt': 'd\n' }, { reads: [{ path: inputs[0] }] });
    expect(brief.reads).toMatchObject([{ path: inputs[0] }]);
    await story.policy({ reads: { paths: { 'package-lock.json': 'file' } } });
    await ruled.returned({ 'global/ruled.txt': 'r\n' });
    await story.policy({ reads: { paths: {} }, globalInputs: [] });
    const late = await story.work('is served what is no global input any more');
    await opens(late);
    await story.land('moves them again', puts('{ "moved": 2 }'));
    expect((await late.returned({ 'global/late.txt': 'l\n' })).brief.reads).toHaveLength(inputs.length);
  });

  test('[V3b] each read says how it became known, in the landing and in its note', async () => {
    const worker = await story.work('knows in many ways');
    await worker.open('file.txt');
    const reads = [
      { path: 'dir/a.txt', blob: null, source: 'hook' },
      { path: 'lines.txt', blob: null },
    ].map((read) => ({ ...read, blob: git(story.scene.repository, ['rev-parse', `main:${read.path}`]).trim() }));
    await worker.expect(200, 'POST', '/heartbeat', { ...worker.holder, reads });
    const declared = { reads: [{ path: 'glob/a.ts' }], deriveReads: true };
    const { landing, commit } = await worker.landed({ 'code/known.ts': uses['code/uses.ts'] }, declared);
    const known = (found: readonly { path: string; source: string }[]) =>
      found.map(({ path, source }) => `${path} ${source}`).sort();
    const page = await story.admin(200, 'GET', `/landings/${landing}`);
    const expected = [
      'code/parse.ts imports',
      'dir/a.txt hook',
      'file.txt served',
      'glob/a.ts declared',
      'lines.txt told',
    ];
    expect(known(page.reads)).toEqual(expected);
    const note = JSON.parse(git(story.scene.repository, ['notes', '--ref', 'firetrident', 'show', commit]));
    expect(known(note.landings[0].reads)).toEqual(expected);
  });

  test('[V1c] deriveReads makes reads of what the written files import, as symbols; without it nothing is added', async () => {
    const worker = await story.work('derives');
    const { landing } = await worker.landed(uses, { deriveReads: true });
    const { reads } = await story.admin(200, 'GET', `/landings/${landing}`);
    expect(reads).toMatchObject([{ path: 'code/parse.ts', symbol: 'parse', at: worker.base }]);
    const plain = await (await story.work('does not derive')).landed({ 'code/plain.ts': uses['code/uses.ts'] });
    expect((await story.admin(200, 'GET', `/landings/${plain.landing}`)).reads).toEqual([]);
    const late = await story.work('derives too late');
    await story.land('changes the body', body);
    const { brief } = await late.returned({ 'code/late.ts': uses['code/uses.ts'] }, { deriveReads: true });
    expect(brief.reads).toMatchObject([{ path: 'code/parse.ts', symbol: 'parse' }]);
    expect(brief.reads[0].diff).toContain('+  return 1;');
  });
});
