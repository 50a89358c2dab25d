// Files of facts: those that come with the project, and those of users.
//
//   HF1. A file is read by its ending: `.br` brotli, `.gz` gzip, anything else plain. The same holds for writing.

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';

/** The histories that come with the project. */
export const bundledHistories = ['hono', 'vue', 'express'] as const;

function placeOf(nameOrPath: string): string {
  const bundled = (bundledHistories as readonly string[]).includes(nameOrPath);
  return bundled
    ? fileURLToPath(import.meta.resolve(`@firetrident/simulator/data/${nameOrPath}.jsonl.br`))
    : nameOrPath;
}

/** The text of a bundled history, or of a file (HF1). Throws what reading and unpacking throw. */
export async function readHistoryText(nameOrPath: string): Promise<string> {
  const place = placeOf(nameOrPath);
  const bytes = await readFile(place);
  if (place.endsWith('.br')) return brotliDecompressSync(bytes).toString('utf8');
  return (place.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}

/** Writes a file of facts (HF1); gives its size in bytes. */
export async function writeHistoryText(file: string, text: string): Promise<number> {
  const bytes = packed(file, Buffer.from(text));
  await writeFile(file, bytes);
  return bytes.length;
}

function packed(file: string, bytes: Buffer): Buffer {
  if (file.endsWith('.gz')) return gzipSync(bytes, { level: 9 });
  if (!file.endsWith('.br')) return bytes;
  const params = {
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return brotliCompressSync(bytes, { params });
}
