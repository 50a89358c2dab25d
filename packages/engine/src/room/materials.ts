// Bytes and modules by blob id: staged ones, those that this cycle made, and those in the repository; parsed once.
//
// Bounded: parsed modules are kept for the blobs used last.

import { assert, nameOf, type Oid, type TreePath, utf8Text } from '@firetrident/base';
import type { ParsedModule, Parser } from '@firetrident/content';

/** Parsed modules kept. */
const keptModules = 4_096;

export class Materials {
  readonly #staged = new Map<Oid, Uint8Array>();
  readonly #made = new Map<Oid, Uint8Array>();
  readonly #modules = new Map<string, ParsedModule | null>();
  readonly #repositoryBlob: (oid: Oid) => Uint8Array | null;
  readonly #parser: Parser;

  constructor(repositoryBlob: (oid: Oid) => Uint8Array | null, parser: Parser) {
    this.#repositoryBlob = repositoryBlob;
    this.#parser = parser;
  }

  stage(oid: Oid, bytes: Uint8Array): void {
    this.#staged.set(oid, bytes);
  }

  unstage(oid: Oid): void {
    this.#staged.delete(oid);
  }

  /** Keeps the bytes of a merge until `clearMade`. */
  make(oid: Oid, bytes: Uint8Array): void {
    this.#made.set(oid, bytes);
  }

  clearMade(): void {
    this.#made.clear();
  }

  /** Bytes that are here and perhaps not in the repository yet. */
  fresh(oid: Oid): Uint8Array | null {
    return this.#staged.get(oid) ?? this.#made.get(oid) ?? null;
  }

  has(oid: Oid): boolean {
    return this.bytesOrNull(oid) !== null;
  }

  bytesOrNull(oid: Oid): Uint8Array | null {
    return this.fresh(oid) ?? this.#repositoryBlob(oid);
  }

  /** Bytes of a blob that must exist: it was named by a tree or a durable proposal. */
  bytes(oid: Oid): Uint8Array {
    const bytes = this.bytesOrNull(oid);
    assert(bytes !== null, `blob ${oid} is neither staged nor in the repository`);
    return bytes;
  }

  get parser(): Parser {
    return this.#parser;
  }

  /** The module of a blob at a path; null when its language is not known. */
  module(path: TreePath, oid: Oid): ParsedModule | null {
    if (!this.#parser.knows(path)) return null;
    const name = nameOf(path);
    const key = `${oid} ${name.slice(name.indexOf('.'))}`;
    const known = this.#modules.get(key);
    if (known !== undefined) return known;
    const parsed = this.#parser.parse(path, utf8Text(this.bytes(oid)));
    // Whether a text is beyond the limits may change with the load of the machine: that is not remembered.
    if (parsed !== null && !parsed.ok && parsed.reason === 'limit') return parsed;
    this.#modules.set(key, parsed);
    if (this.#modules.size > keptModules) this.#modules.delete(this.#modules.keys().next().value as string);
    return parsed;
  }
}
