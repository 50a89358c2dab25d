// One run of a fleet with its progress on the screen: what `run` and `start` have in common.

import { join } from 'node:path';
import {
  type CheckoutLimits,
  type DriverName,
  type HeadsUpPolicy,
  type PermissionPolicy,
  runFleet,
} from '@firetrident/agents';
import type { Client } from '@firetrident/client';
import { FleetProgress } from './fleet-progress.ts';
import { type FleetFigures, FleetTally } from './fleet-tally.ts';
import type { CommandSettings } from './program.ts';
import { coloursFor } from './render.ts';

/** What a fleet is to do. */
export interface FleetRun {
  readonly client: Client;
  readonly colony: string;
  readonly agents: number;
  readonly command: readonly string[];
  readonly driver?: DriverName;
  readonly permissions?: PermissionPolicy;
  readonly labels: readonly string[];
  /** The data directory; the fleet works in a folder of it. */
  readonly data: string;
  readonly timeoutMs: number;
  readonly maxRepairs: number;
  readonly headsUp?: HeadsUpPolicy;
  readonly sparse?: boolean;
  readonly spare?: number | undefined;
  readonly limits?: CheckoutLimits;
  readonly signal: AbortSignal;
}

/** What a fleet came to, and how long it took. */
export interface FleetResult extends FleetFigures {
  readonly wallMs: number;
}

/** Runs the fleet to its end; progress goes to standard error. */
export async function runWithProgress(settings: CommandSettings, run: FleetRun): Promise<FleetResult> {
  const { client, colony } = run;
  const { intents } = await client.call('readColony', { parts: { colony } });
  const total = (intents.open ?? 0) + (intents.taken ?? 0) + (intents.proposed ?? 0);
  const tally = new FleetTally();
  const { interactiveErrors, colourErrors } = settings.configuration;
  const elapsedMs = () => performance.now();
  const startedMs = elapsedMs();
  const progress = new FleetProgress({
    stream: settings.errors,
    interactive: interactiveErrors,
    colours: coloursFor(colourErrors),
    tally,
    total,
    elapsedMs,
  });
  try {
    await runFleet({
      ...run,
      directory: join(run.data, 'agents', colony),
      onEvent: (event) => {
        tally.add(event);
        progress.show(event);
      },
    });
  } finally {
    progress.close();
  }
  return { ...tally.figures(), wallMs: elapsedMs() - startedMs };
}
