// `firetrident up`: serves the colonies of a data directory until it is told to stop.

import { countOf } from '@firetrident/base';
import { Client } from '@firetrident/client';
import { Command, Option } from 'commander';
import { dataDirectory } from '../connection.ts';
import { numberOption } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { aborted, interruption, serve } from '../serving.ts';

const logLevels = ['debug', 'info', 'warn', 'error', 'silent'] as const;

interface UpOptions {
  readonly data?: string;
  readonly port?: number;
  readonly host?: string;
  readonly logLevel?: (typeof logLevels)[number];
  readonly json?: boolean;
}

/** The command `up`. */
export function upCommand(settings: CommandSettings): Command {
  return new Command('up')
    .description('serve the colonies of a data directory until SIGTERM or Ctrl-C')
    .option('--data <directory>', 'where everything is kept (default: .firetrident of the current repository)')
    .addOption(
      numberOption(
        '--port <number>',
        'TCP port; 0 takes any free one (default: 7400, or a free one when that is taken)',
        0,
        65_535,
      ),
    )
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .addOption(new Option('--log-level <level>', 'least level of the log on standard error').choices(logLevels))
    .option('--json', 'print one line of JSON with url, adminToken and pid when it serves')
    .action((options: UpOptions) => up(settings, options));
}

async function up(settings: CommandSettings, options: UpOptions): Promise<void> {
  const { output, configuration } = settings;
  // Listening before the first line is printed: whoever reads it may stop us at once.
  const stopping = interruption();
  const { port, host, logLevel } = options;
  const { daemon, afterCrash, stop } = await serve({
    data: dataDirectory(configuration, options),
    ...(port === undefined ? {} : { port }),
    ...(host === undefined ? {} : { host }),
    ...(logLevel === undefined ? {} : { logLevel }),
  });
  const { url, adminToken, processId: pid, portTaken } = daemon;
  if (options.json === true) {
    output.write(`${JSON.stringify({ url, adminToken, pid })}\n`);
  } else {
    if (portTaken !== null) output.write(`Port ${portTaken} is taken; this is a free one.\n`);
    if (afterCrash) output.write(await recoveredText(new Client({ url, token: adminToken })));
    output.write(`FireTrident serves at ${url}\nData: ${daemon.configuration.data}\nStop with Ctrl-C.\n`);
  }
  await aborted(stopping.signal);
  await stop();
}

/** What is there again after a daemon that was killed, for each colony. */
async function recoveredText(client: Client): Promise<string> {
  const { colonies } = await client.call('listColonies');
  const lines = ['The daemon before this one was killed. Everything that it had confirmed is there again:'];
  for (const { id } of colonies) {
    const page = await client.call('readColony', { parts: { colony: id } });
    const leases = Object.values(page.leases).reduce((sum, count) => sum + count, 0);
    const work = [
      countOf(page.landings, 'landing'),
      countOf(page.intents.open ?? 0, 'open intent'),
      `${countOf(leases, 'lease')} with their full time`,
      `${countOf(page.queued, 'proposal')} queued`,
    ];
    lines.push(`  ${id}: ${page.trunk.branch} at ${page.trunk.commit.slice(0, 12)}, ${work.join(', ')}`);
  }
  return `${lines.join('\n')}\n`;
}
