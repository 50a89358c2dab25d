// Landings and preserved work on the way out.

import type { ArchivedLanding, Entry, ResolvedRead } from '@firetrident/core';
import type { LandingAnswer, PreservedAnswer, TreeAnswer, WhyAnswer } from '@firetrident/engine';
import type {
  LandingResponse,
  LandingRowResponse,
  PreservedListResponse,
  TreeResponse,
  WhyResponse,
} from '@firetrident/protocol';
import { listedPath, namedEntry, namedPath } from './paths.ts';
import { readSubject } from './proposals.ts';
import { timeText, timeTextOrNull } from './times.ts';

/** One row of the list of landings. */
export function landingRowBody(row: ArchivedLanding): LandingRowResponse {
  return {
    landing: row.landing,
    commit: row.commit,
    proposal: row.proposal,
    intent: row.intent.id,
    title: row.intent.title,
    agent: row.agent.id,
    agentName: row.agent.name,
    region: row.region,
    external: row.external !== null,
    at: timeText(row.landedAt),
  };
}

/** One landing with its lineage, in the terms of the note on its commit. */
export function landingBody({ landing: row, waste }: LandingAnswer): LandingResponse {
  return {
    landing: row.landing,
    commit: row.commit,
    batch: row.batch,
    cycle: row.cycle,
    proposal: row.proposal,
    intent: row.intent,
    agent: row.agent,
    region: row.region,
    base: row.base,
    external: row.external,
    writes: row.writes.map(({ path, before, after }) => ({
      ...namedPath(path),
      ...entryFields('before', before),
      ...entryFields('after', after),
    })),
    reads: row.reads.map((read) => ({
      ...readSubject(read),
      ...basisField(read),
      at: read.at,
      source: read.source ?? 'declared',
    })),
    merged: row.merged.map(listedPath),
    unchanged: row.unchanged.map(listedPath),
    decision: { by: 'policy', answers: [] },
    checks: [],
    returns: row.returns.map(({ proposal, causes }) => ({ proposal, causes: [...causes] })),
    waste: { ...waste },
    at: {
      taken: timeTextOrNull(row.takenAt),
      proposed: timeTextOrNull(row.proposedAt),
      landed: timeText(row.landedAt),
    },
  };
}

function entryFields<Name extends 'before' | 'after'>(name: Name, entry: Entry | null) {
  return { [name]: entry?.oid ?? null, [`${name}Mode`]: entry?.mode ?? null } as {
    [Field in Name]: string | null;
  } & { [Field in `${Name}Mode`]: Entry['mode'] | null };
}

function basisField(read: ResolvedRead) {
  switch (read.kind) {
    case 'file':
    case 'lines':
      return { blob: read.basis };
    case 'dir':
    case 'glob':
    case 'symbol':
      return { basis: read.basis };
  }
}

/** Why a line is as it is. */
export function whyBody(answer: WhyAnswer): WhyResponse {
  const { line, text, commit, summary, author } = answer;
  const landing = answer.landing === null ? null : landingBody(answer.landing);
  return { ...namedPath(answer.path), line, text, commit, summary, author, at: timeText(answer.at), landing };
}

/** What lies in a folder. */
export function treeBody(answer: TreeAnswer): TreeResponse {
  return {
    ...namedPath(answer.path),
    commit: answer.commit,
    entries: answer.entries.map(({ name, kind, entry }) => ({
      ...namedEntry(name),
      kind,
      ...(entry === null ? {} : { mode: entry.mode, blob: entry.oid }),
    })),
  };
}

/** Work that did not land and is kept. */
export function preservedBody(rows: readonly PreservedAnswer[]): PreservedListResponse {
  return { preserved: rows.map((row) => ({ ...row, at: timeText(row.at) })) };
}
