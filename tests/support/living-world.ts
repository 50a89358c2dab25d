// What calls have shown of a colony so far: ids, commits, leases and returns, from which further calls are made.

/** A lease as its holder knows it, open or long over. */
export interface KnownLease {
  readonly lease: string;
  readonly epoch: number;
  readonly base: string;
  /** Index of the agent that took it. */
  readonly holder: number;
}

/** Draws of one call: how a random number becomes a choice. */
export class Draws {
  readonly #numbers: readonly number[];
  #next = 0;

  constructor(numbers: readonly number[]) {
    this.#numbers = numbers;
  }

  /** The next number, below a bound. */
  below(bound: number): number {
    const drawn = this.#numbers[this.#next % this.#numbers.length] ?? 0;
    this.#next += 1;
    return (drawn + this.#next) % bound;
  }

  pick<T>(list: readonly T[], otherwise: T): T {
    return list.length === 0 ? otherwise : (list[this.below(list.length)] as T);
  }

  /** One of the last few: what is newest is mostly what still means something. */
  recent<T>(list: readonly T[], otherwise: T): T {
    return this.pick(list.slice(-6), otherwise);
  }
}

const idPattern = /\b(int|agt|lse|prp|lnd|att|prs)_[0-9A-Za-z]+\b/g;

/** Answers after which a lease is of no more use to its holder. */
const isOver = /"ended":|"code":"(stale_epoch|unknown_lease)"|"state":"superseded"/;

/** Grows with every answer. */
export class LivingWorld {
  readonly ids = new Map<string, string[]>();
  readonly commits: string[];
  readonly blobs: string[] = [];
  /** Leases that may still be open, and those that are over. */
  #open: KnownLease[] = [];
  readonly #over: KnownLease[] = [];
  readonly #sentUnder = new Map<string, KnownLease>();
  readonly #returned = new Map<string, KnownLease>();

  constructor(tip: string) {
    this.commits = [tip];
  }

  /** Takes in what an answer to the agent with this index tells. `sentLease` is the lease that the call named. */
  learn(text: string, holder: number, sentLease: string | undefined): void {
    const lease = this.#open.find((one) => one.lease === sentLease);
    if (lease !== undefined && isOver.test(text)) {
      this.#open = this.#open.filter((one) => one !== lease);
      this.#over.push(lease);
    }
    const body = JSON.parse(text);
    if (body.error !== undefined) return;
    for (const [id, prefix = ''] of text.matchAll(idPattern)) this.#keep(prefix, id);
    if (body.lease?.epoch !== undefined) {
      this.#open.push({ lease: body.lease.id, epoch: body.lease.epoch, base: body.base.commit, holder });
    }
    if (body.blob !== undefined) this.blobs.push(body.blob);
    if (body.commit !== undefined) this.commits.push(body.commit);
    if (body.proposal !== undefined && lease !== undefined) this.#sentUnder.set(body.proposal, lease);
    if (body.proposal !== undefined) this.#settle(body.proposal, body.state);
  }

  known(prefix: string): readonly string[] {
    return this.ids.get(prefix) ?? [];
  }

  /** A lease of an agent that is probably open; now and then one that is over, or somebody else's. */
  leaseFor(holder: number, draws: Draws): KnownLease | undefined {
    const own = this.#open.filter((lease) => lease.holder === holder);
    const odd = draws.below(12) === 0 ? [...this.#over.slice(-5), ...this.#open.slice(-5)] : own;
    return odd.length === 0 ? own[0] : odd[draws.below(odd.length)];
  }

  /** A return that came back to an agent, with its lease. */
  returnFor(holder: number, draws: Draws): { readonly proposal: string; readonly lease: KnownLease } | undefined {
    const own = [...this.#returned].filter(([, lease]) => lease.holder === holder).slice(-6);
    const [proposal, lease] = own[draws.below(Math.max(1, own.length))] ?? [];
    return proposal === undefined || lease === undefined ? undefined : { proposal, lease };
  }

  #settle(proposal: string, state: string): void {
    const lease = this.#sentUnder.get(proposal);
    if (lease === undefined) return;
    if (state === 'returned') this.#returned.set(proposal, lease);
    else this.#returned.delete(proposal);
  }

  #keep(prefix: string, id: string): void {
    const list = this.ids.get(prefix) ?? [];
    this.ids.set(prefix, list);
    if (!list.includes(id, -200)) list.push(id);
  }
}
