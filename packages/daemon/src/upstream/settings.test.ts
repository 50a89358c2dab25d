// What is shown of addresses.

import { expect, test } from 'vitest';
import { withoutSecrets } from './settings.ts';

test.each([
  ["fatal: unable to access 'https://u:p@host/a.git': no", "fatal: unable to access 'https://host/a.git': no"],
  ['https://u:a/b@host/x', 'https://host/x'],
  ['https://u:p@ss@host/x', 'https://host/x'],
  ["no 'https://host/x?private_token=t&a=b': x@y", "no 'https://host/x': x@y"],
  ['https://u:p?s@host/x?a', 'https://host/x'],
  ['both https://u:p@one/a and ssh://git@two/b', 'both https://one/a and ssh://two/b'],
])('[US2] %s shows nothing secret', (text, shown) => {
  expect(withoutSecrets(text)).toBe(shown);
});
