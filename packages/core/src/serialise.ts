// A state as JSON and back, for snapshots.
//
//   SE1. restoreState(serialiseState(s)) behaves as s does: the same commands give the same events and answers.
//   SE2. The form carries a number, which is raised with every change of what a state holds. Another form is never
//        guessed at: the events from before an older one give the same state, a newer one is left to who wrote it.

import { assert, type Json } from '@firetrident/base';
import type { Association } from './learning.ts';
import { rebuildIndex } from './rebuild.ts';
import type { RecentLanding } from './sigma-index.ts';
import { type ColonyState, emptyState, type LiveLease } from './state.ts';

/**
 * Number of the form that is written (SE2). What `serialise.test.ts` lists tells when it has to be raised. Several
 * forms were called 1.
 */
const format = 2;

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
  assert(state.settling.size === 0, 'no cycle is half committed');
  const { index, settling: _settling, ...plain } = state;
  const fields: Record<string, Json> = { format, waits: index.take.waits() };
  for (const [name, value] of Object.entries(plain)) {
    if (name === 'recentLandings') {
      fields[name] = [...state.recentLandings].map(([id, landing]) => [id, landingJson(landing)]);
    } else if (name === 'titleWords' || name === 'coChanges') {
      fields[name] = [...state[name]].map(([key, association]) => [key, associationJson(association)]);
    } else if (name === 'leases') fields[name] = [...state.leases].map(([id, lease]) => [id, leaseJson(lease)]);
    else fields[name] = (value instanceof Map || Array.isArray(value) ? [...value] : value) as Json;
  }
  return fields;
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
  rebuildIndex(state, fields.waits as unknown as [string, number][], Number.MAX_SAFE_INTEGER);
  return state;
}

/** What a lease and a recent landing hold as maps. */
interface Nested {
  readonly recorded?: [string, unknown][];
  readonly returned?: [string, unknown][];
}

function fill(map: Map<string, unknown>, entries: Json): void {
  for (const [key, value] of entries as unknown as [string, Nested][]) {
    if (value.recorded !== undefined) map.set(key, { ...value, recorded: new Map(value.recorded) });
    else if (value.returned !== undefined) map.set(key, { ...value, returned: new Map(value.returned) });
    else map.set(key, value);
  }
}

function landingJson(landing: RecentLanding): Json {
  return { ...landing, returned: [...landing.returned] } as unknown as Json;
}

/** A copy: what it holds grows in place. */
function associationJson({ seen, paths }: Association): Json {
  return { seen, paths: paths.map(([path, count]) => [path, count]) };
}

function leaseJson(lease: LiveLease): Json {
  return { ...lease, recorded: [...lease.recorded] } as unknown as Json;
}
