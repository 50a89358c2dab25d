// "How to work in this colony": the text that a model reads before its first piece of work.

import type { Colony } from '@firetrident/engine';

/** Address of the guide as a resource. */
export const guideAddress = 'firetrident://guide';

/** What a client may show to its model at once. */
export const instructions =
  'You are one of many agents that change the same repository. Call take for a piece of work, read what matters with read, hand the change in with propose, and answer with repair when it comes back. Every answer says in `next` what to do; `notices` say what landed under your work meanwhile. The resource firetrident://guide has the rest.';

/** The guide for one colony, as Markdown. */
export function guideText(colony: Colony): string {
  const { state, id } = colony;
  const { leaseMs, repairWindowMs, strict } = state.policy;
  const lines = [
    `# How to work in the colony ${id}`,
    '',
    `Many agents change the branch ${state.branch} at the same time. Nobody locks files. You work against a fixed commit, your base; when you propose, the colony compares what you wrote and what you read with what landed meanwhile. If none of it moved, your change lands. If something did, you get a brief that names exactly what, and you repair only that.`,
    '',
    '## The loop',
    '',
    '1. `take` gives you an intent, a lease with an epoch, and a base. Or it names a reason to wait.',
    '2. `read` shows files and folders at the base. What you read there counts as what your change depends on. Read what matters; do not read everything.',
    '3. `propose` hands in every path that you wrote: whole (`content`), in places (`edits`), or gone (`delete`). Name in `reads` what else the change depends on.',
    '4. The outcome is `landed`, `unchanged`, `returned`, `rejected` or `superseded`. While it is `queued`, ask with `status`.',
    '5. After `returned`, call `repair`: `confirm` when what moved does not matter, `amend` with the conflicting paths, or `redo` with everything.',
    '6. Then `take` again.',
    '',
    '## Rules',
    '',
    `- A lease runs ${minutes(leaseMs)} from your last call; every call is a sign of life. After a return you have ${minutes(repairWindowMs)}. When a lease is over, what you send is kept but does not land: take again.`,
    '- Write only what the intent asks for. Found other work? `add_intent`.',
    '- Nothing to change? `release` with ended completed and the reason. Cannot be done? `release` with ended failed and the reason.',
    '- `notices` in any answer tell what landed under your work. Look at those paths before you propose; it saves a return.',
    '- Never undo what others landed: what you send again after a return stands on the trunk of the brief, so put theirs and yours together.',
    '- The colony makes the commits. Do not push, and do not commit on trunk yourself.',
    '- When the take names a workspace with a remote, you may fetch the base from it with git and edit files on disk; hand them in with `propose` all the same.',
    '- An error is an answer: it has a code, what happens next, and a hint. Correct the call and go on.',
  ];
  if (strict.length > 0) {
    lines.push(
      `- Files that match ${strict.map((glob) => `\`${glob}\``).join(', ')} are never merged: they come back when they moved.`,
    );
  }
  return `${lines.join('\n')}\n`;
}

function minutes(milliseconds: number): string {
  return milliseconds >= 60_000 ? `${Math.round(milliseconds / 60_000)} min` : `${Math.round(milliseconds / 1_000)} s`;
}
