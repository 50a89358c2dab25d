// Texts of blobs from one `git cat-file` process.
//
//   BT1. Answers come in the order of the questions; a blob that is missing or too large has no text.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { environmentWithoutGit } from '@firetrident/adapters';
import { HistoryError } from './git-lines.ts';

/** Blobs beyond this many bytes are generated or bundled more often than written, and are not parsed. */
const blobBytesMax = 1_000_000;

/** Reads blobs of a repository until it is closed. */
export class BlobTexts {
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #chunks: AsyncIterator<Buffer>;
  #bytes: Buffer = Buffer.alloc(0);

  constructor(repository: string) {
    this.#child = spawn('git', ['-C', repository, 'cat-file', '--batch'], { env: environmentWithoutGit() });
    // A process that ended early shows in the missing answer.
    this.#child.stdin.on('error', () => undefined);
    this.#chunks = this.#child.stdout[Symbol.asyncIterator]();
  }

  /** The text of a blob; null when there is none (BT1). One question at a time. */
  async read(blob: string): Promise<string | null> {
    this.#child.stdin.write(`${blob}\n`);
    const header = (await this.#until(await this.#lineEnd())).toString('latin1').trimEnd().split(' ');
    const size = Number(header[2]);
    if (header[1] === 'missing' || Number.isNaN(size)) return null;
    const content = await this.#until(size + 1);
    return size > blobBytesMax ? null : content.toString('utf8', 0, size);
  }

  async close(): Promise<void> {
    this.#child.stdin.end();
    while (!(await this.#chunks.next()).done);
  }

  async #lineEnd(): Promise<number> {
    for (;;) {
      const at = this.#bytes.indexOf(10);
      if (at >= 0) return at + 1;
      await this.#more();
    }
  }

  /** The next so many bytes, taken out. */
  async #until(count: number): Promise<Buffer> {
    while (this.#bytes.length < count) await this.#more();
    const taken = this.#bytes.subarray(0, count);
    this.#bytes = this.#bytes.subarray(count);
    return taken;
  }

  async #more(): Promise<void> {
    const { value, done } = await this.#chunks.next();
    if (done === true) throw new HistoryError('git cat-file ended before it answered');
    this.#bytes = this.#bytes.length === 0 ? value : Buffer.concat([this.#bytes, value]);
  }
}
