// A room some of whose calls are replaced: by calls that fail, that wait, or that answer late.

import type { TrunkService } from '@firetrident/engine';

/** The room with these calls in the place of its own. */
export function altered(room: TrunkService, calls: Partial<TrunkService>): TrunkService {
  return new Proxy(room, {
    get: (_, name: keyof TrunkService) => {
      const own = room[name] as (...args: unknown[]) => unknown;
      return calls[name] ?? own.bind(room);
    },
  });
}
