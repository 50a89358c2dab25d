// The steps at which a kill trial kills, and who is killed there.

/** Who gets kill -9. */
export type Victim = 'runner' | 'daemon' | 'agent';

/** One place in the life of an intent. */
export interface TrialStep {
  readonly victim: Victim;
  /** As `trial-runner.ts` names it; for an agent, what it had done before. */
  readonly step: string;
  /** What an intent must be like for the step to come, as `trial-agent.sh` has it. */
  readonly kind: string;
}

function steps(victim: Victim, kind: string, ...names: readonly string[]): TrialStep[] {
  return names.map((step) => ({ victim, step, kind }));
}

/** What an agent has done when it kills itself. */
const agentSteps: readonly TrialStep[] = [
  ...['killed', 'committed', 'stashed', 'inside', 'deleted'].map((kind) => ({
    victim: 'agent' as const,
    step: kind,
    kind,
  })),
];

const around = (name: string) => ['before', 'during', 'after'].map((when) => `${name}, ${when}`);
const call = (name: string) => ['before', 'after'].map((when) => `call ${name}, ${when}`);

/** Every step, in the order of an intent's life. */
export const trialSteps: readonly TrialStep[] = [
  ...steps('runner', 'plain', 'take over, after', ...call('agents'), ...call('take')),
  ...steps('runner', 'plain', ...around('git read-tree'), ...around('git clean'), ...around('command')),
  ...steps('runner', 'plain', ...around('git add'), ...around('git diff'), 'git cat-file, during'),
  ...steps('runner', 'big', ...call('blobs')),
  ...steps('runner', 'plain', ...call('propose'), 'event proposed', ...call('proposals'), 'event landed'),
  ...steps('runner', 'same', 'git merge-tree, during', 'event returned', ...call('repair')),
  ...steps('runner', 'nothing', ...call('complete')),
  ...steps('runner', 'failing', ...call('fail'), ...around('git write-tree'), ...around('git commit-tree')),
  ...steps('runner', 'failing', ...around('git pack-objects'), ...around('git update-ref'), 'event captured'),
  ...steps('runner', 'plain', 'remove, before', 'remove, after', ...call('stop')),
  ...steps('daemon', 'plain', ...call('agents'), ...call('take'), 'git read-tree, during', 'command, during'),
  ...steps('daemon', 'big', ...call('blobs')),
  ...steps('daemon', 'plain', ...call('propose'), ...call('proposals'), 'call stop, before'),
  ...steps('daemon', 'same', 'event returned', ...call('repair')),
  ...steps('daemon', 'nothing', ...call('complete')),
  ...steps('daemon', 'failing', ...call('fail'), 'git pack-objects, during'),
  ...agentSteps,
];
