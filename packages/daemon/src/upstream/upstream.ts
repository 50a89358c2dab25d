// One colony kept in step with a repository elsewhere: looked at, taken in, pushed to, and what keeps it from that.
//
// Both modes share everything but the moment of the push: a mirror is pushed after landings, an upstream before them.
//
//   UE1. At most so many pushes a minute as the settings say, and as many looks.
//   UE2. What keeps the two apart is a state with a name and a sentence, is brought to a person once, and goes by itself
//        when it is over.
//   UE3. An upstream whose history was rewritten is neither pushed to nor taken in until an administrator names it anew.
//   UE4. One thing at a time is done with an upstream.
//   UE5. In trouble it is asked ever less often, by looks and by cycles alike.
//   UE6. While a colony opens, its upstream is waited for briefly only.
//   UE7. While a cycle may stand there and not here, nothing is taken in: it would come as somebody else's.

import type { AttentionId, Oid } from '@firetrident/base';
import type { RefMove } from '@firetrident/core';
import { type Clock, type Colony, type Log, StorageFailureError } from '@firetrident/engine';
import { finishHere, type StaleRef, staleRef } from './finishing.ts';
import { commandMs, GitCalls } from './git-calls.ts';
import { type LocalRefs, RemoteProblem, type RemoteRefs, RemoteRepository } from './remote.ts';
import { loadUpstream, saveUpstream, type UpstreamSettings, withoutSecrets } from './settings.ts';
import {
  aheadProblem,
  conflictProblem,
  rewrittenProblem,
  type UpstreamStateName,
  type UpstreamStatus,
  unrelatedProblem,
} from './states.ts';
import { addsNothing, takeIn } from './taking-in.ts';

const minuteMs = 60_000;
const longestBackOffMs = 300_000;
/** Failures in a row after which a person hears of an upstream that is away. */
const patientFailures = 3;
/** Longest that one question may take at first, since the colony may wait for it to open, milliseconds (UE6). */
const openingMs = 5_000;
/** How often a landing that others outrun at the upstream begins anew at once. */
const outrunTries = 3;

/** Where an upstream lives: the colony's directory and repository, and the time. */
export interface UpstreamPlace {
  readonly colony: string;
  readonly directory: string;
  readonly repository: string;
  /** The branch that is trunk here. */
  readonly branch: string;
  readonly log: Log;
  readonly clock: Clock;
}

/** The upstream of one colony, if it has one. */
export class Upstream {
  readonly #place: UpstreamPlace;
  #git: GitCalls;
  #settings: UpstreamSettings | null;
  #colony: Colony | null = null;
  #state: UpstreamStateName = 'new';
  #problem: string | null = null;
  #commit: Oid | null = null;
  #lookedAt: number | null = null;
  #pushedAt: number | null = null;
  #pushes = 0;
  #failures = 0;
  /** When it may be asked again after a trouble (UE5). */
  #retryAt = 0;
  /** Why it takes no push; only one that it takes ends that. */
  #refusal: string | null = null;
  #attention: AttentionId | null = null;
  /** The cycle that may stand there and does not stand here (UE7). */
  #pending: RefMove | null = null;
  /** How often nobody could tell whether it stands there. */
  #doubts = 0;
  /** What a person has to hear once, as soon as the colony can be told. */
  readonly #untold: string[] = [];
  #cancelLook: () => void = () => undefined;
  #turn: Promise<unknown> = Promise.resolve();
  #stopped = false;
  #wake: () => void = () => undefined;

  constructor(place: UpstreamPlace) {
    this.#place = place;
    this.#git = new GitCalls(place.repository, place.clock);
    this.#settings = loadUpstream(place.directory);
  }

  /** Whether landings wait until they stand upstream. */
  get comesFirst(): boolean {
    return this.#settings?.mode === 'upstream';
  }

  get status(): UpstreamStatus | null {
    if (this.#settings === null) return null;
    return {
      settings: { ...this.#settings, url: withoutSecrets(this.#settings.url) },
      state: this.#state,
      problem: this.#problem,
      commit: this.#commit,
      lookedAt: this.#lookedAt,
      pushedAt: this.#pushedAt,
      pushes: this.#pushes,
      failures: this.#failures,
      retryAt: this.#failures === 0 || this.#isPaused ? null : this.#retryAt,
    };
  }

  get #isPaused(): boolean {
    return this.#settings?.isPaused === true;
  }

  /** Begins to keep the colony in step. */
  follow(colony: Colony): void {
    this.#colony = colony;
    // What was told before a restart is not told again, and goes when it is over (UE2).
    const told = [...colony.state.attention.values()].find(({ kind }) => kind === 'upstream');
    this.#attention = told?.id ?? null;
    this.#later(0);
  }

  /**
   * Names an upstream, or none; what stands there now is accepted as it is (UE3). Resolves after the first look. Answers
   * false when the colony is being closed: then nothing is kept.
   */
  async set(settings: Omit<UpstreamSettings, 'seen' | 'isPaused'> | null): Promise<boolean> {
    const isKept = await this.#exclusive(async () => {
      if (this.#stopped) return false;
      this.#settings = settings === null ? null : { ...settings, isPaused: false, seen: null };
      saveUpstream(this.#place.directory, this.#settings);
      this.#state = 'new';
      this.#problem = null;
      this.#commit = null;
      this.#failures = 0;
      this.#retryAt = 0;
      this.#refusal = null;
      this.#pushedAt = null;
      this.#wake();
      return true;
    });
    if (!isKept) return false;
    if (this.#settings !== null) await this.#look();
    else await this.#settled();
    return true;
  }

  /** Lets it rest, or go on after the first look. Answers false when there is no upstream, or the colony is being closed. */
  async pause(isPaused: boolean): Promise<boolean> {
    const isKept = await this.#exclusive(async () => {
      if (this.#stopped || this.#settings === null) return false;
      this.#settings = { ...this.#settings, isPaused };
      saveUpstream(this.#place.directory, this.#settings);
      return true;
    });
    if (!isKept) return false;
    if (!isPaused) return this.retry();
    this.#cancelLook();
    this.#be('paused', null, this.#commit);
    await this.#settled();
    return true;
  }

  /** Asks now what would be asked later. Answers as `pause` does, after the look. */
  async retry(): Promise<boolean> {
    if (this.#stopped || this.#settings === null) return false;
    this.#retryAt = 0;
    this.#wake();
    await this.#look();
    return !this.#stopped;
  }

  /** Ends everything. Resolves when nothing of it works on the repository any more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelLook();
    this.#wake();
    await this.#git.stop();
  }

  /** Before a cycle is planned: waits until it may push, and brings trunk up to the upstream. */
  async prepareCycle(): Promise<void> {
    await this.#untilCycleAllowed();
    await this.#orFail(() => this.#exclusive(() => this.#step(false)));
    // Whether a refusal is over, only a push can tell.
    if (this.#problem === null || this.#state === 'refused') return this.#answered();
    this.#retryAt = this.#place.clock.now() + this.#pauseMs;
    await this.#settled();
    this.#fail();
  }

  /**
   * Pushes what a cycle is about to make true. Nothing was pushed where others moved a ref before, there or here; on `unknown`
   * the upstream may have it.
   */
  pushCycle(refs: RefMove): Promise<'pushed' | 'unknown' | StaleRef> {
    return this.#orFail(() =>
      this.#exclusive(async () => {
        const { newTip, newNotes } = refs;
        const { remote, found } = await this.#open();
        const isNext = found.trunk === null || (await remote.descends(newTip, found.trunk));
        if (isNext) {
          const stale = staleRef(this.#place.branch, await this.#local(), refs);
          if (stale !== null) return stale;
          this.#pending = refs;
          const outcome = await this.#push(remote, { trunk: newTip, notes: newNotes }, found).catch(awayOnly);
          if (outcome instanceof RemoteProblem) {
            this.#failed(outcome);
            await this.#settled();
            return 'unknown';
          }
          if (outcome) return 'pushed';
          this.#pending = null;
        }
        await this.#step(false);
        // Trunk here has moved on to what others pushed there, and the cycle is planned anew; or it has not, and waits.
        if (this.#state !== 'in-step') this.#fail();
        return { kind: 'stale', ref: 'upstream', found: '' };
      }),
    );
  }

  /** Whether the upstream has what a cycle that was cut off would have made true: then it is to be finished. */
  async hasLanded(refs: RefMove): Promise<'landed' | 'not-landed' | 'unknown'> {
    const isOpening = this.#colony === null;
    if (!this.comesFirst || (!isOpening && this.#pending === null)) return 'not-landed';
    this.#pending = refs;
    // Kept when the push came through.
    if (this.#settings?.seen === refs.newTip) return 'landed';
    if (this.#isPaused) return 'unknown';
    if (!isOpening && this.#retryAt > this.#place.clock.now()) return 'unknown'; // (UE5)
    try {
      const longestMs = this.#doubts === 0 ? openingMs : commandMs; // (UE6)
      const isThere = await this.#exclusive(() => this.#holds(refs.newTip, longestMs));
      this.#answered();
      return isThere ? 'landed' : 'not-landed';
    } catch (error) {
      if (!(error instanceof RemoteProblem)) throw error;
      this.#doubts += 1;
      this.#failed(error);
      await this.#settled();
      const { message } = error;
      this.#place.log.warn('the upstream could not be asked about a cycle that was cut off', { problem: message });
      return 'unknown';
    }
  }

  async #holds(commit: Oid, longestMs: number): Promise<boolean> {
    const { remote, found } = await this.#open(longestMs);
    if (found.trunk === null) return false;
    const tip = await remote.fetch();
    return tip === commit || (await remote.descends(tip, commit));
  }

  /** Moves the refs here to where a cycle that the upstream has wanted them. Answers what keeps it from that, or null. */
  async finishCycle(refs: RefMove): Promise<string | null> {
    const { branch, log } = this.#place;
    const finished = await finishHere(this.#git, branch, refs);
    if (finished.kind === 'held') return finished.problem;
    if (finished.displaced === null) return null;
    log.warn(finished.displaced);
    this.#untold.push(finished.displaced);
    return null;
  }

  /** The last cycle stands on both sides, or on none (UE7). */
  settleCycle(): void {
    this.#pending = null;
    this.#doubts = 0;
  }

  async #look(): Promise<void> {
    if (this.#stopped) return;
    if (this.#settings === null) return this.#settled();
    if (this.#isPaused) return this.#be('paused', null, this.#commit);
    const restMs = this.#retryAt - this.#place.clock.now();
    if (restMs > 0) return this.#later(restMs);
    try {
      // Whether the one in doubt is there, its own recovery asks.
      if (this.#pending === null) {
        await this.#exclusive(() => this.#step(this.#mayPush()));
        this.#answered();
      }
    } catch (error) {
      this.#failed(error);
    }
    await this.#settled();
    this.#later(this.#backOffMs);
  }

  /** What kept the two apart is over, unless that is a refusal. */
  #answered(): void {
    if (this.#refusal !== null) return;
    this.#failures = 0;
    this.#retryAt = 0;
    this.#wake();
  }

  /** Milliseconds between two pushes, and between two looks (UE1). */
  get #pauseMs(): number {
    return minuteMs / (this.#settings?.pushesPerMinute ?? 1);
  }

  /** The same, longer with each failure (UE5). */
  get #backOffMs(): number {
    return Math.min(longestBackOffMs, this.#pauseMs * 2 ** Math.min(this.#failures, 16));
  }

  #later(delayMs: number): void {
    this.#cancelLook();
    if (this.#stopped) return;
    this.#cancelLook = this.#place.clock.after(delayMs, () => {
      this.#look().catch((error: unknown) => this.#place.log.error('an upstream is lost', { problem: String(error) }));
    });
  }

  /** One look, and what follows from it. A mirror pushes when it may (UE1). */
  async #step(mayPush: boolean): Promise<void> {
    if (this.#pending !== null) return; // (UE7)
    for (let tries = 0; tries < outrunTries; tries += 1) {
      const { remote, found, settings } = await this.#open();
      const local = await this.#local();
      if (found.trunk === null) {
        await this.#catchUp(remote, local, found, mayPush || settings.mode === 'upstream');
        return;
      }
      if (found.trunk === local.trunk && settings.seen === local.trunk) return this.#be('in-step', null, local.trunk);
      const theirs = settings.seen === found.trunk ? found.trunk : await remote.fetch();
      if (settings.seen !== null && !(await remote.descends(theirs, settings.seen))) {
        return this.#be('rewritten', rewrittenProblem(settings.seen, theirs), theirs);
      }
      const relation = await remote.relation(local.trunk, theirs);
      if (relation === 'unrelated') return this.#be('unrelated', unrelatedProblem, theirs);
      if (relation === 'diverged' && settings.mode === 'upstream') return this.#be('conflict', aheadProblem, theirs);
      if (relation === 'same') this.#be('in-step', null, theirs);
      if (relation !== 'behind' && relation !== 'diverged') {
        this.#remember(theirs);
        if (relation === 'ahead') await this.#catchUp(remote, local, found, mayPush || settings.mode === 'upstream');
        return;
      }
      const isLinear = settings.mode === 'upstream';
      const parts = { ours: local.trunk, theirs, isBehind: relation === 'behind', isLinear };
      const taken = await takeIn(this.#git, this.#place.branch, parts);
      if (taken.kind === 'conflict') return this.#be('conflict', conflictProblem(taken.paths), theirs);
      this.#remember(theirs);
      if (taken.kind === 'done') this.#place.log.info('taken in from upstream', { upstream: theirs, trunk: taken.tip });
    }
  }

  /** Trunk is ahead: it is pushed when there is something to say and a push is allowed. */
  async #catchUp(remote: RemoteRepository, local: LocalRefs, found: RemoteRefs, mayPush: boolean): Promise<void> {
    if (found.trunk !== null && (await addsNothing(this.#git, local.trunk, found.trunk))) {
      return this.#be('in-step', null, found.trunk);
    }
    if (!mayPush) return this.#be('ahead', null, found.trunk);
    await this.#push(remote, local, found);
  }

  async #push(remote: RemoteRepository, local: LocalRefs, found: RemoteRefs): Promise<boolean> {
    this.#pushedAt = this.#place.clock.now();
    const outcome = await remote.push(local, found);
    if (outcome === 'moved') {
      this.#be('ahead', null, found.trunk);
      return false;
    }
    this.#pushes += 1;
    this.#refusal = null;
    this.#answered();
    this.#remember(local.trunk);
    this.#be('in-step', null, local.trunk);
    return true;
  }

  async #open(
    longestMs = commandMs,
  ): Promise<{ remote: RemoteRepository; found: RemoteRefs; settings: UpstreamSettings }> {
    const settings = this.#settings;
    if (settings === null) throw new RemoteProblem('away', 'there is no upstream any more');
    const { url, branch } = settings;
    const remote = new RemoteRepository(this.#git, this.#place.colony, url, branch, longestMs);
    const found = await remote.look();
    this.#lookedAt = this.#place.clock.now();
    return { remote, found, settings };
  }

  async #local(): Promise<LocalRefs> {
    const trunkRef = `refs/heads/${this.#place.branch}`;
    const format = '--format=%(refname) %(objectname)';
    const listed = await this.#git.run('for-each-ref', format, trunkRef, 'refs/notes/firetrident');
    const refs = new Map(listed.output.split('\n').map((line) => line.split(' ') as [string, Oid]));
    const trunk = refs.get(trunkRef);
    if (trunk === undefined) throw new RemoteProblem('away', listed.problem || 'trunk cannot be read');
    return { trunk, notes: refs.get('refs/notes/firetrident') ?? null };
  }

  #remember(seen: Oid): void {
    if (this.#settings === null || this.#settings.seen === seen) return;
    this.#settings = { ...this.#settings, seen };
    saveUpstream(this.#place.directory, this.#settings);
  }

  #be(state: UpstreamStateName, problem: string | null, commit: Oid | null): void {
    if (state === 'in-step' && this.#settings?.mode === 'mirror') this.#refusal = null;
    if (problem === null && this.#refusal !== null && state !== 'paused') {
      this.#be('refused', this.#refusal, commit);
      return;
    }
    if (problem !== null && problem !== this.#problem) this.#place.log.warn(`upstream: ${problem}`, { state });
    this.#state = state;
    this.#problem = problem;
    this.#commit = commit;
  }

  #failed(error: unknown): void {
    if (this.#stopped) return;
    this.#failures += 1;
    this.#retryAt = this.#place.clock.now() + this.#backOffMs;
    if (error instanceof StorageFailureError) return;
    // What nobody expects of git keeps the two apart like everything else, and is told.
    const kind = error instanceof RemoteProblem ? error.kind : 'away';
    const problem = withoutSecrets(error instanceof Error ? error.message : String(error));
    if (kind === 'refused') this.#refusal = problem;
    this.#be(kind, problem, this.#commit);
  }

  /** A person hears of a trouble once, and that it is over (UE2). */
  async #settled(): Promise<void> {
    const [message] = this.#untold;
    if (message !== undefined) {
      const told = await this.#colony?.submit({ kind: 'raise-attention', attention: 'upstream', message });
      if (told?.ok === true) this.#untold.shift();
    }
    const trouble = this.#state === 'away' && this.#failures < patientFailures ? null : this.#problem;
    if (trouble !== null && this.#attention === null) {
      const message = `upstream ${this.#state}: ${trouble}`;
      const raised = await this.#colony?.submit({ kind: 'raise-attention', attention: 'upstream', message });
      if (raised?.ok === true) this.#attention = raised.value.attention;
    } else if (this.#problem === null && this.#attention !== null) {
      const ended = await this.#colony?.submit({ kind: 'resolve-attention', attention: this.#attention });
      // Not taken while the colony is opened again: the next look tells it (UE2).
      if (ended?.ok === true || this.#colony?.state.attention.has(this.#attention) === false) this.#attention = null;
    }
  }

  #mayPush(): boolean {
    return this.#waitMs() <= 0 && this.#settings?.mode === 'mirror';
  }

  /** Milliseconds until the next push is allowed (UE1). */
  #waitMs(): number {
    return this.#pushedAt === null ? 0 : this.#pushedAt + this.#pauseMs - this.#place.clock.now();
  }

  /** (UE1, UE5) */
  async #untilCycleAllowed(): Promise<void> {
    for (;;) {
      const waitMs = Math.max(this.#waitMs(), this.#retryAt - this.#place.clock.now());
      if (this.#stopped || (waitMs <= 0 && !this.#isPaused)) return;
      await new Promise<void>((resolve) => {
        const cancel = this.#isPaused ? () => undefined : this.#place.clock.after(waitMs, resolve);
        this.#wake = () => {
          cancel();
          resolve();
        };
      });
    }
  }

  /** A trouble with the upstream keeps a cycle from landing, as a trouble with the disk does. */
  async #orFail<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.#failed(error);
      await this.#settled();
      return this.#fail();
    }
  }

  #fail(): never {
    const problem = `the upstream is ${this.#state}: ${this.#problem ?? 'closing'}`;
    throw new StorageFailureError(
      problem,
      'see GET upstream; landing goes on by itself once it is in step',
      true,
      true,
    );
  }

  /** (UE4) */
  #exclusive<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work, work);
    // Whoever asked for this turn hears of its error; the next turn begins all the same.
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

/** A push without an answer may have come through; every other error did not. */
function awayOnly(error: unknown): RemoteProblem {
  if (error instanceof RemoteProblem && error.kind === 'away') return error;
  throw error;
}
