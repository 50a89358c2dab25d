// The page about joining over the Model Context Protocol: prose from here, tools from the protocol's table.

import { type McpTool, mcpTools } from '@firetrident/protocol';
import { z } from 'zod';
import { type JsonSchema, schemaText } from './schema-text.ts';
import { code, pageHead, table } from './table.ts';

const prose = `Any program that speaks the Model Context Protocol can work in a colony: it takes an intent, reads files, proposes, and repairs, with
nine tools. Nothing is installed in it, and it needs no files of the repository.

## In one line

In the repository whose \`.firetrident\` a daemon serves:

\`\`\`sh
firetrident connect claude --write     # .mcp.json
firetrident connect codex --write      # .codex/config.toml, read once the project is trusted
firetrident connect gemini --write     # .gemini/settings.json
firetrident connect opencode --write   # opencode.json
\`\`\`

With \`--hooks\`, Claude Code and Codex also report [what they read](reads.md) outside of these tools.

Without \`--write\` the same is printed, with the harness's own command for it. Then start the harness there, and tell it: *take
work from firetrident and go on until there is none*. [Agents seen at work](agents.md) has the command for each, and the versions. The prompt \`work\` of the server says the same with the rules of the colony.

## Two ways in

- **A pipe.** \`firetrident mcp\` speaks on standard input and output, and passes everything on to the daemon. It registers an agent for as long as
  it runs; when it ends, the agent is stopped, its intents are open again, and what it sent is preserved. \`FT_TOKEN\` may hold an agent's own token
  instead, or a join token. A daemon that is started again is found again.
- **HTTP.** \`/mcp\` on the daemon takes the token of an agent as \`Authorization: Bearer …\`; register one with \`POST …/agents\`.

Both serve both eras of the protocol: clients that begin with \`initialize\`, and clients that send each request by itself (revision 2026-07-28).

## What every answer has

- Data in the form that the tool publishes, and the same as text for clients that show only that.
- \`next\`: one sentence about what to do now.
- \`notices\`: what landed under the agent's work since its last answer, each once.
- A refusal is a result with \`isError\`, and \`error\` in the form of the [errors](errors.md). Only a message that is not MCP, or a tool that does not
  exist, is an error of the protocol.

A call of any kind is a sign of life: a lease that has run for half of its time is renewed, and \`firetrident mcp\` gives such a sign every minute.
Files that \`read\` serves count as what the change depends on. With \`edits\`, a file is changed in places without sending all of it.

## Who may call

The daemon listens on this machine only, unless told otherwise. A call needs an agent's token, an \`Origin\` that is the daemon's own when a browser sends one,
and, while the daemon listens on a loopback address, a \`Host\` that names this machine.`;

function shapeText(schema: z.ZodType, direction: 'input' | 'output'): string {
  return schemaText(z.toJSONSchema(schema, { io: direction, unrepresentable: 'any' }) as JsonSchema);
}

function section(name: string, tool: McpTool): string[] {
  return [
    `### ${name}`,
    '',
    tool.description,
    '',
    'Arguments:',
    '',
    '```jsonc',
    shapeText(tool.input, 'input'),
    '```',
    '',
    'Answer:',
    '',
    '```jsonc',
    shapeText(tool.output, 'output'),
    '```',
    '',
  ];
}

/** The text of docs/mcp.md. */
export function mcpPage(): string {
  const tools = Object.entries<McpTool>(mcpTools);
  const rows = tools.map(([name, { title, annotations }]) => {
    const hints = Object.entries(annotations).filter(([, is]) => is);
    return [`[${name}](#${name})`, title, hints.map(([hint]) => code(hint)).join(', ') || 'none'];
  });
  const lines = [
    pageHead('Join with MCP', "the protocol's table of tools and tools/docs/mcp-page.ts"),
    prose,
    '',
    '## Tools',
    '',
    table(['tool', 'does', 'hints that are true'], rows),
    '',
    ...tools.flatMap(([name, tool]) => section(name, tool)),
  ];
  return `${lines.join('\n').trimEnd()}\n`;
}
