// Applying commands: checks everything, then makes events happen.
//
//   AP2. The state after `apply` is the state before, evolved by the events that it returns, in order.
//   AP3. An expected "no" is a value, and a refused command changes nothing.

import { never } from '@firetrident/base';
import { whyColonyIsBusy } from './admission.ts';
import { createJoinToken, registerAgent, stopAgent } from './agents.ts';
import type { Applied } from './apply-port.ts';
import { Applying, type Decision } from './applying.ts';
import { raiseAttention, resolveAttention } from './attention.ts';
import { boot, createColony, recordExternal, recordPreserved, recordRewound, setPaused, setPolicy } from './colony.ts';
import type { Command, CommandKind } from './command.ts';
import { abandonCycle, commitCycle, intendCycle, startCycle } from './cycles.ts';
import { hear } from './heads-up.ts';
import { createIntents, editIntent, learnHistory } from './intents.ts';
import { complete, fail, heartbeat, recordRead, release, tick } from './leases.ts';
import { propose } from './propose.ts';
import { repair } from './repair.ts';
import type { ColonyState } from './state.ts';
import { take } from './take.ts';

/**
 * Applies one command at time `now` (milliseconds, never falling within a boot) and leaves the state advanced by the
 * events that it returns (AP2, AP3). Pure apart from that: no clock, no input or output.
 */
export function apply<C extends Command>(state: ColonyState, command: C, now: number): Applied<C['kind']> {
  const applying = new Applying(state, now);
  const before = state.index.take.arrivals;
  const wasReady = lanesReadyAt(state);
  const queued = state.queue.length;
  const wasBusy = whyColonyIsBusy(state, now) !== null;
  const reply = decide(applying, command);
  const room = wasBusy && state.index.take.size > 0 && whyColonyIsBusy(state, now) === null;
  if (state.index.take.arrivals > before || room) applying.effect({ kind: 'work-available' });
  const ready = lanesReadyAt(state);
  const joined = state.queue.length > queued && state.index.lanes.firstResting() !== undefined;
  const isNews = ready < wasReady || joined || command.kind === 'boot';
  if (isNews && ready < Number.POSITIVE_INFINITY) applying.effect({ kind: 'lanes-ready' });
  return { events: applying.events, effects: once(applying.effects), reply } as Applied<C['kind']>;
}

/** When the first lane may tick: at once, when the first resting one with work may, or never as things stand. */
function lanesReadyAt(state: ColonyState): number {
  if (state.queue.length === 0 || state.freeze !== null || state.cycle !== null) return Number.POSITIVE_INFINITY;
  if (state.together > 0 || state.index.lanes.free > 0) return Number.NEGATIVE_INFINITY;
  return state.index.lanes.firstResting()?.until ?? Number.NEGATIVE_INFINITY;
}

/** Waking everybody once is enough. */
function once(effects: Applying['effects']): Applying['effects'] {
  const last = effects.findLastIndex((effect) => effect.kind === 'work-available');
  return effects.filter((effect, index) => effect.kind !== 'work-available' || index === last);
}

function decide(applying: Applying, command: Command): Decision<CommandKind> {
  switch (command.kind) {
    case 'create-colony':
      return createColony(applying, command);
    case 'boot':
      return boot(applying, command);
    case 'set-policy':
      return setPolicy(applying, command);
    case 'set-paused':
      return setPaused(applying, command);
    case 'create-intents':
      return createIntents(applying, command);
    case 'learn-history':
      return learnHistory(applying, command);
    case 'edit-intent':
      return editIntent(applying, command);
    case 'register-agent':
      return registerAgent(applying, command);
    case 'create-join-token':
      return createJoinToken(applying, command);
    case 'stop-agent':
      return stopAgent(applying, command);
    case 'take':
      return take(applying, command);
    case 'heartbeat':
      return heartbeat(applying, command);
    case 'record-read':
      return recordRead(applying, command);
    case 'hear':
      return hear(applying, command);
    case 'release':
      return release(applying, command);
    case 'propose':
      return propose(applying, command);
    case 'repair':
      return repair(applying, command);
    case 'complete':
      return complete(applying, command);
    case 'fail':
      return fail(applying, command);
    case 'tick':
      return tick(applying);
    case 'start-cycle':
      return startCycle(applying);
    case 'intend-cycle':
      return intendCycle(applying, command);
    case 'commit-cycle':
      return commitCycle(applying, command);
    case 'abandon-cycle':
      return abandonCycle(applying, command);
    case 'record-external':
      return recordExternal(applying, command);
    case 'record-rewound':
      return recordRewound(applying, command);
    case 'record-preserved':
      return recordPreserved(applying, command);
    case 'raise-attention':
      return raiseAttention(applying, command);
    case 'resolve-attention':
      return resolveAttention(applying, command);
    default:
      return never(command);
  }
}
