// The change that the main job makes: the example under examples/file-headers, planned, and made once more one intent
// after another by stock git, to compare with.

import { join } from 'node:path';
import { type Checkout, runCommand, runGit } from '@firetrident/agents';
import type { Draft } from '@firetrident/content';
import { readBacklog } from '../backlog.ts';
import { CommandFailure } from '../failure.ts';
import { checkoutRoot, commitAll } from './source.ts';

const example = join(checkoutRoot, 'examples/file-headers');
const node = [process.execPath, '--disable-warning=ExperimentalWarning'];

/** The command of each agent. */
export const changeCommand: readonly string[] = [...node, join(example, 'change.mjs')];

/** Most folders that one run changes. */
const foldersMax = 60;
const planTimeoutMs = 300_000;
const changeTimeoutMs = 300_000;
/** The plan may be as long as a backlog of every folder. */
const planBytesMax = 4 * 1024 * 1024;

/** The backlog for a checkout: one intent to begin the index, one for each folder with something to do. */
export async function planChange(checkout: Checkout, signal: AbortSignal): Promise<readonly Draft[]> {
  const command = [...node, join(example, 'plan.mjs'), String(foldersMax)];
  const { directory } = checkout.place;
  const planned = await runCommand({
    command,
    directory,
    environment: {},
    input: '',
    timeoutMs: planTimeoutMs,
    signal,
    keptBytes: planBytesMax,
  });
  if (planned.code !== 0) throw new CommandFailure(`the plan failed: ${planned.output.trim()}`, 'see what it printed');
  const { drafts } = readBacklog(planned.output, 'the plan', 'markdown').backlog;
  if (drafts.length > 1) return drafts;
  throw new CommandFailure('there is nothing to change in this repository', 'name another one with --repo');
}

/** Makes the change in one checkout, one commit for each draft in order; answers the final tree and how long it took. */
export async function changeSerially(
  checkout: Checkout,
  drafts: readonly Draft[],
  signal: AbortSignal,
): Promise<{ readonly tree: string; readonly wallMs: number }> {
  const { directory } = checkout.place;
  const startedMs = performance.now();
  for (const { title, body } of drafts) {
    const environment = { FT_INTENT_TITLE: title, FT_INTENT_BODY: body };
    const end = await runCommand({
      command: changeCommand,
      directory,
      environment,
      input: `${title}\n\n${body}\n`,
      timeoutMs: changeTimeoutMs,
      signal,
    });
    if (end.code !== 0) throw new CommandFailure(`"${title}" failed: ${end.output.trim()}`, 'see what it printed');
    await runGit(directory, ['add', '-A']);
    await commitAll(directory, title);
  }
  const tree = (await runGit(directory, ['rev-parse', 'HEAD^{tree}'])).toString('utf8').trim();
  return { tree, wallMs: performance.now() - startedMs };
}
