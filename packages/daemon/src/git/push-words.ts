// What a person who pushes reads: what became of the change, what moved under it, and what to do next.
//
//   PW1. Every outcome but a landing names the next step.

import { countOf, never } from '@firetrident/base';
import type { Brief, Cause, ConflictingWrite, ProposalStatus, ResolvedRead, StaleRead } from '@firetrident/core';
import type { ColonyRefusal } from '@firetrident/engine';
import { refusalFacts } from '../errors.ts';

/** Characters of a commit id that people read. */
const shortCharacters = 10;
/** Entries of a brief that are told in full; the rest is counted. */
const toldMax = 20;
const titleCharacters = 160;

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
    case 'returned':
      return {
        told: `${briefText(status.brief)}${again(branch)} The intent stays yours for ${minutes(repairMs)}.`,
        problem: `returned: ${firstMoved(status.brief)}`,
      };
    case 'rejected': {
      const [first] = status.reasons;
      const told = status.reasons.map(
        ({ message, path }) => `- ${path === null ? '' : `${shown(path)}: `}${message}\n`,
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
export function briefText(brief: Brief): string {
  const entries = [
    ...brief.writes.map((write) => `${conflictText(write)}${causeText(write.cause)}${diffText(write.diff)}`),
    ...brief.reads.map((read) => `${staleText(read)}${causeText(read.cause)}${diffText(read.diff)}`),
  ];
  const told = entries.slice(0, toldMax).map((entry) => `- ${entry}\n`);
  const more = entries.length > toldMax ? `- and ${entries.length - toldMax} more\n` : '';
  return `came back, because trunk moved under it (now ${shortId(brief.trunk)}):\n${told.join('')}${more}`;
}

function firstMoved({ reads, writes }: Brief): string {
  const [write] = writes;
  const [read] = reads;
  const first = write === undefined ? (read === undefined ? 'see above' : staleText(read)) : conflictText(write);
  const others = reads.length + writes.length - 1;
  return others > 0 ? `${first}, and ${others} more` : first;
}

function conflictText({ path, kind, tip, base }: ConflictingWrite): string {
  const name = shown(path);
  switch (kind) {
    case 'content':
      return `${name}: you and someone else changed the same lines`;
    case 'delete/edit':
      return tip === null
        ? `${name}: you changed what someone else deleted`
        : `${name}: you deleted what someone else changed`;
    case 'add/add':
      return `${name}: someone else added it too, differently`;
    case 'file/directory':
      return `${name}: it is a file on one side and a folder on the other`;
    case 'mode':
      return `${name}: its mode became ${tip?.mode ?? 'absent'} on trunk, from ${base?.mode ?? 'absent'}`;
    case 'binary':
      return `${name}: it is binary, and someone else changed it too`;
    case 'parse':
      return `${name}: merged, it would not parse any more`;
    case 'strict':
      return `${name}: someone else changed it, and its policy allows no merge`;
    case 'case':
      return `${name}: trunk has a path that differs only in case`;
    case 'chain':
      return `${name}: an earlier commit of the same push came back`;
    default:
      return never(kind);
  }
}

function staleText({ read, now }: StaleRead): string {
  const what = readText(read);
  if (read.basis === null) return `your change rests on there being no ${what}; now there is`;
  return now === null ? `your change rests on ${what}, which is gone` : `your change rests on ${what}, which changed`;
}

function readText(read: ResolvedRead): string {
  switch (read.kind) {
    case 'file':
      return shown(read.path);
    case 'dir':
      return `the listing of ${read.path === '' ? 'the root' : shown(read.path)}`;
    case 'glob':
      return `what matches ${read.glob}`;
    case 'symbol':
      return `${read.signature ? 'the signature of ' : ''}${read.symbol} of ${shown(read.path)}`;
    case 'lines':
      return `lines ${read.from} to ${read.to} of ${shown(read.path)}`;
    default:
      return never(read);
  }
}

function causeText({ landing, intent }: Cause): string {
  if (landing === null) return '';
  const title = intent.title.replace(/\s+/g, ' ').slice(0, titleCharacters);
  return `\n  through ${landing}, "${title}"`;
}

function diffText(diff: string): string {
  const lines = diff.trimEnd().split('\n');
  return diff === '' ? '' : `\n${lines.map((line) => `    ${line}`).join('\n')}`;
}

function shown(path: string): string {
  return path.toWellFormed();
}

function minutes(milliseconds: number): string {
  return milliseconds < 90_000 ? `${Math.round(milliseconds / 1_000)} s` : `${Math.round(milliseconds / 60_000)} min`;
}
