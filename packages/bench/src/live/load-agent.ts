// One synthetic agent: takes, works, proposes, hears the outcome on its socket, again and again.
//
//   LA1. A take that ends with work counts from its request, or from the moment in which the colony woke it, to its answer;
//        the time before that is waiting.
//   LA2. An outcome that the socket did not bring in time is asked for, so that no loop hangs on a lost frame.
//   LA3. What ends because the run is over is neither a call nor a failure.

import type { RandomStream } from '@firetrident/base';
import { AgentSocket, Client, ClientError } from '@firetrident/client';
import type { LiveFrame, ProposalStatusResponse, ResponseOf, TakeGrantedResponse } from '@firetrident/protocol';
import type { LivePlan } from './plan.ts';
import type { RunEnd } from './run-end.ts';
import type { LoadTally } from './tally.ts';
import { changeText, workTimeMs } from './workload.ts';

/** How long a take waits for work before it is answered with a reason. */
const takeWaitMs = 10_000;
/** How long an outcome may take on the socket before it is asked for (LA2). */
const fallbackMs = 20_000;
/** Patience with one call, beyond what it was asked to wait. */
const patienceMs = 20_000;
/** Repairs of one proposal before its lease is given back. */
const repairsAtMost = 20;

/** What the agents of a process share. */
export interface LoadSurroundings {
  readonly url: string;
  readonly adminToken: string;
  readonly colony: string;
  readonly plan: LivePlan;
  readonly tally: LoadTally;
  readonly draws: RandomStream;
  readonly over: RunEnd;
}

type Settled = { readonly state: ProposalStatusResponse['state'] };
type ProposalId = ProposalStatusResponse['proposal'];
type Answered = ResponseOf<'propose'>;

const settledTypes = ['landed', 'unchanged', 'returned', 'rejected', 'superseded'] as const;

/** An agent that is registered, with its socket. */
export class LoadAgent {
  readonly #shared: LoadSurroundings;
  readonly #client: Client;
  readonly #socket: AgentSocket;
  readonly #id: string;
  /** Outcomes that nobody has waited for yet, and who waits. */
  readonly #outcomes = new Map<ProposalId, Settled>();
  readonly #waiting = new Map<ProposalId, (settled: Settled) => void>();

  private constructor(shared: LoadSurroundings, id: string, token: string) {
    this.#shared = shared;
    this.#id = id;
    const { url, colony, tally } = shared;
    this.#client = new Client({ url, token });
    this.#socket = new AgentSocket({
      url,
      token,
      colony,
      onFrame: (frame) => this.#hear(frame),
      onBreak: () => shared.over.isOver || tally.broke(),
    });
  }

  /** Registers an agent and opens its socket. Rejects with a ClientError. */
  static async begin(shared: LoadSurroundings, number: number): Promise<LoadAgent> {
    const { url, adminToken, colony } = shared;
    const admin = new Client({ url, token: adminToken });
    const body = { name: `bench ${number}`, kind: 'bench' };
    const { agentId, token } = await admin.call('registerAgent', { parts: { colony }, body });
    const agent = new LoadAgent(shared, agentId, token);
    await agent.#socket.opened;
    return agent;
  }

  /** Goes round until the run is over. Never rejects. */
  async run(): Promise<void> {
    while (!this.#shared.over.isOver) {
      try {
        await this.#loop();
      } catch (error) {
        // (LA3)
        if (this.#shared.over.isOver) return;
        this.#shared.tally.failed(kindOf(error));
        await this.#shared.over.pause(1_000);
      }
    }
  }

  /** Ends the agent's registration, which gives back what it holds. */
  async end(): Promise<void> {
    this.#socket.close();
    await this.#client.call('stopAgent', { parts: { colony: this.#shared.colony, agent: this.#id } });
  }

  /** One round: work, proposal, outcome. */
  async #loop(): Promise<void> {
    const { plan, tally, draws } = this.#shared;
    const beganMs = performance.now();
    const granted = await this.#take();
    if (granted === null) return;
    const workMs = workTimeMs(plan.workMs, draws);
    if (workMs > 0) {
      await this.#shared.over.pause(workMs);
      tally.spent('work', workMs);
    }
    const sentMs = performance.now();
    const landed = await this.#land(granted);
    const endedMs = performance.now();
    if (landed) tally.landed(endedMs - sentMs, endedMs - beganMs);
  }

  /** Work, or null when there was a reason to wait, which was waited for. */
  async #take(): Promise<TakeGrantedResponse | null> {
    const { tally } = this.#shared;
    const askedMs = performance.now();
    const answer = await this.#socket.call('take', { waitMs: takeWaitMs }, { timeoutMs: takeWaitMs + patienceMs });
    const elapsedMs = performance.now() - askedMs;
    if ('wait' in answer) {
      tally.called();
      tally.waited(answer.wait.reason);
      await this.#shared.over.pause(answer.wait.retryAfterMs);
      tally.spent('wait', performance.now() - askedMs);
      return null;
    }
    tally.called();
    const waitedMs = Math.min(elapsedMs, answer.waitedMs ?? 0);
    if (waitedMs > 0) tally.spent('wait', waitedMs);
    tally.took(elapsedMs - waitedMs); // (LA1)
    return answer;
  }

  /** Proposes the change and repairs it until it is settled; whether it landed. */
  async #land(granted: TakeGrantedResponse): Promise<boolean> {
    const { tally } = this.#shared;
    const { id: lease, epoch } = granted.lease;
    const path = granted.intent.paths[0] ?? `bench/lost/${granted.intent.id}.txt`;
    const writes = (attempt: number) => [{ path, content: changeText(granted.intent.id, attempt) }];
    let answered = await this.#timed('propose', () =>
      this.#socket.call(
        'propose',
        { lease, epoch, base: granted.base.commit, writes: writes(1) },
        { timeoutMs: patienceMs },
      ),
    );
    for (let attempt = 2; ; attempt += 1) {
      const { proposal } = answered;
      const settled = await this.#timed('land', () => this.#settled(answered));
      tally.outcome(settled.state);
      if (settled.state !== 'returned') return settled.state === 'landed';
      if (attempt > repairsAtMost) {
        await this.#socket.call('release', { lease, epoch });
        return false;
      }
      answered = await this.#timed('propose', () =>
        this.#socket.call(
          'repair',
          { lease, epoch, proposal, answer: 'amend', writes: writes(attempt) },
          { timeoutMs: patienceMs },
        ),
      );
    }
  }

  async #timed<T>(part: 'propose' | 'land', work: () => Promise<T>): Promise<T> {
    const beganMs = performance.now();
    const result = await work();
    if (part === 'propose') this.#shared.tally.called();
    this.#shared.tally.spent(part, performance.now() - beganMs);
    return result;
  }

  /** The outcome: from the answer, from the socket, or asked for (LA2). */
  async #settled(answered: Answered): Promise<Settled> {
    const { proposal, state } = answered;
    if (state !== 'queued') return { state };
    const early = this.#outcomes.get(proposal);
    this.#outcomes.delete(proposal);
    if (early !== undefined) return early;
    for (;;) {
      const heard = await this.#heard(proposal);
      if (heard !== null) return heard;
      this.#shared.tally.polled();
      const parts = { colony: this.#shared.colony, proposal };
      const status = await this.#client.call('readProposal', { parts });
      this.#shared.tally.called();
      if (status.state !== 'queued') return { state: status.state };
    }
  }

  /** What the socket tells of a proposal, or null when it tells nothing for too long. */
  #heard(proposal: ProposalId): Promise<Settled | null> {
    return new Promise((resolve) => {
      const finish = (settled: Settled | null) => {
        clearTimeout(timer);
        this.#waiting.delete(proposal);
        resolve(settled);
      };
      const timer = setTimeout(() => finish(null), fallbackMs);
      this.#waiting.set(proposal, finish);
    });
  }

  #hear(frame: LiveFrame): void {
    const state = settledTypes.find((type) => type === frame.type);
    if (state === undefined || !('proposal' in frame)) return;
    const proposal = frame.proposal as ProposalId;
    const settled: Settled = { state };
    const waiting = this.#waiting.get(proposal);
    if (waiting === undefined) this.#outcomes.set(proposal, settled);
    else waiting(settled);
  }
}

/** A name for what went wrong. */
export function kindOf(error: unknown): string {
  if (error instanceof ClientError) return error.code ?? `${error.kind}: ${error.message.replaceAll(/[0-9]+/g, 'N')}`;
  return error instanceof Error ? error.message : String(error);
}
