// The version of the daemon, as its package states it.

import { createRequire } from 'node:module';

const manifest = createRequire(import.meta.url)('../package.json') as { readonly version: string };

/** Version of the daemon. */
export const daemonVersion: string = manifest.version;
