// `firetrident bench sim --scenario`: stories that have gone wrong elsewhere, told to a simulated colony, with what must hold.

import { scenariosText } from '../bench-checks-text.ts';
import { writtenProgress } from '../bench-progress.ts';
import { writeResult } from '../bench-result.ts';
import { exitCodes } from '../exit-codes.ts';
import { CommandFailure } from '../failure.ts';
import type { CommandSettings } from '../program.ts';
import { interruption } from '../serving.ts';

/** Which scenarios, and where the result goes. */
export interface ScenarioChoice {
  readonly names: readonly string[];
  readonly seeds: readonly number[];
  /** As many as each story wants when null. */
  readonly agents: number | null;
  readonly jobs: number;
  readonly out: string | undefined;
  readonly json: boolean;
}

/** Runs scenarios; the exit code says whether all of them held. */
export async function runScenarioChoice(settings: CommandSettings, choice: ScenarioChoice): Promise<void> {
  const { seeds, agents, jobs } = choice;
  const names = await readNames(choice.names);
  const { runScenarios, RunFailedError } = await import('@firetrident/bench');
  const line = writtenProgress(settings);
  const stopping = interruption();
  const progress = (name: string) => line.show(`running ${name}`);
  try {
    const scenarios = await runScenarios({ names, seeds, agents }, { jobs, signal: stopping.signal, progress });
    line.end();
    const failed = scenarios.flatMap(({ expectations }) => expectations).filter(({ holds }) => !holds).length;
    await writeResult(settings, choice.out, { scenarios, failed });
    const report = `${JSON.stringify({ scenarios, failed })}\n`;
    settings.output.write(choice.json ? report : scenariosText(scenarios, settings.configuration.colour));
    if (failed > 0) settings.end(exitCodes.failure);
  } catch (error) {
    if (stopping.signal.aborted)
      throw new CommandFailure('interrupted: nothing was written', '', exitCodes.interrupted);
    if (error instanceof RunFailedError) throw new CommandFailure(error.message, 'run it alone with --jobs 1');
    throw error;
  } finally {
    line.end();
    stopping.forget();
  }
}

async function readNames(names: readonly string[]) {
  const { scenarioNames } = await import('@firetrident/simulator');
  const wanted = names.flatMap((name): readonly string[] => (name === 'all' ? scenarioNames : [name]));
  return wanted.map((name) => {
    const scenario = scenarioNames.find((each) => each === name);
    if (scenario !== undefined) return scenario;
    throw new CommandFailure(`there is no scenario ${JSON.stringify(name)}`, `choose from ${scenarioNames.join(', ')}`);
  });
}
