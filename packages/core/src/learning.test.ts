import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LearnedChange, type Learning, learn, predict } from './learning.ts';
import { Scenario, write } from './scenario.ts';

function learnedFrom(changes: readonly LearnedChange[]): Learning {
  const learning: Learning = { titleWords: new Map(), coChanges: new Map() };
  for (const change of changes) learn(learning, change);
  return learning;
}

const router = { title: 'Router: faster matching', paths: ['src/router.ts', 'src/router.test.ts'] };
const login = { title: 'Login form', paths: ['web/login.tsx'] };
const history = [router, { ...router, title: 'Fix the router' }, { ...router, title: 'Router docs' }, login, login];

/** Lands a piece of work under a title. */
function land(colony: Scenario, title: string, ...paths: readonly string[]): void {
  const worker = colony.worker('worker', { title });
  colony.propose(
    worker,
    paths.map((path) => write(path)),
  );
  colony.cycle();
}

describe('learned paths', () => {
  it('[T5a] the words of a title tell what earlier changes with these words touched, and nothing without evidence', () => {
    const learning = learnedFrom(history);
    expect(predict(learning, 'Router: a new option')).toEqual(['src/router.test.ts', 'src/router.ts']);
    expect(predict(learning, 'The login page')).toEqual(['web/login.tsx']);
    expect(predict(learning, 'Docs')).toEqual([]);
    expect(predict(learning, '17')).toEqual([]);
  });

  it('[T5a] a word that goes with everything tells nothing', () => {
    const changes = Array.from({ length: 40 }, (_, index) => ({ title: `task ${index}`, paths: [`f${index % 8}.ts`] }));
    expect(predict(learnedFrom(changes), 'task 99')).toEqual([]);
  });

  it('[T5a] what changes together with a predicted path is predicted too; sweeps teach nothing', () => {
    const schema = { title: 'Schema', paths: ['schema.sql'] };
    const columns = { title: 'Columns', paths: ['schema.sql', 'types.ts'] };
    const sweep = { title: 'Format', paths: Array.from({ length: 20 }, (_, index) => `f${index}.ts`) };
    const learning = learnedFrom([schema, schema, schema, ...Array.from({ length: 9 }, () => columns), sweep, sweep]);
    expect(predict(learning, 'Schema again')).toEqual(['schema.sql', 'types.ts']);
    expect(predict(learning, 'Format again')).toEqual([]);
  });

  it('[LE1] [LE2] is bounded, and follows from what was told', () => {
    const change = fc.record({
      title: fc
        .array(fc.constantFrom('alpha', 'beta', 'gamma', 'delta'), { maxLength: 3 })
        .map((words) => words.join(' ')),
      paths: fc.array(
        fc.nat(40).map((number) => `f${number}.ts`),
        { maxLength: 14 },
      ),
    });
    fc.assert(
      fc.property(fc.array(change, { maxLength: 200 }), (changes) => {
        const learning = learnedFrom(changes);
        for (const { seen, paths } of [...learning.titleWords.values(), ...learning.coChanges.values()]) {
          expect(paths.length).toBeLessThanOrEqual(16);
          expect(seen).toBeLessThan(64);
          for (const [, count] of paths) expect(count).toBeLessThanOrEqual(seen);
        }
        const predicted = predict(learning, 'alpha beta');
        expect(predicted.length).toBeLessThanOrEqual(8);
        expect(predict(learnedFrom(changes), 'alpha beta')).toEqual(predicted);
      }),
    );
    const many = learnedFrom(
      Array.from({ length: 5_000 }, (_, index) => ({ title: `word${index}`, paths: [`${index}`] })),
    );
    expect(many.titleWords.size).toBe(4_096);
    expect([many.titleWords.has('word0'), many.titleWords.has('word4999')]).toEqual([false, true]);
  });

  it('[T5a] landings teach, intents that name no paths show what was learned, and an edit asks again', () => {
    const colony = new Scenario();
    for (const title of ['Router one', 'Router two', 'Router three']) land(colony, title, 'src/router.ts');
    const named = colony.intent('Router, elsewhere', { paths: ['lib/**'] });
    const open = colony.intent('Router four');
    expect(colony.state.intents.get(named)?.learnedPaths).toEqual([]);
    expect(colony.state.intents.get(open)?.learnedPaths).toEqual(['src/router.ts']);
    colony.do({ kind: 'edit-intent', intent: open, change: { title: 'Something else' } });
    expect(colony.state.intents.get(open)?.learnedPaths).toEqual([]);
    colony.do({ kind: 'edit-intent', intent: open, change: { title: 'Router five' } });
    expect(colony.take(colony.agent('a'), { paths: ['src/**'] })).toMatchObject({ grant: { intent: open } });
  });

  it('[T5a] a take asks anew: what landed since the intent was created counts', () => {
    const colony = new Scenario();
    const early = colony.intent('Router early');
    for (const title of ['Router one', 'Router two', 'Router three']) land(colony, title, 'src/router.ts');
    expect(colony.state.intents.get(early)?.learnedPaths).toEqual([]);
    const { lease } = colony.grant(colony.agent('a'), { intent: early });
    expect(colony.state.leases.get(lease)).toMatchObject({
      region: 'src',
      claims: ['src/router.ts'],
      learnedClaims: ['src/router.ts'],
    });
    expect(colony.state.intents.get(early)?.learnedPaths).toEqual(['src/router.ts']);
  });

  it('[T5b] the history before the colony is learned from once', () => {
    const colony = new Scenario();
    colony.do({ kind: 'learn-history', changes: history });
    expect(colony.events.at(-1)?.kind).toBe('history-learned');
    const count = colony.events.length;
    colony.do({ kind: 'learn-history', changes: [login] });
    expect(colony.events.length).toBe(count);
    const intent = colony.intent('Login again');
    expect(colony.state.intents.get(intent)?.learnedPaths).toEqual(['web/login.tsx']);
  });

  it('[T5c] learned claims repel at half their strength, until the agent declares them', () => {
    const colony = new Scenario();
    colony.do({ kind: 'learn-history', changes: history });
    const first = colony.agent('first');
    const { lease, epoch } = colony.grant(first, { intent: colony.intent('Login one') });
    const second = colony.agent('second');
    colony.intent('unhurried', { paths: ['web/login.tsx'], priority: -4 });
    // A learned claim counts 0.15: more than the urgency of a low priority, 0.05, and less than a plain one, 0.25.
    expect(colony.take(second)).toMatchObject({ kind: 'wait' });
    const plain = colony.intent('plain', { paths: ['web/login.tsx'] });
    expect(colony.take(second)).toMatchObject({ grant: { intent: plain } });
    colony.do({ kind: 'release', agent: second, ...grantOf(colony, plain), why: null });
    // Declared, it counts 0.3.
    colony.do({ kind: 'heartbeat', agent: first, lease, epoch, claims: ['web/login.tsx'] });
    expect(colony.state.leases.get(lease)?.learnedClaims).toEqual([]);
    expect(colony.take(colony.agent('third'))).toMatchObject({ kind: 'wait' });
  });
});

function grantOf(colony: Scenario, intent: Parameters<Scenario['state']['intents']['get']>[0]) {
  const lease = colony.state.intents.get(intent)?.lease ?? 'lse_none';
  return { lease, epoch: colony.state.leases.get(lease)?.epoch ?? 0 };
}
