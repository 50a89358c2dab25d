// Bodies: JSON in UTF-8, bounded in depth.

import { wireLimits } from '@firetrident/protocol';
import { describe, expect, test } from 'vitest';
import { exceedsDepth, parseJson } from './body.ts';

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
