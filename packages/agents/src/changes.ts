// What was changed in a checkout, as the writes of a proposal.
//
// Contents are what git would commit: taken from its index, after attributes and filters, never from the files.
//
// Invariants:
//   CH1. The writes are exactly what differs from the base, whether it was committed in the checkout, staged or neither.

import type { WriteRequest } from '@firetrident/protocol';
import { GitFailedError, splitAtZero } from './run-git.ts';
import { gitOn, stageAll, type WorkTree } from './work-tree.ts';

/** Against what to compare, and where contents go that are too large to travel inside the proposal. */
export interface ChangeSettings {
  readonly base: string;
  /** Sends bytes ahead and answers their id. */
  readonly putBlob: (bytes: Buffer) => Promise<string>;
}

/** Bytes of one file, and of all files together, that travel inside the proposal. */
const inlineBytesMax = 262_144;
const inlineTotalBytesMax = 8_388_608;

interface Change {
  readonly path: Buffer;
  readonly mode: string;
  /** The new content; null for a deletion. */
  readonly blob: string | null;
}

/** New and changed files, modes, links and deletions since the base (CH1). Submodules are left as they are. */
export async function changedWrites(tree: WorkTree, settings: ChangeSettings): Promise<WriteRequest[]> {
  const changes = await listChanges(tree, settings.base);
  const contents = await readBlobs(
    tree,
    changes.flatMap((change) => change.blob ?? []),
  );
  const writes: WriteRequest[] = [];
  let inlineBytes = 0;
  for (const { path, mode, blob } of changes) {
    if (blob === null) {
      writes.push({ ...pathField(path), delete: true });
      continue;
    }
    const bytes = contents.get(blob) ?? Buffer.alloc(0);
    const fits = bytes.length <= inlineBytesMax && inlineBytes + bytes.length <= inlineTotalBytesMax;
    if (fits) inlineBytes += bytes.length;
    const content = fits ? contentField(bytes) : { blob: await settings.putBlob(bytes) };
    writes.push({ ...pathField(path), ...content, mode: mode as '100644' });
  }
  return writes;
}

async function listChanges(tree: WorkTree, base: string): Promise<Change[]> {
  const missing = await stageAll(tree);
  if (missing !== null) throw new GitFailedError(['add'], null, missing);
  const listed = await gitOn(tree, ['diff', '--cached', '--raw', '-z', '--no-renames', '--abbrev=40', base]);
  const changes: Change[] = [];
  const fields = splitAtZero(listed);
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [before = '', mode = '', , blob = '', status = ''] = (fields[index] as Buffer).toString('latin1').split(' ');
    const deleted = status.startsWith('D');
    if (mode === '160000' || (deleted && before === ':160000')) continue;
    changes.push({ path: fields[index + 1] as Buffer, mode, blob: deleted ? null : blob });
  }
  return changes;
}

/** Contents of blobs by their ids, in one run of git. */
async function readBlobs(tree: WorkTree, blobs: readonly string[]): Promise<Map<string, Buffer>> {
  const contents = new Map<string, Buffer>();
  if (blobs.length === 0) return contents;
  const output = await gitOn(tree, ['cat-file', '--batch'], { input: `${blobs.join('\n')}\n` });
  for (let start = 0; start < output.length; ) {
    const headEnd = output.indexOf(0x0a, start);
    const [blob = '', , length = '0'] = output.subarray(start, headEnd).toString('latin1').split(' ');
    const end = headEnd + 1 + Number(length);
    contents.set(blob, output.subarray(headEnd + 1, end));
    start = end + 1;
  }
  return contents;
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString('utf8'), 'utf8').equals(bytes);
}

function pathField(path: Buffer): { path: string } | { pathBase64: string } {
  return isUtf8(path) ? { path: path.toString('utf8') } : { pathBase64: path.toString('base64') };
}

function contentField(bytes: Buffer): { content: string } | { contentBase64: string } {
  return isUtf8(bytes) ? { content: bytes.toString('utf8') } : { contentBase64: bytes.toString('base64') };
}
