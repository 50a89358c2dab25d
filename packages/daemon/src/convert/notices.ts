// What an agent was not told yet, on the way out with an answer to something else.

import type { AgentId } from '@firetrident/base';
import type { HeadsUp, HeadsUpsOfLease } from '@firetrident/core';
import type { Colony } from '@firetrident/engine';
import type { Notice } from '@firetrident/protocol';
import { namedPath } from './paths.ts';

/** A landing as an agent is told of it. */
export function headsUpBody({ landing, intent, paths, more }: HeadsUp) {
  return { landing, intent, paths: paths.map(({ path, why }) => ({ ...namedPath(path), why })), more };
}

/** The notices that go along with an answer to an agent; each is given once (N3). */
export function noticesFor(colony: Colony, agent: AgentId): Notice[] {
  const trunk = colony.state.tip;
  return colony.headsUps(agent).map(({ lease, landings, more }) => ({
    kind: 'heads-up',
    message: messageOf({ lease, landings, more }),
    lease,
    trunk,
    landings: landings.map(headsUpBody),
    more,
  }));
}

function messageOf({ landings, more }: HeadsUpsOfLease): string {
  const paths = [...new Set(landings.flatMap((landing) => landing.paths.map(({ path }) => path.toWellFormed())))];
  const titles = [...new Set(landings.map(({ intent }) => `"${intent.title}"`))];
  const unlisted = more + landings.reduce((sum, landing) => sum + landing.more, 0);
  const others = unlisted > 0 ? ' and more' : '';
  return `${some(paths)}${others} changed on trunk by ${some(titles)}: look at it before you propose, or repair later.`;
}

function some(names: readonly string[]): string {
  const shown = names.slice(0, 3).join(', ');
  return names.length > 3 ? `${shown} and ${names.length - 3} more` : shown;
}
