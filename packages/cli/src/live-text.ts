// Frames of the live stream as lines for a person.

import { countOf, never, oneLine } from '@firetrident/base';
import type { LiveFrame } from '@firetrident/protocol';

/** One line about a frame, without time and sequence; null for what only a program cares about. */
export function liveText(frame: LiveFrame): string | null {
  switch (frame.type) {
    case 'colony':
      return frame.change === 'policy' ? 'the policy changed' : `the colony was ${frame.change}`;
    case 'trunk':
      return `landing ${frame.change === 'rewound' ? 'stands still: trunk was rewritten by someone else' : frame.change}`;
    case 'intent':
      return `${frame.intent} ${frame.change}${titled(frame.title)}${because(frame.reason)}`;
    case 'agent':
      return `${frame.agent ?? 'an agent'} ${frame.change}${titled(frame.name)}`;
    case 'take':
      return `${frame.agent} took ${frame.intent} at ${short(frame.base)}`;
    case 'claim':
      return frame.claims.length === 0 ? null : `${frame.agent ?? frame.lease} works on ${some(frame.claims)}`;
    case 'release':
      return `${frame.agent ?? frame.lease} let go of ${frame.intent ?? 'its intent'}: ${frame.why}`;
    case 'propose':
      return `${frame.agent ?? frame.lease} proposed ${frame.proposal} for ${frame.intent ?? 'its intent'}: ${countOf(frame.writes, 'write')}, ${countOf(frame.reads, 'read')}${frame.repairOf === undefined ? '' : `, repairing ${frame.repairOf}`}`;
    case 'external':
      return `${countOf(frame.commits, 'commit')} from elsewhere${titled(frame.title)}, ${countOf(frame.paths, 'path')}`;
    case 'preserved':
      return `kept ${frame.preserved}${frame.commit === undefined ? '' : ` as ${short(frame.commit)}`}${because(frame.why)}`;
    case 'attention':
      return `${frame.attention} ${frame.change === 'raised' ? 'waits for a person' : 'is settled'}${because(frame.message)}`;
    case 'reservation':
      return reservationText(frame);
    case 'heads-up':
      return headsUpText(frame);
    case 'sigma':
      return frame.regions.length === 0 ? null : `σ ${some(frame.regions.map(slowedText))}`;
    case 'cycle':
    case 'metric':
      return null;
    case 'landed':
    case 'unchanged':
    case 'returned':
    case 'rejected':
    case 'superseded':
    case 'deferred':
      return outcomeText(frame);
    default:
      return never(frame);
  }
}

type OutcomeFrame = Extract<
  LiveFrame,
  { type: 'landed' | 'unchanged' | 'returned' | 'rejected' | 'superseded' | 'deferred' }
>;

function outcomeText(frame: OutcomeFrame): string {
  switch (frame.type) {
    case 'landed': {
      const merged = frame.merged?.length ?? 0;
      return `${frame.proposal} landed as ${frame.landing}, ${short(frame.commit)}${merged > 0 ? `, ${countOf(merged, 'file')} merged` : ''}`;
    }
    case 'unchanged':
      return `${frame.proposal} had nothing left to change`;
    case 'returned':
      return `${frame.proposal} came back${frame.causes === undefined || frame.causes.length === 0 ? '' : `, because of ${some(frame.causes)}`}`;
    case 'rejected':
      return `${frame.proposal} was rejected: ${some(frame.reasons.map((reason) => reason.message))}`;
    case 'superseded':
      return `${frame.proposal} came after its lease had ended`;
    case 'deferred':
      return `${frame.proposal} waits for the next cycle`;
    default:
      return never(frame);
  }
}

function reservationText(frame: Extract<LiveFrame, { type: 'reservation' }>): string {
  const holder = frame.agent ?? frame.lease;
  switch (frame.change) {
    case 'began':
      return `${frame.proposal ?? 'a proposal'} came back too often: what it needs is kept still for ${holder}`;
    case 'held-back':
      return `${countOf(frame.heldBack?.length ?? 0, 'proposal')} ${frame.heldBack?.length === 1 ? 'waits' : 'wait'} for ${holder} to go first`;
    case 'ended':
      return `nothing is kept still for ${holder} any more${because(frame.why)}`;
    default:
      return never(frame.change);
  }
}

function headsUpText({ agent, landings, more }: Extract<LiveFrame, { type: 'heads-up' }>): string {
  const paths = landings.flatMap((landing) => landing.paths.map(({ path = '(not text)' }) => path));
  const unlisted = more + landings.reduce((sum, landing) => sum + landing.more, 0);
  const others = unlisted > 0 ? ', and more that is not listed' : '';
  return `${agent} hears that ${some([...new Set(paths)])}${others} changed`;
}

function slowedText({ region, sigma, laneDelayMs }: Extract<LiveFrame, { type: 'sigma' }>['regions'][number]): string {
  return `${region}: ${sigma}${laneDelayMs > 0 ? `, lands every ${laneDelayMs / 1_000} s` : ''}`;
}

function short(commit: string): string {
  return commit.slice(0, 12);
}

function titled(title: string | undefined): string {
  return title === undefined ? '' : ` "${oneLine(title, 100)}"`;
}

function because(reason: string | null | undefined): string {
  return reason === undefined || reason === null ? '' : `: ${oneLine(reason, 160)}`;
}

function some(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => oneLine(name, 100));
  return `${shown.join(', ')}${names.length > 3 ? ` and ${names.length - 3} more` : ''}`;
}
