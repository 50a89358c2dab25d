// Agents that print what they do as lines of JSON: the prompt goes to standard input, the lines are read as they come.

import { createInterface } from 'node:readline';
import type { TurnEnd, TurnSettings } from './driver.ts';
import { type Heard, hearLine } from './jsonl-shapes.ts';
import { startGroup } from './process-group.ts';

/** Runs one turn. Rejects with CommandUnusableError alone. */
export async function runJsonlTurn(settings: TurnSettings): Promise<TurnEnd> {
  const { prompt, onActivity } = settings;
  const { child, ended } = startGroup({ ...settings, shell: false, keepsOutput: true });
  let usage: TurnEnd['usage'] = null;
  let problem: string | null = null;
  const hear = (heard: Heard) => {
    for (const activity of heard.activities) onActivity(activity);
    if (heard.usage !== null) {
      // An agent with several turns tells of each; one that tells of the whole does so once.
      const { tokens, costUsd } = heard.usage;
      usage = { tokens: (usage?.tokens ?? 0) + tokens, costUsd: costUsd ?? usage?.costUsd ?? null };
    }
    if (heard.outcome !== null) problem = heard.outcome.problem;
  };
  const lines = createInterface({ input: child.stdout, crlfDelay: Number.POSITIVE_INFINITY });
  lines.on('line', (line) => hear(hearLine(line)));
  child.stdin.end(prompt);
  const end = await ended;
  return { ...end, usage, problem };
}
