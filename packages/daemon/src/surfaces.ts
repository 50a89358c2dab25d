// What a daemon serves beside the endpoint table: protocols with a form of their own.

import type { DaemonConfiguration } from './config.ts';
import { GitSurface } from './git/surface.ts';
import type { HttpTools } from './http-call.ts';
import type { RawSurface } from './server.ts';

/** The surfaces of a daemon, in the order in which they are asked. */
export function createSurfaces(tools: HttpTools, configuration: DaemonConfiguration): readonly RawSurface[] {
  const { data, gitReaders } = configuration;
  return [new GitSurface({ ...tools, data, readers: gitReaders })];
}
