// A push becomes proposals under its lease, and is waited for.
//
//   PD1. The same commits pushed again under the same lease are the same proposals: nothing lands twice.
//   PD2. A push that answers a return is its repair; everything is sent again, against what was fetched.

import { type AgentId, no, type Oid, ok, type ProposalId, type Result } from '@firetrident/base';
import { type ProposalStatus, proposalByKey } from '@firetrident/core';
import type { Colony, ColonyRefusal } from '@firetrident/engine';
import { wireLimits } from '@firetrident/protocol';
import { type PushWork, withoutTrailer } from './push-work.ts';
import type { PushedChange, PushedCommit, PushedPart } from './pushed-change.ts';

/** How long one look at a proposal waits; between two the connection is kept in use. */
const lookMs = 5_000;

/** Why a part of a push was not proposed, and the parts before it, which were. */
export interface PartRefusal {
  readonly refusal: ColonyRefusal;
  readonly sent: readonly ProposalId[];
}

/** Proposes every part of a push, in order; answers their ids. */
export async function proposeParts(
  colony: Colony,
  agent: AgentId,
  work: PushWork,
  change: PushedChange,
): Promise<Result<readonly ProposalId[], PartRefusal>> {
  const proposals: ProposalId[] = [];
  for (const [place, part] of change.parts.entries()) {
    const final = place === change.parts.length - 1;
    const key = `push ${work.lease} ${work.epoch} ${headOf(part).oid}`;
    const previous = proposals.at(-1);
    const base = previous === undefined ? { commit: change.base } : { proposal: previous };
    const sent = await send(colony, agent, work, part, { base, final, key });
    if (!sent.ok) return no({ refusal: sent.error, sent: proposals });
    proposals.push(sent.value.proposal);
  }
  return ok(proposals);
}

/**
 * Why the words of a push cannot be those of a landing: they are bounded as in a call by HTTP. A sentence for the client,
 * or null. Nothing is cut: a landing says what its commits say.
 */
export function textProblem({ commits, parts }: PushedChange): string | null {
  const { titleCharacters, textCharacters } = wireLimits;
  for (const { oid, subject, body } of commits) {
    if (subject.length > titleCharacters) {
      return `the first line of ${oid} has ${subject.length} characters, and a title has ${titleCharacters} at most`;
    }
    if (body.length > textCharacters) {
      return `the message of ${oid} has ${body.length} characters, and a text has ${textCharacters} at most`;
    }
  }
  const isLong = parts.some((part) => messageOf(part).length > textCharacters);
  return isLong ? `the messages of the commits have more than ${textCharacters} characters together` : null;
}

interface Place {
  readonly base: { readonly commit: Oid } | { readonly proposal: ProposalId };
  readonly final: boolean;
  readonly key: string;
}

async function send(
  colony: Colony,
  agent: AgentId,
  { lease, epoch, returned, isOwn }: PushWork,
  part: PushedPart,
  { base, final, key }: Place,
): Promise<Result<ProposalStatus, ColonyRefusal>> {
  const common = { agent, lease, epoch, key, deriveReads: true, writes: part.writes, reads: [] };
  const known = proposalByKey(colony.state, agent, key);
  // (PD1)
  if (known !== undefined) return colony.outcome(known, 0);
  if (returned !== null && final && 'commit' in base) {
    return colony.repair({ ...common, proposal: returned, answer: 'redo', base: base.commit }); // (PD2)
  }
  return colony.propose({ ...common, base, final, ...textOf(part, isOwn) });
}

/** What the landing says: the commit's own words, or all of them under the title of the intent. */
function textOf(part: PushedPart, isOwn: boolean): { title: string | null; message: string } {
  const title = part.commits.length === 1 || isOwn ? headOf(part).subject || null : null;
  return { title, message: messageOf(part) };
}

function messageOf(part: PushedPart): string {
  const { commits } = part;
  const authors = [...new Set(commits.map(({ author }) => `Co-authored-by: ${author.name} <${author.email}>`))];
  const bodies =
    commits.length === 1
      ? [withoutTrailer(headOf(part).body)]
      : commits.map(({ subject, body }) =>
          [`* ${subject}`, withoutTrailer(body)].filter((text) => text !== '').join('\n\n'),
        );
  return [...bodies.filter((text) => text !== ''), authors.join('\n')].join('\n\n');
}

function headOf({ commits }: PushedPart): PushedCommit {
  return commits.at(-1) as PushedCommit;
}

/** Waits until a proposal is settled, the client is gone or the bound is over; `waits` is called at each look. */
export async function settledStatus(
  colony: Colony,
  proposal: ProposalId,
  bound: { readonly looks: number; readonly gone: AbortSignal },
  waits: (status: ProposalStatus) => void,
): Promise<Result<ProposalStatus, ColonyRefusal>> {
  let looks = 0;
  for (;;) {
    const status = await colony.outcome(proposal, lookMs);
    looks += 1;
    if (!status.ok || status.value.state !== 'queued') return status;
    if (looks >= bound.looks || bound.gone.aborted) return status;
    waits(status.value);
  }
}

/** Why a push whose intent is over cannot go on under it. */
export function overText(intent: string): Result<never, string> {
  return no(`${intent} is over already; name another intent, or push without naming one`);
}
