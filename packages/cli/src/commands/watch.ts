// `firetrident watch`: what happens in a colony, as it happens.

import { Client, openLive } from '@firetrident/client';
import type { LiveFrame } from '@firetrident/protocol';
import type { Command } from 'commander';
import { chooseColony, daemonAccess } from '../connection.ts';
import { liveText } from '../live-text.ts';
import { type ColonyOptions, colonyCommand, numberOption } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { coloursFor } from '../render.ts';
import { aborted, interruption } from '../serving.ts';

interface WatchOptions extends ColonyOptions {
  readonly after?: number;
}

/** The command `watch`. */
export function watchCommand(settings: CommandSettings): Command {
  return colonyCommand('watch', 'print what happens in a colony until Ctrl-C')
    .addOption(
      numberOption('--after <sequence>', 'first replay what came after this; 0 replays everything', 0, 2 ** 49),
    )
    .action((options: WatchOptions) => watch(settings, options));
}

async function watch(settings: CommandSettings, options: WatchOptions): Promise<void> {
  const { configuration, output, errors } = settings;
  const stopping = interruption();
  const access = daemonAccess(configuration, options);
  const client = new Client(access);
  const colony = await chooseColony(client, options.colony);
  // A wrong token or colony is told here, once, and not by a stream that opens again and again.
  await client.call('readColony', { parts: { colony } });
  const { gray } = coloursFor(configuration.colour);
  const print = (frame: LiveFrame) => {
    if (options.json === true) {
      output.write(`${JSON.stringify(frame)}\n`);
      return;
    }
    const text = liveText(frame);
    if (text !== null) output.write(`${gray(`${frame.at.slice(11, 23)} ${frame.seq}`)} ${text}\n`);
  };
  const live = openLive({
    ...access,
    colony,
    ...(options.after === undefined ? {} : { after: options.after }),
    onFrame: print,
    onBreak: (reason) => errors.write(`the stream broke (${reason}); opening it again\n`),
  });
  await aborted(stopping.signal);
  live.close();
}
