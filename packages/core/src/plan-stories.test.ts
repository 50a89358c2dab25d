// The landing stories that concern validation and order, told on facts without bytes: parts of a file stand for
// stretches of its text. What each story wants is what a careful maintainer would want.

import { composeId, defined, type ProposalId } from '@firetrident/base';
import { expect, test } from 'vitest';
import { FakeFacts, type FakeQuery } from './fake-facts.ts';
import type { FakeContent } from './fake-facts-content.ts';
import { fakeCycle, fakeProposal } from './fake-facts-proposal.ts';
import { FakeTree } from './fake-facts-tree.ts';
import type { Brief, Entry, FileMode, Outcome, Proposal } from './model.ts';
import { plan } from './plan.ts';

type Content =
  | string
  | FakeContent['parts']
  | FakeContent
  | { readonly mode: FileMode; readonly parts: FakeContent['parts'] };
type Files = Readonly<Record<string, Content | null>>;
type Step =
  | { readonly propose: string; readonly writes: Files; readonly reads?: readonly FakeQuery[] }
  | { readonly settle: true }
  | { readonly confirm: string }
  | { readonly redo: string; readonly writes: Files };

interface Expected {
  readonly state: 'landed' | 'unchanged' | 'returned';
  readonly merged?: readonly string[];
  readonly unchanged?: readonly string[];
  readonly returns?: number;
  readonly reads?: readonly { readonly at: string; readonly causedBy: string }[];
  readonly writes?: readonly { readonly path: string; readonly kind: string; readonly causedBy: string }[];
}

interface Story {
  readonly rule: string;
  readonly name: string;
  readonly base: Files;
  readonly steps: readonly Step[];
  readonly expect?: Readonly<Record<string, Expected>>;
  readonly exactlyOneOf?: readonly string[];
  readonly order?: readonly string[];
  readonly trunk?: Files;
}

const settle = { settle: true } as const;

/** Plays a story: every `settle` plans cycles until nothing is queued. All agents took their intents at the start. */
class Stage {
  readonly facts: FakeFacts;
  readonly #start: FakeTree;
  readonly #agents = new Map<ProposalId, string>();
  readonly #proposals = new Map<ProposalId, Proposal>();
  readonly #latest = new Map<string, ProposalId>();
  readonly outcomes = new Map<string, Plain>();
  readonly returns = new Map<string, number>();
  readonly order: string[] = [];
  #queue: Proposal[] = [];

  constructor(base: Files) {
    this.facts = new FakeFacts();
    const entries = Object.entries(base).flatMap(([path, content]): [string, Entry][] =>
      content === null ? [] : [[path, this.entry(content)]],
    );
    const start = FakeTree.of(entries);
    this.facts.record(
      { landing: 'lnd_start', proposal: fakeProposal({ id: 'prp_start' }), title: 'start' },
      entries.map(([path, after]) => ({ path, before: null, after })),
    );
    this.#start = start;
  }

  entry(content: Content): Entry {
    if (typeof content === 'object' && 'mode' in content && typeof content.mode === 'string') {
      return this.facts.file({ parts: content.parts as FakeContent['parts'] }, content.mode as FileMode);
    }
    return this.facts.file(content as FakeContent);
  }

  play(step: Step): void {
    if ('settle' in step) this.#settle();
    else if ('propose' in step) {
      const reads = (step.reads ?? []).map((query) => this.facts.read(query, this.#start));
      this.#send(step.propose, { writes: this.#writes(step.writes, this.#start), reads });
    } else if ('confirm' in step) {
      const returned = defined(this.#proposals.get(defined(this.#latest.get(step.confirm), 'latest')), 'returned');
      const brief = defined(this.outcomes.get(step.confirm)?.brief, 'a brief');
      const shown = new Map(brief.reads.map(({ read, now }) => [read, { ...read, basis: now } as typeof read]));
      this.#send(step.confirm, {
        writes: returned.writes,
        reads: returned.reads.map((read) => shown.get(read) ?? read),
      });
    } else this.#send(step.redo, { writes: this.#writes(step.writes, this.facts.tip), reads: [] });
  }

  agentOf(landing: string | null): string | undefined {
    return landing === null ? undefined : this.#agents.get(`prp_${landing.slice('lnd_'.length)}`);
  }

  #writes(files: Files, tree: FakeTree): Proposal['writes'] {
    return Object.entries(files).map(([path, content]) =>
      this.facts.write(path, content === null ? null : this.entry(content), tree),
    );
  }

  #send(agent: string, content: Pick<Proposal, 'writes' | 'reads'>): void {
    const id = composeId('prp', 1, this.#proposals.size + 1);
    const proposal = fakeProposal({ id, ...content });
    this.#agents.set(id, agent);
    this.#proposals.set(id, proposal);
    this.#latest.set(agent, id);
    this.#queue.push(proposal);
  }

  #settle(): void {
    while (this.#queue.length > 0) {
      const input = fakeCycle(this.#queue);
      const { landings, others } = plan(input, this.facts);
      this.#queue = [];
      for (const { proposal, writes, merged, unchanged } of landings) {
        const landing = defined(input.landings.get(proposal), 'landing');
        this.facts.record({ landing, proposal: defined(this.#proposals.get(proposal), 'p'), title: '' }, writes);
        this.order.push(this.#agentOfProposal(proposal));
        this.outcomes.set(this.#agentOfProposal(proposal), { state: 'landed', merged, unchanged, brief: null });
      }
      for (const outcome of others) this.#note(outcome);
    }
  }

  #note(outcome: Exclude<Outcome, { kind: 'landed' }>): void {
    const agent = this.#agentOfProposal(outcome.proposal);
    if (outcome.kind === 'deferred') this.#queue.push(defined(this.#proposals.get(outcome.proposal), 'deferred'));
    if (outcome.kind === 'returned') this.returns.set(agent, (this.returns.get(agent) ?? 0) + 1);
    const brief = outcome.kind === 'returned' ? outcome.brief : null;
    const unchanged = outcome.kind === 'unchanged' ? outcome.unchanged : [];
    this.outcomes.set(agent, { state: outcome.kind, merged: [], unchanged, brief });
  }

  #agentOfProposal(id: ProposalId): string {
    return defined(this.#agents.get(id), 'the agent of a proposal');
  }
}

interface Plain {
  readonly state: Outcome['kind'];
  readonly merged: readonly string[];
  readonly unchanged: readonly string[];
  readonly brief: Brief | null;
}

const twenty = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [index + 1, `line ${index + 1}`]));

const stories: readonly Story[] = [
  {
    rule: 'V2b',
    name: 'binary-conflict: a binary file is never merged as text',
    base: { 'logo.bin': { parts: { 1: 'b' }, binary: true } },
    steps: [
      { propose: 'a', writes: { 'logo.bin': { parts: { 1: 'c' }, binary: true } } },
      settle,
      { propose: 'b', writes: { 'logo.bin': { parts: { 1: 'd' }, binary: true } } },
      settle,
    ],
    expect: {
      a: { state: 'landed' },
      b: { state: 'returned', reads: [], writes: [{ path: 'logo.bin', kind: 'binary', causedBy: 'a' }] },
    },
    trunk: { 'logo.bin': { parts: { 1: 'c' }, binary: true } },
  },
  {
    rule: 'V2b',
    name: 'clean-merge: far edits of one file both land',
    base: { 'notes.txt': twenty },
    steps: [
      { propose: 'a', writes: { 'notes.txt': { ...twenty, 2: 'line two' } } },
      settle,
      { propose: 'b', writes: { 'notes.txt': { ...twenty, 18: 'line eighteen\nand more' } } },
      settle,
    ],
    expect: { a: { state: 'landed', merged: [] }, b: { state: 'landed', merged: ['notes.txt'] } },
    trunk: { 'notes.txt': { ...twenty, 2: 'line two', 18: 'line eighteen\nand more' } },
  },
  {
    rule: 'R1a',
    name: 'confirm-a-return: the basis that the brief shows is fresh',
    base: { 'src/config.ts': '10' },
    steps: [
      { propose: 'a', writes: { 'src/config.ts': '// the limit\n10' } },
      settle,
      { propose: 'b', writes: { 'src/use.ts': 'limit' }, reads: [{ path: 'src/config.ts' }] },
      settle,
      { confirm: 'b' },
      settle,
    ],
    expect: { a: { state: 'landed' }, b: { state: 'landed', returns: 1 } },
  },
  {
    rule: 'R1a',
    name: 'confirm-keeps-the-merge: a confirmed write keeps its base and merges',
    base: { 'n.txt': twenty, 'src/config.ts': '10' },
    steps: [
      { propose: 'a', writes: { 'n.txt': { ...twenty, 2: 'two' }, 'src/config.ts': '11' } },
      settle,
      { propose: 'b', writes: { 'n.txt': { ...twenty, 18: 'eighteen' } }, reads: [{ path: 'src/config.ts' }] },
      settle,
      { confirm: 'b' },
      settle,
    ],
    expect: { a: { state: 'landed' }, b: { state: 'landed', returns: 1, merged: ['n.txt'] } },
    trunk: { 'n.txt': { ...twenty, 2: 'two', 18: 'eighteen' } },
  },
  {
    rule: 'V2d',
    name: 'delete-against-edit: the edit goes back',
    base: { 'src/old.ts': '1' },
    steps: [
      { propose: 'a', writes: { 'src/old.ts': null } },
      settle,
      { propose: 'b', writes: { 'src/old.ts': '2' } },
      settle,
    ],
    expect: {
      a: { state: 'landed' },
      b: { state: 'returned', writes: [{ path: 'src/old.ts', kind: 'delete/edit', causedBy: 'a' }] },
    },
    trunk: { 'src/old.ts': null },
  },
  {
    rule: 'V2d',
    name: 'edit-against-delete: the delete goes back',
    base: { 'src/old.ts': '1' },
    steps: [
      { propose: 'a', writes: { 'src/old.ts': '2' } },
      settle,
      { propose: 'b', writes: { 'src/old.ts': null } },
      settle,
    ],
    expect: {
      a: { state: 'landed' },
      b: { state: 'returned', writes: [{ path: 'src/old.ts', kind: 'delete/edit', causedBy: 'a' }] },
    },
    trunk: { 'src/old.ts': '2' },
  },
  {
    rule: 'V2e',
    name: 'file-against-folder: a file stands where a folder is needed',
    base: { 'README.md': 'x' },
    steps: [
      { propose: 'a', writes: { lib: 'a file' } },
      settle,
      { propose: 'b', writes: { 'lib/util.ts': 'export {}' } },
      settle,
    ],
    expect: {
      a: { state: 'landed' },
      b: { state: 'returned', writes: [{ path: 'lib/util.ts', kind: 'file/directory', causedBy: 'a' }] },
    },
    trunk: { lib: 'a file', 'lib/util.ts': null },
  },
  {
    rule: 'V2e',
    name: 'folder-against-file: a folder stands where a file is needed',
    base: { 'README.md': 'x' },
    steps: [
      { propose: 'a', writes: { 'lib/deep/util.ts': 'export {}' } },
      settle,
      { propose: 'b', writes: { lib: 'a file' } },
      settle,
    ],
    expect: {
      a: { state: 'landed' },
      b: { state: 'returned', writes: [{ path: 'lib', kind: 'file/directory', causedBy: 'a' }] },
    },
  },
  {
    rule: 'V1a',
    name: 'green-alone-red-together: the symbol that was read has moved',
    base: { 'src/order.ts': { Order: 'id' }, 'src/a.ts': 'first' },
    steps: [
      { propose: 'a', writes: { 'src/order.ts': { Order: 'id, total' }, 'src/a.ts': 'first, total' } },
      settle,
      { propose: 'b', writes: { 'src/b.ts': 'second' }, reads: [{ path: 'src/order.ts', symbol: 'Order' }] },
      settle,
    ],
    expect: { a: { state: 'landed' }, b: { state: 'returned', reads: [{ at: 'src/order.ts#Order', causedBy: 'a' }] } },
    trunk: { 'src/b.ts': null },
  },
  {
    rule: 'V1a',
    name: 'lines-shifted: the lines that were read are the same',
    base: { 'notes.txt': twenty, 'b.txt': 'b' },
    steps: [
      { propose: 'a', writes: { 'notes.txt': { ...twenty, 1: 'first\nline 1' } } },
      settle,
      { propose: 'b', writes: { 'b.txt': 'bb' }, reads: [{ path: 'notes.txt', lines: [10, 12] }] },
      settle,
    ],
    expect: { a: { state: 'landed' }, b: { state: 'landed' } },
  },
  {
    rule: 'V2b',
    name: 'mode-and-content: the mode of one and the text of the other both survive',
    base: { 'run.sh': 'one' },
    steps: [
      { propose: 'a', writes: { 'run.sh': { mode: '100755', parts: { 1: 'one' } } } },
      settle,
      { propose: 'b', writes: { 'run.sh': { mode: '100644', parts: { 1: 'two' } } } },
      settle,
    ],
    expect: { a: { state: 'landed' }, b: { state: 'landed' } },
    trunk: { 'run.sh': { mode: '100755', parts: { 1: 'two' } } },
  },
  {
    rule: 'V2g',
    name: 'nothing-to-land: what equals its base ends unchanged',
    base: { 'a.txt': 'a' },
    steps: [{ propose: 'a', writes: { 'a.txt': 'a' } }, settle],
    expect: { a: { state: 'unchanged', unchanged: ['a.txt'] } },
    order: [],
    trunk: { 'a.txt': 'a' },
  },
  {
    rule: 'V1a',
    name: 'read-of-absence: what was not there is there now',
    base: { 'src/index.ts': 'export {}' },
    steps: [
      { propose: 'a', writes: { 'plugins/sentry.ts': 'sentry' } },
      settle,
      { propose: 'b', writes: { 'src/index.ts': 'none' }, reads: [{ path: 'plugins/sentry.ts' }] },
      settle,
    ],
    expect: { a: { state: 'landed' }, b: { state: 'returned', reads: [{ at: 'plugins/sentry.ts', causedBy: 'a' }] } },
  },
  {
    rule: 'V1a',
    name: 'read-of-listing: the folder has another file',
    base: { 'migrations/001-init.sql': 'a' },
    steps: [
      { propose: 'a', writes: { 'migrations/002-users.sql': 'users' } },
      settle,
      { propose: 'b', writes: { 'migrations/002-orders.sql': 'orders' }, reads: [{ dir: 'migrations' }] },
      settle,
    ],
    expect: { a: { state: 'landed' }, b: { state: 'returned', reads: [{ at: 'migrations/', causedBy: 'a' }] } },
  },
  {
    rule: 'V1a',
    name: 'read-of-listing: an edit in the folder leaves its listing as it was',
    base: { 'migrations/001-init.sql': 'a' },
    steps: [
      { propose: 'a', writes: { 'migrations/001-init.sql': 'b' } },
      settle,
      { propose: 'b', writes: { 'migrations/002-orders.sql': 'orders' }, reads: [{ dir: 'migrations' }] },
      settle,
    ],
    expect: { a: { state: 'landed' }, b: { state: 'landed' } },
  },
  {
    rule: 'O1a',
    name: 'reader-before-writer: in one cycle the reader goes first',
    base: { 'src/config.ts': '10' },
    steps: [
      { propose: 'a', writes: { 'src/config.ts': '20' } },
      { propose: 'b', writes: { 'src/use.ts': 'limit' }, reads: [{ path: 'src/config.ts' }] },
      settle,
    ],
    expect: { a: { state: 'landed' }, b: { state: 'landed' } },
    order: ['b', 'a'],
  },
  {
    rule: 'R1a',
    name: 'redo-after-return: work done again on the trunk of the brief lands',
    base: { 'a.txt': 'one' },
    steps: [
      { propose: 'a', writes: { 'a.txt': 'two' } },
      settle,
      { propose: 'b', writes: { 'a.txt': 'three' } },
      settle,
      { redo: 'b', writes: { 'a.txt': 'two and three' } },
      settle,
    ],
    expect: { a: { state: 'landed' }, b: { state: 'landed', returns: 1 } },
    trunk: { 'a.txt': 'two and three' },
  },
  {
    rule: 'V2b',
    name: 'same-line: the second goes back with the conflict',
    base: { 'notes.txt': twenty },
    steps: [
      { propose: 'a', writes: { 'notes.txt': { ...twenty, 9: 'line nine' } } },
      settle,
      { propose: 'b', writes: { 'notes.txt': { ...twenty, 9: 'LINE 9' } } },
      settle,
    ],
    expect: {
      a: { state: 'landed' },
      b: { state: 'returned', writes: [{ path: 'notes.txt', kind: 'content', causedBy: 'a' }] },
    },
    trunk: { 'notes.txt': { ...twenty, 9: 'line nine' } },
  },
  {
    rule: 'V1a',
    name: 'slice-unrelated-symbol: another symbol of the file changed',
    base: { 'src/util.ts': { parse: 'Number(s)', format: 'String(n)' } },
    steps: [
      { propose: 'a', writes: { 'src/util.ts': { parse: 'Number(s)', format: 'n.toFixed(2)' } } },
      settle,
      { propose: 'b', writes: { 'src/cli.ts': 'parse' }, reads: [{ path: 'src/util.ts', symbol: 'parse' }] },
      settle,
    ],
    expect: { a: { state: 'landed' }, b: { state: 'landed' } },
  },
  {
    rule: 'V1a',
    name: 'stale-read: the reader goes back, told which read and by whom',
    base: { 'src/config.ts': '10', 'src/use.ts': 'limit' },
    steps: [
      { propose: 'a', writes: { 'src/config.ts': "'10'" } },
      settle,
      { propose: 'b', writes: { 'src/use.ts': 'limit + 1' }, reads: [{ path: 'src/config.ts' }] },
      settle,
    ],
    expect: {
      a: { state: 'landed' },
      b: { state: 'returned', reads: [{ at: 'src/config.ts', causedBy: 'a' }], writes: [] },
    },
    trunk: { 'src/config.ts': "'10'", 'src/use.ts': 'limit' },
  },
  {
    rule: 'O1c',
    name: 'write-cycle: one lands, the other goes back',
    base: { 'src/x.ts': '1', 'src/y.ts': '1' },
    steps: [
      { propose: 'a', writes: { 'src/x.ts': '2' }, reads: [{ path: 'src/y.ts' }] },
      { propose: 'b', writes: { 'src/y.ts': '2' }, reads: [{ path: 'src/x.ts' }] },
      settle,
    ],
    exactlyOneOf: ['a', 'b'],
    expect: { a: { state: 'landed' }, b: { state: 'returned', reads: [{ at: 'src/x.ts', causedBy: 'a' }] } },
  },
];

function placeOf(read: Brief['reads'][number]['read']): string {
  switch (read.kind) {
    case 'dir':
      return `${read.path}/`;
    case 'glob':
      return read.glob;
    case 'symbol':
      return `${read.path}#${read.symbol}`;
    case 'file':
    case 'lines':
      return read.path;
  }
}

test.each(stories)('[$rule] $name', (story) => {
  const stage = new Stage(story.base);
  for (const step of story.steps) stage.play(step);
  for (const [agent, expected] of Object.entries(story.expect ?? {})) {
    const outcome = defined(stage.outcomes.get(agent), agent);
    expect([agent, outcome.state]).toEqual([agent, expected.state]);
    if (expected.merged) expect(outcome.merged).toEqual(expected.merged);
    if (expected.unchanged) expect(outcome.unchanged).toEqual(expected.unchanged);
    if (expected.returns !== undefined) expect(stage.returns.get(agent)).toBe(expected.returns);
    const reads = outcome.brief?.reads.map(({ read, cause }) => ({
      at: placeOf(read),
      causedBy: stage.agentOf(cause.landing),
    }));
    if (expected.reads) expect(reads).toEqual(expected.reads);
    const writes = outcome.brief?.writes.map(({ path, kind, cause }) => ({
      path,
      kind,
      causedBy: stage.agentOf(cause.landing),
    }));
    if (expected.writes) expect(writes).toEqual(expected.writes);
  }
  if (story.order) expect(stage.order).toEqual(story.order);
  const landed = story.exactlyOneOf?.filter((agent) => stage.outcomes.get(agent)?.state === 'landed');
  if (landed) expect(landed).toHaveLength(1);
  for (const [path, content] of Object.entries(story.trunk ?? {})) {
    expect([path, stage.facts.tip.entry(path)]).toEqual([path, content === null ? null : stage.entry(content)]);
  }
});
