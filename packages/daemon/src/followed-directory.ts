// A colony directory that tells when colonies come and go, so that their streams and metrics come and go with them.

import type { Colony } from '@firetrident/engine';
import type { ColonyDirectory } from './colony-directory.ts';

/** Who hears of colonies that come and go. */
export interface ColonyFollower {
  opened(colony: Colony): void;
  /** Before the colony is closed. */
  closing(colony: Colony): void;
  /** After it was deleted. */
  removed(id: string): Promise<void>;
}

/** The same directory, with a follower. */
export function followedDirectory(directory: ColonyDirectory, follower: ColonyFollower): ColonyDirectory {
  return {
    create: async (request) => {
      const created = await directory.create(request);
      if (created.ok) follower.opened(created.value);
      return created;
    },
    get: (id) => directory.get(id),
    list: () => directory.list(),
    upstream: (id) => directory.upstream(id),
    remove: async (id) => {
      const colony = directory.get(id);
      if (colony !== null) follower.closing(colony);
      const removed = await directory.remove(id);
      if (removed.ok) await follower.removed(id);
      return removed;
    },
    close: () => directory.close(),
  };
}
