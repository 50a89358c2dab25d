// A daemon and a repository for tests of the command line, both real; commands run in the repository.

import { join } from 'node:path';
import { serve } from '../../packages/cli/src/serving.ts';
import { type FileContent, git, makeRepository, temporaryDirectory } from '../support/git-repository.ts';
import { until } from '../support/until.ts';
import { type CommandLineEnd, expectCode, type RunningCommandLine, startCommandLine } from './command-line.ts';

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
  /** Stops the daemon; a second time does nothing. */
  stopDaemon(): Promise<void>;
  remove(): Promise<void>;
}

/** A scene whose daemon can crash. */
export interface MortalScene extends CommandLineScene {
  /** Ends the daemon as a crash would. */
  killDaemon(): Promise<void>;
}

type Files = Readonly<Record<string, FileContent>>;

/** Makes the repository and starts the daemon, in the process of the test: another process would load everything once more. */
export async function commandLineScene(files: Files): Promise<CommandLineScene> {
  return sceneWith(files, async (repository) => {
    const options = { data: join(repository, '.firetrident'), port: 0, logLevel: 'error' } as const;
    const exit = (code: number) => {
      throw new Error(`the daemon was to end this process with ${code}`);
    };
    const daemon = await serve(options, { environment: {}, exit });
    return daemon.stop;
  });
}

/** The same with a daemon of its own process. */
export async function mortalScene(files: Files): Promise<MortalScene> {
  let daemon: RunningCommandLine | null = null;
  const scene = await sceneWith(files, async (repository) => {
    const started = startCommandLine(['up', '--port', '0', '--json'], { directory: repository });
    daemon = started;
    await until(() => started.output().includes('\n') || started.process.exitCode !== null);
    if (started.process.exitCode !== null) throw new Error(started.errors());
    return async () => {
      started.process.kill('SIGTERM');
      await started.end;
    };
  });
  return {
    ...scene,
    async killDaemon() {
      daemon?.process.kill('SIGKILL');
      await daemon?.end;
    },
  };
}

/** A scene with a daemon that `start` starts for the repository; what it answers stops it, once or again. */
async function sceneWith(
  files: Files,
  start: (repository: string) => Promise<() => Promise<void>>,
): Promise<CommandLineScene> {
  const place = temporaryDirectory('firetrident-cli-');
  const repository = join(place.path, 'project');
  makeRepository(repository, files);
  const stopDaemon = await start(repository);
  const run = (code: number, args: readonly string[], directory = repository) => expectCode(code, args, { directory });
  return {
    directory: place.path,
    repository,
    run,
    json: async (code, args, directory) => JSON.parse((await run(code, [...args, '--json'], directory)).output),
    trunkFile: (colony, path) =>
      git(join(repository, '.firetrident/colonies', colony, 'trunk.git'), ['show', `main:${path}`]),
    stopDaemon,
    async remove() {
      await stopDaemon();
      place.remove();
    },
  };
}
