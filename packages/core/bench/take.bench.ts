// What a take costs with 100,000 open intents, next to the same take with 1,000 in the same run. Rounds alternate between the
// two, and the median of the rounds is printed: ratios are comparable between machines, the absolute figures are not.
//
// Kinds of takes: of anything; of anything while most regions are full; of some paths; of contended work only, which ends
// in a wait. Usage: `node packages/core/bench/take.bench.ts [rounds] [many] [--out FILE]`.

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type AgentId, assert, type LeaseId } from '@firetrident/base';
import {
  apply,
  type ColonyState,
  type Command,
  type CommandOf,
  defaultPolicy,
  emptyState,
  type Policy,
  type Replies,
} from '../src/index.ts';

const { values: options, positionals } = parseArgs({ options: { out: { type: 'string' } }, allowPositionals: true });
const [roundsText = '15', manyText = '100000'] = positionals;
/** What `--out` writes, for `firetrident bench report`. */
const rows: { name: string; value: number; unit: string }[] = [];
const rounds = Number(roundsText);
const few = 1_000;
const many = Number(manyText);
/** Takes of one round; their leases are given back before the next. */
const takesPerRound = 100;
const regions = 200;

/** How the paths of intent `index` look, the rules of admission, and what is asked for. */
interface Kind {
  readonly name: string;
  readonly admission: Policy['admission'];
  readonly paths: (index: number) => readonly string[];
  /** What is asked for; it must match more intents than a round takes. */
  readonly wish: readonly string[];
  /** Leases on other work that stand through all rounds: intents that are taken by name first. */
  readonly held: number;
}

const spread = (index: number) => [`part${index % regions}/src/file${index}.ts`];

const kinds: readonly Kind[] = [
  { name: 'anything', admission: 'open', paths: spread, wish: [], held: 50 },
  {
    name: 'anything, most regions full',
    admission: { floor: 2, ceiling: 2, wasteBudget: 0.05 },
    paths: spread,
    wish: [],
    held: regions,
  },
  {
    name: 'some paths',
    admission: 'open',
    paths: (index) => [`part${index % 4}/src/file${index}.ts`],
    wish: ['part1/**', 'part2/src/*.ts'],
    held: 50,
  },
  {
    name: 'nothing but contended work',
    admission: 'open',
    paths: (index) => [`part${index % regions}/**`, `part${index % regions}/src/file${index}.ts`],
    wish: [],
    held: regions,
  },
];

/** A colony with so many open intents of a kind, and agents that hold nothing. */
class Bed {
  readonly state: ColonyState = emptyState();
  readonly #kind: Kind;
  readonly #agents: AgentId[] = [];
  #now = 1_000_000;

  constructor(kind: Kind, open: number) {
    this.#kind = kind;
    const limits = { ...defaultPolicy.limits, liveIntents: many * 2 + regions, agents: 10_000 };
    const policy = { ...defaultPolicy, admission: kind.admission, limits };
    const tip = '0'.repeat(40);
    this.#do({ kind: 'create-colony', id: 'c', branch: 'main', tip, notes: null, packages: [], policy, seed: 1 });
    this.#do({ kind: 'boot' });
    const held = this.#create(0, kind.held);
    for (let start = kind.held; start < kind.held + open; start += 1_000) {
      this.#create(start, Math.min(1_000, kind.held + open - start));
    }
    for (const intent of held) this.#do(this.#takeOf(this.#register(`holder of ${intent}`), intent));
    for (let index = 0; index < takesPerRound; index += 1) this.#agents.push(this.#register(`agent ${index}`));
  }

  /** Milliseconds that one take takes, as the mean of a round. */
  round(): number {
    const leases: { agent: AgentId; lease: LeaseId; epoch: number }[] = [];
    this.#now += 1;
    const begun = performance.now();
    for (const agent of this.#agents) {
      const reply = this.#do(this.#takeOf(agent, null));
      if (reply.kind === 'grant') leases.push({ agent, lease: reply.grant.lease, epoch: reply.grant.epoch });
    }
    const elapsed = performance.now() - begun;
    for (const lease of leases) this.#do({ kind: 'release', ...lease, why: null });
    return elapsed / takesPerRound;
  }

  #create(start: number, count: number) {
    const drafts = Array.from({ length: count }, (_, offset) => ({
      title: `work ${start + offset}`,
      body: '',
      paths: this.#kind.paths(start + offset),
      priority: 0,
      after: [],
      parent: null,
      labels: [],
      key: null,
    }));
    const none = { archived: new Map(), archivedKeys: new Map() };
    return this.#do({ kind: 'create-intents', drafts, ...none }).intents.map(({ id }) => id);
  }

  #register(name: string): AgentId {
    const described = { name, agentKind: 'bench', labels: [], workspace: 'ref', joinTokenHash: null } as const;
    return this.#do({ kind: 'register-agent', ...described, tokenHash: name }).agent;
  }

  #takeOf(agent: AgentId, intent: CommandOf<'take'>['intent']): CommandOf<'take'> {
    const paths = intent === null ? this.#kind.wish : [];
    return { kind: 'take', agent, intent, paths, labels: [], waitingAgents: 0, takesInFlight: 0 };
  }

  #do<C extends Command>(command: C): Replies[C['kind']] {
    const { reply } = apply(this.state, command, this.#now);
    assert(reply.ok, `${command.kind} is not refused`);
    return reply.value as Replies[C['kind']];
  }
}

function median(values: readonly number[]): number {
  return [...values].sort((left, right) => left - right)[values.length >> 1] ?? 0;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

say(`MEASURED: one take, median of ${rounds} alternating rounds of ${takesPerRound}`);
for (const kind of kinds) {
  const [small, large] = [new Bed(kind, few), new Bed(kind, many)];
  const times: [number[], number[]] = [[], []];
  for (let round = -3; round < rounds; round += 1) {
    const pair = [small.round(), large.round()] as const;
    // The first rounds warm the compiler up.
    if (round >= 0) for (const side of [0, 1] as const) times[side].push(pair[side]);
  }
  const [fewMs, manyMs] = [median(times[0]), median(times[1])];
  const ratio = (manyMs / fewMs).toFixed(2);
  const figures = `${(fewMs * 1_000).toFixed(1)} µs with ${few} open, ${(manyMs * 1_000).toFixed(1)} µs with ${many}`;
  rows.push({ name: `${kind.name}, ${few} open`, value: fewMs * 1_000, unit: 'µs' });
  rows.push({ name: `${kind.name}, ${many} open`, value: manyMs * 1_000, unit: 'µs' });
  say(`${kind.name.padEnd(28)} ${figures}: ${ratio} times`);
}
if (options.out !== undefined) {
  const command = `npm run bench:take -- ${rounds} ${many}`;
  writeFileSync(options.out, `${JSON.stringify({ figures: 'MEASURED', bench: 'take', command, rows }, null, 1)}\n`);
}
