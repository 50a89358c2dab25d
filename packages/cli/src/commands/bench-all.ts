// `firetrident bench all`: everything that a report is made of, from nothing, and the report.
//
//   BA1. Each step is a command of its own in a process of its own, so that its file tells how to repeat it alone.
//   BA2. A step that found something wrong and wrote its result is done; one that wrote nothing ends the whole.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Step } from '@firetrident/bench';
import { Command } from 'commander';
import { readResultsOf } from '../bench-result.ts';
import { CommandFailure } from '../failure.ts';
import type { CommandSettings } from '../program.ts';

interface AllOptions {
  readonly out: string;
  readonly quick?: boolean;
  readonly force?: boolean;
}

const entry = fileURLToPath(new URL('../main.mjs', import.meta.url));
const checkout = fileURLToPath(new URL('../../../..', import.meta.url));

/** The command `bench all`. */
export function benchAllCommand(settings: CommandSettings): Command {
  return new Command('all')
    .description('measure and simulate everything that the report is made of, step by step, and make the report')
    .requiredOption('--out <directory>', 'where results and report go; what is there already is not done again')
    .option('--quick', 'small sizes and short times: to see that it works, not to quote')
    .option('--force', 'do everything again')
    .action((options: AllOptions) => all(settings, options));
}

async function all(settings: CommandSettings, options: AllOptions): Promise<void> {
  const { isDone, reportPage, reportSteps } = await import('@firetrident/bench');
  const out = resolve(settings.configuration.directory, options.out);
  await mkdir(out, { recursive: true });
  const steps = reportSteps(options.quick === true);
  for (const [index, step] of steps.entries()) {
    const file = join(out, `${step.name}.json`);
    const say = (what: string) => settings.errors.write(`${index + 1} of ${steps.length}: ${step.name}: ${what}\n`);
    if (options.force !== true && (await isDone(file))) {
      say('is there already');
    } else if (step.kind === 'script' && !existsSync(join(checkout, step.args[0] ?? ''))) {
      say('is left out: it needs a checkout of the code');
    } else {
      say(step.args.join(' '));
      await rm(file, { force: true });
      const code = await runStep(step, file, out);
      // (BA2)
      if (!(await isDone(file))) {
        throw new CommandFailure(
          `${step.name} ended with code ${code} and left no result`,
          'run the same command again to go on',
        );
      }
      if (step.kind === 'script') await addProvenance(file);
      if (code !== 0) say(`ended with code ${code}: its result says what does not hold`);
    }
  }
  const page = join(out, 'report.html');
  await writeFile(page, reportPage(await readResultsOf(settings, [out])));
  settings.output.write(`${page}\n`);
}

/** Scripts say by which command they are repeated, and nothing of the checkout that they are in. */
async function addProvenance(file: string): Promise<void> {
  const { provenanceOf } = await import('@firetrident/bench');
  const { command, ...result } = JSON.parse(await readFile(file, 'utf8')) as { readonly command: string };
  await writeFile(file, `${JSON.stringify({ ...result, provenance: provenanceOf(command) }, null, 1)}\n`);
}

/** Runs a step to its exit code (BA1). */
async function runStep({ kind, args }: Step, file: string, directory: string): Promise<number> {
  if (kind === 'script') return run([join(checkout, args[0] ?? ''), ...args.slice(1), '--out', file], directory);
  if (kind === 'bench') return run([entry, 'bench', ...args, '--out', file], directory);
  const data = await mkdtemp(join(tmpdir(), 'firetrident-notes-'));
  try {
    const loaded = await run([entry, 'bench', 'live', ...args, '--data', data], directory);
    if (loaded !== 0) return loaded;
    const colonies = join(data, 'colonies');
    const [colony = ''] = await readdir(colonies);
    const repository = join(colonies, colony, 'trunk.git');
    return await run([entry, 'bench', 'notes-check', '--repository', repository, '--out', file], directory);
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}

/** Runs a program of this checkout; only its errors are shown. */
async function run(args: readonly string[], cwd: string): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...args], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code ?? 1;
}
