// A daemon and a repository for tests of the command line, both real; commands run in the repository.

import { join } from 'node:path';
import { type FileContent, git, makeRepository, temporaryDirectory } from '../support/git-repository.ts';
import { type CommandLineEnd, expectCode, startCommandLine, until } from './command-line.ts';

/** A repository with a daemon whose data lies in its `.firetrident`. */
export interface CommandLineScene {
  /** A directory for everything, and the repository in it. */
  readonly directory: string;
  readonly repository: string;
  /** Runs a command in the repository, or in `directory`; it must end with the code. */
  run(code: number, args: readonly string[], directory?: string): Promise<CommandLineEnd>;
  /** Runs a command with --json that must end with the code; what it printed, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies that they themselves judge
  json(code: number, args: readonly string[], directory?: string): Promise<any>;
  /** A file of the colony's trunk. */
  trunkFile(colony: string, path: string): string;
  /** Ends the daemon as a crash would. */
  killDaemon(): Promise<void>;
  /** Stops the daemon, and answers its exit code. */
  stopDaemon(): Promise<number | null>;
  remove(): Promise<void>;
}

/** Makes the repository and starts the daemon. */
export async function commandLineScene(files: Readonly<Record<string, FileContent>>): Promise<CommandLineScene> {
  const place = temporaryDirectory('firetrident-cli-');
  const repository = join(place.path, 'project');
  makeRepository(repository, files);
  const daemon = startCommandLine(['up', '--port', '0', '--json'], { directory: repository });
  await until(() => daemon.output().includes('\n') || daemon.process.exitCode !== null);
  if (daemon.process.exitCode !== null) throw new Error(daemon.errors());
  const run = (code: number, args: readonly string[], directory = repository) => expectCode(code, args, { directory });
  const stopDaemon = async () => {
    daemon.process.kill('SIGTERM');
    return (await daemon.end).code;
  };
  return {
    directory: place.path,
    repository,
    run,
    json: async (code, args, directory) => JSON.parse((await run(code, [...args, '--json'], directory)).output),
    trunkFile: (colony, path) =>
      git(join(repository, '.firetrident/colonies', colony, 'trunk.git'), ['show', `main:${path}`]),
    stopDaemon,
    async killDaemon() {
      daemon.process.kill('SIGKILL');
      await daemon.end;
    },
    async remove() {
      await stopDaemon();
      place.remove();
    },
  };
}
