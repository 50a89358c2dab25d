// A colony driven by hand, for tests: every command is applied, and after each one all invariants are checked, the
// events are replayed from the beginning and a snapshot is restored; both must give the same state.

import {
  type AgentId,
  assert,
  canonicalJson,
  defined,
  type IntentId,
  type LandingId,
  landingOf,
  type Oid,
  type ProposalId,
} from '@firetrident/base';
import { apply } from './apply.ts';
import type { Applied } from './apply-port.ts';
import type { Command, CommandKind, CommandOf, IntentDraft, LeaseGrant, ProposalContent, Replies } from './command.ts';
import type { Effect } from './effect.ts';
import type { Event } from './event.ts';
import { checkInvariants } from './invariants.ts';
import type { Brief, ConflictKind, Entry, Outcome, Proposal, ResolvedRead, ResolvedWrite } from './model.ts';
import { defaultPolicy, type Limits, type Policy } from './policy.ts';
import type { Refusal } from './refusal.ts';
import { replay } from './replay.ts';
import { restoreState, serialiseState } from './serialise.ts';
import { type ColonyState, emptyState } from './state.ts';

/** A made-up object id. */
export function oid(number: number): Oid {
  return number.toString(16).padStart(40, '0');
}

/** A file with made-up content. */
export function file(number: number): Entry {
  return { mode: '100644', oid: oid(number) };
}

/** A write of a new file. */
export function write(path: string, content = 1, base: Entry | null = null): ResolvedWrite {
  return { path, base, after: file(content) };
}

/** A read of a whole file. */
export function read(path: string, content = 1): ResolvedRead {
  return { kind: 'file', path, at: oid(0), basis: oid(content) };
}

/** What a scenario changes of the default policy. */
export type Changes = Partial<Omit<Policy, 'limits'>> & { readonly limits?: Partial<Limits> };

/** The default policy with changes. */
export function policyWith(changes: Changes): Policy {
  return { ...defaultPolicy, ...changes, limits: { ...defaultPolicy.limits, ...changes.limits } };
}

type Decide = (proposal: Proposal) => Outcome['kind'] | Outcome;

/** A colony and its clock. */
export class Scenario {
  state: ColonyState = emptyState();
  now = 1_000_000;
  readonly events: Event[] = [];
  /** Effects of the last command. */
  effects: readonly Effect[] = [];
  /** Whether every step is checked; large scenarios check once at their end. */
  checked = true;
  #trunk = 0;

  constructor(changes: Changes = {}) {
    const policy = policyWith(changes);
    const tip = oid(0);
    this.do({ kind: 'create-colony', id: 'c', branch: 'main', tip, notes: null, packages: [], policy, seed: 1 });
    this.do({ kind: 'boot' });
  }

  apply<C extends Command>(command: C): Applied<C['kind']> {
    const applied = apply(this.state, command, this.now);
    this.events.push(...applied.events);
    this.effects = applied.effects;
    assert(applied.reply.ok || applied.events.length + applied.effects.length === 0, '[AP3] a refusal does nothing');
    if (this.checked) this.check();
    return applied;
  }

  /** Applies a command that must not be refused. */
  do<C extends Command>(command: C): Replies[C['kind']] {
    const { reply } = this.apply(command);
    assert(reply.ok, `not refused: ${JSON.stringify(reply)}`);
    return reply.value as Replies[C['kind']];
  }

  /** Applies a command that must be refused. */
  refused(command: Command): Refusal {
    const { reply } = this.apply(command);
    assert(!reply.ok, `refused: ${JSON.stringify(reply)}`);
    return reply.error;
  }

  /** Checks invariants, replay and restoring. */
  check(): void {
    const problems = checkInvariants(this.state);
    assert(problems.length === 0, problems.join('\n'));
    const live = canonicalJson(serialiseState(this.state));
    assert(canonicalJson(serialiseState(replay(this.events))) === live, '[EV1] replaying gives the same state');
    const restored = restoreState(JSON.parse(JSON.stringify(serialiseState(this.state))));
    assert(canonicalJson(serialiseState(restored)) === live, '[SE1] restoring gives the same state');
    const broken = checkInvariants(restored);
    assert(broken.length === 0, broken.join('\n'));
  }

  /** Goes on with a state restored from a snapshot. */
  restart(): void {
    this.state = restoreState(JSON.parse(JSON.stringify(serialiseState(this.state))));
  }

  pass(milliseconds: number): void {
    this.now += milliseconds;
    this.do({ kind: 'tick' });
  }

  intent(title: string, draft: Partial<IntentDraft> = {}): IntentId {
    return defined(this.create([{ title, ...draft }]).intents[0], 'the intent').id;
  }

  create(drafts: readonly Partial<IntentDraft>[]): Replies['create-intents'] {
    return this.do(createCommand(drafts));
  }

  agent(name: string): AgentId {
    return this.do({
      kind: 'register-agent',
      name,
      agentKind: 'test',
      labels: [],
      workspace: 'ref',
      tokenHash: `hash of ${name}`,
      joinTokenHash: null,
    }).agent;
  }

  take(agent: AgentId, wish: Partial<CommandOf<'take'>> = {}): Replies['take'] {
    return this.do(takeCommand(agent, wish));
  }

  /** Takes an intent, which must be granted. */
  grant(agent: AgentId, wish: Partial<CommandOf<'take'>> = {}): LeaseGrant {
    const reply = this.take(agent, wish);
    assert(reply.kind === 'grant', `granted: ${JSON.stringify(reply)}`);
    return reply.grant;
  }

  /** A fresh agent with a lease on a fresh intent. */
  worker(name: string, draft: Partial<IntentDraft> = {}): Worker {
    const intent = this.intent(`work of ${name}`, draft);
    const agent = this.agent(name);
    const { lease, epoch } = this.grant(agent, { intent });
    return { agent, lease, epoch, intent };
  }

  propose(worker: Worker, writes: readonly ResolvedWrite[], more: Partial<CommandOf<'propose'>> = {}): ProposalId {
    return this.do(proposeCommand(worker, { writes, reads: [] }, more)).proposal;
  }

  repair(worker: Worker, proposal: ProposalId, more: Partial<CommandOf<'repair'>> = {}): ProposalId {
    return this.do(repairCommand(worker, proposal, more)).proposal;
  }

  /** Runs a cycle to its end. Proposals land unless `decide` says otherwise. */
  cycle(decide: Decide = () => 'landed'): readonly Outcome[] {
    const { cycle } = this.do({ kind: 'start-cycle' });
    if (cycle === null) return [];
    const outcomes = this.intend(decide);
    this.do({ kind: 'commit-cycle', cycle });
    return outcomes;
  }

  /** Gives the running cycle its intention. */
  intend(decide: Decide = () => 'landed', quarantined: CommandOf<'intend-cycle'>['quarantined'] = []): Outcome[] {
    const { id: cycle, batches } = defined(this.state.cycle, 'the running cycle');
    const outcomes = this.state.cycleOrder.map((id) => {
      const proposal = defined(this.state.proposals.get(id), id);
      const decided = decide(proposal);
      const batch = batches.find((one) => one.proposals.includes(id))?.id;
      return typeof decided === 'string' ? outcomeOf(proposal, decided, defined(batch, 'the batch'), this) : decided;
    });
    const lands = outcomes.some((outcome) => outcome.kind === 'landed');
    const { tip: oldTip, notes: oldNotes } = this.state;
    this.#trunk += 1;
    const refs = lands
      ? { oldTip, newTip: oid(1000 + this.#trunk), oldNotes, newNotes: oid(2000 + this.#trunk) }
      : null;
    this.do({ kind: 'intend-cycle', cycle, intention: { refs, outcomes }, quarantined });
    return outcomes;
  }

  kinds(): readonly string[] {
    return this.effects.map((effect) => effect.kind);
  }
}

/** Who works, and under what. */
export interface Worker {
  readonly agent: AgentId;
  readonly lease: LeaseGrant['lease'];
  readonly epoch: number;
  readonly intent: IntentId;
}

function outcomeOf(
  proposal: Proposal,
  kind: Outcome['kind'],
  batch: Extract<Outcome, { kind: 'landed' }>['batch'],
  scenario: Scenario,
): Outcome {
  const { id } = proposal;
  switch (kind) {
    case 'landed': {
      const writes = proposal.writes.map(({ path, base: before, after }) => ({ path, before, after }));
      const commit = oid(5000 + scenario.events.length);
      return { kind, proposal: id, landing: landingOf(id), batch, commit, writes, merged: [], unchanged: [] };
    }
    case 'unchanged':
      return { kind, proposal: id, unchanged: proposal.writes.map(({ path }) => path) };
    case 'returned':
      return { kind, proposal: id, brief: staleBrief(scenario, proposal.reads) };
    case 'rejected':
      return { kind, proposal: id, reasons: [{ code: 'test', message: 'not allowed', path: null }] };
    case 'deferred':
      return { kind, proposal: id, reason: 'a cycle of readers' };
  }
}

const someLanding: LandingId = 'lnd_x000001';

/** A brief that names every one of the reads as moved, each to content 77. */
export function staleBrief(
  scenario: Scenario,
  reads: readonly ResolvedRead[],
  landing: LandingId = someLanding,
): Brief {
  const cause = { landing, intent: { id: null, title: 'another' } };
  const stale = reads.map((one) => ({ read: one, now: oid(77), cause, diff: '' }));
  return { trunk: scenario.state.tip, reads: stale, writes: [] };
}

/** A brief that names one write as conflicting. */
export function conflictBrief(scenario: Scenario, path: string, kind: ConflictKind, landing = someLanding): Brief {
  const cause = { landing, intent: { id: null, title: 'another' } };
  const conflict = { path, kind, base: null, tip: file(66), cause, diff: '' };
  return { trunk: scenario.state.tip, reads: [], writes: [conflict] };
}

/** An outcome that sends a proposal back with this brief. */
export function back(brief: Brief): (proposal: Proposal) => Outcome {
  return (proposal) => ({ kind: 'returned', proposal: proposal.id, brief });
}

/** A command that creates intents, blank but for what is given. */
export function createCommand(
  drafts: readonly Partial<IntentDraft>[],
  more: Partial<CommandOf<'create-intents'>> = {},
): CommandOf<'create-intents'> {
  const blank = { title: 't', body: '', paths: [], priority: 0, after: [], parent: null, labels: [], key: null };
  const filled = drafts.map((draft) => ({ ...blank, ...draft }));
  return { kind: 'create-intents', drafts: filled, archived: new Map(), archivedKeys: new Map(), ...more };
}

/** A take of anything. */
export function takeCommand(agent: AgentId, wish: Partial<CommandOf<'take'>> = {}): CommandOf<'take'> {
  return { kind: 'take', agent, intent: null, paths: [], labels: [], waitingAgents: 0, takesInFlight: 0, ...wish };
}

/** A final propose of some content. */
export function proposeCommand(
  worker: Worker,
  content: ProposalContent,
  more: Partial<CommandOf<'propose'>> = {},
): CommandOf<'propose'> {
  const { agent, lease, epoch } = worker;
  const standing = { base: oid(0), predecessor: null, final: true, title: null, message: null, key: null };
  return { kind: 'propose', agent, lease, epoch, ...standing, content, ...more };
}

/** A confirming repair. */
export function repairCommand(
  worker: Worker,
  proposal: ProposalId,
  more: Partial<CommandOf<'repair'>> = {},
): CommandOf<'repair'> {
  const { agent, lease, epoch } = worker;
  return {
    kind: 'repair',
    agent,
    lease,
    epoch,
    proposal,
    answer: 'confirm',
    base: null,
    key: null,
    content: null,
    ...more,
  };
}

/** The reply of a command as a refusal code or "ok": what random tests compare. */
export function answerOf(applied: Applied<CommandKind>): string {
  return applied.reply.ok ? JSON.stringify(applied.reply.value) : applied.reply.error.code;
}
