// Secrets: made at random, kept as hashes, compared in constant time.
//
//   SE1. A token in clear leaves this process once, in the answer that made it; what is kept is its SHA-256.
//   SE2. The administrator's token lies in one file that only its owner can read.

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, openSync, readFileSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What a token is for; it stands in the token's prefix, so a reader of a log or a form sees which it is. */
export type TokenKind = 'admin' | 'agent' | 'join' | 'ticket';

const secretBytes = 32;

/** A fresh token: its kind as a prefix, and 32 random bytes. */
export function createToken(kind: TokenKind): string {
  return `ft_${kind}_${randomBytes(secretBytes).toString('base64url')}`;
}

/** SHA-256 of a token in hexadecimal digits: what may be kept and compared (SE1). */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Whether two hashes are equal, in a time that does not depend on where they differ. */
export function sameHash(left: string, right: string): boolean {
  const leftBytes = Buffer.from(left, 'hex');
  const rightBytes = Buffer.from(right, 'hex');
  return leftBytes.length === rightBytes.length && timingSafeEqual(leftBytes, rightBytes);
}

/** File of the administrator's token in a data directory. */
export function adminTokenPath(data: string): string {
  return join(data, 'admin-token');
}

/**
 * The administrator's token of a data directory, made at the first start (SE2). A file that others can read is
 * closed to them. Throws the platform's error when the file can be neither read nor made.
 */
export function loadAdminToken(data: string): string {
  const path = adminTokenPath(data);
  const known = readAdminToken(path);
  if (known !== null) return known;
  const token = createToken('admin');
  const file = openSync(path, 'w', 0o600);
  try {
    chmodSync(path, 0o600);
    writeSync(file, `${token}\n`);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  syncDirectory(dirname(path));
  return token;
}

/** The token in the file, or null when there is none yet or its writing was cut short. */
function readAdminToken(path: string): string | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
    if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return /^ft_admin_[A-Za-z0-9_-]{43}$/.test(text) ? text : null;
}

function syncDirectory(path: string): void {
  const directory = openSync(path, 'r');
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
