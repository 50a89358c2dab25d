import { expect, it } from 'vitest';
import { standingText } from './work-text.ts';

const working = {
  intent: { id: 'int_1', title: 'Mend\nthe roof' },
  lease: 'lse_1',
  expiresAt: '2026-01-01T00:10:00.000Z',
  proposal: null,
  state: 'working',
  reservedUntil: null,
} as const;

it('says whose work it is, until when, and what comes next', () => {
  expect(standingText(working)).toBe(
    'Work here: int_1  Mend the roof\nLease lse_1: runs until 2026-01-01T00:10:00.000Z\n',
  );
  expect(standingText({ ...working, expiresAt: null, proposal: 'prp_1', state: 'queued' })).toBe(
    'Work here: int_1  Mend the roof\nLease lse_1: its clock stands still\n' +
      'Proposed: prp_1 is queued; for its outcome: firetrident propose\n',
  );
  const back = { ...working, proposal: 'prp_1', state: 'returned', reservedUntil: '2026-01-01T00:01:00.000Z' } as const;
  expect(standingText(back)).toContain(
    'Came back: prp_1; look through the files, then: firetrident propose\nIt came back too often',
  );
});
