import type { AgentEvent } from '@firetrident/agents';
import { describe, expect, it } from 'vitest';
import { eventText } from './fleet-progress.ts';
import { FleetTally } from './fleet-tally.ts';
import { coloursFor } from './render.ts';

const about = (number: number) => ({ agent: `agent-${number}`, intent: `int_${number}`, title: `Title ${number}` });
const landed = { kind: 'landed' as const, landing: 'lnd_1', commit: '1', merged: 0, repairs: 0, landMs: 100 };

describe('a tally', () => {
  it('counts intents by their end, and who is at work', () => {
    const tally = new FleetTally();
    const events: AgentEvent[] = [
      { kind: 'taken', ...about(1) },
      { kind: 'taken', ...about(2) },
      { kind: 'taken', ...about(3) },
      { kind: 'proposed', ...about(1), proposal: 'prp_1', writes: 1 },
      { ...landed, ...about(1), merged: 3 },
      { kind: 'returned', ...about(2), causes: ['Title 1'] },
      { kind: 'returned', ...about(2), causes: ['Title 1'] },
      { ...landed, ...about(2), repairs: 2, landMs: 900 },
      { kind: 'taken', ...about(4) },
      { kind: 'heads-up', ...about(3), paths: ['a.ts'], causes: ['Title 1'], merged: false },
      { kind: 'used', ...about(3), usage: { tokens: 30, costUsd: 0.5 } },
      { kind: 'used', ...about(4), usage: { tokens: 12, costUsd: null } },
      { kind: 'activity', ...about(4), activity: { kind: 'tool', name: 'Bash' } },
      { kind: 'unchanged', ...about(4) },
    ];
    for (const event of events) tally.add(event);
    expect(tally.working).toBe(1);
    expect(tally.ended).toBe(3);
    expect(tally.figures()).toEqual({
      landed: 2,
      merged: 1,
      unchanged: 1,
      returns: 2,
      headsUps: 1,
      repaired: 1,
      failedAttempts: 0,
      failed: 0,
      captured: 0,
      setAside: 0,
      tokens: 42,
      costUsd: 0.5,
      timeToLandMs: { p50: 100, p99: 900 },
    });
  });

  it('counts what was kept of checkouts, and what had to be left', () => {
    const tally = new FleetTally();
    tally.add({ kind: 'captured', capture: 'cap_1', reason: 'int_1' });
    tally.add({ kind: 'set-aside', directory: '/place', why: 'unreadable' });
    expect(tally.figures()).toMatchObject({ captured: 1, setAside: 1, failed: 0 });
  });

  it('forgives an intent that failed once what lands later', () => {
    const tally = new FleetTally();
    for (const number of [1, 2]) tally.add({ kind: 'failed', ...about(number), why: 'ended with 1' });
    tally.add({ ...landed, ...about(1) });
    expect(tally.figures()).toMatchObject({ failedAttempts: 2, failed: 1, landed: 1 });
  });
});

describe('progress', () => {
  const plain = coloursFor(false);
  it.each([
    [{ ...landed, ...about(1), landMs: 1_234 }, 'landed    agent-1  Title 1  1.23 s'],
    [{ ...landed, ...about(1), merged: 2, repairs: 1 }, 'landed    agent-1  Title 1  0.10 s, merged, repaired once'],
    [{ ...landed, ...about(1), repairs: 3 }, 'landed    agent-1  Title 1  0.10 s, repaired 3 times'],
    [{ kind: 'unchanged', ...about(1) }, 'unchanged agent-1  Title 1'],
    [{ kind: 'returned', ...about(1), causes: ['A', 'B'] }, 'returned  agent-1  Title 1  because of A, B'],
    [
      { kind: 'heads-up', ...about(1), paths: ['a.ts', 'b.ts'], causes: ['A'], merged: false },
      'heads-up  agent-1  Title 1  a.ts, b.ts changed by A, it finishes first',
    ],
    [
      { kind: 'heads-up', ...about(1), paths: ['a.ts'], causes: ['A', 'B'], merged: true },
      'heads-up  agent-1  Title 1  a.ts changed by A, B, merged in',
    ],
    [{ kind: 'captured', capture: 'cap_1', reason: 'int_1' }, 'captured  cap_1  what was left of int_1'],
    [{ kind: 'set-aside', directory: '/place', why: 'no' }, 'set aside /place  no'],
    [{ kind: 'failed', ...about(1), why: 'ended\nwith 1' }, 'failed    agent-1  Title 1  ended with 1'],
    [{ kind: 'taken', ...about(1) }, null],
    [{ kind: 'ended', agent: 'agent-1' }, null],
  ] as [AgentEvent, string | null][])('of %j', (event, text) => {
    expect(eventText(event, plain)).toBe(text);
  });
});
