// Commands about the colony itself and about trunk as others move it.

import { assert, ok } from '@firetrident/base';
import { type Applying, type Decision, done } from './applying.ts';
import { addAttention, resolveAll } from './attention.ts';
import type { CommandOf } from './command.ts';
import { tellHeadsUps } from './heads-up.ts';
import { nextId } from './identity.ts';
import { externalRow } from './rows.ts';

/** Creates the colony: the first command of all, once. */
export function createColony(applying: Applying, command: CommandOf<'create-colony'>): Decision<'create-colony'> {
  assert(applying.state.id === '', 'a colony is created once');
  const { id, branch, tip, notes, packages, policy, seed } = command;
  applying.emit({ kind: 'colony-created', id, branch, tip, notes, packages, policy, seed });
  return done;
}

/** After every start: a new generation, a full term for every lease, and again what was asked for and not yet done. */
export function boot(applying: Applying, command: CommandOf<'boot'>): Decision<'boot'> {
  const { state } = applying;
  const generation = Math.max(state.generation, command.after ?? 0) + 1;
  applying.emit({ kind: 'booted', generation });
  for (const preserved of state.preserving.values()) applying.effect({ kind: 'preserve', preserved });
  if (state.index.take.size > 0) applying.effect({ kind: 'work-available' });
  return ok({ generation });
}

/** Sets the policy; it counts from now on. */
export function setPolicy(applying: Applying, command: CommandOf<'set-policy'>): Decision<'set-policy'> {
  applying.emit({ kind: 'policy-set', policy: command.policy });
  return done;
}

/** Stops landing, or lets it go on; resuming accepts the tip that is found after trunk was rewritten (L6b). */
export function setPaused(applying: Applying, command: CommandOf<'set-paused'>): Decision<'set-paused'> {
  const { freeze, tip } = applying.state;
  if (command.paused) {
    if (freeze === null) applying.emit({ kind: 'paused' });
    return done;
  }
  if (freeze === null) return applying.refuse({ code: 'landing_not_frozen' });
  applying.emit({ kind: 'resumed', tip: freeze.kind === 'rewound' ? command.tip : tip });
  if (freeze.kind === 'rewound') resolveAll(applying, 'trunk-rewound');
  return done;
}

/** Someone else moved trunk forward: a landing like any other, with its causes (L6a). */
export function recordExternal(applying: Applying, command: CommandOf<'record-external'>): Decision<'record-external'> {
  const { state, now } = applying;
  const { from, to, commits, title, writes } = command;
  if (state.lastExternal?.to === to && state.tip === to) return ok({ landing: state.lastExternal.landing });
  const landing = nextId(state, 'lnd');
  const event = { kind: 'external-landed', landing, from, to, commits, title, writes } as const;
  const row = externalRow(state, { ...event, at: now });
  applying.emit(event);
  applying.effect({ kind: 'archive-landing', id: landing, row });
  tellHeadsUps(applying, [{ landing, lease: null, intent: { id: null, title }, writes }], new Set());
  return ok({ landing });
}

/** Someone else rewrote trunk: nothing lands until a person accepts what is there (L6b). */
export function recordRewound(applying: Applying, command: CommandOf<'record-rewound'>): Decision<'record-rewound'> {
  const { freeze, tip } = applying.state;
  const { found } = command;
  if (freeze?.kind === 'rewound' && freeze.found === found) return done;
  applying.emit({ kind: 'trunk-rewound', found });
  const message = `trunk was at ${tip}, and someone moved it to ${found}, which does not contain it: landing stands still`;
  addAttention(applying, 'trunk-rewound', message);
  return done;
}

/** Preserved content stands under its ref; telling it twice changes nothing (C4b). */
export function recordPreserved(
  applying: Applying,
  command: CommandOf<'record-preserved'>,
): Decision<'record-preserved'> {
  const { preserved, commit } = command;
  if (applying.state.preserving.has(preserved)) applying.emit({ kind: 'preserved', preserved, commit });
  return done;
}
