// Object ids between their two spellings: 40 hexadecimal digits and 20 bytes. Hot, hence by table.

import { assert, hexText, type Oid } from '@firetrident/base';

/** Length of an object id in bytes. */
export const oidLength = 20;

const digitOf = new Int8Array(256).fill(-1);
for (let digit = 0; digit < 16; digit += 1) digitOf['0123456789abcdef'.charCodeAt(digit)] = digit;

/** Writes the 20 bytes of `oid` at `offset`. */
export function writeOid(oid: Oid, target: Uint8Array, offset: number): void {
  // Negative as soon as one digit is none; a message for each of them would cost more than the digits.
  let signs = oid.length === 40 ? 0 : -1;
  for (let index = 0; index < oidLength; index += 1) {
    const high = digitOf[oid.charCodeAt(index * 2)] as number;
    const low = digitOf[oid.charCodeAt(index * 2 + 1)] as number;
    signs |= high | low;
    target[offset + index] = (high << 4) | low;
  }
  assert(signs >= 0, `"${oid}" is an object id`);
}

/** The 20 bytes of `oid`. */
export function oidBytes(oid: Oid): Uint8Array {
  const bytes = new Uint8Array(oidLength);
  writeOid(oid, bytes, 0);
  return bytes;
}

/** The id whose 20 bytes lie at `offset`. */
export function oidText(bytes: Uint8Array, offset = 0): Oid {
  return hexText(bytes, offset, offset + oidLength);
}
