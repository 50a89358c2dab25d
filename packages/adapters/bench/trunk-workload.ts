// What the trunk bench lands: the same proposals for every contender, from a seed.
//
// 64 folders of 200 files; a proposal adds one file of 200 bytes; the proposals of one commit share a folder.

import { hash } from 'node:crypto';
import { RandomStream } from '@firetrident/base';

export const folderCount = 64;
export const filesPerFolder = 200;
const fileBytes = 200;

export interface BenchFile {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly oid: string;
}

export interface BenchCommit {
  readonly message: string;
  readonly files: readonly BenchFile[];
  readonly note: string;
}

/** One cycle's commits. */
export type BenchCycle = readonly BenchCommit[];

export const person = { name: 'Bench agent', email: 'agent@bench.invalid' };
export const startSeconds = 1_760_000_000;

function makeFile(random: RandomStream, path: string): BenchFile {
  const bytes = new Uint8Array(fileBytes);
  for (let index = 0; index < fileBytes; index += 1) bytes[index] = 32 + random.below(95);
  bytes[fileBytes - 1] = 10;
  const header = Buffer.from(`blob ${bytes.length}\0`);
  return { path, bytes, oid: hash('sha1', Buffer.concat([header, bytes]), 'hex') };
}

function folderName(folder: number): string {
  return `bench/r${String(folder).padStart(2, '0')}`;
}

/** The files that are there before the first cycle. */
export function seedFiles(): BenchFile[] {
  const random = new RandomStream(1);
  const files: BenchFile[] = [];
  for (let folder = 0; folder < folderCount; folder += 1) {
    for (let file = 0; file < filesPerFolder; file += 1) {
      files.push(makeFile(random, `${folderName(folder)}/seed-${String(file).padStart(4, '0')}.txt`));
    }
  }
  return files;
}

/** The cycles, each of `proposals` proposals in commits of `perCommit`. */
export function makeCycles(count: number, proposals: number, perCommit: number): BenchCycle[] {
  const random = new RandomStream(2);
  let landing = 0;
  return Array.from({ length: count }, () => {
    const commits: BenchCommit[] = [];
    for (let left = proposals; left > 0; left -= perCommit) {
      const folder = folderName(random.below(folderCount));
      const files = Array.from({ length: Math.min(perCommit, left) }, () => {
        landing += 1;
        return makeFile(random, `${folder}/${random.below(0x7fffffff).toString(36)}-${landing}.txt`);
      });
      commits.push({ message: messageOf(landing, folder), files, note: noteOf(landing, files) });
    }
    return commits;
  });
}

function messageOf(landing: number, folder: string): string {
  return `Add files to ${folder}\n\nFT-Landing: lnd_${landing}\nFT-Intent: int_${landing}\nFT-Agent: agt_${landing % 97}\nFT-Region: ${folder}\n`;
}

/** Some 400 bytes of JSON, as a landing's note has. */
function noteOf(landing: number, files: readonly BenchFile[]): string {
  const note = {
    version: 1,
    landing: `lnd_${landing}`,
    intent: `int_${landing}`,
    agent: `agt_${landing % 97}`,
    reads: files.map(({ oid }) => oid.slice(0, 12)),
    writes: files.map(({ path }) => path),
  };
  const text = JSON.stringify(note);
  return `${text.slice(0, -1)},"padding":"${'.'.repeat(Math.max(0, 380 - text.length))}"}\n`;
}
