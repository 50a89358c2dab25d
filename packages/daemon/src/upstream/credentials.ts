// How git learns a password without its being an argument, which every user of the machine could read.
//
//   CR1. A secret is in the environment of git and of what git starts, and nowhere else.
//   CR2. It is given to the server of the address only, and no helper of the daemon's user hears of it.

import type { GitAddress } from '@firetrident/protocol';

/** Answers git's question with what stands in the environment. */
const helper =
  '!answer() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$FIRETRIDENT_GIT_USER" "$FIRETRIDENT_GIT_PASSWORD"; }; answer';

/** What git needs in its environment to speak to the server of an address (CR1). */
export function credentialEnvironment({ bare, credentials }: GitAddress): Readonly<Record<string, string>> {
  if (credentials === null) return {};
  const server = /^[^:]+:\/\/[^/]*/.exec(bare)?.[0] ?? bare;
  const name = `credential.${server}.helper`;
  return {
    GIT_CONFIG_COUNT: '2',
    // An empty one ends the list of those that the daemon's user has (CR2).
    GIT_CONFIG_KEY_0: name,
    GIT_CONFIG_VALUE_0: '',
    GIT_CONFIG_KEY_1: name,
    GIT_CONFIG_VALUE_1: helper,
    FIRETRIDENT_GIT_USER: credentials.user,
    FIRETRIDENT_GIT_PASSWORD: credentials.password,
  };
}
