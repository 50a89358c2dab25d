// A simulated colony: the production core with its clock, its trunk and what is counted.
//
// The core decides everything that it decides in the daemon. Simulated are the agents, the bytes, the clock and the costs.
//
//   CY1. Nothing of a command outlives it: events and effects are dropped as soon as they were acted upon.

import { assert } from '@firetrident/base';
import { type Applied, apply, type ColonyState, type Command, emptyState, type Replies } from '@firetrident/core';
import { EventQueue } from '../events/event-queue.ts';
import { Tally } from '../measure/tally.ts';
import type { ColonyOptions } from './options.ts';
import { Trunk } from './trunk-facts.ts';

/** What the effects of a command ask of the parts of a simulated colony. */
export interface Reactions {
  /** Lanes hold work. */
  readonly lanesReady: () => void;
  /** Something could be taken. */
  readonly workAvailable: () => void;
}

/** The core at work in simulated time. */
export class Colony {
  readonly options: ColonyOptions;
  readonly state: ColonyState = emptyState();
  readonly queue: EventQueue = new EventQueue();
  readonly trunk: Trunk = new Trunk();
  readonly tally: Tally;
  reactions: Reactions | null = null;

  constructor(options: ColonyOptions) {
    this.options = options;
    this.tally = new Tally(options);
  }

  /** Simulated time. */
  get now(): number {
    return this.queue.atMs;
  }

  /** Applies a command and does what its effects ask (CY1). */
  apply<C extends Command>(command: C): Applied<C['kind']> {
    const applied = apply(this.state, command, this.now);
    this.options.behaviour?.happened?.(applied.events);
    for (const effect of applied.effects) {
      if (effect.kind === 'lanes-ready') this.reactions?.lanesReady();
      else if (effect.kind === 'work-available') this.reactions?.workAvailable();
    }
    return applied;
  }

  /** Applies a command that cannot be refused. */
  do<C extends Command>(command: C): Replies[C['kind']] {
    const { reply } = this.apply(command);
    assert(reply.ok, `${command.kind} is not refused: ${JSON.stringify(reply)}`);
    return reply.value as Replies[C['kind']];
  }
}
