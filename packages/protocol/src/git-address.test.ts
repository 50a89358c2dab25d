// Addresses of repositories elsewhere: taken apart, or refused.

import { describe, expect, test } from 'vitest';
import { readGitAddress } from './git-address.ts';

describe('addresses of repositories elsewhere', () => {
  test.each([
    ['https://u:p%40ss@host:8443/a.git', 'https://host:8443/a.git', { user: 'u', password: 'p@ss' }],
    ['http://token@[::1]:80/a', 'http://[::1]:80/a', { user: 'token', password: '' }],
    ['https://host/a.git', 'https://host/a.git', null],
    ['ssh://git@host:22/a.git', 'ssh://git@host:22/a.git', null],
    ['git@host:a.git', 'git@host:a.git', null],
    ['file:///srv/a@b.git', 'file:///srv/a@b.git', null],
    ['/srv/a@b.git', '/srv/a@b.git', null],
  ])('%s is taken apart', (address, bare, credentials) => {
    expect(readGitAddress(address)).toEqual({ ok: true, value: { bare, credentials } });
  });

  test.each([
    'https://u:s3cret/b@host/a', // [GA1]
    'https://u:s3cret@ss@host/a',
    'https://u:s3:cret@host/a',
    'https://u:s3?cret@host/a',
    'https://host/a?private_token=s3cret',
    'https://host/a#s3cret',
    'https://u:s3cret%@host/a',
    'https://u:s3cret%0A@host/a',
    'https://u:s3 cret@host/a',
    'ssh://u:s3cret@host/a', // [GA2]
    'http::https://u:s3cret@host/a',
    ' https://u:s3cret@host/a',
  ])('[GA1] [GA2] %s is refused in words that do not repeat it', (address) => {
    const read = readGitAddress(address);
    expect(read.ok).toBe(false);
    expect(JSON.stringify(read)).not.toContain('s3');
  });
});
