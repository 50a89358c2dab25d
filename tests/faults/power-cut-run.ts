// One seed of power cuts: a colony under load loses its power at a drawn operation, again and again, and is opened on
// what survived. At the end everything that anybody was told must be true.

import { RandomStream } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import type { MemoryColony } from '../support/memory-colony.ts';
import { type EndReport, endOf, HeardEvents } from './memory-check.ts';
import { MemoryLoad } from './memory-load.ts';
import { MemoryMachine } from './memory-machine.ts';

/** Lives of the machine that end in a cut, per seed. */
const lives = 3;
/** Counted operations of the disk and of the journal in a life that nothing cuts, rounded up. */
const diskOperations = 220;
const journalCommits = 90;
/** Operations within which a cut during recovery comes. */
const recoveryOperations = 14;

/** What a seed showed. */
export interface PowerCutReport extends EndReport {
  /** Branches of recovery that ran, as its log names them. */
  readonly branches: readonly string[];
}

/** Runs one seed; the repository that remains is written to `directory` for stock git. */
export async function powerCutRun(
  seed: number,
  directory: string,
  options: { readonly ignoredSync?: MemoryMachine['ignoredSync'] } = {},
): Promise<PowerCutReport> {
  const run = new PowerCutRun(seed);
  await run.found();
  run.machine.ignoredSync = options.ignoredSync ?? null;
  for (let life = 0; life < lives; life += 1) await run.live();
  return run.finish(directory);
}

class PowerCutRun {
  readonly machine: MemoryMachine;
  readonly #random: RandomStream;
  readonly #load: MemoryLoad;
  readonly #heard = new HeardEvents();
  readonly #branches: string[] = [];

  constructor(seed: number) {
    this.machine = new MemoryMachine(seed);
    this.#random = new RandomStream(seed + 1_000_003);
    this.#load = new MemoryLoad(seed + 2_000_003);
  }

  async found(): Promise<void> {
    const { colony } = await this.#opened();
    await this.machine.drive(this.#load.found(colony));
    await this.#work(colony);
  }

  /** Recovers, perhaps only at the second attempt, works, and is cut off. */
  async live(): Promise<void> {
    if (this.#random.below(3) === 0) {
      this.machine.cutAt({
        at: this.#random.pick(['disk', 'journal']),
        operation: 1 + this.#random.below(recoveryOperations),
      });
      const opened = await this.#open();
      if (opened !== null) await this.machine.drive(this.#load.run(opened.colony, this.machine.clock));
      this.#end();
    }
    await this.#work((await this.#opened()).colony);
  }

  async finish(directory: string): Promise<PowerCutReport> {
    const { colony } = await this.#opened();
    return { ...(await endOf(this.machine, colony, this.#load, this.#heard, directory)), branches: this.#branches };
  }

  /** Works under load, while others push, until the planned end comes or the work is done. */
  async #work(colony: Colony): Promise<void> {
    const at = this.#random.pick(['disk', 'disk', 'journal'] as const);
    const operation = 1 + this.#random.below(at === 'disk' ? diskOperations : journalCommits);
    this.machine.cutAt({ at, operation });
    for (let push = this.#random.below(3); push > 0; push -= 1) this.machine.pushLater(this.#random.below(200));
    await this.machine.drive(this.#load.run(colony, this.machine.clock));
    this.#end();
  }

  /** The power goes, or in one life of four only the process. */
  #end(): void {
    this.machine.cut();
    this.machine.restore(this.#random.below(4) === 0 ? 'kill' : 'power-cut');
  }

  async #opened(): Promise<MemoryColony> {
    const opened = await this.#open();
    if (opened === null) throw new Error('the power went while nothing was planned');
    return opened;
  }

  /** Null when the power went during recovery. */
  async #open(): Promise<MemoryColony | null> {
    const opened = await this.machine.drive(this.machine.open());
    if (opened === null) return null;
    this.#heard.listen(opened.colony);
    this.#branches.push(...opened.log.flatMap((line) => /"branch":"([a-z-]+)"/.exec(line)?.[1] ?? []));
    return opened;
  }
}
