// Landings as their notes tell them: what stays of a colony when its journal is gone.
//
// Invariants:
//   LR1. A landing that is read back equals the one that was written, but for writes that trunk had already and for its
//        time, which a note has from when the cycle was planned.
//   LR2. A note that nobody can read is left out; it never keeps a colony from opening.

import { type LandingId, type Oid, pathText, type TreePath } from '@firetrident/base';
import {
  type ArchivedLanding,
  type LandedWrite,
  type ReadSource,
  type ResolvedRead,
  regionOfPaths,
} from '@firetrident/core';
import type { TrunkRepository } from '@firetrident/trunk';
import type { Lineage, LineageRequest } from '../trunk-service.ts';

type NamedPath = { readonly path: string } | { readonly pathBase64: string };

/** One entry of a note, as lineage.ts writes it. */
interface NotedLanding {
  readonly landing: LandingId;
  readonly batch: ArchivedLanding['batch'];
  readonly cycle: ArchivedLanding['cycle'];
  readonly proposal: ArchivedLanding['proposal'];
  readonly intent: ArchivedLanding['intent'];
  readonly agent: ArchivedLanding['agent'];
  readonly base: Oid;
  readonly writes: readonly NamedPath[];
  readonly reads: readonly Readonly<Record<string, unknown>>[];
  readonly merged: readonly (string | NamedPath)[];
  readonly returns: ArchivedLanding['returns'];
  readonly at: { readonly taken: string; readonly proposed: string; readonly landed: string };
}

/** Digits of the counter in an id, after those of its boot generation. */
const counterDigits = 6;

/** Reads back the newest landings of trunk, oldest first, and the latest boot generation that their ids name. */
export function readLineage(repository: TrunkRepository, request: LineageRequest): Lineage {
  const found: ArchivedLanding[] = [];
  let oid: Oid | undefined = repository.tip();
  while (oid !== undefined && found.length < request.limit) {
    const [parent]: readonly Oid[] = repository.readCommit(oid).parents;
    if (parent !== undefined) found.push(...landingsOf(repository, oid, parent, request).reverse());
    oid = parent;
  }
  const generation = found.reduce((latest, { landing }) => Math.max(latest, generationOf(landing)), 0);
  return { landings: found.reverse(), generation };
}

function generationOf(id: string): number {
  return Number.parseInt(id.slice('lnd_'.length, -counterDigits), 36);
}

/** The landings of one commit, in order. */
function landingsOf(repository: TrunkRepository, commit: Oid, parent: Oid, request: LineageRequest): ArchivedLanding[] {
  const note = repository.note(commit);
  if (note === null) return [];
  const noted = parseNote(note);
  const changes = noted.length === 0 ? [] : repository.changedPaths(parent, commit);
  return noted.map((entry) => {
    const paths = new Set(entry.writes.map(pathOf));
    const writes = changes
      .filter(({ path }) => paths.has(path))
      .map(({ path, before, after }) => ({ path, before, after }));
    return landingOf(entry, commit, writes, request);
  });
}

function landingOf(
  entry: NotedLanding,
  commit: Oid,
  writes: readonly LandedWrite[],
  { regionDepth, packages }: LineageRequest,
): ArchivedLanding {
  const { landing, batch, cycle, proposal, intent, agent, base, returns, at } = entry;
  return {
    landing,
    commit,
    external: null,
    proposal,
    intent,
    agent,
    region: regionOfPaths(
      writes.map(({ path }) => path),
      regionDepth,
      new Set(packages),
    ),
    batch,
    cycle,
    base,
    writes,
    reads: entry.reads.map(readOf),
    merged: entry.merged.map((path) => (typeof path === 'string' ? path : pathOf(path))),
    unchanged: [],
    returns,
    takenAt: Date.parse(at.taken),
    proposedAt: Date.parse(at.proposed),
    landedAt: Date.parse(at.landed),
  };
}

function parseNote(text: string): readonly NotedLanding[] {
  try {
    const note = JSON.parse(text) as { readonly ft?: number; readonly landings?: readonly NotedLanding[] };
    return note.ft === 1 ? (note.landings ?? []) : [];
  } catch {
    // Someone else wrote there (LR2).
    return [];
  }
}

function pathOf(named: NamedPath): TreePath {
  if ('path' in named) return named.path;
  return pathText(Uint8Array.from(atob(named.pathBase64), (character) => character.charCodeAt(0)));
}

/** The read that a note tells of; the inverse of what lineage.ts writes. */
function readOf(noted: Readonly<Record<string, unknown>>): ResolvedRead {
  // Notes of earlier versions do not say how a read became known.
  const { source = 'declared' } = noted as { readonly source?: ReadSource };
  return source === 'declared' ? thingOf(noted) : { ...thingOf(noted), source };
}

function thingOf(noted: Readonly<Record<string, unknown>>): ResolvedRead {
  const { dir, glob, symbol, signature, lines, blob, basis, at } = noted;
  if (dir !== undefined) return { kind: 'dir', path: dir, at, basis } as ResolvedRead;
  if (glob !== undefined) return { kind: 'glob', glob, at, basis } as ResolvedRead;
  const path = pathOf(noted as NamedPath);
  if (symbol !== undefined) return { kind: 'symbol', path, symbol, signature, at, basis } as ResolvedRead;
  if (lines === undefined) return { kind: 'file', path, at, basis: blob } as ResolvedRead;
  const [from, to] = lines as readonly [number, number];
  return { kind: 'lines', path, from, to, at, basis: blob } as ResolvedRead;
}
