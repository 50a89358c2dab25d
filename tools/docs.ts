// Writes the generated pages; with `--check` only says which are stale and ends with code 1.

import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { generatedPages } from './docs/pages.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const check = process.argv.includes('--check');

function currentText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

for (const [page, text] of await generatedPages()) {
  const file = path.join(root, page);
  if (currentText(file) === text) continue;
  console.log(`${page}: ${check ? 'stale, run npm run docs' : 'written'}`);
  if (check) process.exitCode = 1;
  else writeFileSync(file, text);
}
