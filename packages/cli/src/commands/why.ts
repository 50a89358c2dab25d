// `firetrident why PATH:LINE`: who made a line, for which intent, on what it stood, and what came back because of what.

import type { Client } from '@firetrident/client';
import type { LandingResponse, WhyResponse } from '@firetrident/protocol';
import { type Command, InvalidArgumentError } from 'commander';
import { chooseColony, connect } from '../connection.ts';
import { type ColonyOptions, colonyCommand } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { type Causes, whyText } from '../why-text.ts';

/** A place in a file: its path in the colony's tree, and the line from 1. */
interface LinePlace {
  readonly path: string;
  readonly line: number;
}

/** Landings that one answer follows back at most. */
const causesMax = 20;

/** The command `why`. */
export function whyCommand(settings: CommandSettings): Command {
  return colonyCommand('why', 'say why a line of trunk is the way it is')
    .argument('<path:line>', 'a path from the root of the repository, and a line', readPlace)
    .action((place: LinePlace, options: ColonyOptions) => why(settings, place, options));
}

function readPlace(text: string): LinePlace {
  const [, path = '', line = ''] = /^(?:\.\/)?(.+):([1-9][0-9]{0,8})$/.exec(text) ?? [];
  if (path === '') throw new InvalidArgumentError('It must be a path and a line, such as src/parse.ts:40.');
  return { path, line: Number(line) };
}

async function why(settings: CommandSettings, place: LinePlace, options: ColonyOptions): Promise<void> {
  const client = connect(settings.configuration, options);
  const colony = await chooseColony(client, options.colony);
  const page = await client.call('why', { parts: { colony }, query: { path: place.path, line: place.line } });
  const causes = await causesOf(client, colony, page);
  if (options.json === true) {
    settings.output.write(`${JSON.stringify({ ...page, causes: [...causes.values()] })}\n`);
    return;
  }
  settings.output.write(whyText(place.path, page, causes));
}

/** The landings that made the line's proposal come back, those that made theirs come back, and so on. */
async function causesOf(client: Client, colony: string, page: WhyResponse): Promise<Causes> {
  const found = new Map<string, LandingResponse>();
  const wanted = causesIn(page.landing);
  for (let id = wanted.shift(); id !== undefined && found.size < causesMax; id = wanted.shift()) {
    if (found.has(id)) continue;
    const landing = await client.call('readLanding', { parts: { colony, landing: id } });
    found.set(id, landing);
    wanted.push(...causesIn(landing));
  }
  return found;
}

function causesIn(landing: LandingResponse | null): string[] {
  return (landing?.returns ?? []).flatMap((past) => past.causes);
}
