// What a colony must show when agents are added: σ below 1, and no collapse.

import { atLeast, below, type Expectation, isColonyPolicy, type ResultRow } from '@firetrident/simulator';

/** Landings may fall so far below the best of all smaller sizes, in percent of that: differences of chance between two runs. */
const keptPercent = 95;

/** The checks of every row of this system, the sizes in the order of the rows. */
export function sizeChecks(rows: readonly ResultRow[]): readonly Expectation[] {
  const best = new Map<string, number>();
  return rows.flatMap((row) => {
    if (!isColonyPolicy(row.policy)) return [];
    const { policy, agents, redoPercent, landedPerMin, sigmaMean } = row;
    const key = `${policy} ${redoPercent}`;
    const before = best.get(key) ?? 0;
    best.set(key, Math.max(before, landedPerMin));
    const kept = before === 0 ? 100 : (100 * landedPerMin) / before;
    return [
      below(`σ of ${policy} at ${agents} agents`, sigmaMean, 1),
      atLeast(`landings of ${policy} at ${agents} agents, percent of the most at fewer`, kept, keptPercent),
    ];
  });
}
