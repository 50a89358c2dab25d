// What a push takes of the budget of bodies.

import { expect, test } from 'vitest';
import { contentBytes } from './receive.ts';

test('content that several paths share is held once, and counted once', () => {
  const shared = Buffer.from('shared');
  const write = (path: string, bytes: Uint8Array) => ({ path, content: { bytes } });
  const writes = [write('a', shared), write('b', shared), write('c', Buffer.from('own')), { path: 'd', content: null }];
  const parts = [
    { commits: [], writes },
    { commits: [], writes: [write('e', shared)] },
  ];
  expect(contentBytes({ base: '0'.repeat(40), commits: [], parts })).toBe(9);
});
