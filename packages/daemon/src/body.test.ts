// Bodies: JSON in UTF-8, bounded in depth.

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { wireLimits } from '@firetrident/protocol';
import { describe, expect, test } from 'vitest';
import { BodyBudget, exceedsDepth, parseJson, readBody } from './body.ts';

function nested(levels: number): string {
  return `${'['.repeat(levels)}${']'.repeat(levels)}`;
}

describe('JSON', () => {
  test('an empty body is an empty object', () => {
    expect(parseJson(Buffer.from(''))).toEqual({ ok: true, value: {} });
  });

  test.each([['{'], ['{"a":1}x'], ["{'a':1}"], ['undefined'], ['\ufeff']])('%s is not JSON', (text) => {
    expect(parseJson(Buffer.from(text))).toMatchObject({ ok: false, error: { code: 'invalid_json' } });
  });

  test('bytes that are not UTF-8 are refused, not replaced', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xe9]), Buffer.from('"}')]);
    expect(parseJson(bytes)).toMatchObject({ ok: false, error: { code: 'invalid_json' } });
  });

  test('[BO2] nesting is bounded, however deep it is', () => {
    expect(parseJson(Buffer.from(nested(wireLimits.jsonDepth))).ok).toBe(true);
    for (const levels of [wireLimits.jsonDepth + 1, 100_000]) {
      expect(parseJson(Buffer.from(nested(levels)))).toMatchObject({ ok: false, error: { code: 'invalid_json' } });
    }
  });

  test('[BO2] depth is counted over objects and lists alike', () => {
    expect(exceedsDepth({ a: [{ b: 1 }] }, 3)).toBe(false);
    expect(exceedsDepth({ a: [{ b: 1 }] }, 2)).toBe(true);
    expect(exceedsDepth('text', 0)).toBe(false);
  });
});

describe('[BO3] all bodies together', () => {
  /** A request that sends these parts: what reading a body uses of one. */
  function sending(parts: readonly Buffer[]): IncomingMessage {
    return Object.assign(Readable.from(parts), { headers: {} }) as unknown as IncomingMessage;
  }

  test('a body beyond the budget is refused, and what was held is told', async () => {
    const budget = new BodyBudget(10);
    let held = 0;
    const parts = [Buffer.alloc(6), Buffer.alloc(6)];
    const read = await readBody(sending(parts), 100, budget, (bytes) => {
      held += bytes;
    });
    expect(read).toMatchObject({ ok: false, error: { code: 'too_many_requests' } });
    expect([held, budget.held]).toEqual([6, 6]);
    budget.release(held);
    expect(budget.held).toBe(0);
    const again = await readBody(sending([Buffer.alloc(10)]), 100, budget, () => undefined);
    expect(again.ok).toBe(true);
  });
});
