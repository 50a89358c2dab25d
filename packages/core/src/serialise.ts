// A state as JSON and back, for snapshots.
//
//   SE1. restoreState(serialiseState(s)) behaves as s does: the same commands give the same events and answers.
//   SE2. The form carries a number, which is raised with every change of what a state holds. Another form is never
//        guessed at: the events from before an older one give the same state, a newer one is left to who wrote it.
//   SE3. A snapshot is of one moment, however long its text takes to write: what is in the state is replaced when it
//        changes, and the few things that grow in place are copied at that moment.

import { assert, type Json } from '@firetrident/base';
import { completePolicy } from './event-reading.ts';
import { rebuildIndex } from './rebuild.ts';
import { nothingReturned, type RecentLanding } from './sigma-index.ts';
import { type ColonyState, emptyState, type LiveLease } from './state.ts';

/**
 * Number of the form that is written (SE2). What `serialise.test.ts` lists tells when it has to be raised. Several
 * forms were called 1.
 */
const format = 3;

type PlainState = Omit<ColonyState, 'index' | 'settling'>;
type MapField = { [F in keyof PlainState]: PlainState[F] extends Map<string, unknown> ? F : never }[keyof PlainState];

const mapFields = {
  intents: true,
  recentIntents: true,
  agents: true,
  stoppedAgents: true,
  joinTokens: true,
  leases: true,
  settledLeases: true,
  lostLeases: true,
  proposals: true,
  recentProposals: true,
  sentParts: true,
  reservations: true,
  attention: true,
  preserving: true,
  preserved: true,
  recentLandings: true,
  standings: true,
  admissions: true,
  staleness: true,
  titleWords: true,
  coChanges: true,
} as const satisfies Record<MapField, true>;

function isMapField(name: string): name is MapField {
  return Object.hasOwn(mapFields, name);
}

/** The state as JSON. Only between commands (ST2). */
export function serialiseState(state: ColonyState): Json {
  const fields = freeze(state).map(({ name, value, size, entry }) => {
    const entries =
      size === undefined || entry === undefined ? value : Array.from({ length: size }, (_, at) => entry(at));
    return [name, entries];
  });
  return Object.fromEntries(fields) as Json;
}

/** Characters from which on a piece of a snapshot ends: behind the entry of a map that reaches them. */
const charactersPerPiece = 128 * 1024;

/** What one field was when the snapshot began: a value, or entries that are written piece by piece. */
interface FrozenField {
  readonly name: string;
  readonly value?: unknown;
  readonly size?: number;
  readonly entry?: (index: number) => unknown;
}

/**
 * The text of the state as it is now, in pieces (SE3). Only between commands (ST2); the pieces may be taken later, while the
 * state goes on.
 */
export function snapshotText(state: ColonyState): Iterable<string> {
  return textOf(freeze(state));
}

/** References to all that the state holds now; copies of what grows in place. */
function freeze(state: ColonyState): readonly FrozenField[] {
  assert(state.settling.size === 0, 'no cycle is half committed');
  const { index, settling: _settling, ...plain } = state;
  const fields: FrozenField[] = [
    { name: 'format', value: format },
    { name: 'waits', value: index.take.waits() },
  ];
  for (const [name, value] of Object.entries(plain)) {
    if (name === 'recentLandings') fields.push({ name, ...frozenLandings(state) });
    else if (name === 'leases') fields.push({ name, ...frozenLeases(state) });
    else if (value instanceof Map) fields.push({ name, ...frozenMap(value) });
    else fields.push({ name, value: Array.isArray(value) ? [...value] : value });
  }
  return fields;
}

function frozenMap(map: ReadonlyMap<unknown, unknown>): Omit<FrozenField, 'name'> {
  const [keys, values] = [[...map.keys()], [...map.values()]];
  return { size: keys.length, entry: (index) => [keys[index], values[index]] };
}

function frozenLandings({ recentLandings }: ColonyState): Omit<FrozenField, 'name'> {
  const landings = [...recentLandings.values()];
  const shares = landings.map((landing) => landing.shares);
  const returned = landings.map((landing) => landing.returned);
  const entry = (index: number) => {
    const landing = landings[index] as RecentLanding;
    return [landing.landing, { ...landing, shares: shares[index], returned: [...(returned[index] ?? [])] }];
  };
  return { size: landings.length, entry };
}

function frozenLeases({ leases }: ColonyState): Omit<FrozenField, 'name'> {
  const live = [...leases.values()];
  const recorded = live.map((lease) => frozenEntries(lease.recorded));
  return {
    size: live.length,
    entry: (index) => [(live[index] as LiveLease).id, { ...(live[index] as LiveLease), recorded: recorded[index]?.() }],
  };
}

const noEntries = (): readonly unknown[] => [];

/** The entries that a map has now, paired only when they are written: a colony at work has them by the million. */
function frozenEntries(map: ReadonlyMap<unknown, unknown>): () => readonly unknown[] {
  if (map.size === 0) return noEntries;
  const [keys, values] = [[...map.keys()], [...map.values()]];
  return () => keys.map((key, index) => [key, values[index]]);
}

function* textOf(fields: readonly FrozenField[]): Iterable<string> {
  let before = '{';
  for (const { name, value, size, entry } of fields) {
    if (size === undefined || entry === undefined) yield `${before}${JSON.stringify(name)}:${JSON.stringify(value)}`;
    else {
      yield `${before}${JSON.stringify(name)}:[`;
      let piece = '';
      for (let index = 0; index < size; index += 1) {
        piece += `${index === 0 ? '' : ','}${JSON.stringify(entry(index))}`;
        if (piece.length < charactersPerPiece) continue;
        yield piece;
        piece = '';
      }
      yield `${piece}]`;
    }
    before = ',';
  }
  yield '}';
}

/** Whether `restoreState` takes a snapshot, or which way its form differs (SE2). */
export function snapshotForm(json: Json): 'ours' | 'older' | 'newer' {
  const { format: found } = json as { readonly format?: Json };
  if (found === format) return 'ours';
  return typeof found === 'number' && found > format ? 'newer' : 'older';
}

/** The state that `serialiseState` wrote, with its index made again. The form is ours (SE1). */
export function restoreState(json: Json): ColonyState {
  const fields = json as Readonly<Record<string, Json>>;
  assert(fields.format === format, `snapshot of format ${format}`);
  const state = emptyState();
  for (const name of Object.keys(state)) {
    if (name === 'index' || name === 'settling') continue;
    const value = fields[name];
    assert(value !== undefined, `snapshot with the field ${name}`);
    if (isMapField(name)) fill(state[name], value);
    else Object.assign(state, { [name]: Array.isArray(value) ? [...value] : value });
  }
  state.policy = completePolicy(state.policy);
  rebuildIndex(state, fields.waits as unknown as [string, number][], Number.MAX_SAFE_INTEGER);
  return state;
}

/** What a lease and a recent landing hold as maps. */
interface Nested {
  readonly recorded?: [string, unknown][];
  readonly returned?: [string, number][];
}

function returnedOf(entries: [string, number][]): RecentLanding['returned'] {
  return entries.length === 0 ? nothingReturned : new Map(entries);
}

function fill(map: Map<string, unknown>, entries: Json): void {
  for (const [key, value] of entries as unknown as [string, Nested][]) {
    if (value.recorded !== undefined) map.set(key, { ...value, recorded: new Map(value.recorded) });
    else if (value.returned !== undefined) map.set(key, { ...value, returned: returnedOf(value.returned) });
    else map.set(key, value);
  }
}
