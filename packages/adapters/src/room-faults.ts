// Where fault tests reach into the trunk thread. A product passes null and nothing here does anything.

import type { Disk, PreparedCycle } from '@firetrident/trunk';

/** What a fault module may replace. */
export interface RoomFaults {
  readonly alter: ((prepared: PreparedCycle) => PreparedCycle) | null;
  disk(real: Disk): Disk;
}

const noFaults: RoomFaults = { alter: null, disk: (real) => real };

/** Loads the module named by a file URL, whose `roomFaults` replaces parts of the room. */
export async function loadRoomFaults(module: string | null): Promise<RoomFaults> {
  if (module === null) return noFaults;
  const loaded = (await import(module)) as { readonly roomFaults: Partial<RoomFaults> };
  return { ...noFaults, ...loaded.roomFaults };
}
