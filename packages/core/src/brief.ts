// What an agent is told when its proposal comes back: each read that moved and each write that does not fit, and who
// moved it.
//
// Describes; the decision to send a proposal back was made before. Texts of diffs come from the facts.
//
// Invariants (R1):
//   BR1. A brief names all that a fresh look at the tree of the new tip would find, and shows that tree only.
//   BR2. A landing of this cycle is named as cause before any older one, and never one of the proposal's own chain.

import { never, type ProposalId, type TreePath } from '@firetrident/base';
import type { Brief, Cause, ConflictingWrite, ConflictKind, Proposal, StaleRead } from './model.ts';
import { type CycleLanding, type PlanFacts, type PlanTree, pendingTrunk } from './plan-port.ts';
import type { LandingTouches, OwnChain } from './plan-touches.ts';
import type { MovedRead, UnfitWrite } from './validate.ts';

/** What briefs of one cycle are made from. `tree` is that of the new tip, `touches` all landings of the cycle. */
export interface BriefSource {
  readonly facts: PlanFacts;
  readonly tree: PlanTree;
  readonly touches: LandingTouches;
  readonly titles: ReadonlyMap<ProposalId, string>;
}

/** The brief of a proposal that does not fit (R1). `own` are the parts of a chain that it builds on. */
export function composeBrief(
  reads: readonly MovedRead[],
  writes: readonly UnfitWrite[],
  own: OwnChain,
  source: BriefSource,
): Brief {
  return {
    trunk: pendingTrunk,
    reads: reads.map((moved) => staleRead(moved, own, source)),
    writes: writes.map((unfit) => conflictingWrite(unfit, own, source)),
  };
}

/**
 * The brief of a proposal whose chain broke before it. No landing is the cause, so the intent of the chain itself is
 * named; its writes were never compared with trunk, since they build on work that is not there.
 */
export function composeChainBrief(
  proposal: Proposal,
  reads: readonly MovedRead[],
  own: OwnChain,
  source: BriefSource,
): Brief {
  const intent = { id: proposal.intent, title: source.titles.get(proposal.id) ?? '' };
  return {
    trunk: pendingTrunk,
    reads: reads.map((moved) => staleRead(moved, own, source)),
    writes: proposal.writes.map(({ path, base }) => {
      const tip = source.tree.entry(path);
      const diff = source.facts.diffOfWrite(path, base, tip);
      return { path, kind: 'chain', base, tip, cause: { landing: null, intent }, diff };
    }),
  };
}

function staleRead({ read, now }: MovedRead, own: OwnChain, source: BriefSource): StaleRead {
  const shows = (tree: PlanTree) => source.facts.observe(tree, read).now;
  // A symbol may come from another file than the one that is named.
  const landing =
    source.touches.ofRead(read, own) ?? (read.kind === 'symbol' ? source.touches.aroundWhich(own, shows) : null);
  const cause = landing === null ? source.facts.causeOfRead(read) : causeOf(landing);
  return { read, now, cause, diff: source.facts.diffOfRead(source.tree, read) };
}

function conflictingWrite(unfit: UnfitWrite, own: OwnChain, source: BriefSource): ConflictingWrite {
  const { path, base } = unfit.write;
  const tip = source.tree.entry(path);
  const diff = source.facts.diffOfWrite(path, base, tip);
  const regenerate = isOfContents(unfit.kind) ? source.facts.regenerationOf(path) : null;
  const conflict = { path, kind: unfit.kind, base, tip, cause: causeOfWrite(unfit, own, source), diff };
  return regenerate === null ? conflict : { ...conflict, regenerate };
}

/** Whether two contents do not go together, so that content made anew settles it (V4d). */
function isOfContents(kind: ConflictKind): boolean {
  return kind === 'content' || kind === 'add/add' || kind === 'binary' || kind === 'parse';
}

function causeOfWrite({ write, kind, clash }: UnfitWrite, own: OwnChain, source: BriefSource): Cause {
  // What stands in the way was moved, not the path itself: its history is the one to ask about.
  const moved: TreePath = clash ?? write.path;
  const landing = source.touches.ofPath(moved, own);
  if (landing !== null) return causeOf(landing);
  switch (kind) {
    case 'file/directory':
    case 'case':
      return source.facts.causeOfWrite(moved, moved === write.path ? write.base : null);
    case 'content':
    case 'delete/edit':
    case 'add/add':
    case 'mode':
    case 'binary':
    case 'parse':
    case 'strict':
    case 'chain':
      return source.facts.causeOfWrite(moved, write.base);
    default:
      return never(kind);
  }
}

function causeOf({ landing, proposal, title }: CycleLanding): Cause {
  return { landing, intent: { id: proposal.intent, title } };
}
