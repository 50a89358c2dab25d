// Workloads and options for tests of the peers, written out task by task.

import type { PolicyOptions } from '../policy.ts';
import type { Task, TaskFile, Workload } from '../workload/task.ts';

/** What a task of a test writes, reads, and how long it takes. Files are numbers; `lines` is where each is changed. */
export type TaskDraft = { writes: number[]; reads?: number[]; workMs: number; line?: number; symbols?: string[] };

const pathOf = (pathId: number) => `d${pathId}/f${pathId}.ts`;

/** A task from its draft. */
export function taskOf(draft: TaskDraft, id: number): Task {
  const line = draft.line ?? 1;
  const symbols = draft.symbols ?? ['all'];
  const files = draft.writes.map(
    (pathId): TaskFile => ({ path: pathOf(pathId), pathId, status: 'M', hunks: [[line, 1, line, 1]], symbols }),
  );
  const reads = (draft.reads ?? []).map((pathId) => ({ path: pathOf(pathId), pathId, symbols: ['all'] }));
  return { id, title: `task ${id}`, workMs: draft.workMs, files, reads };
}

/** A stream of the drafts over and over again. */
export function workloadOf(drafts: readonly TaskDraft[]): Workload {
  let drawn = 0;
  return {
    pathCount: 100,
    next: () => {
      drawn += 1;
      return taskOf(drafts[(drawn - 1) % drafts.length] as TaskDraft, drawn - 1);
    },
  };
}

/** Options of a run without warm-up. */
export function optionsOf(agents: number, durationMs: number, drafts: readonly TaskDraft[]): PolicyOptions {
  return { agents, seed: 1, durationMs, warmupMs: 0, workload: workloadOf(drafts), openTasks: 8, redoShare: 0.1 };
}
