// Opening a colony: from what is durable to a state that serves.
//
// Facts are reconciled in this order: snapshot and events give the state; a new generation gives every lease a full
// term; the repository's refs decide what became of a cycle that was under way; trunk is compared with what the state
// believes; staged bytes go back into the room; contents that were to be preserved are preserved.
//
// Invariants:
//   RE1. What was acknowledged is in the state after opening.
//   RE2. A cycle under way is finished if trunk holds its landings, and queued again otherwise (L3). While nobody can
//        tell, it stays under way, and the colony serves all the same.
//   RE3. Opening changes nothing but by events, so opening twice is opening once.
//   RE4. What recovery did about a cycle or about preserved content is logged, with the branch that it took.
//   RE5. A colony whose journal is gone has its landings again, and gives out no id that git knows.
//   RE6. A data directory of an earlier version gives the state that its events tell; one of a later version is refused.

import type { Oid } from '@firetrident/base';
import { assert, type Json, never, utf8Text } from '@firetrident/base';
import {
  type ColonyState,
  type Cycle,
  completePolicy,
  emptyState,
  evolve,
  type LearnedChange,
  readEvent,
  restoreState,
  snapshotForm,
} from '@firetrident/core';
import { type Journal, JournalError, replay } from '@firetrident/journal';
import { recordForeign } from './foreign-landing.ts';
import type { EnginePorts } from './ports.ts';
import { preserve } from './preservation.ts';
import { Session, type SessionListener } from './session.ts';
import { type RecoveryAnswer, type StagedBlob, StorageFailureError } from './trunk-service.ts';

/** Landings handed to the room at opening, for the causes of returns. */
const seededLandings = 2_000;
/** Landings read back from git at most; older ones stay there. */
const lineageLandings = 100_000;
/** Events read from the journal at once. */
const replayPage = 10_000;
/** What a person does about a snapshot of a later version. */
const newerHint = 'Use the version that wrote this journal, or a later one.';
/** Staged bytes handed to the room at once. */
const stagePageBytes = 16_777_216;

/** How a colony begins: its first command, for a journal without events. */
export interface Founding {
  readonly id: string;
  readonly branch: string;
  readonly packages: readonly string[];
  readonly policy: ColonyState['policy'];
  readonly seed: number;
  /** What changed in the repository before, oldest first; absent where colonies began before it was read. */
  readonly history?: readonly LearnedChange[];
}

/** Opens a session on a journal (RE1 to RE3). `founding` is used only when the journal is empty. */
export async function openSession(
  ports: EnginePorts,
  journal: Journal,
  founding: Founding | null,
  listener: SessionListener,
): Promise<Session> {
  for (const line of journal.opening.report) ports.log.warn(line);
  const { state, snapshotAt } = await readState(ports, journal);
  const session = new Session(ports, journal, state, snapshotAt, listener);
  const refs = await ports.trunk.open(await session.shelf.landings(null, seededLandings));
  let known: number | null = null;
  if (journal.opening.sequence === 0) {
    assert(founding !== null, 'a colony with an empty journal has a founding');
    known = await readBack(ports, session, founding, refs.notes);
    const { history = [], ...first } = { ...founding, policy: completePolicy(founding.policy) };
    session.submit({ kind: 'create-colony', ...first, tip: refs.tip, notes: refs.notes });
    // In one append with it (T5b).
    if (history.length > 0) session.submit({ kind: 'learn-history', changes: history });
  }
  ports.log.info('colony recovered', {
    colony: session.state.id,
    events: journal.opening.sequence,
    snapshotAt,
    queued: session.state.queue.length,
    cycle: session.state.cycle !== null,
  });
  // In one append with what created the colony: nothing begins without the generations that git knows (RE5).
  await session.submit({ kind: 'boot', after: known ?? 0 }).durable;
  await stageBlobs(ports, session);
  await settleCycle(ports, session);
  const isSettled = session.state.cycle === null && session.state.freeze?.kind !== 'rewound';
  const foreign = isSettled ? await ports.trunk.foreign(session.state.tip) : null;
  if (foreign !== null) await recordForeign(ports, session, foreign);
  await preservePending(ports, session);
  return session;
}

/** What git tells of a colony whose journal is new, in the archive already; null where there is nothing to tell (RE5). */
async function readBack(ports: EnginePorts, session: Session, founding: Founding, notes: Oid | null) {
  if (notes === null) return null;
  const { policy, packages } = founding;
  const request = { limit: lineageLandings, regionDepth: policy.regionDepth, packages };
  const { landings, generation } = await ports.trunk.lineage(request);
  await session.restoreLandings(landings);
  for (const { landing, intent, writes, commit } of landings.slice(-seededLandings))
    await ports.trunk.remember(landing, intent.title, writes, commit);
  ports.log.warn('the journal is new and trunk is not: landings were read back from git, and intents begin anew', {
    landings: landings.length,
    generation,
  });
  return generation;
}

async function readState(ports: EnginePorts, journal: Journal): Promise<{ state: ColonyState; snapshotAt: number }> {
  const { state, from } = await readSnapshot(ports, journal);
  await replay(journal, from, (event) => evolve(state, readEvent(JSON.parse(event.body))), replayPage);
  return { state, snapshotAt: from };
}

/** Where replay begins. A snapshot of an earlier form is not used, since all events are there (RE6). */
async function readSnapshot(ports: EnginePorts, journal: Journal): Promise<{ state: ColonyState; from: number }> {
  const snapshot = await journal.latestSnapshot();
  if (snapshot === null) return { state: emptyState(), from: 0 };
  const json = JSON.parse(utf8Text(snapshot.body)) as Json;
  const form = snapshotForm(json);
  switch (form) {
    case 'ours':
      return { state: restoreState(json), from: snapshot.sequence };
    case 'older':
      ports.log.warn('the snapshot is of an earlier version: the state is made again from all events', {
        events: journal.opening.sequence,
      });
      return { state: emptyState(), from: 0 };
    case 'newer':
      throw new JournalError('newer-format', 'The snapshot is of a later version.', 'journal', newerHint);
    default:
      return never(form);
  }
}

/** Decides by the refs what became of the cycle that was under way (RE2). */
async function settleCycle(ports: EnginePorts, session: Session): Promise<void> {
  const cycle = session.state.cycle;
  if (cycle === null) return;
  const branch = await branchOf(ports, cycle);
  // (RE4)
  ports.log.warn('a cycle was under way when the colony stopped', { cycle: cycle.id, branch });
  if (branch === 'finished') await finishCycle(ports, session, cycle);
  else if (branch !== 'unknown') {
    const reason = 'the colony stopped before it landed';
    await session.submit({ kind: 'abandon-cycle', cycle: cycle.id, reason }).durable;
  }
}

/**
 * What became of a cycle. `not-intended`: nothing of it was to move yet. `no-landings`: it moves nothing. Both run
 * again, as do `rolled-back` and `foreign`, of which trunk holds nothing.
 */
async function branchOf(
  ports: EnginePorts,
  cycle: Cycle,
): Promise<'not-intended' | 'no-landings' | RecoveryAnswer['kind']> {
  if (cycle.intention === null) return 'not-intended';
  const { refs } = cycle.intention;
  return refs === null ? 'no-landings' : (await ports.trunk.recover(refs)).kind;
}

/** Tells the outcomes of a cycle whose landings trunk holds, and the room of the landings. */
export async function finishCycle(ports: EnginePorts, session: Session, cycle: Cycle): Promise<void> {
  const outcomes = cycle.intention?.outcomes ?? [];
  await session.submit({ kind: 'commit-cycle', cycle: cycle.id }).durable;
  for (const outcome of outcomes) {
    if (outcome.kind !== 'landed') continue;
    const landing = await session.shelf.landing(outcome.landing);
    if (landing !== null)
      await ports.trunk.remember(landing.landing, landing.intent.title, landing.writes, landing.commit);
  }
}

async function stageBlobs(ports: EnginePorts, session: Session): Promise<void> {
  const oids: Oid[] = await session.journal.blobs();
  let page: StagedBlob[] = [];
  let bytes = 0;
  for (const oid of oids) {
    const blob = await session.journal.blob(oid);
    if (blob === null) continue;
    page.push({ oid, bytes: blob });
    session.blobs.count(oid, blob.length);
    bytes += blob.length;
    if (bytes < stagePageBytes) continue;
    await ports.trunk.stage(page);
    page = [];
    bytes = 0;
  }
  await ports.trunk.stage(page);
  // What no live thing needs was an upload, or landed just before the stop: it goes when its time is over.
  session.blobs.hold(
    strayHolder,
    oids.filter((oid) => !session.blobs.isHeld(oid)),
  );
}

/** Holder of staged blobs that nothing live names after a restart. */
export const strayHolder = 'stray';

/** Content stays in the journal until it is preserved, so what cannot be now does not keep the colony from serving. */
async function preservePending(ports: EnginePorts, session: Session): Promise<void> {
  for (const preserved of [...session.state.preserving.values()]) {
    const ref = await preserve(ports, session, preserved).catch((error: unknown) => {
      if (session.over || !(error instanceof StorageFailureError)) throw error;
      const { id } = preserved;
      ports.log.warn('content that was to be preserved when the colony stopped waits', { id, problem: error.message });
      return null;
    });
    // (RE4)
    if (ref !== null) ports.log.warn('content that was to be preserved when the colony stopped is kept', { ref });
  }
}
