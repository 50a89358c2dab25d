// Commands as real agents write them, and which of their words are files that are read.

import { expect, test } from 'vitest';
import { shellReads } from './shell-reads.ts';

test.each([
  ['cat README.md', ['README.md']],
  ["/bin/bash -lc 'cat README.md'", ['README.md']],
  [`bash -lc "sed -n '1,200p' src/a.ts && head -n 20 src/b.ts"`, ['src/a.ts', 'src/b.ts']],
  [`/usr/bin/zsh -lc 'cat '"'"'with space.md'"'"' | head -5'`, ['with space.md']],
  ['nl -b a one.ts; tail -c 10 two.ts', ['one.ts', 'two.ts']],
  ['cat a.txt 2>/dev/null', ['a.txt']],
  ['cat a.txt b.txt 2>&1 | wc -l', ['a.txt', 'b.txt']],
  ['cat a.txt > b.txt', ['a.txt']],
  ['cat "a b" c\\ d', ['a b', 'c d']],
  ['grep -n "x y" a.ts b.ts | head', ['a.ts', 'b.ts']],
  ['rg -A 3 pattern src/a.ts', ['src/a.ts']],
  [
    ['bash', '-lc', 'cat a.ts && cat b.ts'],
    ['a.ts', 'b.ts'],
  ],
  [['cat', 'with space.md'], ['with space.md']],
])('read: %s', (command, paths) => {
  expect(shellReads(command)).toEqual(paths);
});

test.each([
  ['cat *.md $HOME/x "$(ls)" ~/y'],
  ["sed -i 's/a/b/' src/a.ts"],
  ["sed -n 's/a/b/w out' src/a.ts"],
  ["cat <<'END'\ncat hello.txt\nEND"],
  ['rm a.txt'],
  ['grep -e x a.txt'],
  ['rg pattern'],
  ['echo cat a.txt'],
  [''],
])('[SR1] not a file that is read for certain: %s', (command) => {
  expect(shellReads(command)).toEqual([]);
});
