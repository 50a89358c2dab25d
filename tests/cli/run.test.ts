// `firetrident run`: agents that are a command.

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { git } from '../support/git-repository.ts';
import { until } from '../support/until.ts';
import { commandLine, startCommandLine } from './command-line.ts';
import { type CommandLineScene, commandLineScene, type MortalScene, mortalScene } from './scene.ts';

const files = { 'list.txt': 'first\n', 'src/a.txt': 'a\n' };

/** Adds intents in one import. */
async function addBacklog(scene: CommandLineScene, text: string): Promise<void> {
  const file = join(scene.directory, 'backlog.md');
  writeFileSync(file, text);
  await scene.run(0, ['intents', 'import', file]);
}

// Each test starts dozens of processes; only a hang should end it.
describe('run', { timeout: 240_000 }, () => {
  let scene: CommandLineScene;
  beforeEach(async () => {
    scene = await commandLineScene(files);
  });
  afterEach(() => scene.remove());
  const backlog = (text: string) => addBacklog(scene, text);

  it('lands what a command changed, merges what is apart, and runs it again on the new base after a return', async () => {
    await scene.run(0, ['init', '--id', 'web']);
    await backlog('- [ ] Alpha\n- [ ] Beta\n');
    // Both commands wait for each other, so both stand on the same base and write the same line.
    const meet = join(scene.directory, 'meet');
    mkdirSync(meet);
    const script = `touch ${meet}/$FT_INTENT; until [ $(ls ${meet} | wc -l) = 2 ]; do sleep 0.05; done
      read title; echo "$title" >> list.txt; printf '%s %s' "$FT_BASE" "$FT_BRIEF" > "$FT_INTENT_TITLE.txt"`;
    const end = await scene.run(0, ['run', '--agents', '2', '--', 'sh', '-c', script]);
    const list = scene.trunkFile('web', 'list.txt').trim().split('\n');
    expect([...list].sort()).toEqual(['Alpha', 'Beta', 'first']);
    const [second = ''] = list.slice(-1);
    expect(end.errors).toMatch(new RegExp(`returned +agent-\\d +${second} +because of ${list[1]}\n`));
    expect(end.errors).toMatch(new RegExp(`landed +agent-\\d +${second} +\\S+ s, repaired once\n`));
    expect(end.output).toMatch(
      /^Done in \S+ s with 2 agents\.\nLanded 2 \(0 merged, 1 repaired after 1 return\), 0 needed no change\.\nTime to land: p50 \S+ s, p99 \S+ s\.\nTrunk: main at [0-9a-f]{12} in \S+\n$/,
    );
    // The second run stood on the first landing and was told why.
    const seen = scene.trunkFile('web', `${second}.txt`);
    const [base = ''] = seen.split(' ');
    expect(
      git(join(scene.repository, '.firetrident/colonies/web/trunk.git'), ['log', '-1', '--format=%s', base]).trim(),
    ).toBe(list[1]);
    expect(JSON.parse(seen.slice(base.length)).writes[0]).toMatchObject({ path: 'list.txt', kind: 'content' });
    expect(readdirSync(join(scene.repository, '.firetrident/agents/web'))).toEqual([]);
  });

  it('[V4d] makes anew what the policy says a command makes, where that is all that came back', async () => {
    await scene.run(0, ['init', '--id', 'web']);
    const policy = join(scene.directory, 'policy.json');
    writeFileSync(policy, JSON.stringify({ merge: { 'all.lock': 'regenerate:ls src > all.lock' } }));
    expect(await scene.json(0, ['policy', 'set', policy])).toMatchObject({
      merge: { 'all.lock': 'regenerate:ls src > all.lock' },
    });
    await backlog('- [ ] b\n- [ ] c\n');
    const meet = join(scene.directory, 'meet');
    mkdirSync(meet);
    const script = `touch ${meet}/$FT_INTENT; until [ $(ls ${meet} | wc -l) = 2 ]; do sleep 0.05; done
      echo $FT_INTENT_TITLE >> ${meet}-runs; echo x > src/$FT_INTENT_TITLE.txt; ls src > all.lock`;
    const end = await scene.run(0, ['run', '--agents', '2', '--', 'sh', '-c', script]);
    expect(scene.trunkFile('web', 'all.lock')).toBe('a.txt\nb.txt\nc.txt\n');
    expect(end.errors).toMatch(/returned +agent-\d +[bc] +all\.lock made anew\n/);
    // The program itself ran once for each intent.
    expect(readFileSync(`${meet}-runs`, 'utf8').trim().split('\n').sort()).toEqual(['b', 'c']);
  });

  it('stops at once, and counts no attempt, when the command is no program', async () => {
    await scene.run(0, ['init', '--id', 'web']);
    await backlog('- [ ] Alpha\n- [ ] Beta\n');
    const end = await scene.run(1, ['run', '--agents', '2', '--', 'no-such-program', 'x']);
    expect(end.errors).toMatch(/error: the command cannot be run: .*no-such-program.*\nnext: .*open again\nhint: /);
    const { intents } = JSON.parse((await scene.run(0, ['intents', 'list', '--json'])).output);
    expect(intents.map(({ state, attempts }: { state: string; attempts: number }) => [state, attempts])).toEqual([
      ['open', 0],
      ['open', 0],
    ]);
  });

  it('works through dependencies, ends what needs no change, and sums up as JSON', async () => {
    await scene.run(0, ['init', '--id', 'web']);
    await backlog('- [ ] Roof\n  after: Walls\n- [ ] Walls\n  after: Ground\n- [ ] Ground\n- [ ] Nothing to do\n');
    const script =
      'case "$FT_INTENT_TITLE" in Nothing*) ;; *) echo list.txt >> "$FT_READS"; echo "$FT_INTENT_TITLE" >> built.txt;; esac';
    const end = await scene.run(0, ['run', '--json', '--agents', '3', '--', script]);
    const summary = JSON.parse(end.output);
    expect(summary).toMatchObject({ colony: 'web', agents: 3, landed: 3, unchanged: 1, failed: 0, interrupted: false });
    expect(scene.trunkFile('web', 'built.txt')).toBe('Ground\nWalls\nRoof\n');
    // What the command said that it had read is in the lineage.
    const trunk = join(scene.repository, '.firetrident/colonies/web/trunk.git');
    const note = JSON.parse(git(trunk, ['notes', '--ref=firetrident', 'show', 'main']));
    expect(note.landings[0].reads).toMatchObject([{ path: 'list.txt' }]);
  });

  it("fails when an intent fails, says why, and stops trying at the colony's bound", async () => {
    await scene.run(0, ['init', '--id', 'web']);
    await backlog('- [ ] Good\n- [ ] Bad\n');
    const script = 'test "$FT_INTENT_TITLE" = Good || { echo this is broken >&2; exit 7; }; echo x > good.txt';
    const end = await scene.run(1, ['run', '--agents', '1', '--', script]);
    expect(end.errors).toMatch(/failed +agent-1 +Bad +the command ended with 7: this is broken\n/);
    expect(end.output).toContain('5 attempts failed.\n1 intent blocked: firetrident intents list --state blocked\n');
    const { intents } = await scene.json(0, ['intents', 'list', '--state', 'blocked']);
    expect(intents).toMatchObject([{ title: 'Bad', attempts: 5, reason: expect.stringContaining('this is broken') }]);
    expect(scene.trunkFile('web', 'good.txt')).toBe('x\n');
    expect((await scene.run(0, ['doctor'])).output).toMatch(/warning +web: intents +1 intent blocked/);
    await scene.run(2, ['intents', 'reopen']);
    expect((await scene.run(0, ['intents', 'reopen', '--blocked'])).output).toBe('1 intent open again\n');
    const again = await scene.json(0, ['intents', 'list', '--state', 'open']);
    expect(again.intents).toMatchObject([{ title: 'Bad', attempts: 0 }]);
    expect((await scene.run(0, ['run', '--agents', '1', '--', 'echo x > bad.txt'])).output).toContain('Landed 1 ');
  });

  it('ends a command that takes too long', async () => {
    await scene.run(0, ['init', '--id', 'web']);
    await backlog('- [ ] Slow\n');
    const end = await scene.run(1, ['run', '--agents', '1', '--timeout', '200ms', '--', 'sleep', '1000']);
    expect(end.errors).toMatch(/failed +agent-1 +Slow +the command ran out of time\n/);
  });

  it('runs setup once for a checkout, also over several runs, and proposes nothing of it', async () => {
    const count = join(scene.directory, 'count');
    await scene.run(0, ['init', '--id', 'web', '--setup', `echo x >> ${count}; mkdir installed; touch installed/it`]);
    for (const [round, titles] of [
      ['1', '- [ ] One\n- [ ] Two\n'],
      ['2', '- [ ] Three\n'],
    ] as const) {
      await backlog(titles);
      await scene.run(0, ['run', '--agents', '1', '--', 'test -e installed/it && echo x > "$FT_INTENT_TITLE"']);
      expect(readFileSync(count, 'utf8'), `round ${round}`).toBe('x\n');
    }
    const repository = join(scene.repository, '.firetrident/colonies/web/trunk.git');
    expect(git(repository, ['ls-tree', '--name-only', 'main']).trim().split('\n')).toEqual([
      'One',
      'Three',
      'Two',
      'list.txt',
      'src',
    ]);
  });

  it('works only on the labels that were named, and ends although other work is open', async () => {
    await scene.run(0, ['init', '--id', 'web']);
    await scene.run(0, ['intents', 'add', 'Special', '--label', 'rare', 'slow']);
    await scene.run(0, ['intents', 'add', 'Plain']);
    const run = (label: string) =>
      scene.run(0, ['run', '--agents', '2', '--label', label, '--', 'date > "$FT_INTENT_TITLE"']);
    expect((await run('other')).output).toMatch(/Landed 0 [\s\S]*2 intents still open\.\n/);
    expect((await run('rare')).output).toMatch(/Landed 1 [\s\S]*1 intent still open\.\n/);
    expect(scene.trunkFile('web', 'Special')).not.toBe('');
  });

  it('at Ctrl-C stops the commands, gives the intents back, and keeps what was half done', async () => {
    await scene.run(0, ['init', '--id', 'web']);
    await backlog('- [ ] One\n- [ ] Two\n- [ ] Three\n');
    const pids = join(scene.directory, 'pids');
    const script = `echo half > half.txt; echo $$ >> ${pids}; sleep 1000`;
    const running = startCommandLine(['run', '--agents', '2', '--', 'sh', '-c', script], {
      directory: scene.repository,
    });
    await until(() => existsSync(pids) && readFileSync(pids, 'utf8').trim().split('\n').length === 2);
    running.process.kill('SIGINT');
    const end = await running.end;
    expect(end.code).toBe(130);
    expect(end.output).toMatch(/^Interrupted after [\s\S]*\n3 intents still open\.\n/);
    for (const pid of readFileSync(pids, 'utf8').trim().split('\n'))
      expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    const page = await scene.json(0, ['status']);
    expect(page.intents).toMatchObject({ open: 3 });
    expect(page.intents.taken ?? 0).toBe(0);
    expect(page.agents).toMatchObject({ stopped: 2 });
    const { preserved } = await scene.json(0, ['preserved', 'list']);
    expect(preserved.map(({ why }: { why: string }) => why)).toEqual(
      Array(2).fill('lay in a checkout and was not proposed'),
    );
    const [{ id, intent }] = preserved;
    expect((await scene.run(0, ['preserved', 'show', id])).output).toMatch(
      new RegExp(`^${id}  ${intent}[\\s\\S]*\\+half\\n`),
    );
    expect((await scene.run(0, ['preserved', 'restore', id])).output).toContain('1 file in ');
    expect(readFileSync(join(scene.repository, 'half.txt'), 'utf8')).toBe('half\n');
  });

  it('finds a program that was named by a path from where it was started', async () => {
    await scene.run(0, ['init', '--id', 'web']);
    await backlog('- [ ] One\n');
    const script = join(scene.directory, 'tool.sh');
    writeFileSync(script, '#!/bin/sh\necho "$1" > made.txt\n', { mode: 0o755 });
    await scene.run(0, ['run', '--agents', '1', '--', '../tool.sh', 'by hand']);
    expect(scene.trunkFile('web', 'made.txt')).toBe('by hand\n');
  });

  it('without a daemon serves for itself, makes the colony of a repository, and leaves both in order', async () => {
    await scene.stopDaemon();
    const run = (...args: string[]) => commandLine(['run', '--agents', '1', ...args], { directory: scene.repository });
    const none = await run('--', 'true');
    expect(none).toMatchObject({ code: 1 });
    expect(none.errors).toBe('error: there is no colony yet\nhint: name the repository to make one of with --repo\n');
    expect(await run('--repo', '.', '--', 'true')).toMatchObject({ code: 0 });
    expect(existsSync(join(scene.repository, '.firetrident/daemon.json'))).toBe(false);
    expect(await run('--repo', '.', '--', 'true')).toMatchObject({ code: 0 });
    const { output } = await scene.run(0, ['doctor']);
    expect(output).toContain('project: objects');
  });
});

describe('run beside a daemon that is killed', { timeout: 240_000 }, () => {
  let scene: MortalScene;
  beforeEach(async () => {
    scene = await mortalScene(files);
  });
  afterEach(() => scene.remove());

  it('[FL2] [FL1] ends when the daemon is lost, its commands with it, and the next run keeps what was half done', async () => {
    await scene.run(0, ['init', '--id', 'web']);
    await addBacklog(scene, '- [ ] One\n- [ ] Two\n');
    const [pids, go] = [join(scene.directory, 'pids'), join(scene.directory, 'go')];
    // The first to see the sign goes on and finds nobody; the other one would wait for ever.
    const script = `echo half > half.txt; echo $$ >> ${pids}; until rmdir ${go}; do sleep 0.05; done 2> /dev/null`;
    const args = ['run', '--agents', '2', '--', 'sh', '-c', script];
    const running = startCommandLine(args, { directory: scene.repository });
    await until(() => existsSync(pids) && readFileSync(pids, 'utf8').trim().split('\n').length === 2);
    await scene.killDaemon();
    mkdirSync(go);
    const end = await running.end;
    expect(end.code).toBe(3);
    expect(end.errors).toMatch(/error: no answer from http\S+: /);
    for (const pid of readFileSync(pids, 'utf8').trim().split('\n'))
      expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    // No daemon serves now: this run starts one, which recovers, and ends the leases of the agents before (FL1).
    const again = await scene.run(0, ['run', '--agents', '2', '--', 'date > "$FT_INTENT_TITLE"']);
    expect(again.output).toContain('Landed 2 ');
    const captured = join(scene.repository, '.firetrident/agents/web/captured.git');
    const refs = git(captured, ['for-each-ref', '--format=%(refname)']).trim().split('\n');
    expect(refs.map((ref) => git(captured, ['show', `${ref}:half.txt`]))).toEqual(['half\n', 'half\n']);
  });
});
