import type { LandingResponse, WhyResponse } from '@firetrident/protocol';
import { describe, expect, it } from 'vitest';
import { whyText } from './why-text.ts';

const oid = 'abcdef0123456789abcdef0123456789abcdef01';

function landing(id: `lnd_${string}`, title: string, returns: LandingResponse['returns'] = []): LandingResponse {
  return {
    landing: id,
    commit: oid,
    batch: 'bat_1',
    cycle: 'cyc_1',
    proposal: 'prp_1',
    intent: { id: 'int_1', title },
    agent: { id: 'agt_1', name: 'ada', kind: 'command' },
    region: 'src',
    base: oid,
    external: null,
    writes: [
      { path: 'a.ts', before: oid, beforeMode: '100644', after: oid, afterMode: '100644' },
      { path: 'b.ts', before: oid, beforeMode: '100644', after: null, afterMode: null },
      { path: 'c.ts', before: null, beforeMode: null, after: oid, afterMode: '100644' },
      { path: 'd.ts', before: oid, beforeMode: '100644', after: oid, afterMode: '100644' },
    ],
    reads: [{ path: 'e.ts', symbol: 'parse', at: oid, source: 'imports' }],
    merged: ['d.ts'],
    unchanged: [],
    decision: { by: 'off', answers: [] },
    checks: [],
    returns,
    waste: { returns: 0, wastedMs: 0, wastedTokens: 0 },
    at: { taken: '2026-01-01T00:00:00.000Z', proposed: '2026-01-01T00:01:05.000Z', landed: '2026-01-01T00:01:05.420Z' },
  };
}

function page(of: LandingResponse | null): WhyResponse {
  return {
    path: 'a.ts',
    line: 3,
    text: '\tconst a = 1;',
    commit: oid,
    summary: 'Sub ject',
    author: 'Ada',
    at: '2026-01-01T00:00:00.000Z',
    landing: of,
  };
}

describe('why', () => {
  it('tells the intent, the agent, what was written and read, and how long it took', () => {
    expect(whyText('a.ts', page(landing('lnd_1', 'Title')), new Map())).toBe(`a.ts:3
    const a = 1;

Landing  lnd_1, commit abcdef012345, 2026-01-01T00:01:05.420Z
Intent   int_1  Title
Agent    ada (command)
Base     abcdef012345
Wrote    a.ts, b.ts (deleted), c.ts (new), d.ts (merged)
Read     parse of e.ts (imports)
Time     1 min 5 s from the take to the proposal that landed, 0.42 s more to the landing
`);
  });

  it('follows causes to theirs, each once, however they refer to each other', () => {
    const first = landing('lnd_1', 'First', [{ proposal: 'prp_2', causes: ['lnd_2', 'lnd_9'] }]);
    const second = landing('lnd_2', 'Second', [
      { proposal: 'prp_3', causes: ['lnd_3'] },
      { proposal: 'prp_4', causes: [] },
    ]);
    const third = landing('lnd_3', 'Third', [{ proposal: 'prp_5', causes: ['lnd_2'] }]);
    const text = whyText(
      'a.ts',
      page(first),
      new Map([
        ['lnd_2', second],
        ['lnd_3', third],
      ]),
    );
    expect(text.slice(text.indexOf('Came'))).toBe(`Came back 1 time:
  prp_2, because lnd_2 "Second" by ada had moved what it stood on
    Came back 2 times:
      prp_3, because lnd_3 "Third" by ada had moved what it stood on
        Came back 1 time:
          prp_5, because lnd_2 "Second" by ada had moved what it stood on
      prp_4, by no landing that is known
  prp_2, because lnd_9 had moved what it stood on
`);
  });

  it('[R5] tells what the landing made others lose', () => {
    const costly = { ...landing('lnd_1', 'Costly'), waste: { returns: 30, wastedMs: 65_000, wastedTokens: 1_200 } };
    expect(whyText('a.ts', page(costly), new Map())).toContain(
      '\nCost     30 returns of others, 1 min 5 s of their work and 1200 tokens lost\n',
    );
  });

  it('says so of a line that is older than the colony, and of one that was pushed past it', () => {
    expect(whyText('a.ts', page(null), new Map())).toBe(
      'a.ts:3\n    const a = 1;\n\nCommit   abcdef012345 of 2026-01-01T00:00:00.000Z, by Ada\nSubject  Sub ject\n' +
        'It is older than the colony, so nothing more is known.\n',
    );
    const pushed = { ...landing('lnd_4', 'Fix'), external: { from: oid, commits: 2 } };
    expect(whyText('a.ts', page(pushed), new Map())).toMatch(/\nPushed {3}by ada, 2 commits, past the colony\n$/);
  });

  it('spells out only so many of many', () => {
    const many = landing('lnd_1', 'Many');
    const writes = Array.from({ length: 15 }, (_, index) => ({
      ...(many.writes[0] as LandingResponse['writes'][number]),
      path: `f${index}`,
    }));
    expect(whyText('a.ts', page({ ...many, writes }), new Map())).toContain('f10, f11 and 3 more\n');
  });
});
