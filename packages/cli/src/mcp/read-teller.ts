// What hooks saw an agent read in the clone where it works, told under its lease before it hands in its change.
//
//   RT1. A take begins a new list: what was read before belongs to other work.
//   RT2. What was read is told as the newest commit of trunk below the files had it, since the clone may be behind.
//   RT3. What cannot be told keeps nobody from proposing.

import { ReadList, tryGit, type WorkTree } from '@firetrident/agents';
import { type Client, ClientError, type McpMessage } from '@firetrident/client';

interface Proposing {
  readonly lease: `lse_${string}`;
  readonly epoch: number;
  readonly base: string | null;
}

/** Tells reads in the name of one agent. */
export class ReadTeller {
  readonly #list: ReadList | null;
  readonly #directory: string;
  readonly #colony: string;
  readonly #client: () => Client;

  /** `clone` is where the agent works; where it or the colony is null there is nothing to tell. */
  constructor(clone: WorkTree | null, colony: string | null, client: () => Client) {
    this.#list = clone === null || colony === null ? null : new ReadList(clone);
    this.#directory = clone?.directory ?? '';
    this.#colony = colony ?? '';
    this.#client = client;
  }

  /** What has to be done before a message is passed on; null when nothing. Never rejects. */
  before(message: McpMessage): Promise<void> | null {
    const list = this.#list;
    if (list === null || message.method !== 'tools/call' || !list.hasMore) return null;
    const { name, arguments: given } = (message.params ?? {}) as { name?: unknown; arguments?: unknown };
    if (name === 'take') list.begin(); // (RT1)
    const proposing = name === 'propose' || name === 'repair' ? proposingOf(given) : null;
    return proposing === null ? null : this.#tell(list, proposing);
  }

  async #tell(list: ReadList, { lease, epoch, base }: Proposing): Promise<void> {
    try {
      const at = await this.#below(base);
      const client = this.#client();
      while (at !== null && list.hasMore) {
        const reads = await list.take(at);
        if (reads.length > 0)
          await client.call('heartbeat', { parts: { colony: this.#colony }, body: { lease, epoch, reads } });
      }
    } catch (error) {
      if (!(error instanceof ClientError)) throw error; // (RT3)
    }
    list.begin();
  }

  /** (RT2) */
  async #below(base: string | null): Promise<string | null> {
    const common = base === null ? null : await tryGit(this.#directory, ['merge-base', 'HEAD', base]);
    return common?.code === 0 ? common.output.toString('utf8').trim() : null;
  }
}

function proposingOf(given: unknown): Proposing | null {
  const { lease, epoch, base } = (given ?? {}) as { lease?: unknown; epoch?: unknown; base?: unknown };
  if (typeof lease !== 'string' || !lease.startsWith('lse_') || typeof epoch !== 'number') return null;
  return { lease: lease as Proposing['lease'], epoch, base: typeof base === 'string' ? base : null };
}
