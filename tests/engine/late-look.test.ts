// A look at trunk whose answer comes late: what the colony did meanwhile knew more.

import type { AgentId, IntentId, Oid } from '@firetrident/base';
import { utf8 } from '@firetrident/base';
import type { ForeignChange, TrunkService } from '@firetrident/engine';
import { MemoryJournal } from '@firetrident/journal';
import { expect, test } from 'vitest';
import { openMemoryColony } from '../support/memory-colony.ts';
import { proposeRequest } from '../support/propose-request.ts';

/** Looks of the colony that are not answered before they are let go, and are answered then as trunk was before. */
class HeldLooks {
  #release: ((change: ForeignChange | null) => void)[] = [];
  isHolding = false;

  surround(room: TrunkService): TrunkService {
    return new Proxy(room, {
      get: (target, name) => {
        if (name === 'foreign' && this.isHolding) {
          return () => new Promise<ForeignChange | null>((resolve) => this.#release.push(resolve));
        }
        const value: unknown = Reflect.get(target, name);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  }

  get held(): number {
    return this.#release.length;
  }

  answer(change: ForeignChange): void {
    for (const release of this.#release.splice(0)) release(change);
  }
}

test('[CL8] a rewind that a look found before something landed is not recorded after it', async () => {
  const looks = new HeldLooks();
  const { colony, clock } = await openMemoryColony({
    journal: new MemoryJournal(),
    surround: (room) => looks.surround(room),
  });
  const described = { agentKind: 'test', labels: [], workspace: 'ref', joinTokenHash: null } as const;
  const registered = await colony.submit({ kind: 'register-agent', ...described, name: 'ada', tokenHash: 'ada' });
  const agent = (registered.ok ? registered.value.agent : '') as AgentId;
  const draft = { title: 'one', body: '', paths: [], priority: 0, after: [], parent: null, labels: [], key: null };
  const made = await colony.createIntents([draft]);
  const intent = (made.ok ? made.value.intents[0]?.id : '') as IntentId;
  const taken = await colony.take({ agent, intent, paths: [], labels: [], waitMs: 0 });
  if (!taken.ok || taken.value.kind === 'wait') throw new Error('the intent is free');
  const before = colony.state.tip;

  looks.isHolding = true;
  await clock.runUntil(clock.now() + 60_000);
  expect(looks.held).toBeGreaterThan(0);
  looks.isHolding = false;
  const { lease, epoch, base } = taken.value.grant;
  const sent = await colony.propose(
    proposeRequest({ agent, lease, epoch, base }, [{ path: 'a.txt', content: { bytes: utf8('a\n') } }]),
  );
  if (!sent.ok) throw new Error(sent.error.code);
  await clock.runUntil(clock.now() + 5_000);
  const landed = colony.state.tip;
  expect(landed).not.toBe(before);

  looks.answer({ kind: 'rewound', tip: '1'.repeat(40) as Oid });
  await clock.runUntil(clock.now() + 1_000);
  expect(colony.state.freeze).toBeNull();
  expect(colony.state.tip).toBe(landed);
  await colony.close();
});
