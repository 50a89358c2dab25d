// A brief in words: what moved under a proposal, through whose landing, and how.

import { never, oneLine, printable } from '@firetrident/base';
import type { BriefResponse } from '@firetrident/protocol';
import { pathText, readText } from './paths-text.ts';

type StaleRead = BriefResponse['reads'][number];
type Conflict = BriefResponse['writes'][number];

/** Why a proposal came back, for a person. */
export function briefText(brief: BriefResponse): string {
  const parts = [
    ...brief.writes.map((write) => `${conflictText(write)}${causeText(write)}${diffText(write.diff)}`),
    ...brief.reads.map((read) => `${staleText(read)}${causeText(read)}${diffText(read.diff)}`),
  ];
  return parts.map((part) => `- ${part}\n`).join('');
}

/** That nobody else changes for a while what a proposal needs, for a person. */
export function reservedText(until: string): string {
  return `It came back too often, so what it writes and reads is kept still for you until ${until}: propose before that, and it lands.\n`;
}

function conflictText(write: Conflict): string {
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

function staleText(read: StaleRead): string {
  const what = readText(read);
  if (read.was === null) return `you read that there is no ${what}; now there is`;
  return read.now === null ? `you read ${what}; it is gone` : `you read ${what}; it has changed`;
}

function causeText({ landing, intent }: StaleRead | Conflict): string {
  if (landing === null) return '';
  return `\n  through ${landing}, "${oneLine(intent.title, 160)}"`;
}

function diffText(diff: string): string {
  if (diff === '') return '';
  return `\n${printable(diff)
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')}`;
}
