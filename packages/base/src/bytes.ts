// Bytes and text, without any platform's buffer type.

/** Codes of the hexadecimal digits. */
const digitCodes = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));
/** Bytes that are spelled in one go: as many as an object id has, because ids are what is spelled most. */
const spelledBytes = 20;
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** UTF-8 bytes of `text`. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Text of UTF-8 `bytes`; malformed sequences become U+FFFD. */
export function utf8Text(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Lower-case hexadecimal digits of the bytes from `from` up to `to`. */
export function hexText(bytes: Uint8Array, from = 0, to = bytes.length): string {
  let text = '';
  // In long pieces: a text put together from pairs is a chain until somebody flattens it, and stays one afterwards.
  for (let start = from; start < to; start += spelledBytes) {
    const length = Math.min(spelledBytes, to - start);
    const codes = new Array<number>(length * 2);
    for (let index = 0; index < length; index += 1) {
      const byte = bytes[start + index] as number;
      codes[index * 2] = digitCodes[byte >> 4] as number;
      codes[index * 2 + 1] = digitCodes[byte & 15] as number;
    }
    text += String.fromCharCode.apply(null, codes);
  }
  return text;
}

/** Bytes of an even number of hexadecimal digits. */
export function hexBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length >> 1);
  for (let index = 0; index < bytes.length; index += 1) {
    bytes[index] = Number.parseInt(text.slice(index * 2, index * 2 + 2), 16);
  }
  return bytes;
}

/** Whether two byte strings are equal. */
export function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1) if (left[index] !== right[index]) return false;
  return true;
}

/** Orders byte strings as unsigned bytes; a prefix comes first. */
export function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index += 1) {
    const difference = (left[index] as number) - (right[index] as number);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

/** Joins byte strings. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += part.length;
  const joined = new Uint8Array(length);
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
