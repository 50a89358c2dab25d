// The form of a snapshot, and what events of earlier versions mean.

import { assert, type Json } from '@firetrident/base';
import { expect, it } from 'vitest';
import { readEvent } from './event-reading.ts';
import { defaultPolicy } from './policy.ts';
import { Scenario, write } from './scenario.ts';
import { restoreState, serialiseState, snapshotForm, snapshotText } from './serialise.ts';

/** Names of the fields of the first entry of a map in a snapshot. */
function namesOf(entries: unknown): string {
  const [entry] = entries as [string, object][];
  return Object.keys(entry?.[1] ?? {})
    .sort()
    .join(' ');
}

it('[SE2] what a snapshot of form 3 holds: whoever changes this list raises the number with it', () => {
  const scenario = new Scenario();
  const [ada, bob] = [scenario.worker('ada'), scenario.worker('bob')];
  scenario.propose(ada, [write('src/a.ts')]);
  scenario.cycle(() => 'landed');
  scenario.propose(bob, [write('src/b.ts')]);
  const { format, ...fields } = serialiseState(scenario.state) as Record<string, Json>;
  expect(format).toBe(3);
  expect(Object.keys(fields).sort().join(' ')).toMatchInlineSnapshot(
    `"admissions agents attention branch coChanges counter createdAt cycle cycleOrder cycleQuarantined freeze generation historyLearned id intents joinTokens landedSeconds lastExternal leases lifeMs lostLeases notes pace packages policy preserved preserving proposals queue random recentIntents recentLandings recentProposals reservations sentParts settledLeases sigma sigmaAt staleness standings stoppedAgents tip titleWords together totals waits workMs"`,
  );
  expect(namesOf(fields['intents'])).toMatchInlineSnapshot(
    `"after attempts body createdAt duplicateOf epoch id key labels landings learnedPaths lease parent paths priority reason returns state title waitingOn"`,
  );
  expect(namesOf(fields['agents'])).toMatchInlineSnapshot(
    `"id idleSince joinToken kind labels leases name registeredAt state thresholds tokenHash workspace"`,
  );
  expect(namesOf(fields['leases'])).toMatchInlineSnapshot(
    `"agent base claims epoch expiresAt headsUps id intent learnedClaims open placed proposals recorded refreshedAt region state takenAt unlisted windowEndsAt workingSince"`,
  );
  expect(namesOf(fields['proposals'])).toMatchInlineSnapshot(
    `"agent base brief epoch final id intent key lease message predecessor proposedAt reads region repairOf returns state takenAt title tokens workMs writes"`,
  );
  expect(namesOf(fields['recentLandings'])).toMatchInlineSnapshot(`"at landing region returned shares"`);
  expect(namesOf(fields['standings'])).toMatchInlineSnapshot(`"activeAt inhibition sigma tickedAt windowMs workTimes"`);
});

it('[ER1] a policy in a snapshot that lacks a later field has it at its default', () => {
  const written = serialiseState(new Scenario().state) as { policy: { landing: object } };
  const { landing, ...rest } = written.policy;
  expect(landing).not.toEqual({});
  const restored = restoreState({ ...written, policy: { ...rest, landing: {} } } as unknown as Json);
  expect(restored.policy).toEqual(defaultPolicy);
});

it('[SE3] the pieces of a snapshot are its whole text, none of them long', () => {
  const scenario = new Scenario();
  scenario.worker('ada');
  const [first] = scenario.state.agents.values();
  assert(first !== undefined, 'an agent');
  const long = 'long '.repeat(200);
  for (let number = 0; number < 600; number += 1)
    scenario.state.agents.set(`agt_${number}`, { ...first, id: `agt_${number}`, name: long });
  const pieces = [...snapshotText(scenario.state)];
  expect(JSON.parse(pieces.join(''))).toEqual(JSON.parse(JSON.stringify(serialiseState(scenario.state))));
  expect(pieces.join('').length).toBeGreaterThan(600 * long.length);
  expect(Math.max(...pieces.map((piece) => piece.length))).toBeLessThan(256 * 1024);
});

it('[SE2] tells forms apart by their number', () => {
  expect(snapshotForm(serialiseState(new Scenario().state))).toBe('ours');
  expect(snapshotForm({ format: 1, intents: [] })).toBe('older');
  expect(snapshotForm({ format: 2, intents: [] })).toBe('older');
  expect(snapshotForm({ format: 1_000 })).toBe('newer');
});

it('[ER1] events of earlier versions are complete', () => {
  expect(readEvent({ kind: 'proposed', at: 1 })).toMatchObject({ kind: 'proposed', tokens: 0 });
  expect(readEvent({ kind: 'proposed', at: 1, tokens: 7 })).toMatchObject({ tokens: 7 });
  const { reservationMs: _, ...former } = { ...defaultPolicy, leaseMs: 5, limits: { agents: 3 } };
  const policy = { ...defaultPolicy, leaseMs: 5, limits: { ...defaultPolicy.limits, agents: 3 } };
  expect(readEvent({ kind: 'policy-set', at: 1, policy: former } as unknown as Json)).toMatchObject({ policy });
});

it('[SE3] the text of a snapshot is of the moment in which it began, also when the state goes on before it is taken', () => {
  const scenario = new Scenario();
  const [ada, bob] = [scenario.worker('ada'), scenario.worker('bob')];
  scenario.propose(ada, [write('src/a.ts'), write('src/b.ts')]);
  scenario.cycle(() => 'landed');
  const before = JSON.stringify(serialiseState(scenario.state));
  const pieces = snapshotText(scenario.state);
  scenario.propose(bob, [write('src/a.ts'), write('src/b.ts')]);
  scenario.cycle(() => 'landed');
  expect([...pieces].join('')).toBe(before);
  expect(JSON.stringify(serialiseState(scenario.state))).not.toBe(before);
});
