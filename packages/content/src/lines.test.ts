import { concatBytes, sameBytes, utf8 } from '@firetrident/base';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBinary, LineNumbering, lineBytes, splitLines } from './lines.ts';

const raggedBytes = fc.array(fc.constantFrom(0x0a, 0x0d, 0x00, 0x61, 0x80, 0x81, 0xe9, 0xff), { maxLength: 40 });

test('[LN1] lines joined are the text, and each but the last ends in its newline', () => {
  fc.assert(
    fc.property(raggedBytes, (values) => {
      const bytes = Uint8Array.from(values);
      const lines = splitLines(bytes);
      expect(concatBytes(lines)).toEqual(bytes);
      for (const [index, line] of lines.entries()) {
        expect(line.length).toBeGreaterThan(0);
        expect(line.indexOf(0x0a)).toBe(index < lines.length - 1 || line.at(-1) === 0x0a ? line.length - 1 : -1);
      }
    }),
  );
});

test('[LN1] an empty text has no lines, and CRLF stays with its line', () => {
  expect(splitLines(utf8(''))).toEqual([]);
  expect(splitLines(utf8('a\r\n\nb'))).toEqual([utf8('a\r\n'), utf8('\n'), utf8('b')]);
});

test('[LN2] numbers tell lines apart exactly as their bytes do', () => {
  fc.assert(
    fc.property(raggedBytes, raggedBytes, (first, second) => {
      const numbering = new LineNumbering();
      const texts = [first, second].map((values) => numbering.number(Uint8Array.from(values)));
      const lines = texts.flatMap((text) =>
        [...text.numbers].map((number, index) => ({ number, bytes: lineBytes(text, index, 1) })),
      );
      for (const left of lines) {
        expect(left.number).toBeLessThan(numbering.count);
        for (const right of lines) expect(left.number === right.number).toBe(sameBytes(left.bytes, right.bytes));
      }
    }),
  );
});

test('[LN2] all 256 bytes are different', () => {
  const numbering = new LineNumbering();
  const allBytes = Uint8Array.from({ length: 512 }, (_, index) => (index % 2 === 0 ? index / 2 : 0x0a));
  numbering.number(allBytes);
  // The byte 0x0a stands for two empty lines, which are one content.
  expect(numbering.count).toBe(256);
});

test('a NUL makes a file binary only among the first 8000 bytes', () => {
  const late = new Uint8Array(8001).fill(0x61);
  late[8000] = 0;
  expect(isBinary(late)).toBe(false);
  late[7999] = 0;
  expect(isBinary(late)).toBe(true);
  expect(isBinary(utf8(''))).toBe(false);
});
