// What a command changed in a checkout, as the writes of a proposal.

import { lstatSync, readFileSync, readlinkSync } from 'node:fs';
import type { WriteRequest } from '@firetrident/protocol';
import { runGit } from './run-git.ts';

/** Everything that differs from the checkout's commit: new and changed files, modes, links, and deletions. */
export async function changedWrites(directory: string): Promise<WriteRequest[]> {
  await runGit(directory, ['add', '-A']);
  const listed = await runGit(directory, ['diff', '--cached', '--raw', '-z', '--no-renames', '--abbrev=40', 'HEAD']);
  const writes: WriteRequest[] = [];
  const fields = splitAtZero(listed);
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [, mode = '', , , status = ''] = (fields[index] as Buffer).toString('latin1').split(' ');
    const path = fields[index + 1] as Buffer;
    if (mode === '160000') continue;
    writes.push(
      status.startsWith('D')
        ? { ...named(path), delete: true }
        : { ...named(path), ...contentOf(directory, path), mode: mode as '100644' },
    );
  }
  return writes;
}

function splitAtZero(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(0, start);
    fields.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    start = end < 0 ? bytes.length : end + 1;
  }
  return fields;
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes);
}

function named(path: Buffer): { path: string } | { pathBase64: string } {
  return isUtf8(path) ? { path: path.toString('utf8') } : { pathBase64: path.toString('base64') };
}

function contentOf(directory: string, path: Buffer): { content: string } | { contentBase64: string } {
  const place = Buffer.concat([Buffer.from(`${directory}/`), path]);
  const bytes = lstatSync(place).isSymbolicLink() ? readlinkSync(place, { encoding: 'buffer' }) : readFileSync(place);
  return isUtf8(bytes) ? { content: bytes.toString('utf8') } : { contentBase64: bytes.toString('base64') };
}
