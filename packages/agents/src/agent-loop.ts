// One agent: takes an intent, runs its program in a checkout at its base, proposes what changed, repairs by
// running the program again on the new base, and goes on until the backlog is empty.
//
// Knows the daemon only through the client. Reports everything that happens as `AgentEvent`s; prints nothing.
//
// Invariants:
//   AL1. A lease is never left behind: it ends in an outcome, a completion, a failure or a release.
//   AL2. A proposal carries a key, so a repeated call after a lost answer is the same proposal.
//   AL3. A program does not work on for a daemon that is gone.

import { never } from '@firetrident/base';
import { type Client, ClientError } from '@firetrident/client';
import type {
  BriefResponse,
  ProposalStatusResponse,
  ResolvedPolicy,
  TakeGrantedResponse,
  WriteRequest,
} from '@firetrident/protocol';
import type { AboutIntent, AgentEvent } from './agent-event.ts';
import { type ChangeSettings, changedWrites } from './changes.ts';
import type { Checkout } from './checkout.ts';
import type { CheckoutPool } from './checkout-pool.ts';
import { type Activity, type DriverName, runTurn, type TurnEnd } from './driver.ts';
import { sparsePatterns } from './git-directory.ts';
import type { HeadsUpDesk, HeardHeadsUp } from './heads-up-desk.ts';
import { intentEnvironment, intentInput, intentPrompt } from './intent-text.ts';
import { type PermissionPolicy, pathInside } from './permissions.ts';
import { type CommandEnd, CommandUnusableError } from './process-group.ts';
import { ReadList, type SeenFiles } from './read-list.ts';
import { regenerate, regenerationOf } from './regenerate.ts';
import { GitFailedError } from './run-git.ts';
import { setUp } from './setup.ts';
import type { WorkTree } from './work-tree.ts';

/** What one agent works with. */
export interface AgentSettings {
  readonly client: Client;
  readonly colony: string;
  readonly name: string;
  readonly checkouts: CheckoutPool;
  /** Whether a checkout shows only the paths of its intent, where it has any, and the files of the root. */
  readonly sparse: boolean;
  readonly headsUps: HeadsUpDesk;
  readonly driver: DriverName;
  readonly command: readonly string[];
  /** What an agent that asks first may do. */
  readonly permissions: PermissionPolicy;
  /** Only intents with one of these labels are taken; any when there is none. */
  readonly labels: readonly string[];
  readonly policy: ResolvedPolicy;
  /** Folder that setup commands may cache downloads in. */
  readonly cache: string;
  readonly timeoutMs: number;
  /** Repairs of one intent before the agent gives up on it. */
  readonly maxRepairs: number;
  /** Ends the agent: the command is stopped, the lease released. */
  readonly signal: AbortSignal;
  /** Ends only the waiting for work. */
  readonly drained: AbortSignal;
  readonly onEvent: (event: AgentEvent) => void;
  /** Whether the backlog may still give work to an agent that was told that there is none now. */
  readonly moreWork: () => Promise<boolean>;
}

/** A proposal that came back, with the reasons. */
interface Returned {
  readonly proposal: ProposalStatusResponse['proposal'];
  readonly brief: BriefResponse;
  /** Until when what it needs is kept still for its repair; null when it is not. */
  readonly reservedUntil: string | null;
  /** The commit that the files of the proposal were changed on. */
  readonly madeAt: string;
}

/** What one run of the program works with. */
interface Work {
  readonly checkout: Checkout;
  readonly reads: ReadList;
  readonly base: string;
  readonly returned: Returned | null;
  readonly lost: AbortSignal;
}

/** What one run of the program came to: why it failed, or null; tokens used. */
interface Turn {
  readonly problem: string | null;
  readonly tokens: number;
}

/** How long one take waits for work. */
const takeWaitMs = 2_000;
/** How often it is looked whether the command has read more. */
const readListMs = 1_000;
/** How long one question for an outcome waits. */
const outcomeWaitMs = 30_000;

/** The refusals that say that the lease is not this agent's any more. */
const leaseIsGone: readonly string[] = ['stale_epoch', 'unknown_lease', 'not_your_lease', 'agent_stopped'];

/** One agent; `run` settles when there is no more work or its signal aborts, and rejects when the daemon is lost. */
export class AgentLoop {
  readonly #settings: AgentSettings;
  /** What the program of the intent at hand has read. */
  #reads: ReadList | null = null;
  /** Heartbeats one after the other, so that what was read is told before what rests on it. */
  #beating: Promise<void> = Promise.resolve();
  /** When the daemon last answered a heartbeat. */
  #answeredAt = 0;

  constructor(settings: AgentSettings) {
    this.#settings = settings;
  }

  async run(): Promise<void> {
    const { signal, onEvent, name } = this.#settings;
    // Whoever comes from work looks first without waiting, so that a fleet ends with its backlog and not a wait later.
    let waitMs = 0;
    while (!signal.aborted) {
      const taken = await this.#take(waitMs);
      if (taken === null) break;
      waitMs = taken === 'wait' ? takeWaitMs : 0;
      if (taken !== 'wait') await this.#work(taken);
    }
    onEvent({ kind: 'ended', agent: name });
  }

  get #parts() {
    return { colony: this.#settings.colony };
  }

  #about(taken: TakeGrantedResponse): AboutIntent {
    return { agent: this.#settings.name, intent: taken.intent.id, title: taken.intent.title };
  }

  /** The next intent; `wait` when there may be one later, null when the backlog is empty or the agent is to end. */
  async #take(waitMs: number): Promise<TakeGrantedResponse | 'wait' | null> {
    const { client, onEvent, name, labels, moreWork, signal, drained } = this.#settings;
    const ending = AbortSignal.any([signal, drained]);
    try {
      const body = { waitMs, labels: [...labels] };
      const answer = await client.call('take', { parts: this.#parts, body, signal: ending });
      if ('intent' in answer) return answer;
      if (answer.wait.reason === 'no open intent' && !(await moreWork())) return null;
      onEvent({ kind: 'waiting', agent: name, reason: answer.wait.reason });
      return 'wait';
    } catch (error) {
      if (ending.aborted) return null;
      throw error;
    }
  }

  async #work(taken: TakeGrantedResponse): Promise<void> {
    const { onEvent } = this.#settings;
    this.#settings.headsUps.expect(taken.lease.id);
    onEvent({ kind: 'taken', ...this.#about(taken) });
    const lost = new AbortController();
    const timers = this.#keepAlive(taken, lost);
    let checkout: Checkout | null = null;
    try {
      checkout = await this.#checkoutFor(taken, lost.signal);
      if (checkout === null) await this.#release(taken, 'the agent was stopped');
      else await this.#attempt(taken, checkout, lost.signal);
    } catch (error) {
      if (error instanceof CommandUnusableError) await this.#release(taken, 'the command cannot be run');
      if (!(error instanceof ClientError) || error.kind !== 'refused') throw error;
      const why = `${error.code}: ${error.message}`;
      // Without its lease, what was changed is captured before the next intent (CK1).
      if (leaseIsGone.includes(error.code ?? '')) onEvent({ kind: 'lost', ...this.#about(taken), why });
      else await this.#fail(taken, why);
    } finally {
      for (const timer of timers) clearInterval(timer);
      this.#reads = null;
      if (checkout !== null) this.#settings.checkouts.giveBack(checkout);
    }
  }

  /** A checkout at the intent's base; null when the agent is to end. */
  async #checkoutFor(taken: TakeGrantedResponse, lost: AbortSignal): Promise<Checkout | null> {
    const { checkouts, name: identity } = this.#settings;
    const signal = AbortSignal.any([this.#settings.signal, lost]);
    const { base, intent } = taken;
    try {
      const wanted = { commit: base.commit, reason: intent.id, patterns: this.#patterns(taken) };
      return await checkouts.acquire({ ...wanted, identity, signal });
    } catch (error) {
      if (signal.aborted) return null;
      await this.#release(taken, 'there is no checkout to work in');
      throw error;
    }
  }

  #patterns({ intent }: TakeGrantedResponse): readonly string[] | null {
    return this.#settings.sparse ? sparsePatterns(intent.paths) : null;
  }

  /** Works on one intent to its end (AL1). */
  async #attempt(taken: TakeGrantedResponse, checkout: Checkout, lost: AbortSignal): Promise<void> {
    const { client, colony, maxRepairs, onEvent } = this.#settings;
    const reads = new ReadList(checkout.tree);
    this.#reads = reads;
    let base = taken.base.commit;
    let returned: Returned | null = null;
    let startedAt: number | null = null;
    for (let repairs = 0; ; repairs += 1) {
      const turn = await this.#turn(taken, { checkout, reads, base, returned, lost });
      if (turn.problem !== null) return this.#fail(taken, turn.problem);
      base = turn.base;
      const putBlob = (bytes: Buffer) => client.putBlob(colony, bytes);
      const writes = await writesOf(checkout.tree, { base, putBlob });
      if (typeof writes === 'string') return this.#fail(taken, writes);
      if (writes.length === 0) return this.#complete(taken, checkout);
      startedAt ??= performance.now();
      const status = await this.#send(taken, { base, writes, tokens: turn.tokens, repairs }, returned);
      onEvent({ kind: 'proposed', ...this.#about(taken), proposal: status.proposal, writes: writes.length });
      const outcome = await this.#outcome(status);
      if (outcome.state !== 'returned' || outcome.brief === undefined) {
        return this.#report(taken, checkout, outcome, { repairs, landMs: performance.now() - startedAt });
      }
      const { proposal, brief, reserved } = outcome;
      returned = { proposal, brief, reservedUntil: reserved?.until ?? null, madeAt: base };
      base = brief.trunk;
      onEvent({ kind: 'returned', ...this.#about(taken), causes: causesOf(brief) });
      if (repairs >= maxRepairs) return this.#fail(taken, `came back ${repairs + 1} times`);
      // What was proposed is the colony's to keep.
      checkout.forget();
    }
  }

  /** Makes the change: by commands alone where that settles a return, else by the program on a clean checkout. */
  async #turn(taken: TakeGrantedResponse, work: Work): Promise<Turn & { readonly base: string }> {
    const { headsUps, name, onEvent } = this.#settings;
    const { checkout, base, returned } = work;
    if (await this.#regenerated(taken, work)) {
      checkout.rebased(base);
      checkout.begin(taken.intent.id);
      return { problem: null, tokens: 0, base };
    }
    if (returned !== null) {
      await checkout.moveTo(base, taken.intent.id, this.#patterns(taken));
      checkout.openFront(name);
      checkout.begin(taken.intent.id);
    }
    const tell = (heard: HeardHeadsUp) => onEvent({ kind: 'heads-up', ...heard, ...this.#about(taken) });
    headsUps.begin({ lease: taken.lease.id, checkout, base, tell });
    const turn = await this.#runOn(taken, work);
    await this.#toldReads(taken);
    return { ...turn, base: await headsUps.end() };
  }

  /** Answers a return in which only what commands make has moved; false where that does not settle it. */
  async #regenerated(taken: TakeGrantedResponse, { checkout, base, returned, lost }: Work): Promise<boolean> {
    const { cache, timeoutMs, onEvent } = this.#settings;
    const what = returned === null ? null : regenerationOf(returned.brief);
    if (returned === null || what === null) return false;
    const signal = AbortSignal.any([this.#settings.signal, lost]);
    const problem = await regenerate(what, {
      tree: checkout.tree,
      base: returned.madeAt,
      trunk: base,
      cache,
      timeoutMs,
      signal,
    });
    onEvent({ kind: 'regenerated', paths: what.paths, problem, ...this.#about(taken) });
    return problem === null;
  }

  /** Runs setup and the program. */
  async #runOn(taken: TakeGrantedResponse, { checkout, reads, base, returned, lost }: Work): Promise<Turn> {
    const { policy, cache, command, timeoutMs, colony, name, driver, permissions, onEvent } = this.#settings;
    const signal = AbortSignal.any([this.#settings.signal, lost]);
    const { directory } = checkout.place;
    reads.begin();
    const prepared = await setUp(checkout.tree, policy.setup, cache, signal);
    if (prepared !== null && prepared.code !== 0) return { problem: `setup: ${endText(prepared)}`, tokens: 0 };
    // The repository inside is to ignore what setup made, too.
    if (prepared !== null) checkout.openFront(name);
    const brief = returned?.brief ?? null;
    const environment = intentEnvironment({
      colony,
      agent: name,
      taken,
      base,
      returned: brief,
      cache,
      reservedUntil: returned?.reservedUntil ?? null,
      reads: reads.path,
    });
    const onActivity = (activity: Activity) => {
      const read = activity.kind === 'read' ? pathInside(directory, activity.path) : null;
      if (read !== null) reads.add(read, driver === 'acp' ? 'acp' : 'jsonl');
      onEvent({ kind: 'activity', activity, ...this.#about(taken) });
    };
    const asked = {
      input: intentInput(taken),
      prompt: intentPrompt(taken, brief),
      environment,
      permissions,
      onActivity,
    };
    const end = await runTurn(driver, { ...asked, command, directory, timeoutMs, signal });
    if (end.usage !== null) onEvent({ kind: 'used', usage: end.usage, ...this.#about(taken) });
    const isWell = end.code === 0 && end.problem === null && !signal.aborted;
    return { problem: isWell ? null : turnText(end), tokens: end.usage?.tokens ?? 0 };
  }

  /** Proposes, or answers the return with the program's new result (AL2). */
  #send(
    taken: TakeGrantedResponse,
    change: {
      readonly base: string;
      readonly writes: WriteRequest[];
      readonly tokens: number;
      readonly repairs: number;
    },
    returned: Returned | null,
  ): Promise<ProposalStatusResponse> {
    const { client } = this.#settings;
    const { base, writes, tokens, repairs } = change;
    const { id: lease, epoch } = taken.lease;
    const key = `${lease}-${epoch}-${repairs}`;
    const usage = tokens === 0 ? {} : { usage: { tokens } };
    if (returned === null) {
      const body = { lease, epoch, base, key, writes, deriveReads: true, ...usage };
      return client.call('propose', { parts: this.#parts, body });
    }
    const { proposal } = returned;
    const body = { lease, epoch, proposal, answer: 'redo' as const, base, key, writes, deriveReads: true, ...usage };
    return client.call('repair', { parts: this.#parts, body });
  }

  /** The outcome of a proposal; what is still queued when the agent is to end stays so, and lands by itself. */
  async #outcome(first: ProposalStatusResponse): Promise<ProposalStatusResponse> {
    const { client, signal } = this.#settings;
    let status = first;
    while (status.state === 'queued' && !signal.aborted) {
      const parts = { ...this.#parts, proposal: status.proposal };
      try {
        status = await client.call('readProposal', { parts, query: { waitMs: outcomeWaitMs }, signal });
      } catch (error) {
        if (!signal.aborted) throw error;
      }
    }
    return status;
  }

  async #report(
    taken: TakeGrantedResponse,
    checkout: Checkout,
    outcome: ProposalStatusResponse,
    { repairs, landMs }: { readonly repairs: number; readonly landMs: number },
  ): Promise<void> {
    const { onEvent } = this.#settings;
    const about = this.#about(taken);
    switch (outcome.state) {
      case 'landed': {
        const { landing = '', commit = '', merged = [] } = outcome;
        onEvent({ kind: 'landed', ...about, landing, commit, merged: merged.length, repairs, landMs });
        checkout.forget();
        return;
      }
      case 'unchanged':
        onEvent({ kind: 'unchanged', ...about });
        checkout.forget();
        return;
      case 'rejected': {
        const reasons = (outcome.reasons ?? []).map((reason) => reason.message);
        onEvent({ kind: 'rejected', ...about, reasons });
        return this.#fail(taken, `the proposal was rejected: ${reasons.join('; ')}`);
      }
      case 'superseded':
        onEvent({ kind: 'lost', ...about, why: 'the lease had run out; the content is preserved' });
        checkout.forget();
        return;
      case 'queued':
        onEvent({ kind: 'stopped', ...about, why: 'its proposal stays queued, and lands by itself' });
        checkout.forget();
        return;
      case 'returned':
        onEvent({ kind: 'lost', ...about, why: 'it came back without a brief' });
        return;
      default:
        return never(outcome.state);
    }
  }

  async #complete(taken: TakeGrantedResponse, checkout: Checkout): Promise<void> {
    const { client, onEvent } = this.#settings;
    const { id: lease, epoch } = taken.lease;
    checkout.forget();
    await client.call('complete', { parts: this.#parts, body: { lease, epoch, why: 'the command changed nothing' } });
    onEvent({ kind: 'unchanged', ...this.#about(taken) });
  }

  async #fail(taken: TakeGrantedResponse, problem: string): Promise<void> {
    const { client, onEvent, signal } = this.#settings;
    const { id: lease, epoch } = taken.lease;
    if (signal.aborted) return this.#release(taken, 'the agent was stopped');
    const why = problem.slice(-2_000).toWellFormed().replaceAll('\0', ' ');
    await client.call('fail', { parts: this.#parts, body: { lease, epoch, why } });
    onEvent({ kind: 'failed', ...this.#about(taken), why });
  }

  async #release(taken: TakeGrantedResponse, why: string): Promise<void> {
    const { client, onEvent } = this.#settings;
    const { id: lease, epoch } = taken.lease;
    await client.call('release', { parts: this.#parts, body: { lease, epoch, why } });
    onEvent({ kind: 'stopped', ...this.#about(taken), why: 'the intent was given back' });
  }

  /**
   * Keeps the lease, and tells what the program has read as soon as it says so. `lost` is aborted when no daemon
   * answered for as long as a lease runs (AL3).
   */
  #keepAlive(taken: TakeGrantedResponse, lost: AbortController): readonly NodeJS.Timeout[] {
    const { policy } = this.#settings;
    this.#answeredAt = performance.now();
    const keep = setInterval(
      () => {
        if (performance.now() - this.#answeredAt > policy.leaseMs) lost.abort();
        this.#beat(taken);
      },
      Math.max(50, policy.leaseMs / 3),
    );
    const look = setInterval(() => {
      if (this.#reads?.hasMore === true) this.#beat(taken);
    }, readListMs);
    return [keep, look];
  }

  #beat(taken: TakeGrantedResponse): void {
    this.#beating = this.#beating.then(() => this.#beatNow(taken));
  }

  /** Settles when everything that the command has read was told. */
  async #toldReads(taken: TakeGrantedResponse): Promise<void> {
    if (this.#reads?.hasMore === true) this.#beat(taken);
    await this.#beating;
  }

  async #beatNow(taken: TakeGrantedResponse): Promise<void> {
    const at = this.#settings.headsUps.base ?? taken.base.commit;
    // What cannot be looked up now is told by a later beat. The lease goes on meanwhile.
    const reads = (await this.#reads?.take(at).catch((): SeenFiles => [])) ?? [];
    const isRefused = await this.#renew(taken, reads);
    // Nor does a read that the daemon does not take end the lease.
    if (isRefused && reads.length > 0) await this.#renew(taken, []);
  }

  /** Sends one heartbeat; answers whether it was refused. */
  async #renew(taken: TakeGrantedResponse, reads: SeenFiles): Promise<boolean> {
    const { client, headsUps } = this.#settings;
    const { id: lease, epoch } = taken.lease;
    try {
      const { notices } = await client.call('heartbeat', { parts: this.#parts, body: { lease, epoch, reads } });
      this.#answeredAt = performance.now();
      headsUps.hear(notices);
      return false;
    } catch (error) {
      // A refused heartbeat is told by the next call of the loop, which carries the same epoch.
      const isRefused = error instanceof ClientError && error.kind === 'refused';
      if (isRefused) this.#answeredAt = performance.now();
      return isRefused;
    }
  }
}

/** What was changed, or why that cannot be told. */
async function writesOf(tree: WorkTree, settings: ChangeSettings): Promise<WriteRequest[] | string> {
  try {
    return await changedWrites(tree, settings);
  } catch (error) {
    if (error instanceof GitFailedError) return `what was changed cannot be read: ${error.message}`;
    throw error;
  }
}

function endText(end: CommandEnd): string {
  const how = end.timedOut ? 'ran out of time' : end.code === null ? 'was ended by a signal' : `ended with ${end.code}`;
  const output = end.output.trim().slice(-1_500);
  return output === '' ? `the command ${how}` : `the command ${how}: ${output}`;
}

function turnText(end: TurnEnd): string {
  if (end.problem === null) return endText(end);
  const output = end.output.trim().slice(-1_500);
  const how = end.timedOut ? 'the agent ran out of time' : end.problem;
  return output === '' ? how : `${how}: ${output}`;
}

/** Titles of the intents whose landings made the proposal come back, each once. */
function causesOf(brief: BriefResponse): string[] {
  return [...new Set([...brief.reads, ...brief.writes].map((item) => item.intent.title))];
}
