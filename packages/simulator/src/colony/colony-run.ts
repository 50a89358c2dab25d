// A run of this system from its first agent to the end of its time.
//
//   CR1. The same options give the same tally: nothing is read but the options, the workload and the seed.

import { defined } from '@firetrident/base';
import type { Tally } from '../measure/tally.ts';
import { Backlog } from './backlog.ts';
import { Colony } from './colony.ts';
import { eventKinds } from './event-kinds.ts';
import { Fleet } from './fleet.ts';
import { type ColonyOptions, policyOf } from './options.ts';
import { type CommittedCycle, Writer } from './writer.ts';

/** Time between two looks at what has become due. */
const tickMs = 1_000;
/** Simulated time between two reports of progress. */
const progressMs = 10_000;

class ColonyRun {
  readonly #colony: Colony;
  readonly #backlog: Backlog;
  readonly #fleet: Fleet;
  readonly #writer: Writer;
  /** What is committed and not durable yet (WR2). */
  #untold: CommittedCycle | null = null;
  #isCommitting = false;
  /** Somebody is woken by a commit once it is durable (WR2). */
  #isWakeDue = false;

  constructor(options: ColonyOptions) {
    this.#colony = new Colony(options);
    this.#backlog = new Backlog(this.#colony);
    this.#fleet = new Fleet(this.#colony, this.#backlog);
    this.#writer = new Writer(this.#colony);
    this.#colony.reactions = {
      lanesReady: () => this.#writer.expect(),
      workAvailable: () => {
        if (this.#isCommitting) this.#isWakeDue = true;
        else this.#fleet.expectWake();
      },
    };
  }

  run(): Tally {
    const { queue, tally, options } = this.#colony;
    this.#begin(options);
    let reportedMs = 0;
    while (queue.pop() && queue.atMs < options.durationMs) {
      tally.events += 1;
      this.#happen();
      if (options.progress === undefined || queue.atMs < reportedMs + progressMs) continue;
      reportedMs = queue.atMs;
      options.progress(reportedMs);
    }
    this.#fleet.close();
    this.#backlog.close();
    return tally;
  }

  #begin(options: ColonyOptions): void {
    const { agents, seed, behaviour } = options;
    const { queue } = this.#colony;
    const policy = policyOf(options);
    this.#colony.do({
      kind: 'create-colony',
      id: 'colony',
      branch: 'main',
      tip: 't',
      notes: null,
      packages: [],
      policy,
      seed,
    });
    this.#colony.do({ kind: 'boot' });
    this.#backlog.topUp();
    for (let agent = 0; agent < agents; agent += 1) {
      queue.push(behaviour?.joinsAtMs?.(agent) ?? 0, eventKinds.join, agent, 0);
    }
    queue.push(tickMs, eventKinds.tick, 0, 0);
    if (behaviour?.pausedMs === undefined) return;
    queue.push(behaviour.pausedMs[0], eventKinds.pause, 0, 0);
    queue.push(behaviour.pausedMs[1], eventKinds.resume, 0, 0);
  }

  #happen(): void {
    const { kind, subject, stamp } = this.#colony.queue;
    switch (kind) {
      case eventKinds.cycle:
        this.#writer.begin(stamp);
        break;
      case eventKinds.commit:
        this.#commit();
        break;
      case eventKinds.told:
        this.#told();
        break;
      case eventKinds.wake:
        this.#fleet.wake();
        break;
      case eventKinds.join:
        this.#fleet.join();
        break;
      case eventKinds.tick:
        this.#tick();
        break;
      case eventKinds.pause:
      case eventKinds.resume:
        this.#colony.do({ kind: 'set-paused', paused: kind === eventKinds.pause, tip: this.#colony.state.tip });
        break;
      default:
        this.#fleet.happen(kind, subject, stamp);
    }
  }

  #commit(): void {
    this.#isCommitting = this.#colony.options.costs.durableShare > 0;
    const committed = this.#writer.commit();
    this.#isCommitting = false;
    if (committed.durableInMs === 0) {
      this.#tell(committed);
      return;
    }
    const { queue, now } = this.#colony;
    this.#untold = committed;
    queue.push(now + committed.durableInMs, eventKinds.told, 0, 0);
  }

  /** The commit is durable (WR2). */
  #told(): void {
    const untold = defined(this.#untold, 'a cycle that nobody heard of');
    this.#untold = null;
    this.#tell(untold);
  }

  #tell({ outcomes, headsUps }: CommittedCycle): void {
    if (this.#isWakeDue) this.#fleet.expectWake();
    this.#isWakeDue = false;
    for (const outcome of outcomes) this.#fleet.settle(outcome);
    if (this.#colony.options.switches.headsUp) for (const headsUp of headsUps) this.#fleet.hear(headsUp);
  }

  #tick(): void {
    const { queue, now, options, state, tally } = this.#colony;
    queue.push(now + tickMs, eventKinds.tick, 0, 0);
    for (const event of this.#colony.apply({ kind: 'tick' }).events) {
      if (event.kind === 'intent-opened') this.#backlog.reopen();
    }
    tally.sigma(now, state.sigma, 1);
    options.behaviour?.watch?.(now, this.#fleet.workers);
  }
}

/** Runs this system to the end of its time (CR1). */
export function runColony(options: ColonyOptions): Tally {
  return new ColonyRun(options).run();
}
