// Reads objects through one `git cat-file` process: first how large they are, then their bytes.
//
//   OR1. The bytes are asked for only once the sizes were accepted.

import type { Readable } from 'node:stream';
import { startGit } from '@firetrident/adapters';
import { no, type Oid, ok, type Result } from '@firetrident/base';

/** What git says of an object before it is read; `type` is null when it is missing. */
export interface ObjectFacts {
  readonly oid: Oid;
  readonly type: string | null;
  readonly bytes: number;
}

/** Reads objects of a repository as an environment shows them. `refuse` says what is wrong with their sizes, or null. */
export async function readObjects(
  repository: string,
  environment: Readonly<Record<string, string>>,
  oids: readonly Oid[],
  refuse: (facts: readonly ObjectFacts[]) => string | null,
): Promise<Result<ReadonlyMap<Oid, Uint8Array>, string>> {
  const git = startGit(['--git-dir', repository, 'cat-file', '--batch-command', '--buffer'], { environment });
  const output = new OutputReader(git.output);
  try {
    git.input.write(`${oids.map((oid) => `info ${oid}\n`).join('')}flush\n`);
    const facts: ObjectFacts[] = [];
    for (const oid of oids) facts.push(factsOf(oid, await output.line()));
    const refused = refuse(facts);
    if (refused !== null) return no(refused);
    // (OR1)
    git.input.end(`${oids.map((oid) => `contents ${oid}\n`).join('')}flush\n`);
    const contents = new Map<Oid, Uint8Array>();
    for (const { oid, bytes } of facts) {
      await output.line();
      contents.set(oid, await output.exactly(bytes));
      await output.exactly(1);
    }
    return ok(contents);
  } finally {
    git.stop();
    await git.ended;
  }
}

function factsOf(oid: Oid, line: string): ObjectFacts {
  const [, type, bytes] = line.split(' ');
  return bytes === undefined ? { oid, type: null, bytes: 0 } : { oid, type: type ?? null, bytes: Number(bytes) };
}

/** Lines and counted bytes of a stream. Rejects when it ends before they are there. */
class OutputReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(stream: Readable) {
    this.#chunks = (stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  }

  async line(): Promise<string> {
    for (;;) {
      const end = this.#held.indexOf(0x0a);
      if (end >= 0) return this.#cut(end + 1).toString('latin1', 0, end);
      this.#held = Buffer.concat([this.#held, await this.#more()]);
    }
  }

  async exactly(bytes: number): Promise<Buffer> {
    const parts = [this.#held];
    let length = this.#held.length;
    while (length < bytes) {
      const part = await this.#more();
      parts.push(part);
      length += part.length;
    }
    this.#held = parts.length === 1 ? this.#held : Buffer.concat(parts, length);
    return this.#cut(bytes);
  }

  #cut(bytes: number): Buffer {
    const taken = this.#held.subarray(0, bytes);
    this.#held = this.#held.subarray(bytes);
    return taken;
  }

  async #more(): Promise<Buffer> {
    const { value, done } = await this.#chunks.next();
    if (done === true) throw new Error('git ended before it had answered');
    return value;
  }
}
