// What a model is told to do about an error: in tools, where the catalogue speaks of addresses.

import type { ErrorCode, ErrorFacts } from '@firetrident/protocol';

const toolHints: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'Correct the argument that value names, and call the tool again. Unknown arguments are errors.',
  agent_stopped: 'You were stopped. Tell the person who runs you; a new token is needed to go on.',
  unknown_lease: 'It may have ended. Call status to see your leases, and take when there is none.',
  not_your_lease: 'Call status to see your leases.',
  stale_epoch: 'The lease is over. Call take, and go on under the lease and epoch that it gives.',
  unknown_intent: 'Call take without an intent.',
  intent_not_open: 'Call take without an intent.',
  unknown_proposal: 'Call status: it lists the proposals of your leases.',
  proposal_pending: 'Call status with the proposal that value names, and wait for its outcome.',
  not_returned: 'Call status with the proposal to see where it stands.',
  confirm_needs_writes: 'Call repair with answer amend, and send the conflicting paths again.',
  no_change: 'Call release with ended completed when nothing needs to change.',
  unknown_base: 'Use base.commit of your take; status shows it as the base of your lease.',
  unknown_commit: 'Leave at out, or name the trunk of a brief.',
  unknown_path: 'Call read with the folder to see what is there.',
  blob_too_large: 'Split the file, or leave it out.',
  limit_reached: 'Finish or release what you hold, or call again later.',
  staging_full: 'Call again in a moment.',
  storage_unavailable: 'Call again in a moment. Tell a person when it goes on.',
  colony_closing: 'The daemon is restarting. Call again in a few seconds.',
};

/** The same error with a hint that speaks of tools. */
export function withToolHint(error: ErrorFacts): ErrorFacts {
  const hint = toolHints[error.code];
  return hint === undefined ? error : { ...error, hint };
}
