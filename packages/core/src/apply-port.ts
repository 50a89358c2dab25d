// The shape of applying one command.

import type { Command, CommandKind, Replies } from './command.ts';
import type { Effect } from './effect.ts';
import type { Event } from './event.ts';
import type { Refusal } from './refusal.ts';

/** What one applied command gives: its events in order, what the shell must do, and the answer or the refusal. */
export interface Applied<K extends CommandKind = CommandKind> {
  readonly events: readonly Event[];
  readonly effects: readonly Effect[];
  readonly reply: { readonly ok: true; readonly value: Replies[K] } | { readonly ok: false; readonly error: Refusal };
}

/** The answer of one command that was not refused. */
export type CommandReply<C extends Command> = Replies[C['kind']];
