// `firetrident up`: serves the colonies of a data directory until it is told to stop.

import { rmSync, writeFileSync } from 'node:fs';
import { startDaemon } from '@firetrident/daemon';
import { Command } from 'commander';
import { daemonFile } from '../connection.ts';
import type { CommandSettings } from '../program.ts';

interface UpOptions {
  readonly data?: string;
  readonly port?: string;
  readonly host?: string;
  readonly logLevel?: string;
  readonly json?: boolean;
}

export function upCommand(settings: CommandSettings): Command {
  return new Command('up')
    .description('serve the colonies of a data directory until SIGTERM or Ctrl-C')
    .option('--data <directory>', 'where everything is kept (default: .firetrident of the current repository)')
    .option('--port <number>', 'TCP port; 0 takes any free one (default: 7400, or a free one when that is taken)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1)')
    .option('--log-level <level>', 'debug, info, warn, error or silent')
    .option('--json', 'print one line of JSON with url, adminToken and pid when it serves')
    .action((options: UpOptions) => up(settings, options));
}

async function up(settings: CommandSettings, options: UpOptions): Promise<void> {
  const data = options.data ?? settings.configuration.data;
  const daemon = await startDaemon({
    data,
    ...(options.port === undefined ? {} : { port: Number(options.port) }),
    ...(options.host === undefined ? {} : { host: options.host }),
    ...(options.logLevel === undefined ? {} : { logLevel: options.logLevel as 'info' }),
  });
  const file = daemonFile(data);
  writeFileSync(file, `${JSON.stringify({ url: daemon.url, pid: daemon.processId })}\n`);
  const { output } = settings;
  if (options.json === true) {
    output.write(`${JSON.stringify({ url: daemon.url, adminToken: daemon.adminToken, pid: daemon.processId })}\n`);
  } else {
    output.write(`FireTrident serves at ${daemon.url}\nData: ${daemon.configuration.data}\nStop with Ctrl-C.\n`);
  }
  await stopSignal();
  rmSync(file, { force: true });
  await daemon.stop();
}

/** Resolves at the first SIGTERM or SIGINT. */
function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    process.once('SIGTERM', () => resolve());
    process.once('SIGINT', () => resolve());
  });
}
