// Agents that keep a colony in memory busy, and what they were told: the record that outlives every power cut.
//
// Files hold one line and are few, so proposals conflict and come back; some are redone, some given up and preserved.

import { type AgentId, type LeaseId, type Oid, type ProposalId, RandomStream, utf8 } from '@firetrident/base';
import type { ProposalStatus } from '@firetrident/core';
import type { Colony } from '@firetrident/engine';
import { proposeRequest } from '../support/propose-request.ts';
import type { VirtualClock } from '../support/virtual-clock.ts';

/** A proposal that was acknowledged. */
export interface ToldProposal {
  readonly proposal: ProposalId;
  readonly path: string;
  readonly content: string;
  /** The outcome, once it was told. */
  outcome: ProposalStatus | null;
}

interface Lease {
  readonly agent: AgentId;
  readonly lease: LeaseId;
  readonly epoch: number;
  readonly base: Oid;
}

const agentCount = 6;
const changesPerAgent = 4;
const folderCount = 3;
const filesPerFolder = 3;

/** Drives the same agents against a colony that is opened again and again. */
export class MemoryLoad {
  /** Every acknowledged proposal, by id. */
  readonly told = new Map<ProposalId, ToldProposal>();
  readonly #random: RandomStream;
  readonly #agents: AgentId[] = [];
  #changes = 0;

  constructor(seed: number) {
    this.#random = new RandomStream(seed);
  }

  async found(colony: Colony): Promise<void> {
    for (let number = 0; number < agentCount; number += 1) {
      const registered = await colony.submit({
        kind: 'register-agent',
        name: `agent ${number}`,
        agentKind: 'test',
        labels: [],
        workspace: 'ref',
        tokenHash: `hash ${number}`,
        joinTokenHash: null,
      });
      if (!registered.ok) throw new Error(registered.error.code);
      this.#agents.push(registered.value.agent);
    }
  }

  /** Every agent makes a few changes; ends early for those that are refused, since then the machine is failing. */
  async run(colony: Colony, clock: VirtualClock): Promise<void> {
    await Promise.all(this.#agents.map((agent) => this.#loop(colony, clock, agent, this.#fork())));
  }

  /** Asks for the outcome of every acknowledged proposal; those that never settle stay without one. */
  async settle(colony: Colony, patienceMs: number): Promise<void> {
    const open = [...this.told.values()].filter(({ outcome }) => outcome === null);
    await Promise.all(
      open.map(async (record) => {
        const status = await colony.outcome(record.proposal, patienceMs);
        if (status.ok && status.value.state !== 'queued') record.outcome = status.value;
      }),
    );
  }

  #fork(): RandomStream {
    return new RandomStream(this.#random.below(1 << 30));
  }

  async #loop(colony: Colony, clock: VirtualClock, agent: AgentId, random: RandomStream): Promise<void> {
    for (let change = 0; change < changesPerAgent; change += 1) {
      const lease = await this.#take(colony, agent);
      if (lease === null) return;
      await pass(clock, random.below(20));
      if (!(await this.#change(colony, clock, lease, random))) return;
    }
  }

  async #take(colony: Colony, agent: AgentId): Promise<Lease | null> {
    this.#changes += 1;
    const draft = { body: '', paths: [], priority: 0, after: [], parent: null, labels: [], key: null };
    const made = await colony.createIntents([{ ...draft, title: `change ${this.#changes}` }]);
    const intent = made.ok ? made.value.intents[0]?.id : undefined;
    if (intent === undefined) return null;
    const taken = await colony.take({ agent, intent, paths: [], labels: [], waitMs: 0 });
    if (!taken.ok || taken.value.kind === 'wait') return null;
    const { lease, epoch, base } = taken.value.grant;
    return { agent, lease, epoch, base };
  }

  /** Proposes until it stands or is given up; false when the colony refused. */
  async #change(colony: Colony, clock: VirtualClock, lease: Lease, random: RandomStream): Promise<boolean> {
    let base = lease.base;
    for (;;) {
      const path = `d${random.below(folderCount)}/f${random.below(filesPerFolder)}.txt`;
      const content = `${path} by ${lease.agent}, draw ${random.below(1 << 30)}\n`;
      const sent = await colony.propose(
        proposeRequest({ ...lease, base }, [{ path, content: { bytes: utf8(content) } }]),
      );
      if (!sent.ok) return false;
      const record: ToldProposal = { proposal: sent.value.proposal, path, content, outcome: null };
      this.told.set(record.proposal, record);
      const outcome = await colony.outcome(record.proposal, 60_000);
      if (!outcome.ok || outcome.value.state === 'queued') return false;
      record.outcome = outcome.value;
      if (outcome.value.state !== 'returned') return true;
      await pass(clock, random.below(10));
      // Something is preserved whenever returned work is given up.
      if (random.below(2) === 0) return (await colony.submit({ kind: 'release', ...fence(lease), why: null })).ok;
      base = outcome.value.brief.trunk;
    }
  }
}

function fence({ agent, lease, epoch }: Lease) {
  return { agent, lease, epoch };
}

function pass(clock: VirtualClock, delayMs: number): Promise<void> {
  return new Promise((resolve) => clock.after(delayMs, resolve));
}
