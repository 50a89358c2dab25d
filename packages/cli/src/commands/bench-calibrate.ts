// `firetrident bench calibrate`: fits the simulator's costs to live runs, and says how far it is off at sizes that it was not fitted on.

import type { Calibration } from '@firetrident/bench';
import { Command } from 'commander';
import { writtenProgress } from '../bench-progress.ts';
import { readResultsOf, requireFolderOf, writeResult } from '../bench-result.ts';
import { CommandFailure } from '../failure.ts';
import type { CommandSettings } from '../program.ts';
import { table } from '../render.ts';

interface CalibrateOptions {
  readonly out?: string;
  readonly json?: boolean;
}

/** Sizes without which there is nothing to fit on and nothing to judge by. */
const sizesAtLeast = 4;
/** Error that is wanted at most, in percent. */
const wantedPercent = 10;

/** The command `bench calibrate`. */
export function benchCalibrateCommand(settings: CommandSettings): Command {
  return new Command('calibrate')
    .description('fit the costs of the simulator on every second size of live runs, and print its error at the others')
    .argument('<results...>', 'folders of results of bench live, or single files')
    .option('--out <file>', 'write the result there as JSON')
    .option('--json', 'print JSON')
    .action((places: readonly string[], options: CalibrateOptions) => calibrate(settings, places, options));
}

async function calibrate(
  settings: CommandSettings,
  places: readonly string[],
  options: CalibrateOptions,
): Promise<void> {
  requireFolderOf(settings, options.out);
  const results = await readResultsOf(settings, places);
  const { calibrate: fit, costsText, cycleShapeOf, pointsOf, simulatePoint } = await import('@firetrident/bench');
  const runs = results.flatMap((each) => {
    if (each.kind !== 'live' || each.result.scenario !== 'adding') return [];
    const { agents, landedPerMin, timeToLandMs, plan } = each.result;
    const { openIntents } = plan;
    return [{ agents, landedPerMin, landP50Ms: timeToLandMs.p50, openIntents, ...cycleShapeOf(each.result) }];
  });
  const points = pointsOf(runs);
  if (points.length < sizesAtLeast) {
    throw new CommandFailure(
      `there are live runs of ${points.length} sizes`,
      `run bench live with ${sizesAtLeast} numbers of agents at least, without --hot, --soak and --work-ms`,
    );
  }
  const line = writtenProgress(settings);
  const result = fit(points, simulatePoint, (count, error) =>
    line.show(`${count} costs tried, off by ${(100 * error).toFixed(0)} %`),
  );
  line.end();
  await writeResult(settings, options.out, { bench: 'calibrate', ...result });
  settings.output.write(
    options.json === true ? `${JSON.stringify(result)}\n` : calibrationText(result, costsText(result.costs)),
  );
}

/** The fit as text. */
function calibrationText(result: Calibration, costs: string): string {
  const { points, landedErrorPercent, landErrorPercent } = result;
  const percent = (value: number) => `${value > 0 ? '+' : ''}${value.toFixed(0)} %`;
  const rows = points.map((point) => [
    String(point.agents),
    `${point.runs}, ${point.use}`,
    point.landedPerMin.toFixed(0),
    point.simulatedPerMin.toFixed(0),
    percent(point.landedErrorPercent),
    `${point.landP50Ms.toFixed(0)} ms`,
    `${point.simulatedP50Ms.toFixed(0)} ms`,
    percent(point.landErrorPercent),
  ]);
  const heads = [
    'agents',
    'runs',
    'landings/min MEASURED',
    'SIMULATED',
    'error',
    'to land p50 MEASURED',
    'SIMULATED',
    'error',
  ];
  const within = (value: number) => (value <= wantedPercent ? 'within' : 'not within');
  return [
    table(heads, rows),
    `fitted costs: ${costs}`,
    `median error at the sizes that judge: landings ${landedErrorPercent.toFixed(0)} % (${within(landedErrorPercent)} ${wantedPercent} %), time to land ${landErrorPercent.toFixed(0)} % (${within(landErrorPercent)} ${wantedPercent} %)`,
    '',
  ].join('\n');
}
