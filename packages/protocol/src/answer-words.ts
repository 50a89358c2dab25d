// What answers say, in words for a person: paths, reads, what no longer fits together, and through whose landing.
//
// It never knows who reads it: a command line, a push, or another client of the same answers.

import { never, oneLine, printable } from '@firetrident/base';
import type { BriefResponse } from './responses.ts';

/** A read of a brief that moved. */
export type StaleReadAnswer = BriefResponse['reads'][number];
/** A write of a brief that does not fit any more. */
export type ConflictAnswer = BriefResponse['writes'][number];

/** Characters of a title that stands beside a cause. */
const titleCharacters = 160;

/** Characters of a command that stands in a sentence. */
const commandCharacters = 400;

/** A path in an answer: text, or bytes in base64 when they are not UTF-8. */
export interface AnsweredPath {
  readonly path?: string;
  readonly pathBase64?: string;
}

/** A read as an answer shows it. */
export interface AnsweredRead extends AnsweredPath {
  readonly dir?: string;
  readonly dirBase64?: string;
  readonly glob?: string;
  readonly symbol?: string;
  readonly signature?: boolean;
  readonly lines?: readonly [number, number];
}

function decoded(base64: string): string {
  const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
}

/** The path for a person; bytes that are not UTF-8 show as the replacement character. */
export function pathText(named: AnsweredPath | string): string {
  if (typeof named === 'string') return named;
  if (named.path !== undefined) return named.path;
  return decoded(named.pathBase64 ?? '');
}

/** What was read: a file, a part of one, a listing or a pattern. */
export function readText(read: AnsweredRead): string {
  if (read.glob !== undefined) return `what matches ${read.glob}`;
  const folder = read.dir ?? (read.dirBase64 === undefined ? undefined : decoded(read.dirBase64));
  if (folder !== undefined) return `the listing of ${folder === '' ? 'the root' : folder}`;
  const path = pathText(read);
  if (read.symbol !== undefined)
    return `${read.signature === true ? 'the signature of ' : ''}${read.symbol} of ${path}`;
  if (read.lines !== undefined) return `lines ${read.lines[0]} to ${read.lines[1]} of ${path}`;
  return path;
}

/** Why a write does not fit any more. */
export function conflictText(write: ConflictAnswer): string {
  const path = pathText(write);
  switch (write.kind) {
    case 'content':
      return `${path}: you and someone else changed the same lines`;
    case 'delete/edit':
      return write.tip === null
        ? `${path}: you changed what someone else deleted`
        : `${path}: you deleted what someone else changed`;
    case 'add/add':
      return `${path}: someone else added it too, differently`;
    case 'file/directory':
      return `${path}: it is a file on one side and a folder on the other`;
    case 'mode':
      return `${path}: the modes do not go together (${write.baseMode ?? 'absent'} became ${write.tipMode ?? 'absent'} on trunk)`;
    case 'binary':
      return `${path}: it is binary, and someone else changed it too`;
    case 'parse':
      return `${path}: merged, it would not parse any more`;
    case 'strict':
      return `${path}: someone else changed it, and its policy allows no merge`;
    case 'case':
      return `${path}: trunk has a path that differs only in case`;
    case 'chain':
      return `${path}: an earlier part of the same work came back`;
    default:
      return never(write.kind);
  }
}

/**
 * Every entry of a brief: what does not fit, then what was read and moved, each with its cause and its difference.
 * `staleText` says what a moved read means for whoever reads this: they read it, or their change stands on it.
 */
export function briefEntries(brief: BriefResponse, staleText: (read: StaleReadAnswer) => string): string[] {
  return [
    ...brief.writes.map(
      (write) => `${conflictText(write)}${regenerateText(write)}${causeText(write)}${diffText(write.diff)}`,
    ),
    ...brief.reads.map((read) => `${staleText(read)}${causeText(read)}${diffText(read.diff)}`),
  ];
}

/** What to do about a path that is made from others; empty for what is written by hand. */
function regenerateText({ regenerate }: ConflictAnswer): string {
  if (regenerate === undefined) return '';
  return `\n  it is made from other files: on trunk's version of it, run ${printable(oneLine(regenerate, commandCharacters))}`;
}

function causeText({ landing, intent }: StaleReadAnswer | ConflictAnswer): string {
  return landing === null ? '' : `\n  through ${landing}, "${oneLine(intent.title, titleCharacters)}"`;
}

function diffText(diff: string): string {
  if (diff === '') return '';
  const lines = printable(diff).trimEnd().split('\n');
  return `\n${lines.map((line) => `    ${line}`).join('\n')}`;
}
