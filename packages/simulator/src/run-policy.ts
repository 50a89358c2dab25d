// From the name of a policy to its run and to what it assumes.

import { colonyRun } from './colony/policies.ts';
import { peerRuns } from './peers/peers.ts';
import { type ColonyPolicy, colonyPolicies, type PolicyName, type PolicyRun } from './policy.ts';

/** Whether a policy is this system, with or without all of its parts. */
export function isColonyPolicy(policy: PolicyName): policy is ColonyPolicy {
  return (colonyPolicies as readonly PolicyName[]).includes(policy);
}

/** How a policy is run. */
export function policyRun(policy: PolicyName): PolicyRun {
  return isColonyPolicy(policy) ? colonyRun(policy) : peerRuns[policy];
}

const colony =
  'this system on its production core: predicted paths are the files that the task writes; a repair redoes the share of the footprint that moved, and no less than the share asked for';
const queue =
  'agents take the oldest open task and wait for the outcome; a check takes 10 s, on as many machines as needed; of the proposals whose read names were touched, one in five is broken; what does not merge or is broken redoes half of its work';

/** What each policy assumes, in one sentence, for whoever reads its figures. */
export const policyAssumptions: Readonly<Record<PolicyName, string>> = {
  firetrident: colony,
  'firetrident-without-heads-up': `${colony}; working agents do not hear of landings`,
  'firetrident-without-merge': `${colony}; two changes of one file conflict wherever they are`,
  'firetrident-with-file-reads': `${colony}; a read is of the whole file`,
  'firetrident-without-repulsion': `${colony}; claims keep nobody away`,
  'firetrident-without-adaptive-admission': `${colony}; regions and colony admit everybody`,
  'firetrident-without-thresholds': `${colony}; agents do not remember where their work landed and where it came back`,
  'locks-oldest-200':
    'exclusive locks on every written file, taken before the work; a take looks at the oldest 200 open tasks; reads are not locked, and a landing that touched a read name makes half of the work be redone; landing takes no time',
  'locks-all': 'as locks-oldest-200, but a take looks at every open task',
  'fifo-batch': `one queue with batches of up to 16, one check at a time, halved when red; ${queue}`,
  speculative: `a chain of up to 100 proposals, each checked on all ahead of it at once; ${queue}`,
  'published-rules':
    'a take looks at the oldest 200 open tasks and takes the one whose files are claimed least; three agents a region; any landing that wrote a file read or written makes all of the work be redone; landing takes no time',
  'no-conflict': 'the bound: nothing is ever stale, redone or waited for',
};
