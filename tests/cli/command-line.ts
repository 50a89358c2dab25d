// The command line as a person or a script uses it: a process with arguments, two streams and an exit code.

import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../../packages/cli/src/main.mjs', import.meta.url));

/** How a command ended. */
export interface CommandLineEnd {
  readonly code: number | null;
  readonly output: string;
  readonly errors: string;
}

export interface CommandLineOptions {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** What its standard input holds; nothing unless set. */
  readonly input?: string;
}

/** A command that was started. */
export interface RunningCommandLine {
  readonly process: ChildProcess;
  /** Standard output so far. */
  output(): string;
  errors(): string;
  readonly end: Promise<CommandLineEnd>;
}

/** Starts a command without waiting for it. Settings of the surrounding environment do not reach it. */
export function startCommandLine(args: readonly string[], options: CommandLineOptions): RunningCommandLine {
  const surrounding = Object.entries(process.env).filter(([name]) => !/^(FT|GIT)_/.test(name));
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', entry, ...args], {
    cwd: options.directory,
    env: { ...Object.fromEntries(surrounding), ...options.environment },
    stdio: [options.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
  });
  child.stdin?.end(options.input);
  let output = '';
  let errors = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const end = new Promise<CommandLineEnd>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, output, errors }));
  });
  return { process: child, output: () => output, errors: () => errors, end };
}

/** Runs a command to its end. */
export function commandLine(args: readonly string[], options: CommandLineOptions): Promise<CommandLineEnd> {
  return startCommandLine(args, options).end;
}

/** Runs a command that must end with this exit code; gives what it printed. */
export async function expectCode(
  code: number,
  args: readonly string[],
  options: CommandLineOptions,
): Promise<CommandLineEnd> {
  const end = await commandLine(args, options);
  if (end.code === code) return end;
  throw new Error(`firetrident ${args.join(' ')} ended with ${end.code}, not ${code}\n${end.output}\n${end.errors}`);
}
