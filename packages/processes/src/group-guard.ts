// What ends process groups when the process that started them is killed without a chance to end them itself.
//
// A small shell reads from a pipe that only this thread holds. When the pipe closes, whatever the reason, it ends the
// groups that it was told of and that did not end by themselves: first asks them, so that they can remove what they have
// locked, then kills them.
//
//   GG1. No group that is guarded outlives its owner, the process or the thread that guards it, also after kill -9.
//   GG2. The guard ends with its owner, and is not hit by a signal that a terminal sends to the owner's group.

import { type ChildProcess, spawn } from 'node:child_process';

// Written for the plainest of shells, which takes a group's number after `--` only with `-s`.
const script = `
groups=' '
while read -r sign group; do
  rest=\${groups%% "$group" *}
  case $sign in
    +) groups="$groups$group " ;;
    -) if [ "$rest" != "$groups" ]; then groups="$rest \${groups#* "$group" }"; fi ;;
  esac
done
[ "$groups" = ' ' ] && exit
for group in $groups; do kill -s TERM -- "-$group" 2>/dev/null; done
sleep 2
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
`;

let guard: ChildProcess | null = null;
/** Groups that have not ended: what a guard is told that takes the place of one that was ended itself. */
const living = new Set<number>();

/** Has a group ended with this thread (GG1). Answers whether there is a guard: the machine may have no process left for one. */
export function guardGroup(group: number): boolean {
  living.add(group);
  tell(`+ ${group}`);
  return guard?.pid !== undefined;
}

/** The group has ended: its number may be another's soon. */
export function forgetGroup(group: number): void {
  living.delete(group);
  tell(`- ${group}`);
}

function tell(line: string): void {
  if (guard === null || hasEnded(guard)) guard = startGuard();
  else guard.stdin?.write(`${line}\n`);
}

function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

function startGuard(): ChildProcess {
  // (GG2) In a session of its own, and holding nothing of ours but the pipe.
  const child = spawn('/bin/sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'], cwd: '/' });
  child.on('error', () => undefined);
  if (child.pid === undefined) return child;
  child.stdin.on('error', () => undefined);
  // (GG1) Nobody guards the groups until another does.
  child.once('exit', (_code, signal) => {
    if (signal !== null && living.size > 0 && guard === child) guard = startGuard();
  });
  child.stdin.write([...living].map((group) => `+ ${group}\n`).join(''));
  child.unref();
  (child.stdin as unknown as { unref(): void }).unref();
  return child;
}
