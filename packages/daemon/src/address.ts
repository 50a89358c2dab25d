// Addresses: matching the raw target of a call against the paths of the endpoint table.
//
// Works on the target as it came over the wire, because the usual parsers fold dot segments and decode as UTF-8 only.
//
//   AD1. A path of a tree is decoded byte by byte, so every name that git can hold can be asked for.

import { pathText, type TreePath } from '@firetrident/base';

/** The raw target in its two parts. */
export interface Target {
  readonly path: string;
  readonly query: string;
}

/** Splits a request target; a target in absolute form loses its origin. */
export function splitTarget(target: string): Target {
  const local = target.replace(/^https?:\/\/[^/?#]*/i, '');
  const end = local.indexOf('?');
  return end < 0 ? { path: local, query: '' } : { path: local.slice(0, end), query: local.slice(end + 1) };
}

/** What the variable parts of an address stand for: decoded segments, and the tree path behind `*path`. */
export interface AddressParts {
  readonly segments: Readonly<Record<string, string>>;
  readonly path: TreePath | null;
}

/** Bytes that a percent-encoded text stands for, or null when an escape is broken. */
export function percentBytes(text: string): Uint8Array | null {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return null;
  const raw = Buffer.from(text, 'utf8');
  const bytes = new Uint8Array(raw.length);
  let length = 0;
  for (let index = 0; index < raw.length; index += 1) {
    const byte = raw[index] as number;
    if (byte === 0x25) {
      bytes[length] = Number.parseInt(raw.toString('latin1', index + 1, index + 3), 16);
      index += 2;
    } else bytes[length] = byte;
    length += 1;
  }
  return bytes.subarray(0, length);
}

function decodeSegment(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch (error) {
    if (error instanceof URIError) return null;
    throw error;
  }
}

/** The parts of `path` by `pattern` (`:name` for one segment, `*path` for the rest), or null when it does not match. */
export function matchAddress(pattern: string, path: string): AddressParts | null {
  const expected = pattern.split('/');
  const given = path.split('/');
  const rest = expected.at(-1) === '*path';
  const fixed = rest ? expected.length - 1 : expected.length;
  if (given.length < fixed || (!rest && given.length !== fixed)) return null;
  const segments: Record<string, string> = {};
  for (let index = 0; index < fixed; index += 1) {
    const want = expected[index] as string;
    const got = given[index] as string;
    if (!want.startsWith(':')) {
      if (want !== got) return null;
      continue;
    }
    const decoded = decodeSegment(got);
    if (decoded === null || decoded === '') return null;
    segments[want.slice(1)] = decoded;
  }
  if (!rest) return { segments, path: null };
  const bytes = percentBytes(given.slice(fixed).join('/'));
  return bytes === null ? null : { segments, path: pathText(bytes) };
}
