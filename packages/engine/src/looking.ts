// What a session shows to those who look: events of the journal, landings, and content that was preserved.

import type { Oid } from '@firetrident/base';
import { type ArchivedLanding, type Preserved, type ReturnedWork, readEvent } from '@firetrident/core';
import type { Journal } from '@firetrident/journal';
import type { LandingAnswer, PreservedAnswer, SequencedEvent } from './colony.ts';
import type { Session } from './session.ts';

/** Journalled events after a sequence, oldest first. */
export async function sequencedEvents(journal: Journal, after: number, limit: number): Promise<SequencedEvent[]> {
  const events = await journal.events(after, limit);
  return events.map((event) => ({ sequence: event.sequence, event: readEvent(JSON.parse(event.body)) }));
}

/** A landing with its part of every return that it caused (R5), once that is durable. */
export async function landingAnswer(session: Session, landing: ArchivedLanding | null): Promise<LandingAnswer | null> {
  await session.commit.barrier();
  if (landing === null) return null;
  const returned = await session.shelf.returnsBecauseOf(landing.landing);
  const parts = (of: (work: ReturnedWork) => number) =>
    Math.round(returned.reduce((sum, work) => sum + of(work) / work.causes.length, 0));
  const wastedMs = parts((work) => work.wastedMs);
  const wastedTokens = parts((work) => work.wastedTokens);
  return { landing, waste: { returns: returned.length, wastedMs, wastedTokens } };
}

/** What stands under a ref of its own, once that is durable. */
export async function preservedContents(session: Session): Promise<PreservedAnswer[]> {
  const answers = [...session.state.preserved.values()].flatMap((preserved) =>
    preserved.commit === null ? [] : [preservedAnswer(preserved, preserved.commit)],
  );
  await session.commit.barrier();
  return answers;
}

function preservedAnswer(preserved: Preserved, commit: Oid): PreservedAnswer {
  const { id, agent, intent, proposal, why, at } = preserved;
  return { id, ref: `refs/firetrident/preserved/${id}`, commit, agent, intent, proposal, why, at };
}
