// Append-only files: both sides kept all of the base and added lines at its end.
//
// Knows lines as runs of bytes up to a line feed, and no encoding.
//
//   MA1. The result is ours, then what theirs added, line by line; a line break is added only where a last line lacked
//        it, and left out at the end only where theirs lacked it.

import { concatBytes, sameBytes } from '@firetrident/base';

const lineFeed = new Uint8Array([0x0a]);

/** The merged bytes (MA1); null when a side did anything but append. */
export function mergeAppended(base: Uint8Array, ours: Uint8Array, theirs: Uint8Array): Uint8Array | null {
  const [baseLines, ourLines, theirLines] = [ended(base), ended(ours), ended(theirs)];
  if (!startsWith(ourLines, baseLines) || !startsWith(theirLines, baseLines)) return null;
  const added = theirLines.subarray(baseLines.length);
  if (added.length === 0) return ours;
  const whole = concatBytes([ourLines, added]);
  return theirLines === theirs ? whole : whole.subarray(0, whole.length - 1);
}

/** The text with its last line ended. */
function ended(text: Uint8Array): Uint8Array {
  return text.length === 0 || text[text.length - 1] === 0x0a ? text : concatBytes([text, lineFeed]);
}

function startsWith(text: Uint8Array, start: Uint8Array): boolean {
  return text.length >= start.length && sameBytes(text.subarray(0, start.length), start);
}
