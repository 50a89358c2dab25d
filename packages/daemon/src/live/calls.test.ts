// Calls of one socket: what counts as a mistake, and what a handler that fails leaves behind.

import { no, ok } from '@firetrident/base';
import type { Colony } from '@firetrident/engine';
import { type AnswerFrame, wireLimits } from '@firetrident/protocol';
import { expect, test } from 'vitest';
import type { Handlers } from '../endpoint-types.ts';
import { errorFacts } from '../errors.ts';
import type { Logger } from '../logger.ts';
import { CallDesk } from './calls.ts';

const agent = 'agt_1';
const colony = { id: 'here', state: { agents: new Map([[agent, { id: agent, state: 'idle' }]]) } } as unknown as Colony;

/** A desk whose takes do this; `say` sends one message, `heard` is what was answered so far. */
function deskWith(take: () => Promise<unknown>) {
  let mistakes = 0;
  const pace = {
    countMistake: () => {
      mistakes += 1;
    },
  };
  const tools = { handlers: { take } as unknown as Handlers, logger: { error: () => undefined } as unknown as Logger };
  const desk = new CallDesk(colony, tools, { agent, gone: new AbortController().signal, pace });
  const heard: AnswerFrame[] = [];
  return {
    say: (message: unknown) => desk.answer(Buffer.from(JSON.stringify(message)), false, (answer) => heard.push(answer)),
    heard,
    mistakes: () => mistakes,
  };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('[PE2] what is no call, and a body that its call does not take, are mistakes; a refusal is none', async () => {
  const desk = deskWith(() => Promise.resolve(no(errorFacts('unknown_intent', 'int_1'))));
  desk.say('no call');
  desk.say({ id: 1, call: 'nothing' });
  desk.say({ id: 2, call: 'take', body: { surprise: 1 } });
  expect(desk.mistakes()).toBe(3);
  desk.say({ id: 3, call: 'take', body: {} });
  await settled();
  expect(desk.mistakes()).toBe(3);
  expect(desk.heard).toMatchObject([
    { id: null, error: { code: 'invalid_request' } },
    { id: 1, error: { code: 'invalid_request' } },
    { id: 2, error: { code: 'invalid_request' } },
    { id: 3, error: { code: 'unknown_intent' } },
  ]);
});

test('[LC2] a call that fails is answered and no longer under way, however it fails', async () => {
  let calls = 0;
  const desk = deskWith(() => {
    calls += 1;
    if (calls % 3 === 0) return Promise.resolve(ok({ body: {} }));
    if (calls % 3 === 1) throw new Error('at once');
    return Promise.reject(new Error('later'));
  });
  for (let id = 0; id <= wireLimits.callsInFlight; id += 1) {
    desk.say({ id, call: 'take', body: {} });
    await settled();
  }
  const codes = desk.heard.map((answer) => ('error' in answer ? answer.error.code : 'answered'));
  expect(codes.slice(0, 3)).toEqual(['internal', 'internal', 'answered']);
  expect(new Set(codes)).toEqual(new Set(['internal', 'answered']));
});
