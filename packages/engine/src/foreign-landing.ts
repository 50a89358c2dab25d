// What others did to trunk, taken over: a landing of its own, or a freeze when trunk was rewritten.

import type { EnginePorts } from './ports.ts';
import type { Session } from './session.ts';
import type { ForeignChange } from './trunk-service.ts';

/** Records a change of trunk by someone else (rules L6a, L6b). Resolves once it is durable. */
export async function recordForeign(ports: EnginePorts, session: Session, change: ForeignChange): Promise<void> {
  const { freeze, tip: from } = session.state;
  if (change.kind === 'rewound') {
    if (freeze?.kind === 'rewound' && freeze.found === change.tip) return;
    ports.log.error('trunk was rewritten by someone else; landing is frozen', { found: change.tip });
    await session.submit({ kind: 'record-rewound', found: change.tip }).durable;
    return;
  }
  // What stands when an administrator lets landing go on is accepted as a whole.
  if (freeze?.kind === 'rewound') return;
  const { commits, title, writes, tip } = change;
  const recorded = session.submit({ kind: 'record-external', from, to: tip, commits, title, writes });
  // Asked for at once: whatever is planned from now on may come back because of this landing.
  const noted = recorded.reply.ok ? ports.trunk.remember(recorded.reply.value.landing, title, writes, tip) : null;
  await recorded.durable;
  await noted;
  ports.log.info('trunk was moved by someone else; recorded as an external landing', { to: tip });
}
