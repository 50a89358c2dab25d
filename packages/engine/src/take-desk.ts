// Takes that wait for work: parked, and woken in order of arrival when something could be taken.
//
// Invariants:
//   TD1. An agent has one take under way at most.
//   TD2. A wake-up tries the parked takes oldest first and stops as soon as an unfiltered one finds nothing, so that
//        thousands of waiting agents cost nothing while there is no work.
//   TD3. A take whose client has gone waits no more, and a lease that was given to it is given back.
//   TD4. While somebody waits and time alone may make something takeable, the colony is asked so once in a while: not
//        each agent.
//   TD5. While as many takes as may be are under way until their grants are durable, unnamed ones that may wait queue for
//        their turn, behind those that queue already; that is not a wait for work, and is not told as one.
//   TD6. While the colony as a whole takes on no more, whoever comes waits behind those who wait already.
//   TD7. A grant tells the time for which its take waited for work: until the wake-up that ended with the grant. What comes
//        after that, also behind others whom the same wake-up reached first, is no wait for work.
//   TD8. A wake-up that finds work for many goes on in turns, and holds up nobody else for long.

import { type AgentId, no, ok } from '@firetrident/base';
import { type CommandOf, type Refusal, type WaitReason, waitsForTime } from '@firetrident/core';
import type { TakeAnswer, TakeRequest } from './colony.ts';
import { ParkedTake, type TakeOutcome, unheard } from './parked-take.ts';
import type { Clock } from './ports.ts';
import type { Session, Submitted } from './session.ts';

/** Filtered takes tried in one wake-up after an unfiltered one found nothing (TD2). */
const filteredLooks = 64;
/** Takes that one turn of a wake-up gives work to; the rest have theirs right after what came meanwhile. */
const grantsPerTurn = 32;
/** Pause between two looks at what time may have made takeable (TD4). */
const lookEveryMs = 1_000;

export class TakeDesk {
  readonly #clock: Clock;
  /** The session that serves; null while there is none. */
  readonly #session: () => Session | null;
  readonly #parked = new Map<AgentId, ParkedTake>();
  /** Agents whose take is under way, parked or not (TD1). */
  readonly #taking = new Set<AgentId>();
  #inFlight = 0;
  /** Parked takes that wait for their turn only (TD5). */
  #turns = 0;
  /** Whether the colony took on no more when it was last asked (TD6). */
  #isBehind = false;
  /** When the wake-up began that too many takes under way have cut short, and that goes on when one is not (TD5, TD7). */
  #cutShortSince: number | null = null;
  /** When the wake-up that is about to begin was asked for; null while none is. */
  #wakePlannedAt: number | null = null;
  #lookPlanned = false;

  constructor(clock: Clock, session: () => Session | null) {
    this.#clock = clock;
    this.#session = session;
  }

  /** Agents that wait now. */
  get waiting(): number {
    return this.#parked.size;
  }

  take(request: TakeRequest): Promise<TakeOutcome> {
    const { agent } = request;
    // (TD1)
    if (this.#taking.has(agent)) return Promise.resolve(ok(waitAnswer('take already in progress', 1_000)));
    this.#taking.add(agent);
    // One promise from here to the answer: a chain of them for each agent that waits would be most of its memory.
    return new Promise((resolve, reject) => {
      const answer = (outcome: TakeOutcome) => {
        this.#taking.delete(agent);
        resolve(outcome);
      };
      this.#take(request, answer).catch((error: unknown) => {
        this.#taking.delete(agent);
        reject(error);
      });
    });
  }

  /** Answers the take, or parks it. */
  async #take(request: TakeRequest, answer: (outcome: TakeOutcome) => void): Promise<void> {
    const mayQueue = request.waitMs > 0 && request.intent === null;
    const isQueue = this.#parked.size > 0 && (this.#isBehind || this.#cutShortSince !== null);
    if (mayQueue && isQueue)
      this.#park(request, this.#isBehind ? this.#clock.now() : null, answer); // (TD6)
    else if (mayQueue && this.#isFull)
      this.#park(request, null, answer); // (TD5)
    else {
      const first = await this.#try(request);
      if (!first.ok || first.value.kind !== 'wait' || request.waitMs === 0) {
        answer(first);
        return;
      }
      this.#isBehind = behindReasons.has(first.value.reason);
      this.#park(request, first.value.reason === turnReason ? null : this.#clock.now(), answer);
    }
  }

  /** Whether no further take may be scored now. */
  get #isFull(): boolean {
    const limit = this.#session()?.state.policy.limits.takesInFlight ?? 0;
    return this.#inFlight >= limit || (this.#turns > 0 && this.#inFlight > 0);
  }

  /** Something may be takeable: wakes parked takes soon, once for many reasons of one moment. */
  wake(): void {
    if (this.#wakePlannedAt !== null || this.#parked.size === 0) return;
    const now = this.#clock.now();
    this.#wakePlannedAt = now;
    this.#clock.after(0, () => {
      this.#wakePlannedAt = null;
      const session = this.#session();
      if (session !== null && !session.over) this.#wakeNow(session, this.#cutShortSince ?? now);
    });
  }

  /** Answers everybody with their reason to wait. */
  releaseAll(): void {
    for (const parked of [...this.#parked.values()]) this.#timeOut(parked);
  }

  /** `begunAt` is when this wake-up began, or the one that was cut short and that this one continues (TD7). */
  #wakeNow(session: Session, begunAt: number): void {
    let looks = filteredLooks;
    let grants = 0;
    this.#isBehind = false;
    this.#cutShortSince = null;
    // Those that are woken leave the map meanwhile, and none joins it.
    for (const parked of this.#parked.values()) {
      // (TD8)
      if (grants === grantsPerTurn) {
        this.#cutShortSince = begunAt;
        this.wake();
        return;
      }
      const filtered = parked.request.paths.length + parked.request.labels.length > 0 || parked.request.intent !== null;
      if (looks < filteredLooks && !filtered) continue;
      const submitted = this.#submit(session, parked.request);
      if (submitted.reply.ok && submitted.reply.value.kind === 'wait') {
        const { reason } = submitted.reply.value;
        // (TD5)
        if (reason === turnReason) {
          this.#cutShortSince = begunAt;
          return;
        }
        this.#waitForWork(parked);
        parked.triedAt = this.#clock.now();
        if (behindReasons.has(reason)) {
          this.#isBehind = true;
          this.#allWaitForWork();
          return;
        }
        // Whoever comes behind one that takes anything has nothing to wait a turn for.
        if (!filtered) this.#allWaitForWork();
        if (looks === 0) return;
        if (!filtered || looks < filteredLooks) looks -= 1;
        continue;
      }
      this.#unpark(parked);
      grants += 1;
      const waitedMs = this.#waitedMs(parked, begunAt);
      answerWith(parked, this.#finish(session, submitted, parked.request, waitedMs));
    }
  }

  #park(request: TakeRequest, since: number | null, answer: (outcome: TakeOutcome) => void): void {
    // (TD3)
    if (request.gone?.aborted === true) {
      answer(ok(unheard));
      return;
    }
    this.#parked.set(request.agent, new ParkedTake(request, since, answer, this.#unpark, this.#beginTimeOut));
    if (since === null) this.#turns += 1;
    this.#lookLater();
  }

  /** Lets the colony see that time has passed while anybody waits for just that; a tick wakes whom it concerns (TD4). */
  #lookLater(): void {
    const waiting = this.#session();
    if (this.#lookPlanned || this.#parked.size === 0 || waiting === null) return;
    this.#lookPlanned = true;
    this.#clock.after(lookEveryMs, () => {
      this.#lookPlanned = false;
      const session = this.#session();
      if (session === null || session.over) return;
      if (waitsForTime(session.state, this.#clock.now())) session.submit({ kind: 'tick' });
      this.#lookLater();
    });
  }

  /** Its turn came, and there was nothing for it. */
  #waitForWork(parked: ParkedTake): void {
    if (parked.since !== null) return;
    parked.since = this.#clock.now();
    this.#turns -= 1;
  }

  /** The colony takes on no more: whoever waits for a turn waits for that now. */
  #allWaitForWork(): void {
    if (this.#turns === 0) return;
    for (const parked of this.#parked.values()) this.#waitForWork(parked);
  }

  /** How long it has waited for work: until the wake-up that began then, or until now (TD7). */
  #waitedMs({ since, triedAt }: ParkedTake, wokenAt: number | null): number {
    if (since === null) return 0;
    const isReached = wokenAt === null || triedAt >= wokenAt;
    return Math.max(0, (isReached ? this.#clock.now() : wokenAt) - since);
  }

  readonly #unpark = (parked: ParkedTake): void => {
    parked.cancel();
    if (parked.since === null && this.#parked.has(parked.request.agent)) this.#turns -= 1;
    this.#parked.delete(parked.request.agent);
  };

  readonly #beginTimeOut = (parked: ParkedTake) =>
    this.#clock.after(parked.request.waitMs, () => this.#timeOut(parked));

  #timeOut(parked: ParkedTake): void {
    this.#unpark(parked);
    answerWith(parked, this.#try(parked.request, this.#waitedMs(parked, this.#cutShortSince)));
  }

  #submit(session: Session, request: TakeRequest) {
    return session.submit({
      kind: 'take',
      agent: request.agent,
      intent: request.intent,
      paths: request.paths,
      labels: request.labels,
      waitingAgents: this.#parked.size,
      takesInFlight: this.#inFlight,
    });
  }

  async #try(request: TakeRequest, waitedMs = 0): Promise<TakeOutcome> {
    const session = this.#session();
    if (session === null) return ok(waitAnswer('no open intent', 1_000));
    return this.#finish(session, this.#submit(session, request), request, waitedMs);
  }

  async #finish(
    session: Session,
    submitted: Submitted<CommandOf<'take'>>,
    request: TakeRequest,
    waitedMs: number,
  ): Promise<TakeOutcome> {
    const { reply } = submitted;
    if (!reply.ok) return no((reply as { readonly error: Refusal }).error);
    if (reply.value.kind === 'wait') return ok(reply.value);
    const { grant } = reply.value;
    const intent = session.state.intents.get(grant.intent);
    this.#inFlight += 1;
    try {
      await submitted.durable;
    } finally {
      this.#inFlight -= 1;
      if (this.#turns > 0 || this.#cutShortSince !== null) this.wake();
    }
    if (intent === undefined) return ok(waitAnswer('no open intent', 1_000));
    // (TD3)
    if (request.gone?.aborted === true && !session.over) {
      const { lease, epoch } = grant;
      await session.submit({ kind: 'release', agent: request.agent, lease, epoch, why: 'its client had gone' }).durable;
      return ok(unheard);
    }
    return ok({ kind: 'grant', grant, intent, waitedMs });
  }
}

const turnReason: WaitReason = 'colony busy: too many takes in flight';

/** Why nobody is given anything, whoever asks. */
const behindReasons: ReadonlySet<WaitReason> = new Set([
  'colony busy: as many proposals wait as trunk can land in two seconds',
  'colony busy: as many agents are at work as trunk can land for',
]);

/** Answers a parked take with what is on its way; a failure on the way finds its agent asking again. */
function answerWith(parked: ParkedTake, outcome: Promise<TakeOutcome>): void {
  outcome.then(parked.answer, () => parked.answer(ok(waitAnswer('no open intent', 1_000))));
}

function waitAnswer(reason: Extract<TakeAnswer, { kind: 'wait' }>['reason'], retryAfterMs: number): TakeAnswer {
  return { kind: 'wait', reason, retryAfterMs };
}
