// The open tasks of a simulated colony, as intents.
//
//   BL1. Every open intent stands for one task of the workload, with its written files as predicted paths.
//   BL2. As many tasks are on offer as the options say: whenever one is taken, the next of the stream is opened.

import { defined, type IntentId } from '@firetrident/base';
import type { IntentState } from '@firetrident/core';
import type { Colony } from './colony.ts';
import { intentsAtOnce } from './options.ts';
import type { OpenTask } from './worker.ts';

const noArchive: ReadonlyMap<IntentId, IntentState> = new Map();
const noKeys: ReadonlyMap<string, IntentId> = new Map();

/** All tasks that have not landed yet. */
export class Backlog {
  readonly #colony: Colony;
  readonly #tasks = new Map<IntentId, OpenTask>();
  #onOffer = 0;

  constructor(colony: Colony) {
    this.#colony = colony;
  }

  /** The task of an intent that an agent got. */
  take(intent: IntentId): OpenTask {
    const { tally, now } = this.#colony;
    const open = defined(this.#tasks.get(intent), `the task of ${intent}`);
    if (open.takes === 0) tally.waited(now, open.openedAtMs);
    open.takes += 1;
    this.#onOffer -= 1;
    this.topUp();
    return open;
  }

  /** A task that was taken is open again. */
  reopen(): void {
    this.#onOffer += 1;
  }

  /** A task is done. */
  drop(intent: IntentId): void {
    this.#tasks.delete(intent);
  }

  /** Opens as many tasks as are missing (BL1, BL2). */
  topUp(): void {
    const { options, trunk, now } = this.#colony;
    while (this.#onOffer < options.openTasks) {
      const count = Math.min(intentsAtOnce, options.openTasks - this.#onOffer);
      const tasks = Array.from({ length: count }, () => options.workload.next());
      const drafts = tasks.map((task) => ({
        title: `task ${task.id}`,
        body: '',
        paths: task.files.map((file) => trunk.file(file.path, file.pathId).path),
        priority: 0,
        after: [],
        parent: null,
        labels: [],
        key: null,
      }));
      this.#onOffer += count;
      const { intents } = this.#colony.do({
        kind: 'create-intents',
        drafts,
        archived: noArchive,
        archivedKeys: noKeys,
      });
      for (const [index, { id }] of intents.entries()) {
        const task = defined(tasks[index], 'the task of an intent');
        this.#tasks.set(id, { task, openedAtMs: now, takes: 0, returns: 0 });
      }
    }
  }

  /** Counts the waits of what was never taken, and tells of all that did not land. */
  close(): void {
    const { tally, options } = this.#colony;
    for (const { takes, openedAtMs } of this.#tasks.values()) {
      options.behaviour?.left?.(openedAtMs);
      if (takes === 0) tally.waited(options.durationMs, openedAtMs);
    }
  }
}
