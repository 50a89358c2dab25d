// The history of benchmarks: a file of lines that only grows.
//
//   HI1. A result is recorded once: the same bench of the same moment is refused.
//   HI2. A file with a line that cannot be read is not added to.

import { appendFile, readFile } from 'node:fs/promises';
import type { ResultFile } from '../results/result-file.ts';
import { type HistoryLine, HistoryLineError, historyLineOf, parseHistoryLine } from './history-line.ts';

/** Reads all lines. Throws a HistoryLineError that names the line. */
export function parseHistoryLines(text: string): readonly HistoryLine[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.map((line, index) => {
    try {
      return parseHistoryLine(line);
    } catch (error) {
      throw new HistoryLineError(`line ${index + 1}: ${(error as Error).message}`);
    }
  });
}

/** Adds results to the history and answers their lines (HI1, HI2). Rejects with a HistoryLineError. */
export async function appendHistory(file: string, results: readonly ResultFile[]): Promise<readonly HistoryLine[]> {
  const before = parseHistoryLines(await readOrNothing(file));
  const known = new Set(before.map(nameOf));
  const lines = results.map(historyLineOf);
  for (const line of lines) {
    if (known.has(nameOf(line))) throw new HistoryLineError(`${line.bench} of ${line.date} is recorded already`);
    known.add(nameOf(line));
  }
  await appendFile(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return lines;
}

function nameOf({ bench, date, command }: HistoryLine): string {
  return JSON.stringify([bench, date, command]);
}

async function readOrNothing(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}
