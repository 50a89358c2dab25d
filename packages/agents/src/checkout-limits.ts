// How many checkouts a fleet may have, and how much of the disk.
//
// Invariants:
//   LM1. A limit that is reached is told by its name, its value, what was needed, and what to do.

import { spawn } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { runGit } from './run-git.ts';

/** Limits of one fleet. */
export interface CheckoutLimits {
  /** Checkouts at once. */
  readonly checkouts: number;
  /** Bytes on disk for all of them; null for as much as is free. */
  readonly diskBytes: number | null;
}

/** Limits unless others are set. */
export const usualLimits: CheckoutLimits = { checkouts: 1_000, diskBytes: null };

/** Bytes that stay free on the disk whatever the limits say. */
export const freeBytesKept = 268_435_456;

/** Bytes of a block: what files are rounded up to. */
const blockBytes = 4_096;

const hints = {
  '--max-checkouts': 'run fewer agents, or allow more with --max-checkouts',
  '--checkout-disk': 'run fewer agents, show fewer files with --sparse, or allow more with --checkout-disk',
  'free space': 'make room on the disk, run fewer agents, or show fewer files with --sparse',
} as const;

/** A limit of checkouts is reached (LM1). Counts and bytes as the name of the limit has it. */
export class CheckoutLimitError extends Error {
  override readonly name = 'CheckoutLimitError';
  readonly limit: keyof typeof hints;
  readonly value: number;
  readonly needed: number;
  readonly hint: string;

  constructor(limit: keyof typeof hints, value: number, needed: number) {
    const text = limit === '--max-checkouts' ? String : megabytes;
    super(
      `checkouts need ${text(needed)}, and ${limit === 'free space' ? limit : `the limit ${limit}`} is ${text(value)}`,
    );
    this.limit = limit;
    this.value = value;
    this.needed = needed;
    this.hint = hints[limit];
  }
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1_048_576)} MiB`;
}

/** Bytes on disk that a commit's files take, each rounded up to a block. */
export async function treeBytes(repository: string, commit: string): Promise<number> {
  const listed = await runGit(repository, ['ls-tree', '-r', '-t', '-l', commit], {
    environment: { GIT_DIR: repository },
  });
  let blocks = 0;
  for (const [, size] of listed.toString('latin1').matchAll(/^\d+ \w+ [0-9a-f]+ +(\d+|-)\t/gm))
    blocks += size === '-' ? 1 : Math.ceil(Number(size) / blockBytes);
  return blocks * blockBytes;
}

/** Why so many checkouts cannot be had at all, or null. `bytes` is what one takes. */
export function checkLimits(workers: number, bytes: number, limits: CheckoutLimits): CheckoutLimitError | null {
  const { checkouts, diskBytes } = limits;
  if (workers > checkouts) return new CheckoutLimitError('--max-checkouts', checkouts, workers);
  if (diskBytes !== null && workers * bytes > diskBytes)
    return new CheckoutLimitError('--checkout-disk', diskBytes, workers * bytes);
  return null;
}

/** Why the disk of a folder has no room for so many bytes more, or null. */
export function checkFreeSpace(directory: string, bytes: number): CheckoutLimitError | null {
  const { bavail, bsize } = statfsSync(directory);
  const free = Math.max(0, bavail * bsize - freeBytesKept);
  return bytes > free ? new CheckoutLimitError('free space', free, bytes) : null;
}

/** Bytes on disk of everything below a folder. */
export async function usedBytes(directory: string): Promise<number> {
  const child = spawn('du', ['-sk', directory], { stdio: ['ignore', 'pipe', 'ignore'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return Number.parseInt(output, 10) * 1_024;
}
