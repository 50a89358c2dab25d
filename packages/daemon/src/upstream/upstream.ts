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

import type { AttentionId, Oid } from '@firetrident/base';
import type { RefMove } from '@firetrident/core';
import { type Clock, type Colony, type Log, StorageFailureError } from '@firetrident/engine';
import { commandMs, GitCalls } from './git-calls.ts';
import { type LocalRefs, RemoteProblem, type RemoteRefs, RemoteRepository } from './remote.ts';
import { loadUpstream, saveUpstream, type UpstreamSettings, withoutSecrets } from './settings.ts';
import { addsNothing, takeIn } from './taking-in.ts';

/** `ahead`: what landed is about to be pushed. The others but `in-step` are troubles (UE2). */
export type UpstreamStateName =
  | 'new'
  | 'in-step'
  | 'ahead'
  | 'away'
  | 'refused'
  | 'conflict'
  | 'rewritten'
  | 'unrelated';

/** How a colony and its upstream stand. Times are milliseconds since the Unix epoch. */
export interface UpstreamStatus {
  readonly settings: UpstreamSettings;
  readonly state: UpstreamStateName;
  /** Why it is not in step, for a person; null when nothing is wrong. */
  readonly problem: string | null;
  readonly commit: Oid | null;
  readonly lookedAt: number | null;
  readonly pushedAt: number | null;
  readonly pushes: number;
}

const minuteMs = 60_000;
const longestBackOffMs = 300_000;
/** Failures in a row after which a person hears of an upstream that is away. */
const patientFailures = 3;
/** Longest that one question may take while the colony opens, milliseconds (UE6). */
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
    };
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
  async set(settings: Omit<UpstreamSettings, 'seen'> | null): Promise<boolean> {
    const isKept = await this.#exclusive(async () => {
      if (this.#stopped) return false;
      this.#settings = settings === null ? null : { ...settings, seen: null };
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

  /** Pushes what a cycle is about to make true. Answers whether the cycle may go on; false when others were faster. */
  pushCycle({ newTip, newNotes }: RefMove): Promise<boolean> {
    return this.#orFail(() =>
      this.#exclusive(async () => {
        const { remote, found } = await this.#open();
        if (found.trunk === newTip) return true;
        const isNext = found.trunk === null || (await remote.descends(newTip, found.trunk));
        if (isNext && (await this.#push(remote, { trunk: newTip, notes: newNotes }, found))) return true;
        await this.#step(false);
        // Trunk here has moved on to what others pushed there, and the cycle is planned anew; or it has not, and waits.
        if (this.#state !== 'in-step') this.#fail();
        return false;
      }),
    );
  }

  /** Whether the upstream has what a cycle that was cut off would have made true: then it is finished. */
  async hasLanded({ newTip }: RefMove): Promise<boolean> {
    try {
      return await this.#exclusive(async () => {
        const { remote, found } = await this.#open(this.#colony === null ? openingMs : commandMs); // (UE6)
        if (found.trunk === null) return false;
        const tip = await remote.fetch();
        return tip === newTip || (await remote.descends(tip, newTip));
      });
    } catch (error) {
      // Nobody can tell now. Queued again, it lands as unchanged should it stand there after all.
      if (!(error instanceof RemoteProblem)) throw error;
      this.#failed(error);
      this.#place.log.warn('the upstream could not be asked about a cycle that was cut off', {
        problem: error.message,
      });
      return false;
    }
  }

  /** Moves the refs here to where a cycle that the upstream has wanted them. */
  async finishCycle({ newTip, newNotes, oldTip, oldNotes }: RefMove): Promise<void> {
    if (newNotes !== null) await this.#git.move('refs/notes/firetrident', newNotes, oldNotes ?? '');
    await this.#git.move(`refs/heads/${this.#place.branch}`, newTip, oldTip);
  }

  async #look(): Promise<void> {
    if (this.#stopped) return;
    if (this.#settings === null) return this.#settled();
    const restMs = this.#retryAt - this.#place.clock.now();
    if (restMs > 0) return this.#later(restMs);
    try {
      await this.#exclusive(() => this.#step(this.#mayPush()));
      this.#answered();
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
    if (problem === null && this.#refusal !== null) {
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
    const isPatient = this.#state === 'away' && this.#failures < patientFailures;
    const trouble = this.#problem === null || isPatient ? null : this.#problem;
    if (trouble !== null && this.#attention === null) {
      const message = `upstream ${this.#state}: ${trouble}`;
      const raised = await this.#colony?.submit({ kind: 'raise-attention', attention: 'upstream', message });
      if (raised?.ok === true) this.#attention = raised.value.attention;
    } else if (this.#problem === null && this.#attention !== null) {
      await this.#colony?.submit({ kind: 'resolve-attention', attention: this.#attention });
      this.#attention = null;
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
      if (waitMs <= 0 || this.#stopped) return;
      await new Promise<void>((resolve) => {
        const cancel = this.#place.clock.after(waitMs, resolve);
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

const unrelatedProblem = 'its branch shares no history with trunk; name another repository or branch';
const aheadProblem =
  'both sides have what the other does not, and history is to stay linear; bring the upstream back, or use the mode mirror';

function rewrittenProblem(seen: Oid, found: Oid): string {
  return `its history was rewritten: ${found} does not come after ${seen}, which stood there before. Put it back, or name the upstream again to accept it`;
}

function conflictProblem(paths: readonly string[]): string {
  const shown = paths.slice(0, 5).join(', ');
  const more = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return `what others pushed there conflicts with trunk in ${shown}${more}. Merge trunk into it by hand, and push that there`;
}
