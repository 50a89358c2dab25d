import { describe, expect, it } from 'vitest';
import type { EventOf } from './event.ts';
import { unheard } from './heads-up.ts';
import { back, oid, proposeCommand, read, Scenario, staleBrief, type Worker, write } from './scenario.ts';

function told(colony: Scenario, from = 0): EventOf<'heads-up'>[] {
  return colony.events.slice(from).filter((event) => event.kind === 'heads-up');
}

function serve(colony: Scenario, worker: Worker, path: string, content = 1): void {
  colony.do({ kind: 'record-read', lease: worker.lease, path, blob: oid(content), at: oid(0) });
}

function land(colony: Scenario, ...paths: readonly string[]): void {
  colony.propose(
    colony.worker(`writer ${colony.state.counter}`),
    paths.map((path) => write(path, 5)),
  );
  colony.cycle();
}

describe('heads-ups', () => {
  it('[N1] an agent hears at once that a landing touches what was served to it or what it claimed', () => {
    const colony = new Scenario();
    const reader = colony.worker('reader');
    const claimer = colony.worker('claimer', { paths: ['src/a/**'] });
    const other = colony.worker('other', { paths: ['docs/**'] });
    serve(colony, reader, 'src/a/x.ts');
    serve(colony, other, 'src/a/y.ts');
    land(colony, 'src/a/x.ts', 'src/b/z.ts');
    expect(told(colony).map(({ agent, landings }) => [agent, landings.map(({ paths }) => paths)])).toEqual([
      [reader.agent, [[{ path: 'src/a/x.ts', why: 'read' }]]],
      [claimer.agent, [[{ path: 'src/a/x.ts', why: 'claimed' }]]],
    ]);
    expect(told(colony)[0]?.landings[0]?.intent.title).toMatch(/^work of writer/);
  });

  it('[N1] also when someone else pushed it, and never for what is as it was seen', () => {
    const colony = new Scenario();
    const reader = colony.worker('reader');
    serve(colony, reader, 'src/a/x.ts', 5);
    land(colony, 'src/a/x.ts');
    expect(told(colony)).toEqual([]);
    const writes = [{ path: 'src/a/x.ts', before: null, after: null }];
    const { tip: from } = colony.state;
    colony.do({ kind: 'record-external', from, to: oid(7), commits: 1, title: 'Push', writes });
    expect(told(colony)).toMatchObject([{ landings: [{ intent: { id: null, title: 'Push' } }] }]);
  });

  it('[N4] what a heartbeat declares as read is watched like what was served, and the later reading counts', () => {
    const colony = new Scenario({ limits: { recordedReadsPerLease: 2 } });
    const reader = colony.worker('reader');
    const beat = {
      kind: 'heartbeat',
      agent: reader.agent,
      lease: reader.lease,
      epoch: reader.epoch,
      claims: [],
    } as const;
    const seen = (path: string, content: number) => ({ path, blob: oid(content), at: null });
    colony.do({ ...beat, reads: [seen('src/a/x.ts', 1), seen('src/a/y.ts', 1), seen('src/a/y.ts', 5)] });
    const before = colony.events.length;
    colony.do({ ...beat, reads: [seen('src/a/x.ts', 1)] });
    expect(colony.events.slice(before).map(({ kind }) => kind)).toEqual(['heartbeat']);
    const { reply } = colony.apply({ ...beat, reads: [seen('src/a/z.ts', 1)] });
    expect(reply).toMatchObject({ ok: false, error: { code: 'limit_reached', limit: 'recordedReadsPerLease' } });
    land(colony, 'src/a/x.ts', 'src/a/y.ts');
    expect(told(colony).map(({ landings }) => landings.map(({ paths }) => paths))).toEqual([
      [[{ path: 'src/a/x.ts', why: 'read' }]],
    ]);
  });

  it('[N2] who has nothing to do any more is not told: what queues is validated, what came back has its brief', () => {
    const colony = new Scenario();
    const queued = colony.worker('queued', { paths: ['src/a/**'] });
    const chain = colony.worker('chain', { paths: ['src/a/**'] });
    const returned = colony.worker('returned', { paths: ['src/a/**'] });
    colony.propose(chain, [write('lib/part.ts')], { final: false });
    colony.propose(queued, [write('lib/q.ts')]);
    const back1 = colony.do(proposeCommand(returned, { writes: [write('lib/r.ts')], reads: [read('src/a/x.ts')] }));
    const landing = colony.propose(colony.worker('writer'), [write('src/a/x.ts')]);
    colony.cycle((proposal) => {
      if (proposal.id === back1.proposal) return back(staleBrief(colony, proposal.reads))(proposal);
      return proposal.id === landing ? 'landed' : 'deferred';
    });
    expect(told(colony).map(({ agent }) => agent)).toEqual([chain.agent]);
  });

  it('[N2] what came back is watched by what it read and wrote until it is repaired', () => {
    const colony = new Scenario();
    const worker = colony.worker('worker');
    const reads = [
      read('src/a/x.ts'),
      { kind: 'dir', path: 'lib', at: oid(0), basis: 'b' },
      { kind: 'glob', glob: 'docs/*.md', at: oid(0), basis: 'b' },
    ] as const;
    const { proposal } = colony.do(proposeCommand(worker, { writes: [write('src/b/w.ts')], reads }));
    colony.cycle((one) => back(staleBrief(colony, one.reads))(one));
    for (const path of ['src/a/x.ts', 'src/b/w.ts', 'lib/new.ts', 'docs/new.md', 'docs/deep/er.md']) land(colony, path);
    expect(
      told(colony).flatMap(({ landings }) => landings.flatMap(({ paths }) => paths.map((one) => one.path))),
    ).toEqual(['src/a/x.ts', 'src/b/w.ts', 'lib/new.ts', 'docs/new.md']);
    colony.repair(worker, proposal);
    const before = colony.events.length;
    colony.cycle((one) => (one.repairOf === proposal ? 'landed' : 'deferred'));
    land(colony, 'src/a/x.ts');
    expect(told(colony, before)).toEqual([]);
  });

  it('[HE1] one heads-up per lease and cycle, bounded and counted', () => {
    const colony = new Scenario();
    colony.worker('claimer', { paths: ['src/a/**'] });
    for (let number = 0; number < 20; number += 1) {
      const writes = Array.from({ length: 20 }, (_, index) => write(`src/a/${number}-${index}.ts`));
      colony.propose(colony.worker(`w${number}`), writes);
    }
    colony.cycle();
    const [only, ...others] = told(colony);
    expect(others).toEqual([]);
    expect([only?.landings.length, only?.more]).toEqual([16, 4]);
    expect([only?.landings[0]?.paths.length, only?.landings[0]?.more]).toEqual([16, 4]);
  });

  it('[N3] goes along with the next answer, once; what is too much is counted', () => {
    const colony = new Scenario();
    const worker = colony.worker('claimer', { paths: ['src/a/**'] });
    for (let number = 0; number < 40; number += 1) land(colony, `src/a/${number}.ts`);
    expect(unheard(colony.state, worker.agent)).toMatchObject([{ lease: worker.lease, more: 8 }]);
    const { headsUps } = colony.do({ kind: 'hear', agent: worker.agent });
    expect(headsUps).toMatchObject([{ lease: worker.lease, more: 8 }]);
    expect(headsUps[0]?.landings).toHaveLength(32);
    expect(colony.do({ kind: 'hear', agent: worker.agent })).toEqual({ headsUps: [] });
    expect(colony.do({ kind: 'hear', agent: 'agt_none' })).toEqual({ headsUps: [] });
  });
});
