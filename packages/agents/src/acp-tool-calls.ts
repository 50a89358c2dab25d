// What an agent's tool calls say over the Agent Client Protocol. A call is announced first; what it is and where it acts may
// only come with a later update, once the agent has its model's whole input.
//
//   AT1. A place is told once for each call, as soon as the agent names it. A call that ends without one is told by its title.

import type { ToolCall, ToolCallUpdate } from '@agentclientprotocol/sdk/unstable';
import type { Activity } from './driver.ts';

interface KnownCall {
  readonly kind: string;
  readonly title: string;
  /** Places that were told. */
  readonly told: Set<string>;
  /** Whether it was told without a place. */
  isNamed: boolean;
}

/** Kinds that act on the files at their places. */
const fileKinds: Readonly<Record<string, 'read' | 'edit'>> = {
  read: 'read',
  edit: 'edit',
  delete: 'edit',
  move: 'edit',
};

/** The calls of one turn. */
export class AcpToolCalls {
  readonly #calls = new Map<string, KnownCall>();

  /** What an announcement or an update says that was not known. */
  hear(update: ToolCall | ToolCallUpdate): Activity[] {
    const { toolCallId, locations, status } = update;
    const before = this.#calls.get(toolCallId);
    const call: KnownCall = {
      told: new Set(),
      isNamed: false,
      ...before,
      kind: update.kind ?? before?.kind ?? 'other',
      title: update.title ?? before?.title ?? 'tool',
    };
    this.#calls.set(toolCallId, call);
    const kind = fileKinds[call.kind];
    const paths = (locations ?? []).map(({ path }) => path).filter((path) => !call.told.has(path));
    if (kind !== undefined && paths.length > 0) {
      for (const path of paths) call.told.add(path); // (AT1)
      return [...new Set(paths)].map((path) => ({ kind, path }));
    }
    const isOver = status === 'completed' || status === 'failed';
    // A tool for files may name its places yet; any other is known by its name.
    const isDue = kind === undefined ? before === undefined || isOver : isOver;
    if (!isDue || call.isNamed || call.told.size > 0) return [];
    call.isNamed = true;
    return [{ kind: 'tool', name: call.title }];
  }
}
