// Writes as the public interface shows them: what lands, what merges, what goes back and under which kind.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { git, makeRepository } from '../support/git-repository.ts';
import { nineLines, type Puts, Story } from './story.ts';

const binary = (tail: number) => ({ contentBase64: Buffer.from([0, 1, 2, 0, tail]).toString('base64') });

/** Nine lines that are a program whatever becomes of one of them. */
const comments = (changed: Readonly<Record<number, string>> = {}) =>
  nineLines({ ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7, 8, 9].map((line) => [line, `// ${line}`])), ...changed });

let daemon: TestDaemon;
let story: Story;
beforeAll(async () => {
  daemon = await startTestDaemon();
  story = await Story.open(daemon, { 'README.md': '# Story\n' });
});
afterAll(() => daemon.stop());

let number = 0;

/** In a folder of its own: what stands at base, what trunk makes of it, and what is proposed on that base. */
async function fate(base: Puts, trunk: Puts, mine: Puts) {
  number += 1;
  const folder = `part-${number}`;
  const within = (puts: Puts) =>
    Object.fromEntries(Object.entries(puts).map(([path, put]) => [`${folder}/${path}`, put]));
  if (Object.keys(base).length > 0) await story.land(`base of ${folder}`, within(base));
  const worker = await story.work(folder);
  const moved = Object.keys(trunk).length > 0 ? await story.land(`moves ${folder}`, within(trunk)) : null;
  const status = await worker.propose(within(mine));
  return { status, worker, moved, at: (path: string) => `${folder}/${path}` };
}

describe('what lands', () => {
  test('[V2a] a write whose path did not move takes the proposed entry, whatever it is', async () => {
    const base = { 'mode.sh': '#!/bin/sh\n', 'kept.sh': { content: '#!/bin/sh\n', mode: '100755' }, 'gone.txt': 'g\n' };
    const mine = {
      'new.txt': 'n\n',
      'mode.sh': { content: '#!/bin/sh\n', mode: '100755' },
      'kept.sh': '#!/bin/sh\nexit\n',
      'gone.txt': null,
      link: { content: 'new.txt', mode: '120000' },
      'data.bin': binary(255),
      'empty.txt': '',
    };
    const { status, at } = await fate(base, { 'beside.txt': 'b\n' }, mine);
    expect(status).toMatchObject({ state: 'landed', merged: [], unchanged: [] });
    const modes = ['new.txt', 'mode.sh', 'kept.sh', 'gone.txt', 'link', 'data.bin'].map((path) => story.mode(at(path)));
    expect(modes).toEqual(['100644', '100755', '100755', '', '120000', '100644']);
    expect([...story.bytes(at('data.bin'))]).toEqual([0, 1, 2, 0, 255]);
    expect(story.file(at('link'))).toBe('new.txt');
    expect(story.bytes(at('empty.txt')).length).toBe(0);
  });

  test('[V2b] changes of different lines merge as git merges them, and are marked', async () => {
    const { status, at } = await fate(
      { 'a.txt': nineLines(), 'b.txt': nineLines() },
      { 'a.txt': nineLines({ 1: 'one' }), 'b.txt': { content: nineLines(), mode: '100755' } },
      { 'a.txt': nineLines({ 9: 'nine' }), 'b.txt': nineLines({ 9: 'nine' }) },
    );
    expect(status).toMatchObject({ state: 'landed', unchanged: [] });
    expect(status.merged).toContain(at('a.txt'));
    expect(story.file(at('a.txt'))).toBe(nineLines({ 1: 'one', 9: 'nine' }));
    expect([story.mode(at('b.txt')), story.file(at('b.txt'))]).toEqual(['100755', nineLines({ 9: 'nine' })]);
  });

  const conflicts: readonly (readonly [string, Puts, Puts, Puts])[] = [
    ['content', { f: nineLines() }, { f: nineLines({ 5: 'x' }) }, { f: nineLines({ 5: 'y' }) }],
    ['content', { f: nineLines() }, { f: nineLines({ 5: 'x' }) }, { f: nineLines({ 6: 'y' }) }],
    ['add/add', {}, { f: 'theirs\n' }, { f: 'mine\n' }],
    ['delete/edit', { f: 'f\n' }, { f: null }, { f: 'edited\n' }],
    ['delete/edit', { f: 'f\n' }, { f: 'edited\n' }, { f: null }],
    ['binary', { f: binary(1) }, { f: binary(2) }, { f: binary(3) }],
    ['mode', { f: 'a' }, { f: { content: 'a', mode: '120000' } }, { f: { content: 'a', mode: '100755' } }],
    ['file/directory', {}, { 'f/below': 'b\n' }, { f: 'file\n' }],
    ['file/directory', {}, { f: 'file\n' }, { 'f/below': 'b\n' }],
    ['case', {}, { 'name.txt': 'n\n' }, { 'NAME.txt': 'N\n' }],
    ['case', {}, { 'folder/a': 'a\n' }, { 'Folder/b': 'b\n' }],
    [
      'parse',
      { 'f.ts': comments() },
      { 'f.ts': comments({ 1: 'call(', 9: ')' }) },
      { 'f.ts': comments({ 5: 'const five = 5;' }) },
    ],
  ];

  test.each(conflicts)('[V2b] %s: %j', async (kind, base, trunk, mine) => {
    const { status, worker, moved, at } = await fate(base, trunk, { ...mine, 'own.txt': 'own\n' });
    const [path] = Object.keys(mine) as [string];
    expect(status.state, JSON.stringify(status)).toBe('returned');
    expect(status.brief.reads).toEqual([]);
    expect(status.brief.writes).toMatchObject([{ path: at(path), kind, landing: moved.landing }]);
    // All of a proposal lands, or nothing.
    expect(story.mode(at('own.txt'))).toBe('');
    await worker.release();
  });

  test('[V2b] the kinds of links and lines agree with what git merge-file says', async () => {
    const { status, worker } = await fate(
      { link: { content: 'a', mode: '120000' } },
      { link: { content: 'b', mode: '120000' } },
      { link: { content: 'c', mode: '120000' } },
    );
    expect(status.brief.writes).toMatchObject([{ kind: 'content', baseMode: '120000', tipMode: '120000' }]);
    await worker.release();
  });
});

describe('strict paths', () => {
  test('[V2c] on a strict path nothing lands but what was proposed', async () => {
    await story.policy({ strict: ['**/*.lock'] });
    const merge = await fate(
      { 'a.lock': nineLines() },
      { 'a.lock': nineLines({ 1: 'one' }) },
      { 'a.lock': nineLines({ 9: 'nine' }) },
    );
    expect(merge.status.brief.writes).toMatchObject([{ path: merge.at('a.lock'), kind: 'strict' }]);
    const mode = await fate(
      { 'a.lock': nineLines() },
      { 'a.lock': { content: nineLines(), mode: '100755' } },
      { 'a.lock': nineLines({ 9: 'nine' }) },
    );
    expect(mode.status.brief.writes).toMatchObject([{ kind: 'strict' }]);
    const plain = await fate({ 'a.lock': 'a\n' }, { 'b.lock': 'b\n' }, { 'a.lock': 'c\n' });
    expect(plain.status.state).toBe('landed');
    await story.policy({ strict: [] });
    const lenient = await merge.worker.repair('amend', { [merge.at('a.lock')]: nineLines({ 1: 'one', 9: 'n' }) });
    expect(lenient.state).toBe('landed');
  });
});

describe('deletions and names', () => {
  test('[V2d] a deletion against an edit is never merged, nor an edit against a deletion', async () => {
    const deleted = await fate({ f: nineLines() }, { f: nineLines({ 1: 'one' }) }, { f: null });
    expect(deleted.status.brief.writes).toMatchObject([{ kind: 'delete/edit', baseMode: '100644' }]);
    expect(story.file(deleted.at('f'))).toBe(nineLines({ 1: 'one' }));
    const edited = await fate({ f: nineLines() }, { f: null }, { f: nineLines({ 1: 'one' }) });
    expect(edited.status.brief.writes).toMatchObject([{ kind: 'delete/edit', tip: null, tipMode: null }]);
    expect((await edited.worker.repair('amend', { [edited.at('f')]: 'again\n' })).state).toBe('landed');
  });

  test('[V2e] a file may take the place of a folder, and a folder that of a file, when the way is cleared', async () => {
    const folder = await fate({ 'x/1': '1\n', 'x/2': '2\n' }, {}, { 'x/1': null, 'x/2': null, x: 'file\n' });
    expect([folder.status.state, story.file(folder.at('x'))]).toEqual(['landed', 'file\n']);
    const file = await fate({ x: 'file\n' }, {}, { x: null, 'x/1': '1\n' });
    expect([file.status.state, story.file(file.at('x/1'))]).toEqual(['landed', '1\n']);
    const late = await fate({ 'x/1': '1\n' }, { 'x/2': '2\n' }, { 'x/1': null, x: 'file\n' });
    expect(late.status.brief.writes).toMatchObject([{ path: late.at('x'), kind: 'file/directory' }]);
  });

  test('[V2e] what clashes with its own base or with itself is refused at once', async () => {
    const worker = await story.work('clashes');
    await worker.proposeRefused(422, 'writes_clash', { 'README.md/below': 'b\n' });
    await worker.proposeRefused(422, 'writes_clash', { 'part-1': 'a file\n' });
    await worker.proposeRefused(422, 'writes_clash', { 'new/a': 'a\n', new: 'b\n' });
    const twice = [
      { path: 'twice', content: 'a' },
      { path: 'twice', delete: true },
    ];
    await worker.refused(422, 'writes_clash', 'propose', { base: worker.base, writes: twice });
  });

  test('[V2f] names that differ only in case: refused, unless the other one goes in the same proposal', async () => {
    const renamed = await fate(
      { 'Name.txt': 'n\n', 'Old/a': 'a\n' },
      {},
      {
        'Name.txt': null,
        'name.txt': 'n\n',
        'Old/a': null,
        'old/a': 'a\n',
      },
    );
    expect(renamed.status.state).toBe('landed');
    expect(story.git('ls-tree', '-r', '--name-only', 'main', renamed.at(''))).toBe(
      [renamed.at('name.txt'), renamed.at('old/a')].join('\n'),
    );
    const worker = await story.work('differs in case');
    await worker.proposeRefused(422, 'path_case_clash', { 'fresh/Sub/a': 'a\n', 'fresh/sub/b': 'b\n' });
    await worker.proposeRefused(422, 'path_case_clash', { 'readme.md': 'r\n' });
    await worker.proposeRefused(422, 'path_case_clash', { [renamed.at('OLD/b')]: 'b\n' });
    await worker.proposeRefused(422, 'path_case_clash', { 'fresh/A': 'a\n', 'fresh/a': 'b\n' });
    await worker.landed({ [renamed.at('name.txt')]: 'changed\n' });
  });

  test('[V2f] where trunk has both spellings already, either can be written', async () => {
    story.pushByHand('Both spellings', { 'both/Name': 'N\n', 'both/name': 'n\n' });
    await story.until(
      async () => story.admin(200, 'GET', ''),
      ({ trunk }) => trunk.commit === story.git('rev-parse', 'main'),
    );
    await story.land('writes both', { 'both/Name': 'N2\n', 'both/name': 'n2\n' });
    await story.land('adds beside both', { 'both/other': 'o\n' });
    expect(story.file('both/Name') + story.file('both/name')).toBe('N2\nn2\n');
  });

  test('[V2g] what equals its base, or what trunk holds, is named unchanged and not written', async () => {
    const { status, at } = await fate(
      { same: 's\n', both: 'b\n', gone: 'g\n' },
      { both: 'changed\n', gone: null },
      { same: 's\n', both: 'changed\n', gone: null, 'never-there': null, own: 'o\n' },
    );
    expect(status).toMatchObject({ state: 'landed', merged: [] });
    expect(status.unchanged.sort()).toEqual([at('both'), at('gone'), at('never-there'), at('same')]);
    const { writes, unchanged } = await story.admin(200, 'GET', `/landings/${status.landing}`);
    expect(writes).toMatchObject([{ path: at('own'), before: null }]);
    expect(unchanged.sort()).toEqual(status.unchanged);
  });

  test('[V2h] with nothing left to write a proposal ends unchanged, whatever became of its reads', async () => {
    const worker = await story.work('nothing left');
    await story.land('does it first', { 'first.txt': 'f\n', 'README.md': '# Moved\n' });
    const tip = story.git('rev-parse', 'main');
    const status = await worker.propose({ 'first.txt': 'f\n' }, { reads: [{ path: 'README.md' }] });
    expect(status).toMatchObject({ state: 'unchanged', unchanged: ['first.txt'] });
    expect(await story.read(worker.intent)).toMatchObject({ state: 'closed' });
    expect(story.git('rev-parse', 'main')).toBe(tip);
  });

  test('[RS1] a write that says what it saw is refused when its base holds something else', async () => {
    const worker = await story.work('saw something');
    const blob = story.git('rev-parse', `${worker.base}:README.md`);
    for (const was of [null, '1'.repeat(40)]) {
      const error = await worker.proposeRefused(422, 'write_basis', { 'README.md': { content: 'x\n', was } });
      expect(error.details).toEqual({ was, base: blob });
    }
    await worker.proposeRefused(422, 'write_basis', { 'nothing.txt': { content: 'x\n', was: blob } });
    await worker.proposeRefused(422, 'unknown_blob', { 'x.txt': { blob: '1'.repeat(40) } });
    await worker.proposeRefused(422, 'unknown_base', { 'x.txt': 'x' }, { base: '1'.repeat(40) });
    await worker.landed({
      'README.md': { content: '# Saw\n', was: blob },
      'nothing.txt': { content: 'x\n', was: null },
    });
  });
});

describe('submodules', () => {
  test('[V2a] [V2d] a submodule can be deleted, survives everything else, and is never written', async () => {
    const source = join(daemon.directory, 'with-submodule');
    makeRepository(source, { 'a.txt': 'a\n' });
    const commit = git(source, ['rev-parse', 'HEAD']).trim();
    for (const path of ['lib/one', 'lib/two'])
      git(source, ['update-index', '--add', '--cacheinfo', `160000,${commit},${path}`]);
    git(source, ['commit', '-q', '-m', 'Submodules']);
    await daemon.expect(201, 'POST', '/api/colonies', { id: 'submodules', repo: { path: source } });
    const own = await Story.of(daemon, 'submodules');
    const worker = await own.work('deletes one');
    await worker.proposeRefused(422, 'invalid_request', { 'lib/three': { content: commit, mode: '160000' } });
    await worker.proposeRefused(422, 'writes_clash', { 'lib/one/inside': 'x\n' });
    await worker.landed({ 'lib/one': null, 'a.txt': 'b\n' });
    expect(own.git('ls-tree', 'main', 'lib/')).toBe(`160000 commit ${commit}\tlib/two`);
    await own.land('replaces the other by a file', { 'lib/two': 'a file\n' });
    expect(own.mode('lib/two')).toBe('100644');
    own.git('fsck', '--strict');
  });
});

describe('paths', () => {
  const refused: readonly (readonly [string, string, string])[] = [
    ['P1', '', 'path_invalid'],
    ['P1', 'a//b', 'path_invalid'],
    ['P1', 'a/./b', 'path_invalid'],
    ['P1', 'a/', 'path_invalid'],
    ['P1', 'nul\0', 'path_invalid'],
    ['P1', 'x'.repeat(256), 'path_invalid'],
    ['P1', `${'\u00e9'.repeat(100)}/`.repeat(21).slice(0, -1), 'path_invalid'],
    ['P2', '/etc/passwd', 'path_outside'],
    ['P2', '..', 'path_outside'],
    ['P2', 'a/../../b', 'path_outside'],
    ['P2', 'a\\..\\b', 'path_outside'],
    ['P3', '.git/config', 'path_reserved'],
    ['P3', 'sub/.GIT/hooks/x', 'path_reserved'],
    ['P3', 'git~1/x', 'path_reserved'],
    ['P3', '.g\u200cit/x', 'path_reserved'],
    ['P3', '.git. /x', 'path_reserved'],
    ['P3', '.git::$INDEX_ALLOCATION/x', 'path_reserved'],
    ['P3', 'a\\.git\\x', 'path_reserved'],
    ['P4', '.gitmodules/x', 'path_reserved'],
    ['P4', '.gitattributes/x', 'path_reserved'],
  ];

  const named = refused.map(([rule, path, code]) => [rule, JSON.stringify(path).slice(0, 40), path, code] as const);

  test.each(named)('[%s] %s is refused', async (_, shown, path, code) => {
    const worker = await story.work(`refused ${shown}`);
    const writes = [
      { path: 'beside.txt', content: 'x' },
      { path, content: 'x' },
    ];
    await worker.refused(422, code, 'propose', { base: worker.base, writes });
    await worker.release();
  });

  test('[P1] a name that is not UTF-8 comes in base64, and only so', async () => {
    const worker = await story.work('odd names');
    const pathBase64 = Buffer.from([0x64, 0xe9, 0x2f, 0x27, 0x24, 0xff, 0x0a]).toString('base64');
    const overlong = Buffer.from([0xc0, 0xae]).toString('base64');
    const body = { base: worker.base, writes: [{ path: '\ud800', content: 'x' }] };
    await worker.refused(422, 'invalid_request', 'propose', body);
    await worker.refused(422, 'path_outside', 'propose', {
      base: worker.base,
      writes: [{ pathBase64: Buffer.from('../x').toString('base64'), content: 'x' }],
    });
    const writes = [
      { pathBase64, content: 'odd\n' },
      { pathBase64: overlong, content: 'overlong\n' },
    ];
    const status = await worker.expect(200, 'POST', '/propose?waitMs=60000', {
      ...worker.holder,
      base: worker.base,
      writes,
    });
    expect(status.state).toBe('landed');
    const named = git(story.scene.repository, ['ls-tree', '-r', '-z', '--name-only', 'main']);
    expect(named).toContain('\ufffd');
    const { landings } = await story.admin(200, 'GET', '/landings?limit=1');
    expect(landings).toMatchObject([{ landing: status.landing }]);
    const note = JSON.parse(story.git('notes', '--ref=firetrident', 'show', status.commit));
    expect(note.landings[0].writes).toContainEqual(expect.objectContaining({ pathBase64 }));
    const why = await worker.expect(200, 'GET', `/why?pathBase64=${encodeURIComponent(pathBase64)}&line=1`);
    expect(why).toMatchObject({ pathBase64, text: 'odd', landing: { landing: status.landing } });
    story.git('fsck', '--strict');
  });

  test('[P5] a .gitmodules that is a link is refused, an ordinary one is not', async () => {
    const worker = await story.work('modules');
    await worker.proposeRefused(422, 'path_reserved', { '.gitmodules': { content: 'x', mode: '120000' } });
    await worker.landed({ '.gitmodules': '', '.gitattributes': '* text=auto\n', '.gitignore': 'x\n' });
    expect(story.mode('.gitmodules')).toBe('100644');
  });
});
