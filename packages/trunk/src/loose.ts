// Loose objects: one zlib stream per file, which begins with the object's kind and size.

import type { ObjectCodec } from './codec.ts';
import type { ObjectType, StoredObject } from './object-type.ts';

const headerPattern = /^(commit|tree|blob|tag) (\d{1,15})$/;

/** The object in a loose object's file, or null when it is damaged. */
export function parseLoose(file: Uint8Array, codec: ObjectCodec): StoredObject | null {
  const whole = codec.inflate(file, null)?.bytes;
  if (!whole) return null;
  const end = whole.indexOf(0);
  if (end < 0 || end > 32) return null;
  const match = headerPattern.exec(String.fromCharCode(...whole.subarray(0, end)));
  const bytes = whole.subarray(end + 1);
  return match && Number(match[2]) === bytes.length ? { type: match[1] as ObjectType, bytes } : null;
}
