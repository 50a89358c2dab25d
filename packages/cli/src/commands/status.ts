// `firetrident status`: one colony at a glance.

import type { ColonyResponse } from '@firetrident/protocol';
import type { Command } from 'commander';
import { chooseColony, connect } from '../connection.ts';
import { type ColonyOptions, colonyCommand } from '../options.ts';
import type { CommandSettings } from '../program.ts';
import { table } from '../render.ts';
import { readWork } from '../work-state.ts';
import { standingText, workClient, workStanding } from '../work-text.ts';

/** The command `status`. */
export function statusCommand(settings: CommandSettings): Command {
  return colonyCommand(
    'status',
    'show a colony at a glance; in a checkout of "take" its work too, whose lease that extends',
  ).action((options: ColonyOptions) => status(settings, options));
}

async function status(settings: CommandSettings, options: ColonyOptions): Promise<void> {
  const { repository } = settings.configuration;
  const isNamed = options.colony !== undefined || options.data !== undefined || options.url !== undefined;
  const work = repository === null || isNamed ? null : readWork(repository);
  const client = work === null ? connect(settings.configuration, options) : workClient(work);
  const colony = work?.colony ?? (await chooseColony(client, options.colony));
  const standing = work === null ? null : await workStanding(work);
  const page = await client.call('readColony', { parts: { colony } });
  if (options.json === true) {
    settings.output.write(`${JSON.stringify(standing === null ? page : { ...page, work: standing })}\n`);
    return;
  }
  settings.output.write(`${standing === null ? '' : `${standingText(standing)}\n`}${statusText(page)}`);
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
  for (const { proposal, region, until, held } of page.reservations) {
    const waiting = held === 0 ? '' : `; ${held} ${held === 1 ? 'proposal waits' : 'proposals wait'} for it`;
    lines.push(`Reserved: what ${proposal} in ${region} needs to land, until ${until} at the latest${waiting}`);
  }
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
