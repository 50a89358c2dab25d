// Proposals, on the way in and on the way out.

import { utf8 } from '@firetrident/base';
import type { Brief, HeldBack, ProposalStatus, ResolvedRead } from '@firetrident/core';
import type { RequestedRead, RequestedWrite } from '@firetrident/engine';
import type { BriefResponse, ParsedRequestOf, ProposalStatusResponse } from '@firetrident/protocol';
import { listedPath, namedFolder, namedPath, requestedPath } from './paths.ts';
import { timeText } from './times.ts';

type SentWrite = ParsedRequestOf<'propose'>['writes'][number];
type SentRead = ParsedRequestOf<'propose'>['reads'][number];

/** A write as the colony takes it. */
export function requestedWrite(write: SentWrite): RequestedWrite {
  return {
    path: requestedPath(write.path, write.pathBase64),
    content: writtenContent(write),
    ...(write.mode === undefined ? {} : { mode: write.mode }),
    ...(write.was === undefined ? {} : { was: write.was }),
  };
}

function writtenContent(write: SentWrite): RequestedWrite['content'] {
  if (write.content !== undefined) return { bytes: utf8(write.content) };
  if (write.contentBase64 !== undefined) return { bytes: Buffer.from(write.contentBase64, 'base64') };
  return write.blob === undefined ? null : { blob: write.blob };
}

/** A read as the colony takes it. */
export function requestedRead(read: SentRead): RequestedRead {
  const at = read.at === undefined ? {} : { at: read.at };
  if (read.glob !== undefined) return { ...at, kind: 'glob', glob: read.glob };
  if (read.dir !== undefined || read.dirBase64 !== undefined) {
    return { ...at, kind: 'dir', path: requestedPath(read.dir, read.dirBase64) };
  }
  const path = requestedPath(read.path, read.pathBase64);
  if (read.symbol !== undefined) {
    return { ...at, kind: 'symbol', path, symbol: read.symbol, signature: read.signature ?? false };
  }
  if (read.lines !== undefined) return { ...at, kind: 'lines', path, from: read.lines[0], to: read.lines[1] };
  return { ...at, kind: 'file', path, ...(read.blob === undefined ? {} : { blob: read.blob }) };
}

/** Where a proposal stands. `reservedTo` is the end of its reservation; null when it has none. */
export function statusBody(status: ProposalStatus, reservedTo: number | null): ProposalStatusResponse {
  return { ...outcomeBody(status), ...(reservedTo === null ? {} : { reserved: { until: timeText(reservedTo) } }) };
}

function outcomeBody(status: ProposalStatus): ProposalStatusResponse {
  const { proposal, state } = status;
  switch (status.state) {
    case 'queued':
      return { proposal, state, ...deferredBody(status.heldBack) };
    case 'landed': {
      const { landing, commit } = status;
      const merged = status.merged.map(listedPath);
      return { proposal, state, landing, commit, merged, unchanged: status.unchanged.map(listedPath) };
    }
    case 'unchanged':
      return { proposal, state, unchanged: status.unchanged.map(listedPath) };
    case 'returned':
      return { proposal, state, brief: briefBody(status.brief) };
    case 'rejected':
      return {
        proposal,
        state,
        reasons: status.reasons.map(({ code, message, path }) => ({
          code,
          message,
          ...(path === null ? {} : namedPath(path)),
        })),
      };
    case 'superseded':
      return { proposal, state, preserved: status.preserved };
  }
}

/** What a queued proposal waits for, beyond the next cycle. */
function deferredBody(heldBack: HeldBack | null): Pick<ProposalStatusResponse, 'deferred'> {
  if (heldBack === null) return {};
  return { deferred: { reason: 'reserved', by: heldBack.reservedBy, until: timeText(heldBack.until) } };
}

/** Why a proposal came back. */
export function briefBody(brief: Brief): BriefResponse {
  return {
    trunk: brief.trunk,
    reads: brief.reads.map(({ read, now, cause, diff }) => ({
      ...readSubject(read),
      was: read.basis,
      now,
      landing: cause.landing,
      intent: cause.intent,
      diff,
    })),
    writes: brief.writes.map(({ path, kind, base, tip, cause, diff, regenerate }) => ({
      ...namedPath(path),
      kind,
      base: base?.oid ?? null,
      tip: tip?.oid ?? null,
      baseMode: base?.mode ?? null,
      tipMode: tip?.mode ?? null,
      ...(regenerate === undefined ? {} : { regenerate }),
      landing: cause.landing,
      intent: cause.intent,
      diff,
    })),
  };
}

/** What a read is of, in the fields in which it was declared. */
export function readSubject(read: ResolvedRead) {
  switch (read.kind) {
    case 'file':
      return namedPath(read.path);
    case 'dir':
      return namedFolder(read.path);
    case 'glob':
      return { glob: read.glob };
    case 'symbol':
      return { ...namedPath(read.path), symbol: read.symbol, ...(read.signature ? { signature: true } : {}) };
    case 'lines':
      return { ...namedPath(read.path), lines: [read.from, read.to] as [number, number] };
  }
}
