// Running one command for one intent: its environment, its standard input, its end.
//
// Invariants:
//   CM1. The command runs in a process group of its own, and the whole group is ended when its time is over or the
//        runner stops.

import { spawn } from 'node:child_process';
import { commandEnvironment } from './config.ts';

/** How a command ended. `output` is the end of what it printed on both streams. */
export interface CommandEnd {
  readonly code: number | null;
  readonly timedOut: boolean;
  readonly output: string;
}

/** The command cannot be run at all, for any intent: it is not there, or no program. */
export class CommandUnusableError extends Error {
  override readonly name = 'CommandUnusableError';
  readonly command: readonly string[];

  constructor(command: readonly string[], output: string) {
    super(`the command cannot be run: ${output.trim() || command.join(' ')}`);
    this.command = command;
  }
}

export interface CommandSettings {
  /** Program and arguments; a single text is given to a shell. */
  readonly command: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly input: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Bytes of output that are kept: the last ones; 16 KiB unless set. */
  readonly keptBytes?: number;
}

/** Bytes of output that are kept unless the caller wants more. */
const keptBytesUsually = 16_384;
/** How long a group has to end after SIGTERM. */
const graceMs = 3_000;

/** What shells end with when a program is no program, or is not there. */
const unusableCodes: readonly (number | null)[] = [126, 127];

/** Runs a command to its end. Rejects with CommandUnusableError alone. */
export function runCommand(settings: CommandSettings): Promise<CommandEnd> {
  const { command, directory, environment, timeoutMs, signal } = settings;
  const shell = command.length === 1;
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: directory,
      env: { ...commandEnvironment(), ...environment },
      shell,
      detached: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const output = new OutputEnd(settings.keptBytes ?? keptBytesUsually);
    let timedOut = false;
    child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
    child.stderr.on('data', (chunk: Buffer) => output.add(chunk));
    child.stdin.on('error', () => undefined);
    child.stdin.end(settings.input);
    let grace: NodeJS.Timeout | undefined;
    const end = () => {
      endGroup(child.pid, 'SIGTERM'); // (CM1)
      grace = setTimeout(() => endGroup(child.pid, 'SIGKILL'), graceMs);
    };
    const timer = setTimeout(() => {
      timedOut = true;
      end();
    }, timeoutMs);
    signal.addEventListener('abort', end, { once: true });
    if (signal.aborted) end();
    // What the program left running would keep its output open, and work on in a checkout that is the next intent's.
    child.once('exit', () => endGroup(child.pid, 'SIGKILL'));
    const finish = (code: number | null) => {
      clearTimeout(timer);
      clearTimeout(grace);
      signal.removeEventListener('abort', end);
      if (unusableCodes.includes(code)) reject(new CommandUnusableError(command, output.text()));
      else resolve({ code, timedOut, output: output.text() });
    };
    child.once('error', (error) => {
      output.add(Buffer.from(error.message));
      finish(127);
    });
    child.once('close', finish);
  });
}

/** The last bytes of what a program prints. */
class OutputEnd {
  readonly #keptBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(keptBytes: number) {
    this.#keptBytes = keptBytes;
  }

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    // Joining only now and then keeps a chatty program cheap.
    if (this.#bytes > 2 * this.#keptBytes) this.#join();
  }

  text(): string {
    this.#join();
    return Buffer.concat(this.#chunks).toString('utf8');
  }

  #join(): void {
    const end = Buffer.concat(this.#chunks).subarray(-this.#keptBytes);
    this.#chunks = [end];
    this.#bytes = end.length;
  }
}

function endGroup(pid: number | undefined, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch (error) {
    // ESRCH: the group has ended already, which is what was wanted. EPERM: its last member is a zombie, on some systems.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
