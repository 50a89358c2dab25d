// A brief in words: what moved under a proposal, through whose landing, and how.

import { type BriefResponse, briefEntries, readText, type StaleReadAnswer } from '@firetrident/protocol';

/** Why a proposal came back, for a person. */
export function briefText(brief: BriefResponse): string {
  return briefEntries(brief, staleText)
    .map((entry) => `- ${entry}\n`)
    .join('');
}

/** That nobody else changes for a while what a proposal needs, for a person. */
export function reservedText(until: string): string {
  return `It came back too often, so what it writes and reads is kept still for you until ${until}: propose before that, and it lands.\n`;
}

function staleText(read: StaleReadAnswer): string {
  const what = readText(read);
  if (read.was === null) return `you read that there is no ${what}; now there is`;
  return read.now === null ? `you read ${what}; it is gone` : `you read ${what}; it has changed`;
}
