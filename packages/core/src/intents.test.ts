import type { IntentId } from '@firetrident/base';
import { describe, expect, it } from 'vitest';
import { back, conflictBrief, createCommand, Scenario, write } from './scenario.ts';

function state(colony: Scenario, id: IntentId): string | undefined {
  return colony.state.intents.get(id)?.state;
}

describe('intents', () => {
  it('[I1] creates all drafts or none', () => {
    const colony = new Scenario();
    const refusal = colony.refused(createCommand([{ title: 'a' }, { title: 'b', after: ['int_nope'] }]));
    expect(refusal).toEqual({ code: 'unknown_dependency', dependency: 'int_nope' });
    expect(colony.state.intents.size).toBe(0);
    expect(colony.create([{ title: 'a' }, { title: 'b' }]).intents.map((one) => one.state)).toEqual(['open', 'open']);
  });

  it('[I2] a key names one intent, also twice in one command and after it is over', () => {
    const colony = new Scenario();
    const { intents } = colony.create([
      { title: 'a', key: 'k' },
      { title: 'b', key: 'k' },
    ]);
    expect(intents[1]?.id).toBe(intents[0]?.id);
    const worker = { agent: colony.agent('x'), intent: intents[0]?.id as IntentId };
    const lease = colony.grant(worker.agent, { intent: worker.intent });
    expect(colony.create([{ title: 'c', key: 'k' }]).intents[0]).toMatchObject({ id: worker.intent, state: 'taken' });
    colony.do({ kind: 'complete', ...worker, ...lease, why: 'nothing to do' });
    expect(colony.create([{ title: 'd', key: 'k' }]).intents[0]).toMatchObject({ id: worker.intent, state: 'closed' });
    const archived = new Map([['int_old', 'landed']] as const);
    const command = createCommand([{ title: 'e', key: 'old' }], {
      archived,
      archivedKeys: new Map([['old', 'int_old']]),
    });
    expect(colony.do(command).intents[0]).toMatchObject({ id: 'int_old', state: 'landed', key: 'old' });
    expect(colony.state.intents.size).toBe(0);
  });

  it('[I3] [T1b] a dependency may be live, archived or just over; an unknown parent is refused', () => {
    const colony = new Scenario();
    const first = colony.worker('a');
    const archived = new Map([['int_old', 'closed']] as const);
    const command = createCommand([{ title: 'b', after: [first.intent, 'int_old', first.intent] }], { archived });
    const second = colony.do(command).intents[0]?.id as IntentId;
    expect(colony.state.intents.get(second)).toMatchObject({
      after: [first.intent, 'int_old'],
      waitingOn: [first.intent],
    });
    expect(colony.refused(createCommand([{ title: 'c', parent: 'int_nope' }])).code).toBe('unknown_dependency');
    colony.do({ kind: 'complete', ...first, why: 'done' });
    expect(colony.state.intents.get(second)?.waitingOn).toEqual([]);
    const third = colony.intent('d', { after: [first.intent] });
    expect(colony.state.intents.get(third)?.waitingOn).toEqual([]);
  });

  it('[I4] edits a live intent in any state and refuses an edit that says nothing', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    colony.propose(worker, [write('src/a.ts')]);
    colony.do({ kind: 'edit-intent', intent: worker.intent, change: { title: 'new', priority: 3, paths: ['src/**'] } });
    expect(colony.state.intents.get(worker.intent)).toMatchObject({ title: 'new', priority: 3, state: 'proposed' });
    expect(colony.refused({ kind: 'edit-intent', intent: worker.intent, change: {} }).code).toBe('no_change');
    expect(colony.refused({ kind: 'edit-intent', intent: 'int_nope', change: { title: 'x' } }).code).toBe(
      'unknown_intent',
    );
  });

  it('[I5] abandoning ends the lease, keeps returned work, and is refused while something is queued', () => {
    const colony = new Scenario();
    const worker = colony.worker('a');
    const abandon = { kind: 'edit-intent', intent: worker.intent, change: { state: 'abandoned' } } as const;
    colony.propose(worker, [write('src/a.ts')]);
    expect(colony.refused(abandon)).toEqual({ code: 'intent_not_editable', intent: worker.intent, state: 'proposed' });
    colony.cycle(back(conflictBrief(colony, 'src/a.ts', 'content')));
    colony.do(abandon);
    expect(colony.kinds()).toEqual(['preserve', 'archive-proposal']);
    expect(state(colony, worker.intent)).toBe('abandoned');
    expect(colony.state.leases.size).toBe(0);
    colony.do(abandon);
    expect(colony.events.filter((event) => event.kind === 'intent-abandoned')).toHaveLength(1);
    colony.do({ ...abandon, change: { state: 'open' } });
    expect(state(colony, worker.intent)).toBe('open');
    expect(colony.kinds()).toEqual(['work-available']);
    const other = colony.worker('b');
    expect(colony.refused({ ...abandon, intent: other.intent, change: { state: 'open' } }).code).toBe(
      'intent_not_editable',
    );
  });

  it('[I5] opening a blocked intent forgets its attempts', () => {
    const colony = new Scenario({ maxAttempts: 1 });
    const worker = colony.worker('a');
    colony.do({ kind: 'fail', ...worker, why: 'no' });
    expect(state(colony, worker.intent)).toBe('blocked');
    expect(colony.state.attention.size).toBe(1);
    colony.do({ kind: 'edit-intent', intent: worker.intent, change: { state: 'open' } });
    expect(colony.state.intents.get(worker.intent)).toMatchObject({ state: 'open', attempts: 0, reason: null });
    expect(colony.state.attention.size).toBe(0);
  });

  it('[I6] an intent that landed or closed leaves for the archive, whole', () => {
    const colony = new Scenario();
    const worker = colony.worker('a', { labels: ['l'], key: 'k' });
    const proposal = colony.propose(worker, [write('src/a.ts')]);
    colony.cycle();
    const landing = `lnd_${proposal.slice(4)}`;
    const row = { id: worker.intent, state: 'landed', labels: ['l'], landings: [landing], attempts: 0, reason: null };
    expect(colony.effects).toContainEqual({
      kind: 'archive-intent',
      id: worker.intent,
      key: 'k',
      row: expect.objectContaining(row),
    });
    expect(colony.state.intents.size).toBe(0);
    expect(colony.refused({ kind: 'edit-intent', intent: worker.intent, change: { title: 'x' } })).toMatchObject({
      code: 'intent_not_editable',
      state: 'landed',
    });
  });

  it('[T7] reports and links intents with the same title, or with the same paths and mostly the same words', () => {
    const colony = new Scenario();
    const first = colony.intent('Fix the parser!', { paths: ['src/parse/**', 'src/lex.ts'] });
    const byTitle = colony.create([{ title: ' fix  THE parser' }]).intents[0];
    expect(byTitle?.duplicateOf).toEqual([first]);
    expect(colony.state.intents.get(byTitle?.id as IntentId)?.duplicateOf).toEqual([first]);
    const words = 'Fix the broken parser of the lexer for good';
    const second = colony.intent(words, { paths: ['src/lex.ts', 'src/parse/**'] });
    const byPaths = colony.create([{ title: `${words} please`, paths: ['src/parse/**', 'src/lex.ts'] }]).intents[0];
    expect(byPaths?.duplicateOf).toEqual([second]);
    expect(colony.create([{ title: `${words} again`, paths: ['src/other.ts'] }]).intents[0]?.duplicateOf).toEqual([]);
    expect(
      colony.create([{ title: 'Something else', paths: ['src/lex.ts', 'src/parse/**'] }]).intents[0]?.duplicateOf,
    ).toEqual([]);
  });

  it('[T7] finds duplicates within one command, and not abandoned ones', () => {
    const colony = new Scenario();
    const { intents } = colony.create([{ title: 'same' }, { title: 'Same' }]);
    expect(intents[1]?.duplicateOf).toEqual([intents[0]?.id]);
    for (const { id } of intents) colony.do({ kind: 'edit-intent', intent: id, change: { state: 'abandoned' } });
    expect(colony.create([{ title: 'same' }]).intents[0]?.duplicateOf).toEqual([]);
  });

  it('[A3] intents and their paths are bounded', () => {
    const colony = new Scenario({ limits: { liveIntents: 2, pathsPerIntent: 1 } });
    expect(colony.refused(createCommand([{ paths: ['a', 'b'] }]))).toEqual({
      code: 'limit_reached',
      limit: 'pathsPerIntent',
      bound: 1,
    });
    expect(colony.refused(createCommand([{}, {}, {}]))).toEqual({
      code: 'limit_reached',
      limit: 'liveIntents',
      bound: 2,
    });
    colony.create([{ key: 'k' }, {}]);
    expect(colony.create([{ key: 'k' }]).intents).toHaveLength(1);
  });
});
