// The room of a colony whose landings wait for an upstream: everything as before, and the push between writing and moving.
//
//   UT1. Refs here move only after the upstream has taken the cycle.
//   UT2. A cycle that the upstream has is finished here, whatever cut it off.

import type { CycleId } from '@firetrident/base';
import type { RefMove } from '@firetrident/core';
import type { CycleAnswer, CycleRequest, MoveAnswer, TrunkService } from '@firetrident/engine';
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
    // (UT1)
    if (refs !== undefined && upstream.comesFirst && !(await upstream.pushCycle(refs))) {
      return { kind: 'stale', ref: 'upstream', found: '' };
    }
    return room.move(cycle);
  };
  // (UT2)
  const recover: TrunkService['recover'] = async (refs) => {
    if (upstream.comesFirst && (await upstream.hasLanded(refs))) await upstream.finishCycle(refs);
    return room.recover(refs);
  };
  return { ...room, plan, move, recover };
}
