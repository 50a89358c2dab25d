// Addresses of repositories elsewhere, taken apart so that what is secret in them never travels or shows with the rest.
//
//   GA1. An address of which two readers could disagree where its password ends is refused.
//   GA2. Only HTTP takes a password; elsewhere git would show it, or use it for nothing.

import { no, ok, type Result } from '@firetrident/base';

/** Whom a server is to believe that it speaks to. */
export interface GitCredentials {
  readonly user: string;
  /** Empty when the address names only a user, as tokens are often given. */
  readonly password: string;
}

/** An address or a path that git understands. */
export interface GitAddress {
  /** The address without its credentials. */
  readonly bare: string;
  readonly credentials: GitCredentials | null;
}

const parts = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/i;
const hostAndPort = /^(?:[^@:[\]]+|\[[0-9a-f:.]+\])(?::\d*)?$/i;

/** Takes an address apart; or answers, for a person, why it is refused. The answer never repeats a part of it. */
export function readGitAddress(address: string): Result<GitAddress, string> {
  if (/^[a-z0-9]+::/i.test(address)) return no('must not name a remote helper');
  if (!address.includes('://')) return ok({ bare: address, credentials: null });
  const found = parts.exec(address);
  if (found === null || /\s/.test(address)) return no('must be an address or a path');
  const [, scheme = '', authority = '', path = ''] = found;
  if (authority === '') return ok({ bare: address, credentials: null });
  // (GA1)
  if (/[?#]/.test(path)) return no('must have no query and no fragment');
  if (path.includes('@') || authority.indexOf('@') !== authority.lastIndexOf('@')) {
    return no('must write "@", "/" and ":" in a user, a password or a path as %40, %2F and %3A');
  }
  const end = authority.indexOf('@');
  if (!hostAndPort.test(authority.slice(end + 1))) return no('must name a host, and a port as a number');
  if (end < 0) return ok({ bare: address, credentials: null });
  const [user = '', ...more] = authority.slice(0, end).split(':');
  if (more.length > 1) return no('must write ":" in a password as %3A');
  if (!/^https?$/i.test(scheme)) {
    return more.length === 0
      ? ok({ bare: address, credentials: null })
      : no('must have no password: only HTTP takes one'); // (GA2)
  }
  const credentials = { user: decoded(user), password: decoded(more[0] ?? '') };
  if (credentials.user === null || credentials.password === null) return no('must write "%" in a password as %25');
  return ok({
    bare: `${scheme}://${authority.slice(end + 1)}${path}`,
    credentials: { user: credentials.user, password: credentials.password },
  });
}

/** What is meant by percent signs; null when nothing is, or what would break a line. */
function decoded(text: string): string | null {
  try {
    const plain = decodeURIComponent(text);
    return /[\r\n\0]/.test(plain) ? null : plain;
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}
