// `firetrident mcp`: the Model Context Protocol on standard input and output, for harnesses that start their servers.
//
//   MP1. Standard output carries messages of the protocol and nothing else.
//   MP2. An agent that was registered for this process is stopped with it, so that its intents are open for others.
//   MP3. The end of the input ends nothing that was asked before it: what is under way is answered first.

import { runGit, type WorkTree } from '@firetrident/agents';
import { Client, type McpMessage, McpRelay } from '@firetrident/client';
import type { Command } from 'commander';
import { Option } from 'commander';
import { chooseColony, type DaemonAccess, daemonAccess } from '../connection.ts';
import { CommandFailure } from '../failure.ts';
import { messageLines } from '../mcp/message-lines.ts';
import { ReadTeller } from '../mcp/read-teller.ts';
import { type ColonyOptions, colonyCommand } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { aborted, interruption } from '../serving.ts';

interface McpOptions extends ColonyOptions {
  readonly name?: string;
  readonly kind: string;
  readonly label?: readonly string[];
  readonly workspace: 'ref' | 'fork' | 'checkout';
}

/** Bytes of one line: a whole proposal in base64, and what stands around it. */
const lineBytes = 134_217_728;
/** How often the daemon hears that the agent is alive. */
const signOfLifeMs = 60_000;
/** How long what is under way at the end of the input is waited for: longer than the daemon lets any call wait. */
const lastAnswersMs = 75_000;
/** The protocol's code for what is not a message. */
const parseError = -32_700;

/** The command `mcp`. */
export function mcpCommand(settings: CommandSettings): Command {
  return colonyCommand(
    'mcp',
    'speak the Model Context Protocol on standard input and output, as one agent of the colony',
  )
    .option('--name <name>', 'name of the agent (default: USER)')
    .option('--kind <kind>', 'what runs it, such as claude-code', 'mcp')
    .option('--label <name...>', 'what it is good for; shown with the agent')
    .addOption(
      new Option('--workspace <kind>', 'ref: files come over the protocol; others: take also names a repository')
        .choices(['ref', 'fork', 'checkout'])
        .default('ref'),
    )
    .addHelpText(
      'after',
      '\nFT_TOKEN may hold an agent’s token, which is used as it is, or a join or admin token, which registers an agent\nfor as long as this runs. With a join token, name the colony.',
    )
    .action((options: McpOptions) => mcp(settings, options));
}

async function mcp(settings: CommandSettings, options: McpOptions): Promise<void> {
  const { configuration, output } = settings;
  const access = () => daemonAccess(configuration, options);
  const agent = await joinAs(access(), settings, options);
  const stopping = interruption();
  const emit = (message: unknown) => {
    output.write(`${JSON.stringify(message)}\n`); // (MP1)
  };
  // The address is asked for anew: a daemon that was started again may serve elsewhere.
  const relay = new McpRelay({ access: () => ({ url: access().url, token: agent.token }), emit });
  const alive = setInterval(() => void relay.signOfLife(), signOfLifeMs);
  const underWay = new Set<Promise<void>>();
  const reads = new ReadTeller(
    await cloneAround(settings),
    agent.colony,
    () => new Client({ url: access().url, token: agent.token }),
  );
  const start = (message: McpMessage) => {
    const told = reads.before(message);
    const relayed = (told === null ? relay.relay(message) : told.then(() => relay.relay(message))).finally(() =>
      underWay.delete(relayed),
    );
    underWay.add(relayed);
  };
  stopping.signal.addEventListener('abort', () => process.stdin.destroy(), { once: true });
  try {
    for await (const line of messageLines(process.stdin, lineBytes, stopping.signal)) {
      if (line.kind === 'message') start(line.message);
      else emit({ jsonrpc: '2.0', id: null, error: { code: parseError, message: line.problem } });
    }
    await settled(underWay, stopping.signal); // (MP3)
  } catch (error) {
    // Destroying the stream ends the loop with an error of its own.
    if (!stopping.signal.aborted) throw error;
  } finally {
    clearInterval(alive);
    relay.close();
    stopping.forget();
    await agent.leave();
  }
}

/** The clone in which the agent works, also where that is a worktree; null outside of any. */
async function cloneAround({ configuration }: CommandSettings): Promise<WorkTree | null> {
  const { repository: directory } = configuration;
  if (directory === null) return null;
  const gitDirectory = (await runGit(directory, ['rev-parse', '--absolute-git-dir'])).toString('utf8').trim();
  return { directory, gitDirectory };
}

/** Resolves once all are settled, or the wait for them was given up. */
async function settled(underWay: Iterable<Promise<void>>, signal: AbortSignal): Promise<void> {
  const enough = AbortSignal.any([signal, AbortSignal.timeout(lastAnswersMs)]);
  await Promise.race([Promise.all(underWay), aborted(enough)]);
}

interface Joined {
  readonly token: string;
  /** Null when only the token knows it. */
  readonly colony: string | null;
  /** Stops the agent when it was registered here (MP2). */
  leave(): Promise<void>;
}

async function joinAs(access: DaemonAccess, settings: CommandSettings, options: McpOptions): Promise<Joined> {
  const { token } = access;
  if (token.startsWith('ft_agent_')) return { token, colony: options.colony ?? null, leave: async () => undefined };
  const client = new Client(access);
  if (token.startsWith('ft_join_') && options.colony === undefined) {
    throw new CommandFailure('a join token does not say which colony it is for', 'name the colony with --colony');
  }
  const colony = await chooseColony(client, options.colony);
  const body = {
    name: options.name ?? settings.configuration.user,
    kind: options.kind,
    labels: [...(options.label ?? [])],
    workspace: options.workspace,
  };
  const made = await client.call('registerAgent', { parts: { colony }, body });
  return {
    token: made.token,
    colony,
    async leave() {
      try {
        const { url } = daemonAccess(settings.configuration, options);
        const worker = new Client({ url, token: made.token });
        await worker.call('stopAgent', { parts: { colony, agent: made.agentId }, body: {} });
      } catch {
        // The daemon may be gone by now; then the lease runs out by itself.
      }
    },
  };
}
