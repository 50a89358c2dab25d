// One sentence after each answer: what a model does now.

import { never } from '@firetrident/base';
import type { ProposalStatusResponse, TakeResponse } from '@firetrident/protocol';

/** After a take. */
export function afterTake(answer: TakeResponse): string {
  if (!('intent' in answer)) {
    const seconds = Math.ceil(answer.wait.retryAfterMs / 1_000);
    return `Nothing for you now: ${answer.wait.reason}. Call take again after ${seconds} s, or stop when you are not to wait.`;
  }
  const { lease, base } = answer;
  return `Do what intent.title and intent.body ask. Read with the tool read, then call propose with lease ${lease.id} and epoch ${lease.epoch}, against base ${base.commit}.`;
}

/** After a propose, a repair, or a look at a proposal. */
export function afterProposal(status: ProposalStatusResponse): string {
  switch (status.state) {
    case 'queued':
      return `It is on its way. Call status with proposal ${status.proposal} and waitMs 30000 to hear the outcome.`;
    case 'landed':
      return 'It landed on trunk. Call take for the next piece of work, or propose again when the lease was kept open.';
    case 'unchanged':
      return 'Trunk has all of it already, so the intent is done. Call take for the next piece of work.';
    case 'returned':
      return afterReturn(status);
    case 'rejected':
      return 'It was rejected for the reasons given. Mend them and propose again on the same lease, or release it with ended failed.';
    case 'superseded':
      return 'The lease was over, so it did not land; the content is preserved. Call take: the intent may be open again.';
    default:
      return never(status.state);
  }
}

function afterReturn({ proposal, brief }: ProposalStatusResponse): string {
  const call = `Call repair with proposal ${proposal}`;
  if (brief !== undefined && brief.writes.length === 0) {
    return `Only what you read has moved. Look at brief.reads: ${call} and answer confirm when your change is still right, else answer amend or redo with the writes that must differ.`;
  }
  const made = brief?.writes.some(({ regenerate }) => regenerate !== undefined) ?? false;
  const aside = made
    ? ' A path with regenerate is not merged by hand: run that command on the files of that trunk.'
    : '';
  return `Look at brief.writes: read those paths at ${brief?.trunk ?? 'the trunk of the brief'}, put your change and theirs together, then ${call}, answer amend, and send only these paths. They stand on the trunk of the brief.${aside}`;
}
