// What waits for a person.

import { type AttentionId, type IntentId, ok, type ProposalId } from '@firetrident/base';
import { type Applying, type Decision, done } from './applying.ts';
import type { CommandOf } from './command.ts';
import { nextId } from './identity.ts';
import type { AttentionKind } from './model.ts';
import { memory } from './state.ts';

/** Adds an item; beyond the bound the oldest one gives way. */
export function addAttention(
  applying: Applying,
  attentionKind: AttentionKind,
  message: string,
  proposal: ProposalId | null = null,
  intent: IntentId | null = null,
): AttentionId {
  const { state } = applying;
  const oldest = state.attention.keys().next();
  if (state.attention.size >= memory.attention && oldest.done !== true) {
    applying.emit({ kind: 'attention-resolved', attention: oldest.value });
  }
  const attention = nextId(state, 'att');
  applying.emit({ kind: 'attention-raised', attention, attentionKind, message, proposal, intent });
  return attention;
}

/** Resolves every item of a kind, or those of one intent. */
export function resolveAll(applying: Applying, kind: AttentionKind, intent: IntentId | null = null): void {
  for (const item of [...applying.state.attention.values()]) {
    if (item.kind !== kind || (intent !== null && item.intent !== intent)) continue;
    applying.emit({ kind: 'attention-resolved', attention: item.id });
  }
}

/** Raises an item on behalf of the engine. */
export function raiseAttention(applying: Applying, command: CommandOf<'raise-attention'>): Decision<'raise-attention'> {
  return ok({ attention: addAttention(applying, command.attention, command.message) });
}

/** A person has dealt with an item. */
export function resolveAttention(
  applying: Applying,
  command: CommandOf<'resolve-attention'>,
): Decision<'resolve-attention'> {
  const { attention } = command;
  if (!applying.state.attention.has(attention)) return applying.refuse({ code: 'unknown_attention', attention });
  applying.emit({ kind: 'attention-resolved', attention });
  return done;
}
