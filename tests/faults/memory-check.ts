// What must be true at the end of a run in memory: of the state, of the events that were heard, of the repository.

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkInvariants } from '@firetrident/core';
import type { Colony } from '@firetrident/engine';
import { preservedPrefix } from '@firetrident/trunk';
import type { MemoryLoad } from './memory-load.ts';
import { type MemoryMachine, repositoryFiles } from './memory-machine.ts';
import { type Ending, repositoryViolations } from './repository-check.ts';

/** How long the last proposals may take to settle, virtual milliseconds. */
const settleMs = 300_000;

/** Every event that was heard as durable, by its place in the log. */
export class HeardEvents {
  readonly #events = new Map<number, string>();

  listen(colony: Colony): void {
    colony.subscribe((events) => {
      for (const { sequence, event } of events) this.#events.set(sequence, JSON.stringify(event));
    });
  }

  /** What was heard and is not in the log any more, whose bodies are given in order. */
  violations(log: readonly string[]): string[] {
    return [...this.#events].flatMap(([sequence, event]) =>
      log[sequence - 1] === event ? [] : [`event ${sequence} was ${event} and is now ${log[sequence - 1]}`],
    );
  }
}

/** What a run showed. */
export interface EndReport {
  readonly violations: readonly string[];
  /** Acknowledged proposals, and how many of them stand on trunk. */
  readonly acknowledged: number;
  readonly landed: number;
}

/** Lets everything settle, closes the colony, and checks it with the repository, which is written to `directory`. */
export async function endOf(
  machine: MemoryMachine,
  colony: Colony,
  load: MemoryLoad,
  heard: HeardEvents,
  directory: string,
): Promise<EndReport> {
  await machine.drive(load.settle(colony, settleMs));
  const found = [...checkInvariants(colony.state)];
  if (colony.state.preserving.size > 0) found.push('something is still to be preserved');
  const preserved = [...colony.state.preserved.values()].map(({ id, commit }) => ({
    ref: `${preservedPrefix}${id}`,
    commit: commit ?? 'anywhere yet',
  }));
  await machine.drive(colony.close());
  found.push(...heard.violations(await machine.log()));
  const repository = join(directory, 'trunk.git');
  // An empty folder of refs is part of a repository, and files alone would not bring it.
  mkdirSync(join(repository, 'refs'), { recursive: true });
  for (const [path, bytes] of repositoryFiles(machine.disk)) {
    mkdirSync(dirname(join(repository, path)), { recursive: true });
    writeFileSync(join(repository, path), bytes);
  }
  const endings: Ending[] = [];
  for (const { proposal, path, content, outcome } of load.told.values()) {
    if (outcome === null) found.push(`${proposal} was acknowledged and has no outcome`);
    else {
      const commit = outcome.state === 'landed' ? outcome.commit : null;
      endings.push({ proposal, state: outcome.state, commit, path, content });
    }
  }
  found.push(...repositoryViolations(repository, endings, preserved));
  const landed = endings.filter(({ state }) => state === 'landed').length;
  return { violations: found, acknowledged: load.told.size, landed };
}
