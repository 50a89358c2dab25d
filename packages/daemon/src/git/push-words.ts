// What a person who pushes reads: what became of the change, what moved under it, and what to do next.
//
//   PW1. Every outcome but a landing names the next step.

import { countOf, never } from '@firetrident/base';
import type { ProposalStatus } from '@firetrident/core';
import type { ColonyRefusal } from '@firetrident/engine';
import { type BriefResponse, briefEntries, conflictText, readText, type StaleReadAnswer } from '@firetrident/protocol';
import { briefBody } from '../convert/proposals.ts';
import { refusalFacts } from '../errors.ts';

/** Characters of a commit id that people read. */
const shortCharacters = 10;
/** Entries of a brief that are told in full; the rest is counted. */
const toldMax = 20;

/** A commit id as people read it. */
export function shortId(oid: string): string {
  return oid.slice(0, shortCharacters);
}

/** How to come back with the same work. */
export function again(branch: string): string {
  return `Then: git fetch, git rebase onto ${branch} as fetched, and the same push again.`;
}

/** The refusal of a colony as one sentence with its hint. */
export function refusalText(refusal: ColonyRefusal): string {
  const { code, message, value, hint } = refusalFacts(refusal);
  const named = value === null || typeof value === 'object' ? '' : ` (${String(value)})`;
  return `${code}: ${message.replace(/\.$/, '')}${named}. ${hint}`;
}

/** What became of a proposal, for the person; and the reason on the line of the ref, null when it was taken. */
export interface OutcomeWords {
  readonly told: string;
  readonly problem: string | null;
}

/** The words for an outcome (PW1). `repairMs` is how long the intent stays with its agent after a return. */
export function outcomeWords(status: ProposalStatus, branch: string, repairMs: number): OutcomeWords {
  switch (status.state) {
    case 'landed': {
      const merged = status.merged.length === 0 ? '' : `, ${countOf(status.merged.length, 'file')} merged`;
      return {
        told: `landed on ${branch} as ${shortId(status.commit)} (${status.landing}${merged})`,
        problem: null,
      };
    }
    case 'unchanged':
      return { told: `${branch} has all of this already; nothing was left to land`, problem: null };
    case 'returned': {
      const brief = briefBody(status.brief);
      return {
        told: `${briefText(brief)}${again(branch)} The intent stays yours for ${minutes(repairMs)}.`,
        problem: `returned: ${firstMoved(brief)}`,
      };
    }
    case 'rejected': {
      const [first] = status.reasons;
      const told = status.reasons.map(
        ({ message, path }) => `- ${path === null ? '' : `${path.toWellFormed()}: `}${message}\n`,
      );
      return {
        told: `refused:\n${told.join('')}Correct that and push again. What was pushed is kept; see firetrident preserved.`,
        problem: `refused: ${first === undefined ? 'see above' : first.message}`,
      };
    }
    case 'superseded':
      return {
        told: `the intent went to somebody else meanwhile; what was pushed is kept as ${status.preserved ?? 'nothing'}. Take another intent.`,
        problem: 'superseded: the intent went to somebody else',
      };
    case 'queued':
      return {
        told: 'still in the queue; the same push again waits on, and lands nothing twice',
        problem: 'still in the queue: push the same commit again to hear what became of it',
      };
    default:
      return never(status);
  }
}

/** A brief in words: what moved, through whose landing, and how. */
function briefText(brief: BriefResponse): string {
  const entries = briefEntries(brief, staleText);
  const told = entries.slice(0, toldMax).map((entry) => `- ${entry}\n`);
  const more = entries.length > toldMax ? `- and ${entries.length - toldMax} more\n` : '';
  return `came back, because trunk moved under it (now ${shortId(brief.trunk)}):\n${told.join('')}${more}`;
}

function firstMoved({ reads, writes }: BriefResponse): string {
  const [write] = writes;
  const [read] = reads;
  const first = write === undefined ? (read === undefined ? 'see above' : staleText(read)) : conflictText(write);
  const others = reads.length + writes.length - 1;
  return others > 0 ? `${first}, and ${others} more` : first;
}

/** Nobody who pushes has read what the change imports: it stands on it. */
function staleText(read: StaleReadAnswer): string {
  const what = readText(read);
  if (read.was === null) return `your change rests on there being no ${what}; now there is`;
  return read.now === null
    ? `your change rests on ${what}, which is gone`
    : `your change rests on ${what}, which changed`;
}

function minutes(milliseconds: number): string {
  return milliseconds < 90_000 ? `${Math.round(milliseconds / 1_000)} s` : `${Math.round(milliseconds / 60_000)} min`;
}
