// An agent that speaks the Agent Client Protocol, made with the official library, whose every step is written in its
// prompt: what tests drive as a real child process. Its steps are the lines of the prompt that begin with "do ".

import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import {
  type AgentContext,
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type RequestPermissionResponse,
  type SessionUpdate,
} from '@agentclientprotocol/sdk/unstable';

let directory = '';
let cancelled: () => void = () => undefined;

/** Announces the reading of a file before its place is known, as agents do that tell of a call while its input still comes. */
async function nameLater(context: AgentContext, sessionId: string, path: string): Promise<void> {
  const tell = (update: SessionUpdate) => context.notify(methods.client.session.update, { sessionId, update });
  const call = { toolCallId: `later-${path}` };
  await tell({ sessionUpdate: 'tool_call', ...call, title: 'Read', kind: 'read', status: 'pending' });
  await tell({ sessionUpdate: 'tool_call_update', ...call, locations: [{ path }] });
  await tell({ sessionUpdate: 'tool_call_update', ...call, locations: [{ path }], status: 'completed' });
}

async function step(context: AgentContext, sessionId: string, words: readonly string[]): Promise<string> {
  const [verb = '', path = '', ...rest] = words;
  const place = join(directory, path);
  switch (verb) {
    case 'read':
      return (await context.request(methods.client.fs.readTextFile, { sessionId, path: place })).content;
    case 'write':
      await context.request(methods.client.fs.writeTextFile, {
        sessionId,
        path: place,
        content: `${rest.join(' ')}\n`,
      });
      return '';
    case 'outside':
      await context.request(methods.client.fs.writeTextFile, { sessionId, path, content: 'escaped\n' }).catch(() => {
        appendFileSync(join(directory, 'refused.txt'), `${path}\n`);
      });
      return '';
    case 'look': {
      const toolCall = { toolCallId: 'look', title: 'Look', kind: 'read' as const, locations: [{ path: place }] };
      await context.notify(methods.client.session.update, {
        sessionId,
        update: { sessionUpdate: 'tool_call', status: 'completed', ...toolCall },
      });
      return '';
    }
    case 'name-later':
      await nameLater(context, sessionId, place);
      return '';
    case 'ask': {
      const kind = path as 'edit' | 'execute';
      const toolCall = {
        toolCallId: 'ask',
        title: rest.join(' '),
        kind,
        locations: [{ path: join(directory, 'asked.txt') }],
      };
      const options = [
        { optionId: 'yes', name: 'Yes', kind: 'allow_once' as const },
        { optionId: 'no', name: 'No', kind: 'reject_once' as const },
      ];
      const answer: RequestPermissionResponse = await context.request(methods.client.session.requestPermission, {
        sessionId,
        toolCall,
        options,
      });
      const granted = answer.outcome.outcome === 'selected' && answer.outcome.optionId === 'yes';
      writeFileSync(join(directory, `${kind}-asked.txt`), granted ? 'granted\n' : 'refused\n');
      return '';
    }
    case 'tell':
      writeFileSync(join(directory, 'told.txt'), `${process.env[path] ?? 'nothing'}\n`);
      return '';
    case 'wait':
      writeFileSync(join(directory, 'waiting.txt'), `${process.pid}\n`);
      await new Promise<void>((resolve) => {
        cancelled = resolve;
      });
      writeFileSync(join(directory, 'cancelled.txt'), 'heard\n');
      return 'cancelled';
    case 'crash':
      return process.exit(9);
    default:
      throw new Error(`no such step: ${verb}`);
  }
}

const app = agent({ name: 'scripted' })
  .onRequest(methods.agent.initialize, () => ({
    protocolVersion: PROTOCOL_VERSION,
    agentCapabilities: { loadSession: false },
    authMethods: [],
  }))
  .onRequest(methods.agent.session.new, ({ params }) => {
    directory = params.cwd;
    const availableModes = ['read-only', 'agent'].map((id) => ({ id, name: id }));
    return { sessionId: 'one', modes: { currentModeId: 'agent', availableModes } };
  })
  .onRequest(methods.agent.session.setMode, ({ params }) => {
    writeFileSync(join(directory, 'mode.txt'), `${params.modeId}\n`);
    return {};
  })
  .onNotification(methods.agent.session.cancel, () => cancelled())
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const [block] = params.prompt;
    const text = block?.type === 'text' ? block.text : '';
    const steps = text.split('\n').flatMap((line) => (line.startsWith('do ') ? [line.slice(3).split(' ')] : []));
    for (const words of steps) {
      if ((await step(client, params.sessionId, words)) === 'cancelled') return { stopReason: 'cancelled' as const };
    }
    await client.notify(methods.client.session.update, {
      sessionId: params.sessionId,
      update: { sessionUpdate: 'usage_update', used: 10, size: 100, cost: { amount: 0.25, currency: 'USD' } },
    });
    const stopReason = existsSync(join(directory, 'refuse')) ? ('refusal' as const) : ('end_turn' as const);
    // One vendor tells tokens in a place of its own.
    const quota = { token_count: { input_tokens: 300, output_tokens: 21 } };
    if (existsSync(join(directory, 'quota'))) return { stopReason, _meta: { quota } };
    return { stopReason, usage: { totalTokens: 1_234, inputTokens: 1_000, outputTokens: 234 } };
  });

app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>));
