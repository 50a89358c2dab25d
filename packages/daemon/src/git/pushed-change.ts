// What a push changes, read by stock git out of its quarantine: the commits that trunk does not have, and their writes.
//
//   PC1. The base is the newest commit that the push and trunk share, so what trunk has is never proposed again.
//   PC2. Everything is read before anything is proposed: a push with a part missing proposes nothing.
//   PC3. Nothing is held beyond a bound: bytes of files are counted before they are read, and git is stopped where its
//        lists are longer than a push may be.

import { NodeGit } from '@firetrident/adapters';
import { no, type Oid, ok, pathText, type Result, type TreePath } from '@firetrident/base';
import type { RequestedWrite } from '@firetrident/engine';
import type { GitResult, GitRunner } from '@firetrident/trunk';
import { readObjects } from './object-reader.ts';

/** A commit of a push. */
export interface PushedCommit {
  readonly oid: Oid;
  readonly parents: readonly Oid[];
  readonly author: { readonly name: string; readonly email: string };
  readonly subject: string;
  readonly body: string;
}

/** What becomes one proposal: the commits in it, oldest first, and their writes together. */
export interface PushedPart {
  readonly commits: readonly PushedCommit[];
  readonly writes: readonly RequestedWrite[];
}

/** A push as proposals over a base. */
export interface PushedChange {
  readonly base: Oid;
  readonly commits: readonly PushedCommit[];
  readonly parts: readonly PushedPart[];
}

/** Bounds of one push. Counts, unless the name says bytes. */
export interface PushBounds {
  readonly commits: number;
  readonly writes: number;
  readonly fileBytes: number;
  readonly contentBytes: number;
  /** All messages of the commits, or all names of the paths, as git lists them. */
  readonly listBytes: number;
}

/** One path that differs between two trees. `after` is null where the path is gone. */
interface ChangedPath {
  readonly path: TreePath;
  readonly mode: string;
  readonly after: Oid | null;
}

/** How long one git command may take. */
const gitMs = 120_000;

/** Reads pushes of one repository, in an environment that shows the quarantine. */
export class PushReader {
  readonly #git: GitRunner;
  readonly #repository: string;
  readonly #environment: Readonly<Record<string, string>>;
  readonly #bounds: PushBounds;

  constructor(repository: string, environment: Readonly<Record<string, string>>, bounds: PushBounds) {
    this.#git = new NodeGit({ timeoutMs: gitMs, environment, outputBytesMax: bounds.listBytes });
    this.#repository = repository;
    this.#environment = environment;
    this.#bounds = bounds;
  }

  /**
   * The change that `head` makes to trunk at `tip`, as one part or as one for each commit. A change without parts is on
   * trunk already. An error is a sentence for the client.
   */
  async read(head: Oid, tip: Oid, how: 'squash' | 'chain'): Promise<Result<PushedChange, string>> {
    const commits = await this.#commits(head, tip);
    if (!commits.ok) return commits;
    const base = await this.#base(commits.value, head, tip);
    if (!base.ok) return base;
    if (commits.value.length === 0) return ok({ base: base.value, commits: [], parts: [] });
    // A merge has no place in a chain: what it brought in is no single step.
    const isLine = commits.value.every(({ parents }) => parents.length === 1);
    const groups = how === 'chain' && isLine ? commits.value.map((commit) => [commit]) : [commits.value];
    const drafts: { commits: readonly PushedCommit[]; paths: readonly ChangedPath[] }[] = [];
    let count = 0;
    for (const group of groups) {
      const from = groups.length === 1 ? base.value : ((group[0] as PushedCommit).parents[0] as Oid);
      const paths = await this.#differences(from, groups.length === 1 ? head : (group[0] as PushedCommit).oid);
      if (!paths.ok) return paths;
      count += paths.value.length;
      if (count > this.#bounds.writes) return no(`a push changes ${this.#bounds.writes} paths at most`);
      if (paths.value.length > 0) drafts.push({ commits: group, paths: paths.value });
    }
    // (PC2)
    const blobs = await this.#contents(drafts.flatMap(({ paths }) => paths));
    if (!blobs.ok) return blobs;
    const parts = drafts.map(({ commits: group, paths }) => ({
      commits: group,
      writes: paths.map((changed) => writeOf(changed, blobs.value)),
    }));
    return ok({ base: base.value, commits: commits.value, parts });
  }

  /** Whether trunk holds what the writes make of their paths. */
  async isOnTrunk(head: Oid, tip: Oid, paths: readonly TreePath[]): Promise<boolean> {
    const differing = await this.#differences(tip, head);
    if (!differing.ok) return false;
    const named = new Set(paths);
    return !differing.value.some(({ path }) => named.has(path));
  }

  /** (PC1) */
  async #base(commits: readonly PushedCommit[], head: Oid, tip: Oid): Promise<Result<Oid, string>> {
    // What a line of commits stands on is not among them, so trunk has it.
    const isLine = commits.every(({ parents }, place) => {
      return parents.length === 1 && (place === 0 || parents[0] === commits[place - 1]?.oid);
    });
    const below = commits[0]?.parents[0];
    if (isLine && below !== undefined) return ok(below);
    const found = await this.#run(['merge-base', tip, head]);
    if (found.code === 1) return no('the push shares no history with trunk; clone the colony and commit on top of it');
    if (found.code !== 0) return no(missingProblem(found));
    return ok(text(found).trim().split('\n')[0] as Oid);
  }

  async #commits(head: Oid, tip: Oid): Promise<Result<readonly PushedCommit[], string>> {
    const bound = this.#bounds.commits;
    const format = '--format=%H%x00%P%x00%an%x00%ae%x00%B';
    // (PC3) One more than there may be tells that there are too many.
    const order = ['--topo-order', '--reverse', `--max-count=${bound + 1}`];
    const listed = await this.#run(['log', '-z', ...order, '--no-show-signature', format, head, '--not', tip]);
    if (listed.isCut) return no(`the messages of a push have ${this.#bounds.listBytes} bytes together at most`);
    if (listed.code !== 0) return no(missingProblem(listed));
    const fields = text(listed).split('\0');
    const commits: PushedCommit[] = [];
    for (let at = 0; at + 4 < fields.length; at += 5) {
      const [oid, parents, name, email, message] = fields.slice(at, at + 5) as [string, string, string, string, string];
      const lines = message.trim().split('\n');
      commits.push({
        oid,
        parents: parents === '' ? [] : parents.split(' '),
        author: { name, email },
        subject: (lines[0] ?? '').trim(),
        body: lines.slice(1).join('\n').trim(),
      });
    }
    if (commits.length > bound) return no(`a push holds ${bound} commits at most, and this one has more`);
    return ok(commits);
  }

  async #differences(from: Oid, to: Oid): Promise<Result<readonly ChangedPath[], string>> {
    const found = await this.#run(['diff-tree', '-r', '-z', '--raw', '--no-abbrev', '--no-renames', from, to]);
    if (found.isCut)
      return no(`the names of the paths of a push have ${this.#bounds.listBytes} bytes together at most`);
    if (found.code !== 0) return no(missingProblem(found));
    const fields = splitBytes(Buffer.from(found.stdout));
    const changed: ChangedPath[] = [];
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const [, mode, , after] = (fields[at] as Buffer).toString('latin1').split(' ') as [
        string,
        string,
        string,
        string,
      ];
      const path = pathText(fields[at + 1] as Buffer);
      if (mode === '160000')
        return no(`${path.toWellFormed()} is a submodule, and those cannot be proposed by a push; take it out`);
      changed.push({ path, mode, after: mode === '000000' ? null : after });
    }
    return ok(changed);
  }

  /** The bytes of the blobs that paths change to, by their ids. */
  async #contents(paths: readonly ChangedPath[]): Promise<Result<ReadonlyMap<Oid, Uint8Array>, string>> {
    const pathOf = new Map<Oid, TreePath>();
    for (const { path, after } of paths) if (after !== null && !pathOf.has(after)) pathOf.set(after, path);
    if (pathOf.size === 0) return ok(new Map());
    // (PC3)
    const { fileBytes, contentBytes } = this.#bounds;
    return readObjects(this.#repository, this.#environment, [...pathOf.keys()], (objects) => {
      let sum = 0;
      for (const { oid, type, bytes } of objects) {
        const path = (pathOf.get(oid) ?? '').toWellFormed();
        if (type !== 'blob') return `the push does not hold the content of ${path}; push from a clone that has it`;
        if (bytes > fileBytes) return `${path} has ${bytes} bytes, and a file has ${fileBytes} at most`;
        sum += bytes;
      }
      return sum > contentBytes ? `the files of a push have ${contentBytes} bytes together at most` : null;
    });
  }

  #run(args: readonly string[]): Promise<GitResult> {
    return this.#git.run(['--git-dir', this.#repository, ...args]);
  }
}

function writeOf({ path, mode, after }: ChangedPath, blobs: ReadonlyMap<Oid, Uint8Array>): RequestedWrite {
  if (after === null) return { path, content: null };
  return { path, mode: mode as '100644', content: { bytes: blobs.get(after) as Uint8Array } };
}

function text({ stdout }: GitResult): string {
  return Buffer.from(stdout).toString('utf8');
}

function missingProblem({ stderr }: GitResult): string {
  const said = stderr.trim().split('\n')[0] ?? '';
  return `the push is not complete; fetch, and push again (git says: ${said})`;
}

function splitBytes(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  let from = 0;
  for (let end = bytes.indexOf(0); end >= 0; end = bytes.indexOf(0, from)) {
    fields.push(bytes.subarray(from, end));
    from = end + 1;
  }
  return fields;
}
