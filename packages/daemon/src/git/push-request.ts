// What a push asks for: which refs are to change, what the client can hear, and the options that came along.
//
//   PQ1. Nothing of the pack is read here.
//   PQ2. The number of commands and options is bounded.

import { type IntentId, isOid, no, type Oid, ok, type Result } from '@firetrident/base';
import type { PacketReader } from './packet-lines.ts';

/** Most refs and options that one push may name (PQ2). */
const commandsMax = 1_000;
const optionsMax = 64;
const noObject = '0'.repeat(40);

/** One ref that is to change; `after` is null for a deletion. */
export interface PushCommand {
  readonly ref: string;
  readonly before: Oid | null;
  readonly after: Oid | null;
}

/** A push without its pack. */
export interface PushRequest {
  readonly commands: readonly PushCommand[];
  readonly capabilities: ReadonlySet<string>;
  readonly options: readonly string[];
}

/** What the push options say. */
export interface PushOptions {
  readonly intent: IntentId | null;
}

/** Reads everything before the pack (PQ1). Null when nothing is asked; an error is a sentence for the client. */
export async function readPushRequest(reader: PacketReader): Promise<Result<PushRequest | null, string>> {
  const commands: PushCommand[] = [];
  let capabilities: ReadonlySet<string> | null = null;
  for (;;) {
    const line = await reader.next();
    if (line === null || line === 'flush') break;
    const text = line.toString('utf8').replace(/\n$/, '');
    if (text.startsWith('push-cert')) return no('signed pushes are not supported');
    // What the client lacks is no matter: everything below trunk is here.
    if (text.startsWith('shallow ')) continue;
    const end = text.indexOf('\0');
    const command = commandOf(end < 0 ? text : text.slice(0, end));
    if (command === null) return no('the push names a ref in a form that cannot be read');
    if (commands.length === commandsMax) return no(`a push names ${commandsMax} refs at most`);
    commands.push(command);
    if (end >= 0) capabilities ??= new Set(text.slice(end + 1).split(' '));
  }
  if (commands.length === 0) return ok(null);
  const known = capabilities ?? new Set<string>();
  const options: string[] = [];
  while (known.has('push-options')) {
    const line = await reader.next();
    if (line === null || line === 'flush') break;
    if (options.length === optionsMax) return no(`a push carries ${optionsMax} options at most`);
    options.push(line.toString('utf8').replace(/\n$/, ''));
  }
  return ok({ commands, capabilities: known, options });
}

function commandOf(text: string): PushCommand | null {
  const [before, after, ...name] = text.split(' ');
  const ref = name.join(' ');
  if (before === undefined || after === undefined || !isOid(before) || !isOid(after) || ref === '') return null;
  return { ref, before: before === noObject ? null : before, after: after === noObject ? null : after };
}

/** The options by their names; an unknown one is refused by name. */
export function readPushOptions(options: readonly string[]): Result<PushOptions, string> {
  let intent: IntentId | null = null;
  for (const option of options) {
    const value = /^intent=(int_[0-9A-Za-z_]+)$/.exec(option)?.[1];
    if (value === undefined) {
      return no(`the push option "${option.slice(0, 100)}" is none of: intent=<id of an intent>`);
    }
    if (intent !== null && intent !== value) return no('the push options name two intents; push for one at a time');
    intent = value as IntentId;
  }
  return ok({ intent });
}
