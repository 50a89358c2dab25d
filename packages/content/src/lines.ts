// Texts as sequences of lines.
//
// A line is a run of bytes up to and including its "\n"; the last line may lack it. Nothing here knows an encoding,
// and "\r" is an ordinary byte: files in Latin-1 or with CRLF pass through untouched.
//
// Invariants:
//   LN1. The lines of a text, joined, are the text; none of them is empty.
//   LN2. Within one LineNumbering two lines have the same number exactly when their bytes are equal, so "x" and "x\n"
//        are different lines.

/** A text cut into lines, each known by a number instead of its bytes. */
export type NumberedText = {
  readonly bytes: Uint8Array;
  /** The number of each line (LN2). */
  readonly numbers: Int32Array;
  /** Byte offset of each line, and the length of the text as last element. */
  readonly starts: Int32Array;
};

// This decoder gives exactly one character for each byte and a different one for each value, which is all that LN2
// needs: the characters serve as keys and are never shown.
const byteDecoder = new TextDecoder('windows-1252');

/** Gives equal lines equal numbers, across all texts that are numbered by the same instance (LN2). */
export class LineNumbering {
  readonly #numberOf = new Map<string, number>();

  /** How many different lines were seen; numbers run from 0 below this. */
  get count(): number {
    return this.#numberOf.size;
  }

  /** Cuts `bytes` into lines and numbers them. */
  number(bytes: Uint8Array): NumberedText {
    const text = byteDecoder.decode(bytes);
    const numbers: number[] = [];
    const starts: number[] = [0];
    for (let start = 0; start < text.length; ) {
      const newline = text.indexOf('\n', start);
      const end = newline < 0 ? text.length : newline + 1;
      numbers.push(this.#numberFor(text.slice(start, end)));
      starts.push(end);
      start = end;
    }
    return { bytes, numbers: Int32Array.from(numbers), starts: Int32Array.from(starts) };
  }

  #numberFor(line: string): number {
    const known = this.#numberOf.get(line);
    if (known !== undefined) return known;
    const number = this.#numberOf.size;
    this.#numberOf.set(line, number);
    return number;
  }
}

/** The bytes of `count` lines of `text` from line `start` on (0-based), as a view. */
export function lineBytes(text: NumberedText, start: number, count: number): Uint8Array {
  return text.bytes.subarray(text.starts[start], text.starts[start + count]);
}

const newline = 0x0a;

/** The lines of `bytes`, as views that share its memory (LN1). An empty text has no lines. */
export function splitLines(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < bytes.length; ) {
    const found = bytes.indexOf(newline, start);
    const end = found < 0 ? bytes.length : found + 1;
    lines.push(bytes.subarray(start, end));
    start = end;
  }
  return lines;
}

/** How many bytes from the start git looks at to tell a binary file from a text. */
const binaryProbeBytes = 8000;

/** Whether git takes `bytes` for binary: a NUL among the first 8000 bytes. */
export function isBinary(bytes: Uint8Array): boolean {
  return bytes.subarray(0, binaryProbeBytes).includes(0);
}
