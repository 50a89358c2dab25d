// One MCP server for one request: the tools, the guide as a resource, and the guide as a prompt, for one agent.
//
//   MS1. A refusal is a result with `isError`, its code, what happens next and a hint; only a call that is not MCP at
//        all, or a tool that does not exist, is an error of the protocol.
//   MS2. What an agent was not told yet goes along with every result, whichever tool gave it, errors included.

import { no, type Result } from '@firetrident/base';
import {
  type ErrorFacts,
  type McpTool,
  type McpToolName,
  mcpTools,
  type Notice,
  publishedSchemas,
} from '@firetrident/protocol';
import { fromJsonSchema, type jsonSchemaValidator, McpServer } from '@modelcontextprotocol/server';
import type { AgentCaller } from '../auth.ts';
import { noticesFor } from '../convert/notices.ts';
import type { Handlers } from '../endpoint-types.ts';
import { errorFacts, refusalFacts } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { storageTrouble } from '../storage-failure.ts';
import { validate } from '../validation.ts';
import { daemonVersion } from '../version.ts';
import { guideAddress, guideText, instructions } from './guide.ts';
import { withToolHint } from './hints.ts';
import { toolActions } from './tools.ts';

/** For whom a server is, and with what it answers. */
export interface ServerTools {
  readonly caller: AgentCaller;
  readonly handlers: Handlers;
  readonly logger: Logger;
  /** Aborted when the connection of the request is closed. */
  readonly gone: AbortSignal;
}

type AnyAction = (call: unknown) => Promise<Result<Readonly<Record<string, unknown>>, ErrorFacts>>;

/** Arguments are checked by the protocol's own schemas, which name the argument at fault; the library only shows them. */
const showsOnly: jsonSchemaValidator = {
  getValidator: () => (input) => ({ valid: true, data: input as never, errorMessage: undefined }),
};

const shown = Object.entries<McpTool>(mcpTools).map(([name, tool]) => {
  const { input, output } = publishedSchemas(tool);
  return {
    name: name as McpToolName,
    tool,
    inputSchema: fromJsonSchema(input, showsOnly),
    outputSchema: fromJsonSchema(output, showsOnly),
  };
});

/** The server of one request. */
export function createMcpServer(tools: ServerTools): McpServer {
  const { colony } = tools.caller;
  const still = { listChanged: false };
  const server = new McpServer(
    { name: 'firetrident', title: `FireTrident colony ${colony.id}`, version: daemonVersion },
    { instructions, capabilities: { tools: still, resources: still, prompts: still } },
  );
  for (const { name, tool, inputSchema, outputSchema } of shown) {
    const { title, description, annotations } = tool;
    const config = { title, description, inputSchema, outputSchema, annotations: { title, ...annotations } };
    server.registerTool(name, config, async (sent, context) => {
      const gone = AbortSignal.any([tools.gone, context.mcpReq.signal]);
      return toolResult(tools, await callTool(tools, name, sent, gone));
    });
  }
  const about = {
    title: 'How to work in this colony',
    description: 'The loop of take, read, propose and repair, and the few rules there are.',
  };
  server.registerResource('guide', guideAddress, { ...about, mimeType: 'text/markdown' }, async () => ({
    contents: [{ uri: guideAddress, mimeType: 'text/markdown', text: guideText(colony) }],
  }));
  server.registerPrompt('work', about, async () => ({
    description: about.description,
    messages: [
      {
        role: 'user',
        content: { type: 'text', text: `${guideText(colony)}\nTake work now, and go on until there is none.\n` },
      },
    ],
  }));
  return server;
}

/** Calls a tool: checked arguments in, its answer or an error out. Never rejects. */
async function callTool(
  { caller, handlers, logger }: ServerTools,
  name: McpToolName,
  sent: unknown,
  gone: AbortSignal,
): Promise<Result<Readonly<Record<string, unknown>>, ErrorFacts>> {
  const input = validate<unknown>(mcpTools[name].input, sent ?? {});
  if (!input.ok) return input;
  try {
    return await (toolActions[name] as unknown as AnyAction)({ caller, handlers, input: input.value, gone });
  } catch (error) {
    const trouble = storageTrouble(error);
    if (trouble !== null) return no(refusalFacts(trouble));
    const known = error instanceof Error ? error : new Error(String(error));
    logger.error('a tool failed', { tool: name, problem: known.message, stack: known.stack });
    return no(errorFacts('internal'));
  }
}

/** The result of a tool call, in data and as text for clients that show only that (MS1, MS2). */
function toolResult({ caller }: ServerTools, answer: Result<Readonly<Record<string, unknown>>, ErrorFacts>) {
  const carried = answer.ok ? (answer.value.notices as readonly Notice[] | undefined) : undefined;
  const notices = carried ?? noticesFor(caller.colony, caller.agent.id);
  const body = answer.ok ? { ...answer.value, notices } : { error: withToolHint(answer.error), notices };
  return {
    content: [{ type: 'text' as const, text: JSON.stringify(body) }],
    structuredContent: body,
    ...(answer.ok ? {} : { isError: true }),
  };
}
