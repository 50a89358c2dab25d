// Everything that CI checks, in one command: types, lint, then every test, the house rules among them.
//
// All of it runs even when the first part fails, so that one run shows everything. With arguments it runs vitest alone
// and passes them on: `npm test -- packages/base`.
//
// Invariants:
//   TS1. The last line is the count of checks; it never says that none failed unless this process ends with code 0.
// Not here: what is checked (tidy/, the *.test.ts files) and how the machine is made ready (entry/).

import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** What one part of the run came to. */
export type Counts = { passed: number; failed: number; skipped: number };

type Ended = { code: number; output: string };

/** Runs a JavaScript program of an installed package. Output is inherited, or kept back when `quiet`. */
function runTool(script: string, toolArguments: string[], quiet: boolean): Promise<Ended> {
  const stdio = quiet ? 'pipe' : 'inherit';
  const child = spawn(process.execPath, [path.join(root, 'node_modules', script), ...toolArguments], {
    cwd: root,
    // Tests start hundreds of processes, which would compile the same files each.
    env: { NODE_COMPILE_CACHE: path.join(os.tmpdir(), 'node-compile-cache'), ...process.env },
    stdio: ['ignore', stdio, stdio],
  });
  const chunks: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }));
  });
}

/** Runs one checker that passes or fails as a whole and shows its output when it fails. */
async function runCheck(name: string, script: string, toolArguments: string[]): Promise<Counts> {
  const ended = await runTool(script, toolArguments, true);
  const passed = ended.code === 0;
  if (!passed) console.log(ended.output);
  console.log(`${name}: ${passed ? 'passed' : 'FAILED'}`);
  return { passed: passed ? 1 : 0, failed: passed ? 0 : 1, skipped: 0 };
}

/** Runs vitest and counts what its own report says. A run that ends badly without a failed test counts as one failure. */
async function runTests(vitestArguments: string[]): Promise<Counts> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'firetrident-test-'));
  const report = path.join(directory, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  try {
    const ended = await runTool('vitest/vitest.mjs', ['run', ...reporters, ...vitestArguments], false);
    // Without a report the run has failed, which countTests tells from the missing text.
    return countTests(ended.code, await readFile(report, 'utf8').catch(() => ''));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** Counts from vitest's exit code and the text of its JSON report, which is empty when there is none. */
export function countTests(exitCode: number, report: string): Counts {
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = JSON.parse(report === '' ? '{}' : report);
  const counts = {
    passed: Number(numPassedTests ?? 0),
    failed: Number(numFailedTests ?? 0),
    skipped: Number(numPendingTests ?? 0) + Number(numTodoTests ?? 0),
  };
  if (exitCode !== 0 && counts.failed === 0) counts.failed = 1; // (TS1)
  return counts;
}

/** The closing line: plain, so that any reader can count. */
export function closingLine(parts: Counts[]): string {
  const sum = (pick: (counts: Counts) => number) => parts.reduce((total, counts) => total + pick(counts), 0);
  const skipped = sum((counts) => counts.skipped);
  const end = skipped > 0 ? `, ${skipped} skipped` : '';
  return `${sum((counts) => counts.passed)} passed, ${sum((counts) => counts.failed)} failed${end}`;
}

async function main(vitestArguments: string[]): Promise<void> {
  const parts: Counts[] = [];
  if (vitestArguments.length === 0) {
    parts.push(await runCheck('types', 'typescript/bin/tsc', ['--noEmit']));
    parts.push(
      await runCheck('lint and format', '@biomejs/biome/bin/biome', [
        'ci',
        '--colors=off',
        '--max-diagnostics=200',
        '.',
      ]),
    );
  }
  parts.push(await runTests(vitestArguments));
  const failed = parts.some((counts) => counts.failed > 0);
  console.log(closingLine(parts));
  process.exitCode = failed ? 1 : 0; // (TS1)
}

if (import.meta.main) await main(process.argv.slice(2));
