// A backlog that is a file on trunk: read there, and its boxes checked by a landing like any other.
//
// Invariants:
//   BT1. Boxes are checked by one intent for each content of the file, whoever asks and however often: two who keep the same
//        backlog in step never check it twice.
//   BT2. Only boxes change: the file is read at the base of the landing, so that words landed meanwhile stay.
//   BT3. An intent to check boxes of a content that is gone is withdrawn.

import { countOf, utf8Text } from '@firetrident/base';
import { Client, ClientError } from '@firetrident/client';
import { checkOffMarkdown } from '@firetrident/content';
import { CommandFailure } from './failure.ts';
import type { ListedIntent } from './intent-pages.ts';

/** A file of a colony's trunk. */
export interface TrunkFile {
  readonly client: Client;
  readonly colony: string;
  readonly path: string;
}

/** A file's text, and the blob that it is. */
export interface TrunkText {
  readonly text: string;
  readonly blob: string;
}

/** How often a landing that comes back begins anew. */
const attempts = 3;
/** Priority of the intents: whoever looks for work finds all else first. */
const priority = -1_000_000;

/** Reads the file at the tip of trunk. */
export async function readTrunkFile({ client, colony, path }: TrunkFile): Promise<TrunkText> {
  try {
    const { bytes, blob } = await client.file(colony, path);
    return { text: utf8Text(bytes), blob };
  } catch (error) {
    if (!(error instanceof ClientError) || error.code !== 'unknown_path') throw error;
    throw new CommandFailure(`trunk has no file ${path}`, 'name it as it is called from the top of the repository');
  }
}

/** Checks the boxes of these keys on trunk. Answers null when they are checked, or why not yet. */
export async function checkOffOnTrunk(
  file: TrunkFile,
  { blob }: TrunkText,
  keys: ReadonlySet<string>,
  intents: readonly ListedIntent[],
): Promise<string | null> {
  const { client, colony, path } = file;
  const key = `check-off:${path}:${blob}`;
  await withdrawStale(file, key, intents);
  const title = `Check off in ${path} what has landed`;
  const draft = { title, key, priority, paths: [path], body: `${countOf(keys.size, 'item')} of the backlog.` };
  const { intents: created } = await client.call('createIntents', { parts: { colony }, body: { intents: [draft] } }); // (BT1)
  const intent = created[0]?.id;
  if (intent === undefined) throw new CommandFailure('the daemon made no intent', 'try again');
  const { agentId: agent, token } = await client.call('registerAgent', {
    parts: { colony },
    body: { name: 'backlog', kind: 'sync' },
  });
  const worker = new Client({ url: client.url, token });
  try {
    return await checkedBy({ ...file, client: worker }, intent, keys);
  } catch (error) {
    if (!(error instanceof ClientError) || error.kind !== 'refused') throw error;
    return `${path} could not be checked off: ${error.message}`;
  } finally {
    // Its lease ends with it.
    await worker.call('stopAgent', { parts: { colony, agent }, body: {} }).catch(() => undefined);
  }
}

/** (BT3) */
async function withdrawStale({ client, colony, path }: TrunkFile, key: string, intents: readonly ListedIntent[]) {
  const isStale = ({ key: other = '', state }: ListedIntent) =>
    other.startsWith(`check-off:${path}:`) && other !== key && state === 'open';
  for (const { id } of intents.filter(isStale)) {
    await client.call('editIntent', { parts: { colony, intent: id }, body: { state: 'abandoned' } });
  }
}

async function checkedBy(file: TrunkFile, intent: `int_${string}`, keys: ReadonlySet<string>): Promise<string | null> {
  const { client, colony, path } = file;
  const parts = { colony };
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const taken = await client.call('take', { parts, body: { intent } });
    if (!('intent' in taken)) return `${path} waits to be checked off: ${taken.wait.reason}`;
    const { id: lease, epoch } = taken.lease;
    const base = taken.base.commit;
    const before = utf8Text((await client.file(colony, path, { at: base })).bytes); // (BT2)
    const content = checkOffMarkdown(before, keys);
    if (content === before) {
      await client.call('complete', { parts, body: { lease, epoch, why: 'the boxes are checked already' } });
      return null;
    }
    const body = { lease, epoch, base, writes: [{ path, content }] };
    const { proposal } = await client.call('propose', { parts, body });
    let status = await client.call('readProposal', { parts: { colony, proposal }, query: { waitMs: 30_000 } });
    while (status.state === 'queued') {
      status = await client.call('readProposal', { parts: { colony, proposal }, query: { waitMs: 30_000 } });
    }
    if (status.state === 'landed' || status.state === 'unchanged') return null;
    await client.call('release', { parts, body: { lease, epoch, why: `the proposal is ${status.state}` } });
  }
  return `${path} changed again and again while it was checked off`;
}
