// Braces in patterns: `{a,b}` stands for two patterns.
//
// Invariants:
//   GB1. Braces without a comma of their own, and braces without a partner, are ordinary characters.
//   GB2. A backslash takes the meaning of what follows, and stays for who reads the alternatives.

interface Braces {
  readonly open: number;
  readonly close: number;
  readonly parts: readonly string[];
}

/** The braces that open at `open`, if they close and hold a comma; null otherwise (GB1). */
function bracesAt(pattern: string, open: number): Braces | null {
  const parts: string[] = [];
  let depth = 0;
  let start = open + 1;
  for (let index = open; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '{') depth += 1;
    else if (character === ',' && depth === 1) {
      parts.push(pattern.slice(start, index));
      start = index + 1;
    } else if (character === '}') {
      depth -= 1;
      if (depth > 0) continue;
      parts.push(pattern.slice(start, index));
      return parts.length > 1 ? { open, close: index, parts } : null;
    }
  }
  return null;
}

function firstBraces(pattern: string): Braces | null {
  for (let index = 0; index < pattern.length; index += 1) {
    const character = pattern.charAt(index);
    if (character === '\\') index += 1;
    else if (character === '{') {
      const braces = bracesAt(pattern, index);
      if (braces !== null) return braces;
    }
  }
  return null;
}

/** Whether any braces of the text stand for alternatives. */
export function hasBraces(text: string): boolean {
  return firstBraces(text) !== null;
}

/** The patterns without braces that `pattern` stands for, in order; null when there are more than `limit`. */
export function expandBraces(pattern: string, limit: number): readonly string[] | null {
  const plain: string[] = [];
  const pending = [pattern];
  while (pending.length > 0) {
    // Each pending pattern stands for at least one plain one.
    if (plain.length + pending.length > limit) return null;
    const next = pending.pop() as string;
    const braces = firstBraces(next);
    if (braces === null) {
      plain.push(next);
      continue;
    }
    const before = next.slice(0, braces.open);
    const behind = next.slice(braces.close + 1);
    for (const part of [...braces.parts].reverse()) pending.push(before + part + behind);
  }
  return plain;
}
