// A person or a script at work without a runner: take, propose, repair; and looking at what came of it.

import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { git } from '../support/git-repository.ts';
import { until } from '../support/until.ts';
import { startCommandLine } from './command-line.ts';
import { type CommandLineScene, commandLineScene } from './scene.ts';

/** Each test starts dozens of processes; only a hang should end it. */
const timeout = 240_000;

let scene: CommandLineScene;
beforeAll(async () => {
  scene = await commandLineScene({ 'a.txt': 'one\ntwo\nthree\nfour\nfive\n', 'b.txt': 'b\n' });
  await scene.run(0, ['init', '--id', 'work']);
});
afterAll(() => scene.remove());

/** Adds an intent and takes it; answers what take answered. */
async function taken(title: string, ...more: string[]) {
  const { intents } = await scene.json(0, ['intents', 'add', title]);
  return scene.json(0, ['take', '--intent', intents[0].id, ...more]);
}

function edit(checkout: string, path: string, change: (text: string) => string): void {
  const place = join(checkout, path);
  writeFileSync(place, change(existsSync(place) ? readFileSync(place, 'utf8') : ''));
}

describe('take and propose', { timeout }, () => {
  it('land a change from a checkout that keeps its secret to itself', async () => {
    const { checkout, intent, lease } = await taken('Change b');
    const state = join(checkout, '.git/firetrident.json');
    expect(statSync(state).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({
      colony: 'work',
      lease: lease.id,
      epoch: lease.epoch,
      intent: { id: intent.id, title: 'Change b' },
    });
    expect((await scene.run(4, ['propose'], checkout)).output).toBe('Nothing has changed here.\n');
    edit(checkout, 'b.txt', () => 'B\n');
    const end = await scene.run(0, ['propose', '--message', 'Louder.'], checkout);
    expect(end.output).toMatch(/^Landed as lnd_\w+, commit [0-9a-f]{12}\.\n$/);
    expect(scene.trunkFile('work', 'b.txt')).toBe('B\n');
    expect(existsSync(state)).toBe(false);
    expect((await scene.run(2, ['propose'], checkout)).errors).toContain('no intent is worked on here');
  });

  it('say what to do, in words', async () => {
    await scene.run(0, [
      'intents',
      'add',
      'Read this',
      '--body',
      'Line one.\nLine two.',
      '--paths',
      'docs/**',
      '--priority',
      '5',
    ]);
    const checkout = join(scene.directory, 'words');
    const end = await scene.run(0, ['take', '--checkout', '../words', '--name', 'ada']);
    expect(end.output).toMatch(
      /^int_\w+ {2}Read this\n\nLine one\.\nLine two\.\n\nProbably in: docs\/\*\*\nThe lease runs until 20\S+Z; "firetrident status" there extends it\.\nWork in: {6}\S+\/words\nThen, there: {2}firetrident propose\n$/,
    );
    expect((await scene.run(1, ['take', '--checkout', '../words'])).errors).toContain('is at work on int_');
    const here = await scene.run(0, ['status'], checkout);
    expect(here.output).toMatch(
      /^Work here: int_\w+ {2}Read this\nLease lse_\w+: runs until 20\S+Z\n\nColony work: main/,
    );
    expect(await scene.json(0, ['status'], checkout)).toMatchObject({ id: 'work', work: { state: 'working' } });
    edit(checkout, 'docs.txt', () => 'x\n');
    await scene.run(0, ['propose'], checkout);
  });

  it('say that there is nothing, with a code of its own', async () => {
    const end = await scene.run(4, ['take', '--wait', '200ms']);
    expect(end.output).toBe('Nothing to take: no open intent\n');
    expect(await scene.json(4, ['take'])).toMatchObject({ wait: { reason: 'no open intent' } });
  });

  it('repair what came back: both sides in the file, the brief in words, the next proposal lands', async () => {
    const [mine, theirs] = [await taken('Mine'), await taken('Theirs')];
    edit(mine.checkout, 'a.txt', (text) => text.replace('three', 'three of mine'));
    edit(mine.checkout, 'new.txt', () => 'new\n');
    edit(theirs.checkout, 'a.txt', (text) => text.replace('three', 'three of theirs'));
    await scene.run(0, ['propose'], theirs.checkout);
    const back = await scene.run(5, ['propose'], mine.checkout);
    expect(back.output).toMatch(
      /^It came back: trunk has moved under it\.\n- a\.txt: you and someone else changed the same lines\n {2}through lnd_\w+, "Theirs"\n/,
    );
    expect(back.output).toMatch(/ {4}\+three of theirs\n/);
    expect(back.output).toMatch(
      /Both sides are in 1 file; decide there: a\.txt\nLook through them, then: firetrident propose\n$/,
    );
    const both = readFileSync(join(mine.checkout, 'a.txt'), 'utf8');
    expect(both).toMatch(/<<<<<<< .*\nthree of theirs\n=======\nthree of mine\n>>>>>>> /);
    expect(readFileSync(join(mine.checkout, 'new.txt'), 'utf8')).toBe('new\n');
    expect((await scene.run(1, ['propose'], mine.checkout)).errors).toBe(
      'error: a.txt: conflict markers are still there\nhint: edit them, then propose again\n',
    );
    edit(mine.checkout, 'a.txt', () => 'one\ntwo\nthree of both\nfour\nfive\n');
    await scene.run(0, ['propose'], mine.checkout);
    expect(scene.trunkFile('work', 'a.txt')).toContain('three of both');
    expect(scene.trunkFile('work', 'new.txt')).toBe('new\n');
  });

  it('merge where lines are apart, and say so', async () => {
    const [top, bottom] = [await taken('Top'), await taken('Bottom')];
    edit(top.checkout, 'a.txt', (text) => text.replace('one', 'ONE'));
    edit(bottom.checkout, 'a.txt', (text) => text.replace('five', 'FIVE'));
    await scene.run(0, ['propose'], top.checkout);
    expect((await scene.run(0, ['propose'], bottom.checkout)).output).toContain(', with a.txt merged.');
    expect(scene.trunkFile('work', 'a.txt')).toMatch(/^ONE\n[\s\S]*FIVE\n$/);
  });

  it('keep the intent with --final false, and go on from what landed', async () => {
    const { checkout, intent } = await taken('In two parts');
    edit(checkout, 'part.txt', () => 'first\n');
    await scene.run(0, ['propose', '--final', 'false'], checkout);
    const state = () => scene.json(0, ['intents', 'list', '--limit', '1']);
    expect((await state()).intents[0]).toMatchObject({ id: intent.id, state: 'taken' });
    edit(checkout, 'part.txt', (text) => `${text}second\n`);
    git(checkout, ['add', '-A']);
    git(checkout, ['commit', '-qm', 'Committed on the way, which changes nothing']);
    await scene.run(0, ['propose'], checkout);
    expect(scene.trunkFile('work', 'part.txt')).toBe('first\nsecond\n');
    expect((await state()).intents[0]).toMatchObject({
      state: 'landed',
      landings: [expect.any(String), expect.any(String)],
    });
  });

  it('refuse a folder that is another repository, and keep what lies in one of ours', async () => {
    const { intents } = await scene.json(0, ['intents', 'add', 'Somewhere']);
    const refused = await scene.run(2, ['take', '--checkout', scene.repository]);
    expect(refused.errors).toContain('is another repository');
    const used = join(scene.directory, 'words');
    writeFileSync(join(used, 'draft.txt'), 'not proposed\n');
    const again = await scene.json(0, ['take', '--intent', intents[0].id, '--checkout', used]);
    expect((await scene.run(0, ['preserved', 'show', again.captured])).output).toContain('+not proposed');
    expect(existsSync(join(used, 'draft.txt'))).toBe(false);
    expect((await scene.json(0, ['status'])).intents.taken).toBe(1);
  });
});

describe('looking', { timeout }, () => {
  it('status shows the colony at a glance', async () => {
    const { output } = await scene.run(0, ['status']);
    expect(output).toMatch(/^Colony work: main at [0-9a-f]{12}\nRepository: .*\nIntents: .*landed/);
    expect(output).toMatch(/\nProposals: .*1 returned/);
    expect(output).toMatch(/\nLandings: 8, queued now: 0\n/);
  });

  it('landings are listed newest first, page by page', async () => {
    const page = await scene.run(0, ['landings', '--limit', '2']);
    expect(page.output).toMatch(
      /^at +commit +landing +agent +title\n20\S+Z +[0-9a-f]{12} +lnd_\w+ +\S+ +In two parts\n/,
    );
    const after = /more: firetrident landings --after (lnd_\w+)\n$/.exec(page.output)?.[1] ?? '';
    const rest = await scene.json(0, ['landings', '--after', after]);
    expect(rest.landings).toHaveLength(6);
    expect(rest.landings[0].title).toBe('Bottom');
  });

  it('why tells the landing of a line, what it came back for, and what is older than the colony', async () => {
    const { output } = await scene.run(0, ['why', './a.txt:3']);
    expect(output).toMatch(
      /^a\.txt:3\n {4}three of both\n\nLanding {2}lnd_\w+, commit [0-9a-f]{12}, 20\S+Z\nIntent {3}int_\w+ {2}Mine\nAgent {4}\S+ \(person\)\nBase {5}[0-9a-f]{12}\nWrote {4}a\.txt, new\.txt \(new\)\nRead {5}nothing that is known\nTime {5}/,
    );
    expect(output).toMatch(
      /\nCame back 1 time:\n {2}prp_\w+, because lnd_\w+ "Theirs" by \S+ had moved what it stood on\n$/,
    );
    const page = await scene.json(0, ['why', 'a.txt:3']);
    expect(page.causes.map((cause: { intent: { title: string } }) => cause.intent.title)).toEqual(['Theirs']);
    const old = await scene.run(0, ['why', 'a.txt:2']);
    expect(old.output).toMatch(/\nSubject {2}First\nIt is older than the colony, so nothing more is known\.\n$/);
    expect((await scene.run(1, ['why', 'a.txt:99'])).errors).toMatch(/^error: line_out_of_range: /);
    expect((await scene.run(1, ['why', 'no.txt:1'])).errors).toMatch(/^error: unknown_path: /);
  });

  it('watch replays and follows, as lines and as frames, until Ctrl-C', async () => {
    const options = { directory: scene.repository };
    const [text, frames] = [
      startCommandLine(['watch', '--after', '0'], options),
      startCommandLine(['watch', '--after', '0', '--json'], options),
    ];
    await until(() => text.output().includes('In two parts') && frames.output().includes('In two parts'));
    await scene.run(0, ['intents', 'add', 'While watched']);
    await until(() => text.output().includes('While watched') && frames.output().includes('While watched'));
    for (const watching of [text, frames]) watching.process.kill('SIGINT');
    expect((await text.end).code).toBe(0);
    expect((await frames.end).code).toBe(0);
    expect(text.output()).toMatch(/\n\d\d:\d\d:\d\d\.\d{3} \d+ prp_\w+ came back, because of lnd_\w+\n/);
    expect(text.output()).toMatch(/ int_\w+ created "While watched"\n/);
    const sequences = frames
      .output()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).seq);
    expect(sequences).toEqual([...new Set(sequences)].sort((left, right) => left - right));
    expect((await scene.run(1, ['watch', '--colony', 'web'])).errors).toMatch(/^error: unknown_colony: /);
  });

  it('preserved lists what did not land', async () => {
    const { checkout, agent } = await taken('Given up');
    edit(checkout, 'b.txt', () => 'never\n');
    const { url } = JSON.parse(readFileSync(join(scene.repository, '.firetrident/daemon.json'), 'utf8'));
    const { token } = JSON.parse(readFileSync(join(checkout, '.git/firetrident.json'), 'utf8'));
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    await fetch(`${url}/api/colonies/work/agents/${agent}/stop`, { method: 'POST', headers, body: '{}' });
    const late = await scene.run(1, ['propose'], checkout);
    expect(late.errors + late.output).toMatch(/agent_stopped|unauthorized|The lease had ended/);
    expect((await scene.run(0, ['preserved'])).output).toMatch(/^id +at +commit +intent +why\n/);
    expect((await scene.run(1, ['preserved', 'show', 'prs_404'])).errors).toMatch(/nothing is preserved under prs_404/);
  });
});

describe('doctor', { timeout }, () => {
  it('finds nothing wrong, by connections and by every object', async () => {
    const { output } = await scene.run(0, ['doctor']);
    expect(output).toMatch(
      /^ok +node +\S+\nok +git +2\.\S+\nok +data +\S+\nok +daemon +http\S+, process \d+ on \S+ since \S+\n/,
    );
    expect(output).toMatch(/\nok +work: notes +all of \d+ landing commits have a note\n/);
    expect(output).toMatch(/\n\d+ ok, 0 warnings, 0 problems\n$/);
    const full = await scene.json(0, ['doctor', '--full']);
    expect(full).toMatchObject({ problems: 0 });
    expect(full.findings.map((finding: { message: string }) => finding.message)).toContain('git fsck --strict');
  });

  it('finds a note that is missing and an object that is gone, with the daemon stopped', async () => {
    await scene.stopDaemon();
    const repository = join(scene.repository, '.firetrident/colonies/work/trunk.git');
    git(repository, ['notes', '--ref=refs/notes/firetrident', 'remove', 'main']);
    const { output } = await scene.run(1, ['doctor']);
    expect(output).toMatch(/\nwarning +daemon +none serves this data directory\n +firetrident up starts one\n/);
    expect(output).toMatch(/\nproblem +work: notes +1 of \d+ landing commits have none, such as [0-9a-f]{40}\n/);
    git(repository, ['update-ref', 'refs/heads/broken', git(repository, ['rev-parse', 'main']).trim()]);
    writeFileSync(join(repository, 'refs/heads/broken'), `${'12'.repeat(20)}\n`);
    const broken = await scene.json(1, ['doctor']);
    expect(broken.findings).toContainEqual(expect.objectContaining({ about: 'work: objects', status: 'problem' }));
  });
});
