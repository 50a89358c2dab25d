// The room of a colony whose landings wait for an upstream: everything as before, and the push between writing and moving.
//
//   UT1. Refs here move only after the upstream has taken the cycle.
//   UT2. A cycle that the upstream has is finished here, whatever cut it off, and whoever moved or locked refs meanwhile.

import type { CycleId } from '@firetrident/base';
import type { RefMove } from '@firetrident/core';
import type { CycleAnswer, CycleRequest, Doubt, MoveAnswer, RecoveryAnswer, TrunkService } from '@firetrident/engine';
import type { Upstream } from './upstream.ts';

/** The same room, in step with the upstream when that comes first. */
export function withUpstream(room: TrunkService, upstream: Upstream): TrunkService {
  const planned = new Map<CycleId, RefMove>();
  const plan = async (request: CycleRequest): Promise<CycleAnswer> => {
    planned.clear();
    if (upstream.comesFirst) await upstream.prepareCycle();
    const answer = await room.plan(request);
    if (answer.kind === 'planned' && answer.refs !== null) planned.set(request.cycle, answer.refs);
    return answer;
  };
  const move = async (cycle: CycleId): Promise<MoveAnswer> => {
    const refs = planned.get(cycle);
    if (refs === undefined || !upstream.comesFirst) return room.move(cycle);
    const pushed = await upstream.pushCycle(refs); // (UT1)
    if (pushed === 'unknown') return doubt(upstream);
    if (pushed !== 'pushed') return pushed;
    const moved = await room.move(cycle);
    if (moved.kind === 'moved') upstream.settleCycle();
    // Waiting is over, and so is giving up: it is finished from here (UT2).
    else
      return { kind: 'unknown', problem: 'refs here were held or moved while the upstream took a cycle', isTold: true };
    return moved;
  };
  const recover = async (refs: RefMove): Promise<RecoveryAnswer> => {
    // Takes away our own locks, too.
    const here = await room.recover(refs);
    const there = here.kind === 'finished' ? 'not-landed' : await upstream.hasLanded(refs);
    if (there === 'unknown') return doubt(upstream);
    if (there === 'not-landed') {
      upstream.settleCycle();
      return here;
    }
    // (UT2)
    const problem = await upstream.finishCycle(refs);
    const finished = problem === null ? await room.recover(refs) : here;
    if (finished.kind !== 'finished') {
      return { kind: 'unknown', problem: problem ?? 'trunk is moved again and again by someone else', isTold: false };
    }
    upstream.settleCycle();
    return finished;
  };
  return { ...room, plan, move, recover };
}

function doubt({ status }: Upstream): Doubt {
  const problem = status?.problem ?? `it is ${status?.state ?? 'gone'}`;
  return { kind: 'unknown', problem: `nobody can tell whether the upstream has a cycle: ${problem}`, isTold: true };
}
