// One upstream as stock git sees it: looked at, fetched, compared, and pushed to.
//
//   RR1. A push names what it expects to find, and what it pushes descends from that: nothing there is ever overwritten.
//   RR2. Trunk and notes go together where the other side can do that; otherwise notes go first, which harms nobody.
//   RR3. Several colonies may share an upstream: notes that are not ours stay, and ours go under a name of their own.
//   RR4. Arguments can be read by everybody on the machine: the address in them has no user and no password.

import type { Oid } from '@firetrident/base';
import { readGitAddress } from '@firetrident/protocol';
import { credentialEnvironment } from './credentials.ts';
import { commandMs, type GitAnswer, type GitCallOptions, type GitCalls } from './git-calls.ts';
import { withoutSecrets } from './settings.ts';

/** What stands at the other side; nulls for what is not there. */
export interface RemoteRefs {
  readonly trunk: Oid | null;
  readonly notes: Oid | null;
  /** Notes under the colony's own name. */
  readonly ownNotes: Oid | null;
}

/** What stands here. */
export interface LocalRefs {
  readonly trunk: Oid;
  readonly notes: Oid | null;
}

/** An upstream that did not do what was asked: it cannot be reached, or it says no. */
export class RemoteProblem extends Error {
  readonly kind: 'away' | 'refused';

  constructor(kind: 'away' | 'refused', problem: string) {
    super(withoutSecrets(problem));
    this.name = 'RemoteProblem';
    this.kind = kind;
  }
}

/** How two trunks stand to each other, seen from here. */
export type Relation = 'same' | 'ahead' | 'behind' | 'diverged' | 'unrelated';

const notesRef = 'refs/notes/firetrident';
const nextRef = 'refs/firetrident/upstream/next';
/** What a server says when a ref was moved by somebody else meanwhile. */
const movedWords =
  /stale info|fetch first|non-fast-forward|failed to update ref|cannot lock ref|incorrect old value|but expected/i;

/** The upstream of one colony. Methods that ask it throw a RemoteProblem. */
export class RemoteRepository {
  readonly #git: GitCalls;
  readonly #url: string;
  readonly #asking: GitCallOptions;
  readonly #branch: string;
  readonly #ownNotesRef: string;

  /** Throws a RemoteProblem for an address that is refused. `longestMs` bounds each question to it, milliseconds. */
  constructor(git: GitCalls, colony: string, url: string, branch: string, longestMs = commandMs) {
    const address = readGitAddress(url);
    if (!address.ok) throw new RemoteProblem('refused', `its address ${address.error}`);
    this.#git = git;
    this.#url = address.value.bare; // (RR4)
    this.#asking = { environment: credentialEnvironment(address.value), longestMs };
    this.#branch = branch;
    this.#ownNotesRef = `${notesRef}-${colony}`;
  }

  async look(): Promise<RemoteRefs> {
    const trunkRef = `refs/heads/${this.#branch}`;
    const listed = await this.#git.ask(
      this.#asking,
      'ls-remote',
      '--',
      this.#url,
      trunkRef,
      notesRef,
      this.#ownNotesRef,
    );
    if (listed.code !== 0) throw awayProblem(listed);
    const refs = new Map(listed.output.split('\n').map((line) => line.split('\t').reverse() as [string, Oid]));
    const at = (ref: string) => refs.get(ref) ?? null;
    return { trunk: at(trunkRef), notes: at(notesRef), ownNotes: at(this.#ownNotesRef) };
  }

  /** Brings the commits of the other trunk here; they stand under a hidden ref. Answers its tip. */
  async fetch(): Promise<Oid> {
    const quiet = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules', '--no-auto-maintenance'];
    const refs = `+refs/heads/${this.#branch}:${nextRef}`;
    const fetched = await this.#git.ask(this.#asking, 'fetch', ...quiet, '--', this.#url, refs);
    if (fetched.code !== 0) throw awayProblem(fetched);
    return (await this.#git.run('rev-parse', nextRef)).output;
  }

  async relation(ours: Oid, theirs: Oid): Promise<Relation> {
    if (ours === theirs) return 'same';
    if (await this.descends(ours, theirs)) return 'ahead';
    if (await this.descends(theirs, ours)) return 'behind';
    return (await this.#git.run('merge-base', ours, theirs)).code === 0 ? 'diverged' : 'unrelated';
  }

  /** Whether `commit` is `ancestor` or comes after it. */
  async descends(commit: Oid, ancestor: Oid): Promise<boolean> {
    return (await this.#git.run('merge-base', '--is-ancestor', ancestor, commit)).code === 0;
  }

  /** Pushes trunk and notes over what `expected` says (RR1); "moved" when somebody else was faster. */
  async push(local: LocalRefs, expected: RemoteRefs): Promise<'pushed' | 'moved'> {
    const trunk = pushed(`refs/heads/${this.#branch}`, local.trunk, expected.trunk);
    const notes = await this.#notesPush(local.notes, expected);
    const together = await this.#send(['--atomic'], [...notes, ...trunk]);
    if (!/does not support --atomic|atomic push.*not supported/i.test(together.problem)) return this.#judge(together);
    // (RR2)
    if (notes.length > 0 && this.#judge(await this.#send([], notes)) === 'moved') return 'moved';
    return this.#judge(await this.#send([], trunk));
  }

  /** Where notes go: to their usual place while that holds ours only, else to one of the colony's own (RR3). */
  async #notesPush(notes: Oid | null, { notes: shared, ownNotes }: RemoteRefs): Promise<readonly string[]> {
    if (notes === null || shared === notes || ownNotes === notes) return [];
    const isOurs = ownNotes === null && (shared === null || (await this.descends(notes, shared)));
    if (isOurs) return pushed(notesRef, notes, shared);
    // What stands under our own name and is not ours is somebody else's word; it stays.
    if (ownNotes !== null && !(await this.descends(notes, ownNotes))) return [];
    return pushed(this.#ownNotesRef, notes, ownNotes);
  }

  #send(more: readonly string[], refs: readonly string[]): Promise<GitAnswer> {
    const leases = refs.filter((each) => each.startsWith('--'));
    const specs = refs.filter((each) => !each.startsWith('--'));
    const args = ['--porcelain', '--no-verify', ...more, ...leases, '--', this.#url, ...specs];
    return this.#git.ask(this.#asking, 'push', ...args);
  }

  #judge(answer: GitAnswer): 'pushed' | 'moved' {
    if (answer.code === 0) return 'pushed';
    const said = `${answer.output}\n${answer.problem}`;
    const refusals = answer.output.split('\n').filter((line) => line.startsWith('!'));
    if (refusals.length === 0) throw awayProblem(answer);
    if (movedWords.test(said)) return 'moved';
    const reason = /\(([^()]*)\)\s*$/.exec(refusals.find((line) => !/atomic/i.test(line)) ?? '')?.[1];
    throw new RemoteProblem('refused', reason ?? answer.problem.split('\n')[0] ?? 'no reason was given');
  }
}

/** A ref to push with what is expected there; an empty expectation means that it must not be there. */
function pushed(ref: string, to: Oid, expected: Oid | null): string[] {
  return to === expected ? [] : [`--force-with-lease=${ref}:${expected ?? ''}`, `${to}:${ref}`];
}

function awayProblem({ problem, code }: GitAnswer): RemoteProblem {
  const line = problem.split('\n').find((each) => /^(fatal|error|remote):/.test(each)) ?? problem.split('\n')[0];
  return new RemoteProblem('away', line === undefined || line === '' ? `git ended with status ${code}` : line);
}
