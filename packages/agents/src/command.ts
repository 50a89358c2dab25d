// Running one command for one intent: its environment, its standard input, its end.
//
// Invariants:
//   CM1. The command runs in a process group of its own, and the whole group is ended when its time is over or the
//        runner stops.

import { spawn } from 'node:child_process';

/** How a command ended. `output` is the end of what it printed on both streams. */
export interface CommandEnd {
  readonly code: number | null;
  readonly timedOut: boolean;
  readonly output: string;
}

export interface CommandSettings {
  /** Program and arguments; a single text is given to a shell. */
  readonly command: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Bytes of output that are kept: the last ones. */
const keptOutput = 16_384;
/** How long a group has to end after SIGTERM. */
const graceMs = 3_000;

/** Runs a command to its end. Never rejects: a program that cannot be started ends with code 127. */
export function runCommand(settings: CommandSettings): Promise<CommandEnd> {
  const { command, directory, environment, timeoutMs, signal } = settings;
  const shell = command.length === 1;
  const [program = '', ...args] = command;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      cwd: directory,
      env: { ...process.env, ...environment },
      shell,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let output = '';
    let timedOut = false;
    const keep = (chunk: Buffer) => {
      output = (output + chunk.toString('utf8')).slice(-keptOutput);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.stdin.on('error', () => undefined);
    child.stdin.end(settings.input);
    const end = () => {
      endGroup(child.pid, 'SIGTERM');
      setTimeout(() => endGroup(child.pid, 'SIGKILL'), graceMs).unref();
    };
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, timeoutMs);
    signal.addEventListener('abort', end, { once: true });
    const finish = (code: number | null) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      endGroup(child.pid, 'SIGKILL');
      resolve({ code, timedOut, output });
    };
    child.once('error', (error) => {
      output += error.message;
      finish(127);
    });
    child.once('close', finish);
  });
}

function endGroup(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: the group has ended already, which is what was wanted.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
