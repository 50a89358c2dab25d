// The answer to "why" as text.

import { countOf, oneLine } from '@firetrident/base';
import { type LandingResponse, pathText, readText, type WhyResponse } from '@firetrident/protocol';
import { durationText } from './render.ts';

/** Landings by id that the answer may name as causes. */
export type Causes = ReadonlyMap<string, LandingResponse>;

/** Entries of a list that are spelled out. */
const listed = 12;
/** How far causes of causes are followed. */
const deepest = 4;

/** Why a line is the way it is, for a person. */
export function whyText(path: string, page: WhyResponse, causes: Causes): string {
  const lines = [`${path}:${page.line}`, `    ${oneLine(page.text, 200)}`, ''];
  const { landing } = page;
  if (landing === null) {
    lines.push(`Commit   ${page.commit.slice(0, 12)} of ${page.at}, by ${oneLine(page.author, 80)}`);
    lines.push(`Subject  ${oneLine(page.summary, 160)}`, 'It is older than the colony, so nothing more is known.');
    return `${lines.join('\n')}\n`;
  }
  lines.push(`Landing  ${landing.landing}, commit ${page.commit.slice(0, 12)}, ${landing.at.landed}`);
  if (landing.external !== null) {
    const commits = countOf(landing.external.commits, 'commit');
    lines.push(`Pushed   by ${oneLine(landing.agent.name, 80)}, ${commits}, past the colony`);
    return `${lines.join('\n')}\n`;
  }
  lines.push(
    `Intent   ${landing.intent.id ?? 'none'}  ${oneLine(landing.intent.title, 160)}`,
    `Agent    ${oneLine(landing.agent.name, 80)} (${oneLine(landing.agent.kind, 40)})`,
    `Base     ${landing.base.slice(0, 12)}`,
    `Wrote    ${wroteText(landing)}`,
    `Read     ${list(landing.reads.map(knownReadText)) || 'nothing that is known'}`,
    ...timesText(landing),
    ...wasteText(landing),
    ...returnsText(landing, causes, '', new Set([landing.landing])),
  );
  return `${lines.join('\n')}\n`;
}

/** A read, and how it became known unless it was declared. */
function knownReadText(read: LandingResponse['reads'][number]): string {
  return read.source === 'declared' ? readText(read) : `${readText(read)} (${read.source})`;
}

function wroteText(landing: LandingResponse): string {
  const merged = new Set(landing.merged.map(pathText));
  const entries = landing.writes.map((write) => {
    const path = pathText(write);
    if (write.after === null) return `${path} (deleted)`;
    if (merged.has(path)) return `${path} (merged)`;
    return write.before === null ? `${path} (new)` : path;
  });
  return list(entries);
}

function list(entries: readonly string[]): string {
  const rest = entries.length - listed;
  const shown = entries.slice(0, listed).map((entry) => oneLine(entry, 200));
  return `${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`;
}

function timesText({ at }: LandingResponse): string[] {
  if (at.taken === null || at.proposed === null) return [];
  const worked = durationText(Date.parse(at.proposed) - Date.parse(at.taken));
  const waited = durationText(Date.parse(at.landed) - Date.parse(at.proposed));
  return [`Time     ${worked} from the take to the proposal that landed, ${waited} more to the landing`];
}

/** What the landing made others lose. */
function wasteText({ waste }: LandingResponse): string[] {
  const { returns, wastedMs, wastedTokens } = waste;
  if (returns === 0) return [];
  const tokens = wastedTokens > 0 ? ` and ${countOf(wastedTokens, 'token')}` : '';
  return [`Cost     ${countOf(returns, 'return')} of others, ${durationText(wastedMs)} of their work${tokens} lost`];
}

/** Each return of a landing with what caused it, causes of causes indented below (each told once). */
function returnsText(landing: LandingResponse, causes: Causes, indent: string, told: Set<string>): string[] {
  const lines: string[] = [];
  if (landing.returns.length > 0) lines.push(`${indent}Came back ${countOf(landing.returns.length, 'time')}:`);
  for (const { proposal, causes: names } of landing.returns) {
    if (names.length === 0) lines.push(`${indent}  ${proposal}, by no landing that is known`);
    for (const name of names) {
      const cause = causes.get(name);
      const who =
        cause === undefined ? '' : ` "${oneLine(cause.intent.title, 100)}" by ${oneLine(cause.agent.name, 60)}`;
      lines.push(`${indent}  ${proposal}, because ${name}${who} had moved what it stood on`);
      if (cause === undefined || told.has(name) || indent.length >= deepest * 4) continue;
      told.add(name);
      lines.push(...returnsText(cause, causes, `${indent}    `, told));
    }
  }
  return lines;
}
