// `firetrident bench`: measuring, and comparing in simulated time.

import { Command } from 'commander';
import type { CommandSettings } from '../program.ts';
import { benchAllCommand } from './bench-all.ts';
import { benchCalibrateCommand } from './bench-calibrate.ts';
import { benchCascadeCommand } from './bench-cascade.ts';
import { benchHistoryCommand } from './bench-history.ts';
import { benchHostileCommand } from './bench-hostile.ts';
import { benchLiveCommand } from './bench-live.ts';
import { benchLiveScenarioCommands } from './bench-live-scenarios.ts';
import { benchNotesCheckCommand } from './bench-notes-check.ts';
import { benchPeersCommand } from './bench-peers.ts';
import { benchRecordCommand } from './bench-record.ts';
import { benchReportCommand } from './bench-report.ts';
import { benchSimCommand } from './bench-sim.ts';

/** The command `bench` with what can be measured. */
export function benchCommand(settings: CommandSettings): Command {
  const bench = new Command('bench').description('measure on this machine, and compare policies in simulated time');
  bench.addCommand(benchLiveCommand(settings));
  bench.addCommand(benchPeersCommand(settings));
  bench.addCommand(benchCascadeCommand(settings));
  for (const command of benchLiveScenarioCommands(settings)) bench.addCommand(command);
  bench.addCommand(benchHostileCommand(settings));
  bench.addCommand(benchNotesCheckCommand(settings));
  bench.addCommand(benchSimCommand(settings));
  bench.addCommand(benchHistoryCommand(settings));
  bench.addCommand(benchAllCommand(settings));
  bench.addCommand(benchCalibrateCommand(settings));
  bench.addCommand(benchReportCommand(settings));
  bench.addCommand(benchRecordCommand(settings));
  return bench;
}
