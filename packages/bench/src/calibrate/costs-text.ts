// Fitted costs in words, for the command line and the report.

import type { LiveCosts } from './fit.ts';

/** The costs as one phrase. */
export function costsText({
  cycleMs,
  proposalMs,
  crowdMs,
  messageMs,
  answerMs,
  keepMs,
  cycleSpread,
  durableShare,
}: LiveCosts): string {
  return [
    `a cycle ${cycleMs.toFixed(1)} ms`,
    `${proposalMs.toFixed(3)} ms for each proposal`,
    `${crowdMs.toFixed(4)} ms times their number squared`,
    `a message ${messageMs.toFixed(1)} ms`,
    `an answer ${answerMs.toFixed(2)} ms of the daemon`,
    `keeping a proposal ${keepMs.toFixed(2)} ms`,
    `cycles vary by ${cycleSpread.toFixed(2)}, and their commits are durable ${(100 * durableShare).toFixed(0)} % of their time later (both measured)`,
  ].join(', ');
}
