// From what an agent sent to what the core decides on: entries and bases, by the bytes at the base commit.
//
// Invariants:
//   RS1. Nothing is resolved half: the first thing that is wrong refuses the whole request by name.
//   RS2. Each read has a basis of its own: what was seen, at the commit where it was seen.

import { no, type Oid, ok, type Result, type TreePath, utf8Text } from '@firetrident/base';
import { checkGlob, readsOfImports } from '@firetrident/content';
import {
  checkEntry,
  checkPath,
  type Entry,
  type FileMode,
  type ProposalContent,
  type ReadGrain,
  type ReadSource,
  type ResolvedRead,
  type ResolvedWrite,
  thingRead,
} from '@firetrident/core';
import type { Tree } from '@firetrident/trunk';
import type { EngineRefusal, RequestedRead, RequestedWrite } from '../colony.ts';
import type { ResolveRequest } from '../trunk-service.ts';
import { grainRule } from './grain.ts';
import type { Materials } from './materials.ts';
import { isFile, type Observer } from './observe.ts';

/** What resolving needs of the repository. `treeAt` answers null for what is no trunk commit. */
export interface ResolveContext {
  readonly materials: Materials;
  readonly observer: Observer;
  treeAt(commit: Oid): Tree | null;
}

type Refused = Result<never, EngineRefusal>;

/** Resolves a request against its base; the first thing that is wrong refuses all of it (RS1). */
export function resolveProposal(
  context: ResolveContext,
  request: ResolveRequest,
): Result<ProposalContent, EngineRefusal> {
  const baseTree = context.treeAt(request.base);
  if (baseTree === null) return no({ code: 'unknown_base', base: request.base });
  const base = baseTree.with(request.overlay.map((write) => ({ path: write.path, entry: write.after })));
  const writes = resolveWrites(context, base, request.writes);
  if (!writes.ok) return writes;
  const reads = resolveReads(context, base, request);
  if (!reads.ok) return reads;
  const written = new Set(writes.value.map((write) => write.path));
  const derived = derivedReads(context, base, request, writes.value, reads.value);
  // V2: written paths are validated as writes, never as reads.
  const all = [...derived, ...reads.value].filter(
    (read) => read.kind === 'dir' || read.kind === 'glob' || !written.has(read.path),
  );
  return ok({ writes: writes.value, reads: all });
}

function resolveWrites(
  context: ResolveContext,
  base: Tree,
  requested: readonly RequestedWrite[],
): Result<ResolvedWrite[], EngineRefusal> {
  const clash = clashAmong(requested);
  if (clash !== null) return clash;
  const resolved: ResolvedWrite[] = [];
  for (const write of requested) {
    const one = resolveWrite(context, base, write);
    if (!one.ok) return one;
    resolved.push(one.value);
  }
  return clashWithBase(base, resolved) ?? ok(resolved);
}

/**
 * A file cannot stand where base has a folder, nor below what base has as a file, nor beside a name that differs only in
 * case, unless this proposal clears the way.
 */
function clashWithBase(base: Tree, writes: readonly ResolvedWrite[]): Refused | null {
  const deletions = writes.filter((write) => write.after === null && write.base !== null);
  const cleared = base.with(deletions.map((write) => ({ path: write.path, entry: null })));
  const spellings = new Map<string, TreePath>();
  for (const { path, after } of writes) {
    if (after === null) continue;
    const isNew = cleared.kind(path) === 'absent';
    const existing = isNew ? (cleared.caseClash(path) ?? otherSpelling(path, cleared, spellings)) : null;
    if (existing !== null) return no({ code: 'path_case_clash', path, existing });
    if (cleared.kind(path) === 'directory') return no({ code: 'writes_clash', path, other: `${path}/` });
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      const above = path.slice(0, slash);
      if (cleared.kind(above) === 'file') return no({ code: 'writes_clash', path, other: above });
    }
  }
  return null;
}

/** How an earlier write spelt a path that is new, or a folder that comes with it, if differently. */
function otherSpelling(path: TreePath, cleared: Tree, spellings: Map<string, TreePath>): TreePath | null {
  for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
    const needed = end < 0 ? path : path.slice(0, end);
    const isNew = cleared.kind(needed) === 'absent';
    const known = spellings.get(needed.toLowerCase());
    if (isNew && known !== undefined && known !== needed) return known;
    if (isNew) spellings.set(needed.toLowerCase(), needed);
    if (end < 0) return null;
  }
}

function resolveWrite(
  context: ResolveContext,
  base: Tree,
  write: RequestedWrite,
): Result<ResolvedWrite, EngineRefusal> {
  const { path } = write;
  const wrong = checkPath(path);
  if (wrong !== null) return no({ code: wrong.code, path });
  const before = base.entry(path);
  if (write.was !== undefined && write.was !== (before?.oid ?? null)) {
    return no({ code: 'write_basis', path, was: write.was, base: before?.oid ?? null });
  }
  if (write.content === null) return ok({ path, base: before, after: null });
  const oid = (write.content as { readonly blob: Oid }).blob;
  if (!context.materials.has(oid)) return no({ code: 'unknown_blob', blob: oid });
  const mode = write.mode ?? modeAtBase(before);
  const reserved = checkEntry(path, mode);
  if (reserved !== null) return no({ code: reserved.code, path });
  return ok({ path, base: before, after: { mode, oid } });
}

/** An omitted mode keeps that of base; over a submodule, or where nothing was, it is an ordinary file. */
function modeAtBase(before: Entry | null): FileMode {
  return before === null || before.mode === '160000' ? '100644' : before.mode;
}

function clashAmong(requested: readonly RequestedWrite[]): Refused | null {
  const seen = new Set<TreePath>();
  const kept = new Set(requested.filter((write) => write.content !== null).map((write) => write.path));
  for (const { path, content } of requested) {
    if (seen.has(path)) return no({ code: 'writes_clash', path, other: path });
    seen.add(path);
    if (content === null) continue;
    for (let slash = path.indexOf('/'); slash > 0; slash = path.indexOf('/', slash + 1)) {
      const above = path.slice(0, slash);
      if (kept.has(above)) return no({ code: 'writes_clash', path, other: above });
    }
  }
  return null;
}

function resolveReads(
  context: ResolveContext,
  base: Tree,
  request: ResolveRequest,
): Result<ResolvedRead[], EngineRefusal> {
  const byThing = new Map<string, ResolvedRead>();
  for (const requested of request.reads) {
    const at = requested.at ?? request.base; // (RS2)
    const tree = requested.at === undefined ? base : context.treeAt(requested.at);
    if (tree === null) return no({ code: 'unknown_base', base: at });
    const read = resolveRead(context, tree, requested, at);
    if (!read.ok) return read;
    // Of two readings of one thing the later counts.
    byThing.set(thingRead(read.value), read.value);
  }
  return ok([...byThing.values()]);
}

function resolveRead(
  context: ResolveContext,
  tree: Tree,
  requested: RequestedRead,
  at: Oid,
): Result<ResolvedRead, EngineRefusal> {
  if (requested.kind === 'glob') {
    const checked = checkGlob(requested.glob);
    if (!checked.ok) return no({ code: 'glob_invalid', glob: requested.glob, problem: checked.error.code });
    return ok({ kind: 'glob', glob: requested.glob, at, basis: context.observer.glob(tree, requested.glob) });
  }
  const { path } = requested;
  const wrong = requested.kind === 'dir' && (path === '' || path === '.') ? null : checkPath(path);
  if (wrong !== null) return no({ code: wrong.code, path });
  switch (requested.kind) {
    case 'file':
      return ok({
        kind: 'file',
        path,
        at,
        basis: requested.blob === undefined ? context.observer.file(tree, path) : requested.blob,
      });
    case 'dir': {
      const folder = path === '.' ? '' : path;
      return ok({ kind: 'dir', path: folder, at, basis: context.observer.directory(tree, folder) });
    }
    case 'symbol': {
      const { symbol, signature } = requested;
      return ok({
        kind: 'symbol',
        path,
        symbol,
        signature,
        at,
        basis: context.observer.symbol(tree, path, symbol, signature),
      });
    }
    case 'lines': {
      const { from, to } = requested;
      if (to < from) return no({ code: 'read_invalid', path, problem: `lines ${from} to ${to} are no range` });
      return ok({ kind: 'lines', path, from, to, at, basis: context.observer.file(tree, path) });
    }
  }
}

/**
 * Reads that nobody declared, shaped by policy: files served under the lease, and, when asked for, files that the
 * written ones import. Declared reads replace them for the same path; what was served counts before what is imported.
 */
function derivedReads(
  context: ResolveContext,
  base: Tree,
  request: ResolveRequest,
  writes: readonly ResolvedWrite[],
  declared: readonly ResolvedRead[],
): ResolvedRead[] {
  if (request.recorded.length === 0 && !request.deriveReads) return [];
  const settled = new Set(declared.flatMap((read) => (read.kind === 'glob' ? [] : [read.path])));
  const imported = importedSymbols(context, base, writes);
  const grainOf = grainRule(request.policy);
  const derived: ResolvedRead[] = [];
  for (const [path, { blob, at, source = 'served' }] of request.recorded) {
    const tree = settled.has(path) ? null : context.treeAt(at);
    // Preserved work may be looked at, but that reads nothing of trunk.
    if (tree === null) continue;
    settled.add(path);
    const symbols = blob === null ? null : (imported.get(path) ?? null);
    derived.push(...shapedReads(context, grainOf(path), tree, { path, at, blob, source }, symbols));
  }
  if (!request.deriveReads) return derived;
  for (const [path, symbols] of imported) {
    const blob = base.entry(path)?.oid ?? null;
    if (settled.has(path) || blob === null) continue;
    derived.push(
      ...shapedReads(context, grainOf(path), base, { path, at: request.base, blob, source: 'imports' }, symbols),
    );
  }
  return derived;
}

interface SeenBlob {
  readonly path: TreePath;
  readonly at: Oid;
  readonly blob: Oid | null;
  readonly source: ReadSource;
}

function shapedReads(
  context: ResolveContext,
  grain: ReadGrain,
  tree: Tree,
  { path, at, blob, source }: SeenBlob,
  symbols: readonly string[] | null,
): ResolvedRead[] {
  if (grain === 'none') return [];
  if (grain === 'file' || symbols === null) return [{ kind: 'file', path, at, basis: blob, source }];
  return symbols.map((symbol) => ({
    kind: 'symbol' as const,
    path,
    symbol,
    signature: false,
    at,
    basis: context.observer.symbol(tree, path, symbol, false),
    source,
  }));
}

/** Names that the written files import, by the path they import from; null when they may use all of it. */
function importedSymbols(
  context: ResolveContext,
  base: Tree,
  writes: readonly ResolvedWrite[],
): Map<TreePath, readonly string[] | null> {
  const imported = new Map<TreePath, readonly string[] | null>();
  const written = new Set(writes.filter((write) => write.after !== null).map((write) => write.path));
  const exists = (path: TreePath) => written.has(path) || base.kind(path) === 'file';
  for (const write of writes) {
    if (write.after === null || !isFile(write.after)) continue;
    const text = utf8Text(context.materials.bytes(write.after.oid));
    for (const { path, symbols } of readsOfImports(write.path, text, exists, context.materials.parser)) {
      const before = imported.get(path);
      imported.set(path, symbols === null || before === null ? null : [...new Set([...(before ?? []), ...symbols])]);
    }
  }
  return imported;
}
