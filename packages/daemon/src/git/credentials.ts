// The token of a call by git: as the password of basic authentication with any user name, or as a bearer token.
//
//   GC1. A user name proves nothing: the token alone says who calls.

import type { IncomingMessage } from 'node:http';
import { bearerToken } from '../auth.ts';

/** Longest header that is looked at. */
const headerCharacters = 1_000;

/** The token of a call, and the name that came with it. */
export interface Credentials {
  readonly token: string;
  /** Null when none was given (GC1). */
  readonly user: string | null;
}

/** What the call carries, or null when there is no token in a form that is taken. */
export function credentialsOf(request: IncomingMessage): Credentials | null {
  const bearer = bearerToken(request);
  if (bearer !== null) return { token: bearer, user: null };
  const header = request.headers.authorization;
  if (header === undefined || header.length > headerCharacters) return null;
  const encoded = /^basic ([A-Za-z0-9+/=]+)$/i.exec(header)?.[1];
  if (encoded === undefined) return null;
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const end = text.indexOf(':');
  if (end < 0) return null;
  const token = text.slice(end + 1);
  // Some tools put a token in the place of the name and leave the password empty.
  if (token === '') return text.length > 1 ? { token: text.slice(0, end), user: null } : null;
  return { token, user: text.slice(0, end) || null };
}
