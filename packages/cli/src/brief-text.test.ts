import type { BriefResponse } from '@firetrident/protocol';
import { describe, expect, it } from 'vitest';
import { briefText } from './brief-text.ts';

const oid = '1'.repeat(40);
const cause = { landing: 'lnd_7' as const, intent: { id: 'int_3' as const, title: 'Rename\nthe parser' }, diff: '' };
const write = { base: oid, tip: oid, baseMode: '100644', tipMode: '100644', ...cause };

function text(parts: Partial<BriefResponse>): string {
  return briefText({ trunk: oid, reads: [], writes: [], ...parts });
}

describe('a brief in words', () => {
  it('names each conflict, what caused it, and the difference', () => {
    const diff = '@@ -1 +1 @@\n-old\n+new\x1b[2J\n';
    expect(text({ writes: [{ path: 'a.ts', kind: 'content', ...write, diff }] })).toBe(
      '- a.ts: you and someone else changed the same lines\n  through lnd_7, "Rename the parser"\n' +
        '    @@ -1 +1 @@\n    -old\n    +new [2J\n',
    );
  });

  it.each([
    ['add/add', {}, 'someone else added it too, differently'],
    ['delete/edit', {}, 'you deleted what someone else changed'],
    ['delete/edit', { tip: null }, 'you changed what someone else deleted'],
    ['file/directory', {}, 'it is a file on one side and a folder on the other'],
    ['mode', { tipMode: '100755' }, 'the modes do not go together (100644 became 100755 on trunk)'],
    ['binary', {}, 'it is binary, and someone else changed it too'],
    ['parse', {}, 'merged, it would not parse any more'],
    ['strict', {}, 'someone else changed it, and its policy allows no merge'],
    ['case', {}, 'trunk has a path that differs only in case'],
    ['chain', {}, 'an earlier part of the same work came back'],
  ] as const)('says what a %s conflict is', (kind, more, words) => {
    expect(text({ writes: [{ path: 'p', kind, ...write, ...more }] })).toBe(
      `- p: ${words}\n  through lnd_7, "Rename the parser"\n`,
    );
  });

  it.each([
    [{ path: 'a.ts' }, 'you read a.ts; it has changed'],
    [{ path: 'a.ts', symbol: 'parse' }, 'you read parse of a.ts; it has changed'],
    [{ path: 'a.ts', symbol: 'parse', signature: true }, 'you read the signature of parse of a.ts; it has changed'],
    [{ path: 'a.ts', lines: [2, 9] as [number, number] }, 'you read lines 2 to 9 of a.ts; it has changed'],
    [{ dir: '' }, 'you read the listing of the root; it has changed'],
    [{ glob: 'src/*.ts' }, 'you read what matches src/*.ts; it has changed'],
    [{ pathBase64: Buffer.from('caf\xe9', 'latin1').toString('base64') }, 'you read caf\ufffd; it has changed'],
  ])('says what was read: %j', (read, words) => {
    expect(text({ reads: [{ ...read, was: oid, now: '2'.repeat(40), ...cause, landing: null }] })).toBe(`- ${words}\n`);
  });

  it('tells what is gone from what appeared', () => {
    const read = { path: 'a.ts', ...cause, landing: null };
    expect(text({ reads: [{ ...read, was: oid, now: null }] })).toBe('- you read a.ts; it is gone\n');
    expect(text({ reads: [{ ...read, was: null, now: oid }] })).toBe(
      '- you read that there is no a.ts; now there is\n',
    );
  });
});
