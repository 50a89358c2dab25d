// The closing line of the test command must tell the truth, since machines read it.

import { describe, expect, it } from 'vitest';
import { closingLine, countTests } from './test.ts';

describe('the closing line', () => {
  it('adds up the parts', () => {
    const parts = [
      { passed: 1, failed: 0, skipped: 0 },
      { passed: 40, failed: 2, skipped: 0 },
    ];
    expect(closingLine(parts)).toBe('41 passed, 2 failed');
  });

  it('names skipped tests only when there are some', () => {
    expect(closingLine([{ passed: 3, failed: 0, skipped: 2 }])).toBe('3 passed, 0 failed, 2 skipped');
  });
});

describe('counting vitest', () => {
  it('takes the numbers of the report', () => {
    const report = JSON.stringify({ numPassedTests: 5, numFailedTests: 1, numPendingTests: 2, numTodoTests: 1 });
    expect(countTests(1, report)).toEqual({ passed: 5, failed: 1, skipped: 3 });
  });

  it('[TS1] counts a bad end without a failed test as a failure', () => {
    expect(countTests(1, JSON.stringify({ numPassedTests: 5, numFailedTests: 0 })).failed).toBe(1);
  });

  it('[TS1] counts a run without any report as a failure', () => {
    expect(countTests(1, '')).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });
});
