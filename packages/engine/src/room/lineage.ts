// What a landing commit says about itself: its message with trailers, and its note.
//
// Invariants:
//   LI1. Trailers that agents wrote themselves are escaped: no line of their text begins with "FT-" and a key.

import { type Oid, pathBytes, type TreePath } from '@firetrident/base';
import type { ResolvedRead } from '@firetrident/core';
import type { CycleEntry } from '../trunk-service.ts';

/** One landing as a commit and its note describe it. */
export interface LandingText {
  readonly entry: CycleEntry;
  readonly writes: readonly { readonly path: TreePath; readonly before: Oid | null; readonly after: Oid | null }[];
  readonly merged: readonly TreePath[];
}

const trailerLine = /^(\s*)(FT-[A-Za-z]+\s*:)/gim;

/** Text of an agent with every line that looks like one of our trailers marked as quoted (LI1). */
export function escapeTrailers(text: string): string {
  return text.replace(trailerLine, '$1> $2').replaceAll('\0', '');
}

/** The message of a landing commit: what, why, and the trailers that name its lineage. */
export function commitMessage(landings: readonly LandingText[]): string {
  const first = landings[0] as LandingText;
  const { proposal, intent } = first.entry;
  const oneLine = (text: string) => escapeTrailers(text.replace(/\s+/g, ' ').trim());
  const subject =
    landings.length === 1
      ? oneLine(proposal.title ?? intent.title)
      : `${oneLine(intent.title)} and ${landings.length - 1} more`;
  const paragraphs = [subject];
  if (landings.length === 1) {
    const body = escapeTrailers((proposal.message ?? intent.body).trim());
    if (body !== '') paragraphs.push(body);
  } else {
    paragraphs.push(landings.map((landing) => `- ${oneLine(landing.entry.intent.title)}`).join('\n'));
  }
  paragraphs.push(landings.map((landing) => trailers(landing.entry)).join('\n'));
  return `${paragraphs.join('\n\n')}\n`;
}

function trailers(entry: CycleEntry): string {
  return [
    `FT-Landing: ${entry.landing}`,
    `FT-Intent: ${entry.intent.id}`,
    `FT-Agent: ${entry.agent.id}`,
    `FT-Region: ${entry.proposal.region.replace(/\s/g, ' ')}`,
    `FT-Batch: ${entry.batch}`,
    `FT-Proposal: ${entry.proposal.id}`,
  ].join('\n');
}

/** The lineage note of a commit: JSON, one entry per landing in it. */
export function lineageNote(landings: readonly LandingText[], cycle: string, landedAt: number): string {
  return `${JSON.stringify({ ft: 1, landings: landings.map((landing) => noteEntry(landing, cycle, landedAt)) })}\n`;
}

function noteEntry(landing: LandingText, cycle: string, landedAt: number) {
  const { proposal, intent, agent, batch } = landing.entry;
  return {
    landing: landing.entry.landing,
    batch,
    cycle,
    proposal: proposal.id,
    intent: { id: intent.id, title: intent.title },
    agent,
    base: proposal.base,
    writes: landing.writes.map((write) => ({ ...namedPath(write.path), before: write.before, after: write.after })),
    reads: proposal.reads.map((read) => ({ ...notedRead(read), source: read.source ?? 'declared' })),
    merged: landing.merged.map((path) => (path.isWellFormed() ? path : namedPath(path))),
    decision: { by: 'policy', answers: [] },
    checks: [],
    returns: proposal.returns,
    at: { taken: isoTime(proposal.takenAt), proposed: isoTime(proposal.proposedAt), landed: isoTime(landedAt) },
  };
}

function notedRead(read: ResolvedRead): object {
  switch (read.kind) {
    case 'file':
      return { ...namedPath(read.path), blob: read.basis, at: read.at };
    case 'dir':
      return { ...namedFolder(read.path), basis: read.basis, at: read.at };
    case 'glob':
      return { glob: read.glob, basis: read.basis, at: read.at };
    case 'symbol':
      return {
        ...namedPath(read.path),
        symbol: read.symbol,
        signature: read.signature,
        basis: read.basis,
        at: read.at,
      };
    case 'lines':
      return { ...namedPath(read.path), lines: [read.from, read.to], blob: read.basis, at: read.at };
  }
}

/** A path as JSON shows it: text, or base64 of its bytes when they are not UTF-8. */
export function namedPath(path: TreePath): { readonly path: string } | { readonly pathBase64: string } {
  if (path.isWellFormed()) return { path };
  return { pathBase64: btoa(String.fromCharCode(...pathBytes(path))) };
}

function namedFolder(path: TreePath): { readonly dir: string } | { readonly dirBase64: string } {
  const named = namedPath(path);
  return 'path' in named ? { dir: named.path } : { dirBase64: named.pathBase64 };
}

const dayMs = 86_400_000;

/** ISO 8601 time in UTC of milliseconds since the Unix epoch, by the civil calendar. */
export function isoTime(milliseconds: number): string {
  const days = Math.floor(milliseconds / dayMs);
  const ofDay = milliseconds - days * dayMs;
  const { year, month, day } = civilDate(days);
  const pad = (value: number, width = 2) => String(Math.floor(value)).padStart(width, '0');
  const clock = `${pad(ofDay / 3_600_000)}:${pad((ofDay / 60_000) % 60)}:${pad((ofDay / 1_000) % 60)}.${pad(ofDay % 1_000, 3)}`;
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}T${clock}Z`;
}

/** Year, month and day of a count of days since 1970-01-01 in the proleptic Gregorian calendar, in eras of 400 years. */
function civilDate(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1_460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}
