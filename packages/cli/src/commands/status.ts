// `firetrident status`: one colony at a glance.

import type { ColonyResponse } from '@firetrident/protocol';
import type { Command } from 'commander';
import { chooseColony, connect } from '../connection.ts';
import { type ColonyOptions, colonyCommand } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { table } from '../render.ts';

/** The command `status`. */
export function statusCommand(settings: CommandSettings): Command {
  return colonyCommand('status', 'show a colony at a glance').action((options: ColonyOptions) =>
    status(settings, options),
  );
}

async function status(settings: CommandSettings, options: ColonyOptions): Promise<void> {
  const client = connect(settings.configuration, options);
  const colony = await chooseColony(client, options.colony);
  const page = await client.call('readColony', { parts: { colony } });
  settings.output.write(options.json === true ? `${JSON.stringify(page)}\n` : statusText(page));
}

/** The page of a colony as text. */
export function statusText(page: ColonyResponse): string {
  const counts = (counters: Readonly<Record<string, number>>) =>
    Object.entries(counters)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `${count} ${name}`)
      .join(', ') || 'none';
  const { trunk } = page;
  const frozen = trunk.rewoundTo !== null ? ', frozen: rewritten by someone else' : trunk.paused ? ', paused' : '';
  const lines = [
    `Colony ${page.id}: ${trunk.branch} at ${trunk.commit.slice(0, 12)}${frozen}`,
    `Repository: ${page.repository}`,
    `Intents: ${counts(page.intents)}`,
    `Agents: ${counts(page.agents)}`,
    `Proposals: ${counts(page.proposals)}`,
    `Landings: ${page.landings}, queued now: ${page.queued}`,
  ];
  if (page.attention > 0) lines.push(`Waiting for a person: ${page.attention}`);
  if (page.cycle.cycles > 0) {
    lines.push(
      `Last cycles: ${page.cycle.cycleMs.toFixed(1)} ms, ${page.cycle.proposalsPerCycle.toFixed(1)} proposals each`,
    );
  }
  const busy = page.regions.filter((region) => region.claims > 0 || region.inFlight > 0 || region.queued > 0);
  const rows = busy.map((region) => [
    region.region,
    String(region.inFlight),
    String(region.queued),
    String(region.claims),
  ]);
  const regions = rows.length === 0 ? '' : `\n${table(['region', 'in flight', 'queued', 'claims'], rows)}`;
  return `${lines.join('\n')}\n${regions}`;
}
