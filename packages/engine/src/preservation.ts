// Keeping content that did not land under a ref of its own.

import type { Preserved } from '@firetrident/core';
import type { EnginePorts } from './ports.ts';
import type { Session } from './session.ts';

/** Keeps the content and records it; resolves with its ref once that is durable. Rejects when storage fails. */
export async function preserve(ports: EnginePorts, session: Session, preserved: Preserved): Promise<string> {
  const { id, base, writes, why } = preserved;
  const request = { preserved: id, base, writes, title: `Preserved: ${why}`, colony: session.state.id };
  const { commit, ref } = await ports.trunk.preserve({ ...request, now: ports.clock.now() });
  await session.submit({ kind: 'record-preserved', preserved: id, commit }).durable;
  return ref;
}
