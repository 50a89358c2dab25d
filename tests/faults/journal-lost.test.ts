// The journal is gone and the repository is not, as after damage that cannot be repaired: what the refusal told the
// operator to do works, and git alone gives the landings back.

import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { Scene } from '../support/scene.ts';
import { fsckViolations, landingCommits } from './repository-check.ts';

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.stop());

/** Moves the journal of a colony away and starts again. */
async function loseJournal(colony: string): Promise<void> {
  await daemon.running.stop();
  const place = join(daemon.data, 'colonies', colony);
  const away = join(daemon.directory, 'away');
  mkdirSync(away);
  for (const name of readdirSync(place))
    if (name.startsWith('journal')) renameSync(join(place, name), join(away, name));
  await daemon.restart();
}

/** Every landing with its whole lineage, newest first, without the moment at which it landed. */
async function lineage(scene: Scene) {
  const { landings } = await scene.expect(200, 'GET', '/landings?limit=100');
  const bodies = [];
  for (const { landing } of landings) bodies.push(await scene.expect(200, 'GET', `/landings/${landing}`));
  const rows = landings.map((row: { at: string }) => ({ ...row, at: null }));
  return { landings: rows, bodies: bodies.map((body) => ({ ...body, at: { ...body.at, landed: null } })) };
}

test('[RE5] [LR1] landings come back with their lineage, and no id is given out again', {
  timeout: 120_000,
}, async () => {
  const files = { 'lib/code.ts': 'export const one = 1;\nexport const two = 2;\n', 'docs/a.md': 'a\n' };
  const scene = await Scene.open(daemon, 'lost', files);
  const reader = await scene.take('with reads of every kind');
  const reads = [
    { path: 'docs/a.md' },
    { path: 'docs/absent.md', blob: null },
    { dir: 'docs' },
    { glob: 'docs/*.md' },
    { path: 'lib/code.ts', symbol: 'one' },
    { path: 'lib/code.ts', lines: [2, 2] },
  ];
  const writes = [{ path: 'src/deep/new.txt', content: 'new\n' }];
  expect((await scene.outcome(reader, scene.propose(reader, writes, { reads }))).state).toBe('landed');
  await scene.land('a name in Latin-1', [
    { pathBase64: Buffer.from('caf\xe9.txt', 'latin1').toString('base64'), content: 'x\n' },
    { path: 'docs/a.md', content: 'b\n', mode: '100755' },
  ]);
  await scene.land('a deletion', [{ path: 'docs/a.md', delete: true }]);
  const before = await lineage(scene);
  expect(before.landings).toHaveLength(3);
  await loseJournal('lost');
  expect(daemon.log.some((line) => line.includes('landings were read back from git'))).toBe(true);
  const after = await lineage(scene);
  expect(after.bodies).toEqual(before.bodies);
  expect(after.landings).toEqual(before.landings);
  const why = await scene.expect(200, 'GET', '/why?path=src/deep/new.txt&line=1');
  expect(why.landing.intent.title).toBe('with reads of every kind');
  const known = new Set([...landingCommits(scene.repository).keys()]);
  for (const title of ['one more', 'and another'])
    expect(known).not.toContain((await scene.land(title, [{ path: `${title}.txt`, content: 'x\n' }])).proposal);
  const commits = landingCommits(scene.repository);
  expect(commits.size).toBe(5);
  for (const [, { length }] of commits) expect(length).toBe(1);
  expect(fsckViolations(scene.repository)).toEqual([]);
  // It is read back once: from now on the journal tells of it.
  await daemon.restart();
  expect((await lineage(scene)).landings).toHaveLength(5);
});
