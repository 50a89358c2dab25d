// A program of an agent in a process group of its own, from its start to its end.
//
//   CM1. The whole group is ended when its time is over, when the runner stops, and when the program itself has ended.

import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { startGuarded } from '@firetrident/processes';
import { commandEnvironment } from './config.ts';

/** How a command ended. `output` is the end of what it printed. */
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

/** What to start, and until when. */
export interface GroupSettings {
  readonly command: readonly string[];
  /** Whether the first word is a text for a shell. */
  readonly shell: boolean;
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Bytes of output that are kept: the last ones; 16 KiB unless set. */
  readonly keptBytes?: number;
  /** Whether standard output is kept too; it is not when it carries a protocol. */
  readonly keepsOutput: boolean;
}

/** A program that runs. */
export interface ProcessGroup {
  readonly child: ChildProcessWithoutNullStreams;
  /** Settles once the program has ended and its streams are closed. Rejects with CommandUnusableError alone. */
  readonly ended: Promise<CommandEnd>;
  /** Asks the group to end, and ends it when it does not. */
  stop(): void;
}

/** Bytes of output that are kept unless the caller wants more. */
const keptBytesUsually = 16_384;
/** How long a group has to end after SIGTERM. */
const graceMs = 3_000;

/** What shells end with when a program is no program, or is not there. */
const unusableCodes: readonly (number | null)[] = [126, 127];

/** Starts a program in a group of its own (CM1). */
export function startGroup(settings: GroupSettings): ProcessGroup {
  const { command, directory, environment, timeoutMs, signal, shell } = settings;
  const program = shell ? ['/bin/sh', '-c', ...command] : command;
  // (CM1) What the program leaves running would keep its output open, and work on in a checkout that is the next intent's.
  const guarded = startGuarded(program, { directory, environment: { ...commandEnvironment(), ...environment } });
  const { child } = guarded;
  const output = new OutputEnd(settings.keptBytes ?? keptBytesUsually);
  let timedOut = false;
  if (settings.keepsOutput) child.stdout.on('data', (chunk: Buffer) => output.add(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.add(chunk));
  // A program may end without reading what it is sent.
  child.stdin.on('error', () => undefined);
  const stop = () => guarded.stopSoon(graceMs); // (CM1)
  const timer = setTimeout(() => {
    timedOut = true;
    stop();
  }, timeoutMs);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const ended = new Promise<CommandEnd>((resolve, reject) => {
    const finish = (code: number | null) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      if (unusableCodes.includes(code)) reject(new CommandUnusableError(command, output.text()));
      else resolve({ code, timedOut, output: output.text() });
    };
    child.once('error', (error) => {
      output.add(Buffer.from(error.message));
      finish(127);
    });
    child.once('close', finish);
  });
  // Whoever waits hears of a rejection; before anybody does, it is no fault of the process.
  ended.catch(() => undefined);
  return { child, ended, stop };
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
