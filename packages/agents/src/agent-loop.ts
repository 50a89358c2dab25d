// One command agent: takes an intent, runs the command in a checkout at its base, proposes what changed, repairs by
// running the command again on the new base, and goes on until the backlog is empty.
//
// Knows the daemon only through the client. Reports everything that happens as `AgentEvent`s; prints nothing.
//
// Invariants:
//   AL1. A lease is never left behind: it ends in an outcome, a completion, a failure or a release.
//   AL2. A proposal carries a key, so a repeated call after a lost answer is the same proposal.

import { type Client, ClientError } from '@firetrident/client';
import type { BriefResponse, ProposalStatusResponse, ResolvedPolicy, TakeGrantedResponse } from '@firetrident/protocol';
import { changedWrites } from './changes.ts';
import type { Checkout } from './checkout.ts';
import { type CommandEnd, runCommand } from './command.ts';
import { intentEnvironment, intentInput } from './intent-text.ts';
import { setUp } from './setup.ts';

/** What an agent tells about itself while it works. */
export type AgentEvent =
  | { readonly kind: 'taken'; readonly agent: string; readonly intent: string; readonly title: string }
  | { readonly kind: 'waiting'; readonly agent: string; readonly reason: string }
  | { readonly kind: 'proposed'; readonly agent: string; readonly proposal: string; readonly writes: number }
  | {
      readonly kind: 'landed';
      readonly agent: string;
      readonly title: string;
      readonly commit: string;
      readonly merged: number;
      readonly repairs: number;
      readonly landMs: number;
    }
  | { readonly kind: 'unchanged'; readonly agent: string; readonly title: string }
  | { readonly kind: 'returned'; readonly agent: string; readonly title: string; readonly causes: readonly string[] }
  | { readonly kind: 'rejected'; readonly agent: string; readonly title: string; readonly reasons: readonly string[] }
  | { readonly kind: 'failed'; readonly agent: string; readonly title: string; readonly why: string }
  | { readonly kind: 'lost'; readonly agent: string; readonly title: string; readonly why: string }
  | { readonly kind: 'ended'; readonly agent: string };

export interface AgentSettings {
  readonly client: Client;
  readonly colony: string;
  readonly name: string;
  readonly checkout: Checkout;
  readonly command: readonly string[];
  readonly policy: ResolvedPolicy;
  /** Folder that setup commands may cache downloads in. */
  readonly cache: string;
  readonly timeoutMs: number;
  /** Repairs of one intent before the agent gives up on it. */
  readonly maxRepairs: number;
  readonly signal: AbortSignal;
  readonly onEvent: (event: AgentEvent) => void;
  /** Whether the backlog may still give work: something is open, taken or proposed. */
  readonly moreWork: () => Promise<boolean>;
}

/** A proposal that came back, with the reasons. */
interface Returned {
  readonly proposal: ProposalStatusResponse['proposal'];
  readonly brief: BriefResponse;
}

/** How long one take waits for work. */
const takeWaitMs = 5_000;
/** How long one question for an outcome waits. */
const outcomeWaitMs = 30_000;

export class AgentLoop {
  readonly #settings: AgentSettings;

  constructor(settings: AgentSettings) {
    this.#settings = settings;
  }

  async run(): Promise<void> {
    const { signal, onEvent, name } = this.#settings;
    while (!signal.aborted) {
      const taken = await this.#take();
      if (taken === null) break;
      if (taken !== 'wait') await this.#work(taken);
    }
    onEvent({ kind: 'ended', agent: name });
  }

  get #parts() {
    return { colony: this.#settings.colony };
  }

  /** The next intent; `wait` when there may be one later, null when the backlog is empty. */
  async #take(): Promise<TakeGrantedResponse | 'wait' | null> {
    const { client, onEvent, name, moreWork } = this.#settings;
    const answer = await client.call('take', { parts: this.#parts, body: { waitMs: takeWaitMs } });
    if ('intent' in answer) return answer;
    if (answer.wait.reason === 'no open intent' && !(await moreWork())) return null;
    onEvent({ kind: 'waiting', agent: name, reason: answer.wait.reason });
    return 'wait';
  }

  async #work(taken: TakeGrantedResponse): Promise<void> {
    const { onEvent, name } = this.#settings;
    const { title, id } = taken.intent;
    onEvent({ kind: 'taken', agent: name, intent: id, title });
    const heartbeat = this.#keepAlive(taken);
    try {
      await this.#attempt(taken);
    } catch (error) {
      if (!(error instanceof ClientError) || error.kind !== 'refused') throw error;
      // The lease ran out or was taken away: what was changed is captured before the next intent (CK1).
      onEvent({ kind: 'lost', agent: name, title, why: `${error.code}: ${error.message}` });
    } finally {
      clearInterval(heartbeat);
    }
  }

  /** Works on one intent to its end (AL1). */
  async #attempt(taken: TakeGrantedResponse): Promise<void> {
    const { checkout, maxRepairs, name, onEvent } = this.#settings;
    const { title } = taken.intent;
    let base = taken.base.commit;
    let returned: Returned | null = null;
    for (let repairs = 0; ; repairs += 1) {
      await checkout.moveTo(base, taken.intent.id);
      const end = await this.#runOn(taken, base, returned);
      if (end !== null) return this.#fail(taken, end);
      const writes = await changedWrites(checkout.place.directory);
      if (writes.length === 0 && returned === null) return this.#complete(taken);
      const startedAt = performance.now();
      const status = await this.#send(taken, base, writes, returned, repairs);
      onEvent({ kind: 'proposed', agent: name, proposal: status.proposal, writes: writes.length });
      const outcome = await this.#outcome(status);
      if (outcome.state !== 'returned' || outcome.brief === undefined) {
        return this.#report(taken, outcome, repairs, performance.now() - startedAt);
      }
      returned = { proposal: outcome.proposal, brief: outcome.brief };
      base = outcome.brief.trunk;
      onEvent({ kind: 'returned', agent: name, title, causes: causesOf(outcome.brief) });
      if (repairs >= maxRepairs) return this.#fail(taken, `came back ${repairs + 1} times`);
      await checkout.forget();
    }
  }

  /** Runs setup and the command; answers why it failed, or null. */
  async #runOn(taken: TakeGrantedResponse, base: string, returned: Returned | null): Promise<string | null> {
    const { checkout, policy, cache, signal, command, timeoutMs, colony, name } = this.#settings;
    const { directory } = checkout.place;
    const prepared = await setUp(directory, policy.setup, cache, signal);
    if (prepared !== null && prepared.code !== 0) return `setup: ${endText(prepared)}`;
    const environment = intentEnvironment({
      colony,
      agent: name,
      taken,
      base,
      returned: returned?.brief ?? null,
      cache,
    });
    const input = intentInput(taken);
    const end = await runCommand({ command, directory, environment, input, timeoutMs, signal });
    return end.code === 0 ? null : endText(end);
  }

  /** Proposes, or answers the return with the command's new result (AL2). */
  #send(
    taken: TakeGrantedResponse,
    base: string,
    writes: Awaited<ReturnType<typeof changedWrites>>,
    returned: Returned | null,
    repairs: number,
  ): Promise<ProposalStatusResponse> {
    const { client } = this.#settings;
    const { id: lease, epoch } = taken.lease;
    const key = `${lease}-${epoch}-${repairs}`;
    if (returned === null) {
      return client.call('propose', {
        parts: this.#parts,
        body: { lease, epoch, base, key, writes, deriveReads: true },
      });
    }
    const { proposal } = returned;
    return client.call('repair', {
      parts: this.#parts,
      body: { lease, epoch, proposal, answer: 'redo', base, key, writes, deriveReads: true },
    });
  }

  async #outcome(first: ProposalStatusResponse): Promise<ProposalStatusResponse> {
    const { client, signal } = this.#settings;
    let status = first;
    while (status.state === 'queued' && !signal.aborted) {
      status = await client.call('readProposal', {
        parts: { ...this.#parts, proposal: status.proposal },
        query: { waitMs: outcomeWaitMs },
      });
    }
    return status;
  }

  async #report(
    taken: TakeGrantedResponse,
    outcome: ProposalStatusResponse,
    repairs: number,
    landMs: number,
  ): Promise<void> {
    const { onEvent, name, checkout } = this.#settings;
    const { title } = taken.intent;
    switch (outcome.state) {
      case 'landed':
        onEvent({
          kind: 'landed',
          agent: name,
          title,
          commit: outcome.commit ?? '',
          merged: outcome.merged?.length ?? 0,
          repairs,
          landMs,
        });
        return checkout.forget();
      case 'unchanged':
        onEvent({ kind: 'unchanged', agent: name, title });
        return checkout.forget();
      case 'rejected':
        onEvent({
          kind: 'rejected',
          agent: name,
          title,
          reasons: (outcome.reasons ?? []).map((reason) => reason.message),
        });
        return this.#fail(taken, 'the proposal was rejected');
      case 'superseded':
        onEvent({ kind: 'lost', agent: name, title, why: 'the lease had run out; the content is preserved' });
        return checkout.forget();
      case 'queued':
      case 'returned':
        return;
    }
  }

  async #complete(taken: TakeGrantedResponse): Promise<void> {
    const { client, onEvent, name } = this.#settings;
    const { id: lease, epoch } = taken.lease;
    await client.call('complete', { parts: this.#parts, body: { lease, epoch, why: 'the command changed nothing' } });
    onEvent({ kind: 'unchanged', agent: name, title: taken.intent.title });
  }

  async #fail(taken: TakeGrantedResponse, why: string): Promise<void> {
    const { client, onEvent, name, signal } = this.#settings;
    const { id: lease, epoch } = taken.lease;
    if (signal.aborted)
      await client.call('release', { parts: this.#parts, body: { lease, epoch, why: 'the agent was stopped' } });
    else await client.call('fail', { parts: this.#parts, body: { lease, epoch, why: why.slice(-2_000) } });
    onEvent({ kind: 'failed', agent: name, title: taken.intent.title, why });
  }

  #keepAlive(taken: TakeGrantedResponse): NodeJS.Timeout {
    const { client, policy } = this.#settings;
    const { id: lease, epoch } = taken.lease;
    const beat = () => {
      // A refused heartbeat is told by the next call of the loop, which carries the same epoch.
      client.call('heartbeat', { parts: this.#parts, body: { lease, epoch } }).catch(() => undefined);
    };
    return setInterval(beat, Math.max(50, policy.leaseMs / 3));
  }
}

function endText(end: CommandEnd): string {
  const how = end.timedOut ? 'ran out of time' : `ended with ${end.code}`;
  return `the command ${how}: ${end.output.trim().slice(-1_500)}`;
}

function causesOf(brief: BriefResponse): string[] {
  return [...brief.reads, ...brief.writes].map((item) => item.intent.title);
}
