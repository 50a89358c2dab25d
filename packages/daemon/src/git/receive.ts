// A push: taken into quarantine, read, proposed, and answered with what became of it while the client listens.
//
//   RC1. The only ref that takes changes is refs/for/<trunk>; every other one is refused by its name.
//   RC2. A push that is cut off before its last byte proposes nothing and leaves nothing.
//   RC3. What is refused leaves nothing but the refusal.
//   RC4. A client that goes away takes back nothing that was proposed: the same push again hears what became of it.

import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { startGit } from '@firetrident/adapters';
import { type AgentId, countOf, no, type Oid, ok, type ProposalId, type Result } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import { wireLimits } from '@firetrident/protocol';
import type { BodyBudget } from '../body.ts';
import type { MetricsDesk } from '../metrics.ts';
import type { PacketReader } from './packet-lines.ts';
import type { PushAnswer, RefVerdict } from './push-answer.ts';
import { overText, type PartRefusal, proposeParts, settledStatus, textProblem } from './push-landing.ts';
import { type PushCommand, type PushRequest, readPushOptions } from './push-request.ts';
import { outcomeWords, refusalText } from './push-words.ts';
import { findWork, giveBack, namedIntent, type PushWork } from './push-work.ts';
import { type PushedChange, PushReader } from './pushed-change.ts';
import { Quarantine } from './quarantine.ts';
import type { Slots } from './slots.ts';

/** Looks at a proposal, five seconds each, before a push stops waiting for it. */
const outcomeLooks = 180;

/** Messages or path names of one push, in bytes. */
const listBytes = 16_777_216;

/** How long checking and indexing a pack may take. */
const unpackMs = 120_000;

/** What taking pushes takes. */
export interface ReceiveTools {
  readonly data: string;
  readonly slots: Slots;
  readonly bodies: BodyBudget;
  /** Bytes of packs in quarantine, of all pushes together. */
  readonly packs: BodyBudget;
  readonly metrics: Pick<MetricsDesk, 'pushed'>;
}

/** One push whose commands were read. */
export interface Push {
  readonly colony: Colony;
  readonly agent: AgentId;
  readonly request: PushRequest;
  readonly reader: PacketReader;
  readonly gone: AbortSignal;
  /** Opens the answer; not before the whole request was read. */
  answer(): PushAnswer;
}

/** What a push ends with: a word for the figures, and why its ref was not taken, or null. */
interface Ending {
  readonly word: 'landed' | 'unchanged' | 'returned' | 'refused' | 'waiting';
  readonly problem: string | null;
}

/** What was judged: over already, or in the queue. */
type Judged = Ending | { readonly proposals: readonly ProposalId[] };

/** Takes a push and answers it. Rejects when the client broke off or a storage failed. */
export async function receivePush(tools: ReceiveTools, push: Push): Promise<void> {
  const { colony, request } = push;
  const verdicts = refVerdicts(request, colony.state.branch);
  const target = request.commands.find((_, place) => verdicts[place]?.problem === null);
  if (target?.after == null) {
    await drain(push.reader);
    push.answer().report(verdicts);
    tools.metrics.pushed(colony.id, 'refused');
    return;
  }
  const quarantine = new Quarantine(tools.data, tools.packs);
  let answer: PushAnswer;
  let judged: Judged;
  try {
    const problem = await quarantine.fill(push.reader.rest(), wireLimits.pushBytes);
    answer = push.answer();
    judged = problem === null ? await judge(tools, push, answer, quarantine, target.after) : refused(problem);
  } finally {
    quarantine.remove(); // (RC2) (RC3)
  }
  const ending = 'proposals' in judged ? await awaited(push, answer, judged.proposals) : judged;
  answer.report(verdicts.map((verdict) => (verdict.ref === target.ref ? { ...verdict, ...ending } : verdict)));
  tools.metrics.pushed(colony.id, ending.word);
}

/** What is refused by its name alone (RC1). */
function refVerdicts({ commands, capabilities }: PushRequest, branch: string): RefVerdict[] {
  const verdicts = commands.map((command) => ({ ref: command.ref, problem: refProblem(command, branch) }));
  const isPartial = verdicts.some(({ problem }) => problem !== null);
  if (!capabilities.has('atomic') || !isPartial) return verdicts;
  return verdicts.map(({ ref, problem }) => ({
    ref,
    problem: problem ?? 'another ref of this atomic push was refused',
  }));
}

function refProblem({ ref, after }: PushCommand, branch: string): string | null {
  const door = `refs/for/${branch}`;
  if (ref === door) return after === null ? `${door} takes changes; there is nothing to delete` : null;
  if (ref === `refs/heads/${branch}`) return `${branch} moves by landings only: push to ${door}`;
  if (ref.startsWith('refs/for/')) return `the trunk of this colony is ${branch}: push to ${door}`;
  if (ref.startsWith('refs/tags/')) return `tags are not kept here: push changes to ${door}`;
  if (ref.startsWith('refs/notes/')) return `notes are written by the colony: push changes to ${door}`;
  return `this ref is not kept here: push changes to ${door}`;
}

async function drain(reader: PacketReader): Promise<void> {
  let bytes = 0;
  for await (const chunk of reader.rest()) {
    bytes += chunk.length;
    if (bytes > wireLimits.pushBytes) return;
  }
}

async function judge(
  tools: ReceiveTools,
  push: Push,
  answer: PushAnswer,
  quarantine: Quarantine,
  head: Oid,
): Promise<Judged> {
  const leave = await tools.slots.enter(push.gone);
  if (leave === null) return refused('too many pushes are under way; push again in a moment');
  let held = 0;
  try {
    const read = await readChange(push, quarantine, head);
    if (!read.ok) return refused(read.error);
    const { change, reader } = read.value;
    held = contentBytes(change);
    if (!tools.bodies.hold(held)) {
      held = 0;
      return refused('too much is being received at once; push again in a moment');
    }
    return await propose(push, answer, change, reader);
  } finally {
    tools.bodies.release(held);
    leave();
  }
}

function refused(problem: string): Ending {
  return { word: 'refused', problem };
}

/** Bytes of the files of a change, each content once. */
export function contentBytes({ parts }: PushedChange): number {
  // Paths with the same content share its bytes.
  const blobs = new Set<Uint8Array>();
  for (const { content } of parts.flatMap(({ writes }) => writes)) {
    if (content !== null && 'bytes' in content) blobs.add(content.bytes);
  }
  return [...blobs].reduce((sum, { length }) => sum + length, 0);
}

/** The pack checked and indexed by git, and the change in it. */
async function readChange(
  { colony }: Push,
  quarantine: Quarantine,
  head: Oid,
): Promise<Result<{ change: PushedChange; reader: PushReader }, string>> {
  const { repository, state } = colony;
  const unpacked = await unpack(repository, quarantine);
  if (!unpacked.ok) return unpacked;
  const { limits, landing } = state.policy;
  const reader = new PushReader(repository, quarantine.environment(repository), {
    commits: wireLimits.pushCommits,
    writes: limits.writesPerProposal,
    fileBytes: limits.blobBytes,
    contentBytes: wireLimits.proposeBytes,
    listBytes,
  });
  const change = await reader.read(head, state.tip, landing.pushes === 'chain' ? 'chain' : 'squash');
  if (!change.ok) return change;
  return ok({ change: change.value, reader });
}

/** Checks and indexes the pack, with what trunk has for the deltas that lean on it. */
async function unpack(repository: string, quarantine: Quarantine): Promise<Result<null, string>> {
  const { packFile } = quarantine;
  const args = ['-c', 'core.fsync=none', '--git-dir', repository, 'index-pack', '--stdin', '--fix-thin', '--strict'];
  const git = startGit(args, { environment: quarantine.environment(repository) });
  git.output.resume();
  const late = setTimeout(git.stop, unpackMs);
  // When git ends early, its status says why.
  const fed = pipeline(createReadStream(packFile), git.input).catch(() => undefined);
  const [{ code, problem }] = await Promise.all([git.ended, fed]).finally(() => clearTimeout(late));
  quarantine.dropPack();
  if (code === null) return no('what was pushed could not be checked in time; push less at once');
  return code === 0 ? ok(null) : no(`what was pushed cannot be read: ${problem.trim().split('\n').at(-1) ?? ''}`);
}

async function propose(push: Push, answer: PushAnswer, change: PushedChange, reader: PushReader): Promise<Judged> {
  const { colony, agent, request } = push;
  const { branch } = colony.state;
  if (change.parts.length === 0) {
    answer.say(`FireTrident: ${branch} has all of this already; nothing was left to land`);
    return { word: 'unchanged', problem: null };
  }
  const tooLong = textProblem(change);
  if (tooLong !== null) return refused(tooLong);
  const named = intentOf(request, change);
  if (!named.ok) return refused(named.error);
  const work = await findWork(colony, agent, change, named.value);
  if (!work.ok) return refused(work.error);
  if ('over' in work.value) return overEnding(push, answer, change, reader, work.value.over);
  answer.say(`FireTrident: ${summary(change)} for ${work.value.intent.id}, "${work.value.intent.title}"`);
  const proposals = await proposeParts(colony, agent, work.value, change);
  if (!proposals.ok) return refusedPart(push, answer, work.value, change, proposals.error);
  return { proposals: proposals.value };
}

/** Nothing was proposed: then nothing stays (RC3); or only the first parts were: then that is said. */
async function refusedPart(
  { colony, agent }: Push,
  answer: PushAnswer,
  work: PushWork,
  { parts }: PushedChange,
  { refusal, sent }: PartRefusal,
): Promise<Ending> {
  if (sent.length === 0) await giveBack(colony, agent, work);
  else {
    const commits = parts.map((part) => part.commits.at(-1)?.subject ?? '');
    sent.forEach((proposal, place) => {
      answer.say(
        `FireTrident: commit ${place + 1} of ${parts.length}, "${commits[place]}", was proposed as ${proposal}`,
      );
    });
    answer.say(
      `FireTrident: commit ${sent.length + 1}, "${commits[sent.length]}", was refused, and what follows it was not sent`,
    );
  }
  return refused(refusalText(refusal));
}

/** Waits for proposals, in order. Everything is durable with them: nothing is held for a push that waits. */
async function awaited(push: Push, answer: PushAnswer, proposals: readonly ProposalId[]): Promise<Ending> {
  const { colony } = push;
  const { branch, policy } = colony.state;
  let ending: Ending = { word: 'unchanged', problem: null };
  for (const proposal of proposals) {
    answer.say(`FireTrident: ${proposal} is in the queue`);
    const status = await settledStatus(colony, proposal, { looks: outcomeLooks, gone: push.gone }, () =>
      answer.stayAlive(),
    );
    // (RC4)
    if (!status.ok) return refused(refusalText(status.error));
    const { told, problem } = outcomeWords(status.value, branch, policy.repairWindowMs);
    answer.say(`FireTrident: ${told}`);
    const word = wordOf(status.value.state);
    if (ending.problem === null && (problem !== null || word === 'landed')) ending = { word, problem };
  }
  return ending;
}

/** The intent that the push names: by its option, or by trailers that say the same. */
function intentOf(request: PushRequest, change: PushedChange): Result<PushWork['intent']['id'] | null, string> {
  const options = readPushOptions(request.options);
  if (!options.ok) return options;
  return options.value.intent === null ? namedIntent(change.commits) : ok(options.value.intent);
}

async function overEnding(
  { colony }: Push,
  answer: PushAnswer,
  change: PushedChange,
  reader: PushReader,
  intent: string,
): Promise<Ending> {
  const head = change.commits.at(-1)?.oid ?? change.base;
  const paths = change.parts.flatMap(({ writes }) => writes.map(({ path }) => path));
  if (await reader.isOnTrunk(head, colony.state.tip, paths)) {
    answer.say(`FireTrident: ${intent} is over, and ${colony.state.branch} has all of this already`);
    return { word: 'unchanged', problem: null };
  }
  const over = overText(intent);
  return refused(over.ok ? '' : over.error);
}

function summary({ commits, parts }: PushedChange): string {
  const files = parts.reduce((sum, { writes }) => sum + writes.length, 0);
  const how = parts.length > 1 ? ', kept apart' : commits.length > 1 ? ', as one' : '';
  return `${countOf(files, 'file')} of ${countOf(commits.length, 'commit')}${how}`;
}

function wordOf(state: string): Ending['word'] {
  switch (state) {
    case 'landed':
    case 'unchanged':
    case 'returned':
      return state;
    case 'queued':
      return 'waiting';
    default:
      return 'refused';
  }
}
