// The peers by name.

import type { PeerPolicy, PolicyRun } from '../policy.ts';
import { runFifoBatch } from './fifo-batch.ts';
import { locksOver } from './locks.ts';
import { runNoConflict } from './no-conflict.ts';
import { runPublishedRules } from './published-rules.ts';
import { runSpeculative } from './speculative.ts';

/** How each peer is run. */
export const peerRuns: Readonly<Record<PeerPolicy, PolicyRun>> = {
  'locks-oldest-200': locksOver(200),
  'locks-all': locksOver(Number.POSITIVE_INFINITY),
  'fifo-batch': runFifoBatch,
  speculative: runSpeculative,
  'published-rules': runPublishedRules,
  'no-conflict': runNoConflict,
};
