// The process that carries a part of the fleet: begins its agents over the ramp, tells how it goes, and sums up.
//
//   LE1. Agents of all processes begin evenly over the ramp, interleaved.
//   LE2. Without the process that started it, it ends.

import { RandomStream } from '@firetrident/base';
import { kindOf, LoadAgent, type LoadSurroundings } from './load-agent.ts';
import type { LivePlan } from './plan.ts';
import { RunEnd } from './run-end.ts';
import { LoadTally, type TallyReport, type TallySpan } from './tally.ts';

/** What the process is sent at its beginning. */
export interface LoadRequest {
  readonly plan: LivePlan;
  readonly url: string;
  readonly adminToken: string;
  readonly colony: string;
  /** Which of the plan's workers this is, from 0. */
  readonly worker: number;
  readonly span: TallySpan;
}

/** What the process is sent: its task, then that the run is over. */
export type LoadMessage = { readonly kind: 'begin'; readonly request: LoadRequest } | { readonly kind: 'stop' };

/** How it goes, in all of the run so far. */
export interface LoadProgress {
  readonly calls: number;
  readonly errors: number;
  readonly taken: number;
  readonly landed: number;
  readonly agents: number;
}

/** What the process sends: first that it can begin. */
export type LoadReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'progress'; readonly progress: LoadProgress }
  | { readonly kind: 'done'; readonly tally: TallyReport; readonly cpuSeconds: number };

const progressMs = 250;
/** How long loops that are under way may take to end. */
const drainMs = 5_000;
/** Agents that are ended at the same time. */
const endedTogether = 64;

class LoadProcess {
  readonly #request: LoadRequest;
  readonly #tally: LoadTally;
  readonly #over = new RunEnd();
  readonly #agents: LoadAgent[] = [];
  readonly #runs: Promise<void>[] = [];

  constructor(request: LoadRequest) {
    this.#request = request;
    this.#tally = new LoadTally(request.span);
  }

  begin(): void {
    const { plan, worker, span } = this.#request;
    for (let number = worker; number < plan.agents; number += plan.workers) {
      // (LE1)
      const beginsAt = span.beganAt + (plan.rampMs * number) / plan.agents;
      setTimeout(() => this.#runs.push(this.#runAgent(number)), Math.max(0, beginsAt - Date.now()));
    }
    setInterval(() => this.#tellProgress(), progressMs).unref();
  }

  async stop(): Promise<void> {
    this.#over.end();
    await Promise.race([Promise.all(this.#runs), new Promise((resolve) => setTimeout(resolve, drainMs))]);
    this.#tellProgress();
    const ending = [...this.#agents];
    const endSome = async () => {
      for (let agent = ending.pop(); agent !== undefined; agent = ending.pop()) {
        // An agent that cannot be ended ends with its lease.
        await agent.end().catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: endedTogether }, endSome));
    const { user, system } = process.cpuUsage();
    tell({ kind: 'done', tally: this.#tally.report(), cpuSeconds: (user + system) / 1e6 });
  }

  async #runAgent(number: number): Promise<void> {
    const { plan, url, adminToken, colony } = this.#request;
    const draws = new RandomStream(plan.seed + number);
    const [tally, over] = [this.#tally, this.#over];
    const shared: LoadSurroundings = { url, adminToken, colony, plan, tally, draws, over };
    try {
      const agent = await LoadAgent.begin(shared, number);
      tally.called();
      this.#agents.push(agent);
      await agent.run();
    } catch (error) {
      if (!over.isOver) tally.failed(kindOf(error));
    }
  }

  #tellProgress(): void {
    const { allCalls: calls, allErrors: errors, allTaken: taken, allLanded: landed } = this.#tally;
    tell({ kind: 'progress', progress: { calls, errors, taken, landed, agents: this.#agents.length } });
  }
}

function tell(report: LoadReport): void {
  process.send?.(report);
}

let load: LoadProcess | null = null;
process.on('message', (message: LoadMessage) => {
  if (message.kind === 'begin') {
    load = new LoadProcess(message.request);
    load.begin();
  } else void load?.stop().then(() => process.disconnect());
});
// (LE2)
process.on('disconnect', () => process.exit());
tell({ kind: 'ready' });
