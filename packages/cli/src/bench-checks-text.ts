// What was to be shown, line by line, and whether it was.

import type { ScenarioReport } from '@firetrident/bench';
import type { Expectation } from '@firetrident/simulator';
import { coloursFor } from './render.ts';

const numberText = (value: number) => String(Number(value.toFixed(2)));

/** Checks as aligned lines, those that do not hold in red. */
export function checksText(checks: readonly Expectation[], colour: boolean): string {
  const { green, red } = coloursFor(colour);
  const width = Math.max(...checks.map(({ name }) => name.length));
  return checks
    .map(({ name, value, sign, bound, holds }) => {
      const verdict = holds ? green('holds') : red('fails');
      return `${verdict}  ${name.padEnd(width)}  ${numberText(value)} ${sign} ${bound}\n`;
    })
    .join('');
}

/** Scenarios with their stories, checks and figures. */
export function scenariosText(reports: readonly ScenarioReport[], colour: boolean): string {
  return reports
    .map((report) => {
      const { scenario, agents, seed, durationMs, story, expectations, figures } = report;
      const conditions = `SIMULATED: ${agents} agents, seed ${seed}, ${durationMs / 1_000} s`;
      const counted = Object.entries(figures).map(([name, value]) => `${name} ${numberText(value)}`);
      return `${scenario}: ${story}\n${conditions}\n${checksText(expectations, colour)}${counted.join(', ')}\n`;
    })
    .join('\n');
}
