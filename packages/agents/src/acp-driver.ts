// Agents that speak the Agent Client Protocol: one session in the checkout, one prompt, and answers to what they ask.
//
//   AC1. Files are served from the checkout, and from nowhere else, whatever links lead out of it.
//   AC2. A request for permission is answered at once, by policy; nobody is there to be asked. To have a file served is
//        such a request too.
//   AC3. When the turn is to end early, the agent hears a cancel before its group is ended.
//   AC4. Unless everything is granted, an agent that is known to run programs unasked is told to ask.

import { constants } from 'node:fs';
import { lstat, mkdir, readFile, realpath, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionNotification,
} from '@agentclientprotocol/sdk/unstable';
import { AcpToolCalls } from './acp-tool-calls.ts';
import type { TurnEnd, TurnSettings, Usage } from './driver.ts';
import { isGranted, pathInside } from './permissions.ts';
import { type ProcessGroup, startGroup } from './process-group.ts';
import { askingFirst } from './vendors.ts';

/** How long an agent has to take a cancel before its group is ended. */
const cancelMs = 2_000;
/** A file is written as it lies there: a link that took its place meanwhile is not followed (AC1). */
const writeFlag = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/** Runs one turn. Rejects with CommandUnusableError alone. */
export async function runAcpTurn(settings: TurnSettings): Promise<TurnEnd> {
  const { timeoutMs, signal } = settings;
  // The driver itself watches the clock and the signal, so that the agent hears of it first (AC3).
  const silent = new AbortController();
  const limits = { timeoutMs: timeoutMs + 2 * cancelMs, signal: silent.signal };
  // (AC4)
  const asking = settings.permissions === 'all' ? null : askingFirst(settings.command);
  const environment = { ...settings.environment, ...asking?.environment };
  const group = startGroup({ ...settings, ...limits, environment, shell: false, keepsOutput: false });
  const turn = new AcpTurn(settings, asking?.mode ?? null);
  const over = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  const stop = () => {
    turn.cancel();
    setTimeout(() => group.stop(), cancelMs).unref();
  };
  over.addEventListener('abort', stop, { once: true });
  if (over.aborted) stop();
  const talk = turn.talk(group).finally(() => {
    over.removeEventListener('abort', stop);
    // The session is over, so the agent has nothing left to do.
    group.child.stdin.end();
    group.stop();
  });
  const [end, problem] = await Promise.all([group.ended, talk]);
  const timedOut = over.aborted && !signal.aborted;
  const isOver = over.aborted || problem !== null;
  // An agent serves until it is ended, so how it ends says nothing about a turn that went well.
  return { code: isOver ? end.code : 0, timedOut, output: end.output, problem, usage: turn.usage };
}

class AcpTurn {
  readonly #settings: TurnSettings;
  readonly #mode: string | null;
  readonly #calls = new AcpToolCalls();
  #cancel: (() => void) | null = null;
  #cancelled = false;
  #tokens: number | null = null;
  #costUsd: number | null = null;

  /** `mode` is the mode of the session in which the agent asks; null leaves the agent's own. */
  constructor(settings: TurnSettings, mode: string | null) {
    this.#settings = settings;
    this.#mode = mode;
  }

  /** What the agent said that it used. */
  get usage(): Usage | null {
    return this.#tokens === null && this.#costUsd === null
      ? null
      : { tokens: this.#tokens ?? 0, costUsd: this.#costUsd };
  }

  cancel(): void {
    this.#cancelled = true;
    this.#cancel?.();
  }

  /** Talks to the agent until the turn is over; answers why it failed, or null. */
  async talk({ child, ended }: ProcessGroup): Promise<string | null> {
    const stream = ndJsonStream(
      Writable.toWeb(child.stdin),
      Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>,
    );
    const app = client({ name: 'firetrident' })
      .onRequest(methods.client.session.requestPermission, ({ params }) => this.#permission(params))
      .onRequest(methods.client.fs.readTextFile, async ({ params }) => ({ content: await this.#read(params) }))
      .onRequest(methods.client.fs.writeTextFile, async ({ params }) => this.#write(params))
      .onNotification(methods.client.session.update, ({ params }) => this.#update(params));
    const gone = ended.then(
      () => 'the agent ended before its turn was over',
      () => 'the agent could not be run',
    );
    try {
      return await Promise.race([app.connectWith(stream, (context) => this.#turn(context)), gone]);
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #turn(context: ClientContext): Promise<string | null> {
    await context.request(methods.agent.initialize, {
      protocolVersion: PROTOCOL_VERSION,
      clientCapabilities: { fs: { readTextFile: true, writeTextFile: true }, terminal: false },
    });
    const { directory: cwd, prompt: text } = this.#settings;
    const { sessionId, modes } = await context.request(methods.agent.session.new, { cwd, mcpServers: [] });
    const mode = modes?.availableModes.find(({ id }) => id === this.#mode);
    if (mode !== undefined) await context.request(methods.agent.session.setMode, { sessionId, modeId: mode.id }); // (AC4)
    this.#cancel = () => void context.notify(methods.agent.session.cancel, { sessionId });
    if (this.#cancelled) return 'it was cancelled before it began';
    const prompt = [{ type: 'text' as const, text }];
    const answer: PromptResponse = await context.request(methods.agent.session.prompt, { sessionId, prompt });
    this.#count(answer);
    return answer.stopReason === 'end_turn' ? null : `the agent stopped: ${answer.stopReason}`;
  }

  #count({ usage, _meta: meta }: PromptResponse): void {
    this.#tokens = usage?.totalTokens ?? quotaTokens(meta);
  }

  #permission({ toolCall, options }: RequestPermissionRequest): RequestPermissionResponse {
    if (this.#cancelled) return { outcome: { outcome: 'cancelled' } };
    const { permissions, directory, onActivity } = this.#settings;
    const paths = (toolCall.locations ?? []).map(({ path }) => path);
    const granted = isGranted(permissions, { kind: toolCall.kind ?? 'other', paths, directory });
    onActivity({ kind: 'permission', name: toolCall.title ?? toolCall.kind ?? 'tool', granted });
    const wanted = granted ? ['allow_once', 'allow_always'] : ['reject_once', 'reject_always'];
    const option = wanted.flatMap((kind) => options.filter((each) => each.kind === kind))[0];
    // (AC2) An agent that offers no such answer is told that the question is off.
    return option === undefined
      ? { outcome: { outcome: 'cancelled' } }
      : { outcome: { outcome: 'selected', optionId: option.optionId } };
  }

  async #read(asked: { path: string; line?: number | null; limit?: number | null }): Promise<string> {
    const place = await this.#placeOf('read', asked.path);
    const content = await readFile(place, 'utf8').catch((error: NodeJS.ErrnoException) => {
      throw error.code === 'ENOENT' ? RequestError.resourceNotFound(asked.path) : error;
    });
    this.#settings.onActivity({ kind: 'read', path: asked.path });
    if (asked.line === undefined && asked.limit === undefined) return content;
    const first = Math.max(0, (asked.line ?? 1) - 1);
    const lines = content.split('\n');
    return lines.slice(first, asked.limit == null ? undefined : first + asked.limit).join('\n');
  }

  async #write({ path, content }: { path: string; content: string }): Promise<Record<string, never>> {
    const place = await this.#placeOf('edit', path);
    await mkdir(dirname(place), { recursive: true });
    await writeFile(place, content, { flag: writeFlag });
    this.#settings.onActivity({ kind: 'edit', path });
    return {};
  }

  /** Where the file of a path really is, when it lies in the checkout (AC1) and may be served (AC2). */
  async #placeOf(kind: 'read' | 'edit', path: string): Promise<string> {
    const { directory, permissions } = this.#settings;
    if (!isGranted(permissions, { kind, paths: [path], directory })) {
      throw RequestError.invalidParams({ path }, 'the permission policy does not grant it');
    }
    const root = await realpath(directory);
    const place = await placeAfterLinks(resolve(directory, path));
    if (pathInside(directory, path) === null || place === null || pathInside(root, place) === null) {
      throw RequestError.invalidParams({ path }, 'the path lies outside the checkout');
    }
    return place;
  }

  #update({ update }: SessionNotification): void {
    const { onActivity } = this.#settings;
    if (update.sessionUpdate === 'tool_call' || update.sessionUpdate === 'tool_call_update') {
      for (const activity of this.#calls.hear(update)) onActivity(activity);
    }
    if (update.sessionUpdate === 'usage_update' && update.cost?.currency === 'USD') this.#costUsd = update.cost.amount;
  }
}

/** Tokens as Gemini CLI tells them, which has no usage of the protocol; null when it does not. */
function quotaTokens(meta: PromptResponse['_meta']): number | null {
  const quota = meta?.quota as { token_count?: { input_tokens?: unknown; output_tokens?: unknown } } | undefined;
  const { input_tokens: sent, output_tokens: received } = quota?.token_count ?? {};
  return typeof sent === 'number' && typeof received === 'number' ? sent + received : null;
}

/** The path with its links followed, as far as it is there; null when a link on it leads to what is not there. */
async function placeAfterLinks(path: string): Promise<string | null> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  // What has no real path and still is there is a link whose target is missing: writing to it would make the target.
  if (await isThere(path)) return null;
  const parent = await placeAfterLinks(dirname(path));
  return parent === null ? null : join(parent, basename(path));
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (!isMissing(error)) throw error;
    return false;
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
