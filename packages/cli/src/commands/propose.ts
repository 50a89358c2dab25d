// `firetrident propose`: hands in what was changed in a checkout of `firetrident take`, and waits for the outcome.
//
// When it comes back, the changes are put onto the trunk that the brief names, and the next `propose` is the repair.

import { Checkout, capturedRepository, changedWrites, ordinaryTree, ReadList } from '@firetrident/agents';
import { countOf, never, oneLine } from '@firetrident/base';
import { Client } from '@firetrident/client';
import { type ProposalStatusResponse, pathText } from '@firetrident/protocol';
import { Command, Option } from 'commander';
import { briefText, reservedText } from '../brief-text.ts';
import { servingAddress } from '../connection.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import type { CommandSettings } from '../program.ts';
import { reapply, stillConflicting } from '../reapply.ts';
import { endWork, readWork, type SentProposal, type WorkState, writeWork } from '../work-state.ts';

interface ProposeOptions {
  readonly message?: string;
  readonly final: 'true' | 'false';
  readonly url?: string;
  readonly json?: boolean;
}

/** How long one question for the outcome waits. */
const outcomeWaitMs = 30_000;

/** The command `propose`. */
export function proposeCommand(settings: CommandSettings): Command {
  return new Command('propose')
    .description('propose what was changed in this checkout, or repair what came back, and wait for the outcome')
    .option('--message <text>', 'more about the change, for its commit')
    .addOption(
      new Option('--final <boolean>', 'false keeps the intent for further proposals')
        .choices(['true', 'false'])
        .default('true'),
    )
    .option('--url <address>', 'address of the daemon (default: where the intent was taken)')
    .option('--json', 'print JSON')
    .action((options: ProposeOptions) => propose(settings, options));
}

/** One invocation in one checkout. */
interface Proposing {
  readonly settings: CommandSettings;
  readonly options: ProposeOptions;
  readonly client: Client;
  readonly directory: string;
}

async function propose(settings: CommandSettings, options: ProposeOptions): Promise<void> {
  const directory = settings.configuration.repository;
  const work = directory === null ? null : readWork(directory);
  if (directory === null || work === null) {
    throw new CommandFailure(
      'no intent is worked on here',
      'take one, and propose in its checkout: firetrident take',
      exitCodes.usage,
    );
  }
  const url = options.url ?? servingAddress(work.data) ?? work.url;
  const proposing = { settings, options, client: new Client({ url, token: work.token }), directory };
  const sent = work.pending === null ? await send(proposing, work) : work;
  if (sent === null) return;
  await settle(proposing, sent, await outcomeOf(proposing, sent));
}

/** Proposes or repairs; answers the work with its pending proposal, or null when there was nothing to send. */
async function send(proposing: Proposing, work: WorkState): Promise<WorkState | null> {
  const { settings, options, client, directory } = proposing;
  const unsolved = stillConflicting(directory, work.conflicts);
  if (unsolved.length > 0) {
    throw new CommandFailure(
      `${unsolved.join(', ')}: conflict markers are still there`,
      'edit them, then propose again',
    );
  }
  const { base, colony, lease, epoch } = work;
  const writes = await changedWrites(ordinaryTree(directory), {
    base,
    putBlob: (bytes) => client.putBlob(colony, bytes),
  });
  if (writes.length === 0) {
    settings.output.write(options.json === true ? '{"state":"nothing"}\n' : 'Nothing has changed here.\n');
    settings.end(exitCodes.nothing);
    return null;
  }
  const parts = { colony };
  await tellReads(client, directory, work);
  const common = { lease, epoch, base, key: `${lease}-${epoch}-${work.proposals}`, writes, deriveReads: true };
  const isFinal = work.returned === null ? options.final === 'true' : work.returned.final;
  const status =
    work.returned === null
      ? await client.call('propose', { parts, body: { ...common, final: isFinal, message: options.message ?? null } })
      : await client.call('repair', { parts, body: { ...common, proposal: work.returned.id, answer: 'redo' } });
  const pending: SentProposal = { id: status.proposal, final: isFinal };
  const sent = { ...work, proposals: work.proposals + 1, pending };
  writeWork(directory, sent);
  return sent;
}

/** Tells what was seen to be read here since the last proposal. */
async function tellReads(client: Client, directory: string, { base, colony, lease, epoch }: WorkState): Promise<void> {
  const list = new ReadList(ordinaryTree(directory));
  while (list.hasMore) {
    const reads = await list.take(base);
    if (reads.length > 0) await client.call('heartbeat', { parts: { colony }, body: { lease, epoch, reads } });
  }
  list.begin();
}

async function outcomeOf({ client }: Proposing, work: WorkState): Promise<ProposalStatusResponse> {
  const parts = { colony: work.colony, proposal: work.pending?.id ?? '' };
  for (;;) {
    const status = await client.call('readProposal', { parts, query: { waitMs: outcomeWaitMs } });
    if (status.state !== 'queued') return status;
  }
}

/** Tells the outcome, and leaves the checkout as the next step needs it. */
async function settle(proposing: Proposing, work: WorkState, status: ProposalStatusResponse): Promise<void> {
  const { settings, options, directory } = proposing;
  const say = (text: string) => {
    if (options.json !== true) settings.output.write(text);
  };
  const seen = { ...work, pending: null, returned: null, conflicts: [] };
  let conflicts: string[] = [];
  switch (status.state) {
    case 'landed': {
      const merged = status.merged?.map(pathText) ?? [];
      const how = merged.length === 0 ? '' : `, with ${merged.map((path) => oneLine(path, 200)).join(', ')} merged`;
      say(`Landed as ${status.landing}, commit ${status.commit?.slice(0, 12)}${how}.\n`);
      await goOn(proposing, seen, work.pending?.final !== false, status.commit ?? work.base);
      break;
    }
    case 'unchanged':
      say('Trunk has all of this already; nothing was written.\n');
      await goOn(proposing, seen, work.pending?.final !== false, work.base);
      break;
    case 'returned':
      conflicts = await takeBack(proposing, { ...seen, returned: work.pending }, status, say);
      settings.end(exitCodes.returned);
      break;
    case 'rejected':
      say(`Rejected: ${(status.reasons ?? []).map((reason) => oneLine(reason.message, 300)).join('; ')}\n`);
      writeWork(directory, seen);
      settings.end(exitCodes.failure);
      break;
    case 'superseded':
      say(
        `The lease had ended before this came. The content is kept${status.preserved ? ` as ${status.preserved}` : ''}.\n`,
      );
      say(`Take the intent again: firetrident take --intent ${work.intent.id}\n`);
      endWork(directory);
      settings.end(exitCodes.failure);
      break;
    case 'queued':
      break;
    default:
      never(status.state);
  }
  if (options.json === true) settings.output.write(`${JSON.stringify({ ...status, conflicts })}\n`);
}

/** After an outcome that is good: the end of the work, or the next part of it on the trunk that there is now. */
async function goOn(proposing: Proposing, seen: WorkState, final: boolean, commit: string): Promise<void> {
  const { client, directory } = proposing;
  if (final) {
    endWork(directory);
    await client.call('stopAgent', { parts: { colony: seen.colony, agent: seen.agent }, body: {} });
    return;
  }
  const captured = capturedRepository(seen.data, seen.colony);
  const place = { directory, repository: seen.repository, captured };
  const checkout = new Checkout(place);
  checkout.forget();
  await checkout.moveTo(commit, seen.intent.id);
  writeWork(directory, { ...seen, base: commit });
}

/** After a return: the brief in words, and the changes on the trunk that it names. Answers what conflicts. */
async function takeBack(
  { directory }: Proposing,
  returned: WorkState,
  status: ProposalStatusResponse,
  say: (text: string) => void,
): Promise<string[]> {
  const { brief } = status;
  if (brief === undefined) throw new CommandFailure(`${status.proposal} came back without a brief`, 'propose again');
  const conflicts = await reapply(directory, returned.base, brief.trunk);
  writeWork(directory, { ...returned, base: brief.trunk, conflicts });
  say(`It came back: trunk has moved under it.\n${briefText(brief)}`);
  say(`Your changes are on ${brief.trunk.slice(0, 12)} now.\n`);
  if (status.reserved !== undefined) say(reservedText(status.reserved.until));
  if (conflicts.length > 0)
    say(`Both sides are in ${countOf(conflicts.length, 'file')}; decide there: ${conflicts.join(', ')}\n`);
  say('Look through them, then: firetrident propose\n');
  return conflicts;
}
