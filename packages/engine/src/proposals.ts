// Proposing and repairing: bytes in, a durable proposal out.
//
// Invariants:
//   PR1. A key that was used before answers with the first proposal, before anything else is looked at.
//   PR2. "Queued" is answered only once the events and every byte that they need are durable.

import { type AgentId, type LeaseId, no, type Oid, ok, type ProposalId, type Result } from '@firetrident/base';
import {
  endedLease,
  type Proposal,
  type ProposalContent,
  type ProposalStatus,
  proposalByKey,
  type ResolvedWrite,
  type SentPart,
} from '@firetrident/core';
import type { ColonyRefusal, ProposeRequest, RepairRequest, RequestedRead, RequestedWrite } from './colony.ts';
import type { LandingStages } from './landing-stages.ts';
import type { EnginePorts } from './ports.ts';
import type { Session } from './session.ts';
import type { StagedBlob } from './trunk-service.ts';

type Status = Result<ProposalStatus, ColonyRefusal>;

/** What a request writes and reads, with the holder of its blobs, which lets go when the request is over. */
interface Material {
  readonly content: ProposalContent;
  readonly holder: string;
}

export class ProposalDesk {
  readonly #ports: EnginePorts;
  readonly #stages: LandingStages;
  #requests = 0;

  constructor(ports: EnginePorts, stages: LandingStages) {
    this.#ports = ports;
    this.#stages = stages;
  }

  async propose(session: Session, request: ProposeRequest): Promise<Status> {
    const known = await this.#byKey(session, request, null);
    if (known !== null) return known;
    const base = this.#baseOf(session, request);
    if (base === null) {
      const proposal = (request.base as { readonly proposal: ProposalId }).proposal;
      return no({ code: 'unknown_predecessor', proposal });
    }
    // What a write saw there is no matter when the base is another one.
    const writes = 'isOver' in base ? request.writes.map(({ was: _was, ...write }) => write) : request.writes;
    const { clock } = this.#ports;
    const begunAt = clock.now();
    const prepared = await this.#prepare(session, { ...request, writes }, base.commit, base.overlay);
    if (!prepared.ok) return prepared;
    try {
      const preparedAt = clock.now();
      const submitted = session.submit({
        kind: 'propose',
        agent: request.agent,
        lease: request.lease,
        epoch: request.epoch,
        base: base.commit,
        predecessor: base.predecessor,
        final: request.final,
        title: request.title,
        message: request.message,
        key: request.key,
        tokens: request.tokens ?? 0,
        content: prepared.value.content,
      });
      const decidedAt = clock.now();
      await submitted.durable; // (PR2)
      const [resolve, decide] = [preparedAt - begunAt, decidedAt - preparedAt];
      this.#stages.answered({ resolve, decide, keep: clock.now() - decidedAt });
      return submitted.reply as Status;
    } finally {
      session.letGo(prepared.value.holder);
    }
  }

  async repair(session: Session, request: RepairRequest): Promise<Status> {
    const known = await this.#byKey(session, request, request.proposal);
    if (known !== null) return known;
    const command = {
      kind: 'repair' as const,
      agent: request.agent,
      lease: request.lease,
      epoch: request.epoch,
      proposal: request.proposal,
      answer: request.answer,
      base: request.base,
      key: request.key,
      tokens: request.tokens ?? 0,
    };
    const returned = session.state.proposals.get(request.proposal);
    if (request.answer === 'confirm' || returned?.brief == null) {
      // Without a brief there is nothing to resolve against: the core says what is wrong.
      const submitted = session.submit({
        ...command,
        content: request.answer === 'confirm' ? null : { writes: [], reads: [] },
      });
      await submitted.durable;
      return submitted.reply as Status;
    }
    const base = request.base ?? returned.brief.trunk;
    const prepared = await this.#prepare(session, request, base, overlayBefore(session, returned, base));
    if (!prepared.ok) return prepared;
    try {
      const submitted = session.submit({ ...command, content: prepared.value.content });
      await submitted.durable;
      return submitted.reply as Status;
    } finally {
      session.letGo(prepared.value.holder);
    }
  }

  /**
   * The answer to a key that this agent has used before (PR1): the first proposal's when that is settled. One that is
   * still live is the core's to judge, which compares the writes as well.
   */
  async #byKey(
    session: Session,
    request: { agent: AgentId; lease: LeaseId; key: string | null },
    repairOf: ProposalId | null,
  ): Promise<Status | null> {
    const { agent, key, lease } = request;
    if (key === null) return null;
    const live = proposalByKey(session.state, agent, key);
    if (live !== undefined && session.state.proposals.has(live)) return null;
    const archived = await session.shelf.proposalByKey(agent, key);
    if (archived === null) return null;
    await session.commit.barrier();
    const { status } = archived;
    if (archived.lease === lease && archived.repairOf === repairOf) return ok(status);
    return no({ code: 'key_reused', key, proposal: status.proposal });
  }

  #baseOf(session: Session, request: ProposeRequest) {
    const { base } = request;
    if ('commit' in base) return { commit: base.commit, overlay: [] as readonly ResolvedWrite[], predecessor: null };
    const parts = session.state.sentParts.get(request.lease) ?? [];
    const place = parts.findIndex((part) => part.proposal === base.proposal);
    const part = parts[place];
    if (part !== undefined) {
      const overlay = overlayOf(session, parts.slice(0, place + 1), part.base);
      return { commit: part.base, overlay, predecessor: base.proposal };
    }
    // Under a lease that is over the work is only kept; what it built on is gone, so it is kept on what is there now.
    const isOver = !session.state.leases.has(request.lease) && endedLease(session.state, request.lease) !== undefined;
    return isOver ? { commit: session.state.tip, overlay: [], predecessor: null, isOver } : null;
  }

  async #prepare(
    session: Session,
    request: {
      lease: ProposeRequest['lease'];
      writes: readonly RequestedWrite[];
      reads: readonly RequestedRead[];
      deriveReads: boolean;
    },
    base: Oid,
    overlay: readonly ResolvedWrite[],
  ): Promise<Result<Material, ColonyRefusal>> {
    const bound = session.state.policy.limits.blobBytes;
    const staged: StagedBlob[] = [];
    const writes: RequestedWrite[] = [];
    for (const write of request.writes) {
      if (write.content === null || 'blob' in write.content) {
        writes.push(write);
        continue;
      }
      const { bytes } = write.content;
      if (bytes.length > bound) return no({ code: 'blob_too_large', bytes: bytes.length, bound });
      const oid = this.#ports.blobHash(bytes);
      staged.push({ oid, bytes });
      writes.push({ ...write, content: { blob: oid } });
    }
    if (!fitsStaging(session, staged))
      return no({ code: 'staging_full', bound: session.state.policy.limits.stagedBytes });
    this.#requests += 1;
    const holder = `request-${this.#requests}`;
    const named = writes.flatMap(({ content }) => (content !== null && 'blob' in content ? [content.blob] : []));
    let content: ProposalContent | null = null;
    try {
      // Asked for together: the room stages before it resolves, and one crossing is saved.
      const held = session.hold(holder, staged, named);
      const resolving = this.#ports.trunk.resolve({
        base,
        overlay,
        writes,
        reads: request.reads,
        deriveReads: request.deriveReads,
        recorded: [...(session.state.leases.get(request.lease)?.recorded ?? [])],
        policy: session.state.policy,
      });
      const [resolved] = await Promise.all([resolving, held]);
      if (!resolved.ok) return resolved;
      content = resolved.value;
      return ok({ content, holder });
    } finally {
      if (content === null) session.letGo(holder);
    }
  }
}

/** Whether more bytes may be staged: those of proposals that are out and of uploads are bounded together. */
export function fitsStaging(session: Session, blobs: readonly StagedBlob[]): boolean {
  const bytes = blobs.reduce((sum, blob) => sum + blob.bytes.length, 0);
  return session.blobs.stagedBytes + bytes <= session.state.policy.limits.stagedBytes;
}

/** Writes of the parts of the chain before this one that `base` may not hold yet, oldest first. */
function overlayBefore(session: Session, proposal: Proposal, base: Oid): readonly ResolvedWrite[] {
  const parts = session.state.sentParts.get(proposal.lease) ?? [];
  const place = parts.findIndex((part) => part.proposal === proposal.id);
  const before = parts.slice(0, Math.max(0, place));
  return overlayOf(session, before, base);
}

/**
 * Writes of parts that lie over `base`: of those that are still out, and of those that were made on the same base one
 * after the other. What else landed before is in the base as trunk has it, merged perhaps.
 */
function overlayOf(session: Session, parts: readonly SentPart[], base: Oid): readonly ResolvedWrite[] {
  const sameBase = parts.length - (parts.findLastIndex((part) => part.base !== base) + 1);
  return parts
    .filter((part, index) => index >= parts.length - sameBase || session.state.proposals.has(part.proposal))
    .flatMap((part) => part.writes);
}
