// The two ends of the memory that a disk thread shares with its owner.

import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { ask, diskChannel, takeAnswer } from './disk-thread.ts';

/** A thread that wakes its owner for an answer that the owner has seen long ago, and answers later. */
const lateWaker = `
  const { workerData } = require('node:worker_threads');
  const { channel, thread } = workerData;
  const nap = (ms) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  import(thread).then(({ answerRequest }) => {
    for (let woken = 0; woken === 0; nap(1)) woken = Atomics.notify(channel.control, 0);
    nap(20);
    answerRequest(channel, { operation: 'remove', path: '/gone', code: 'EIO' });
  });
`;

test('who is woken for the answer before goes on waiting for its own', async () => {
  const channel = diskChannel();
  ask(channel, [{ kind: 'remove', path: '/gone' }]);
  const thread = new URL('./disk-thread.ts', import.meta.url).href;
  const worker = new Worker(lateWaker, { eval: true, workerData: { channel, thread } });
  expect(takeAnswer(channel)).toEqual({ operation: 'remove', path: '/gone', code: 'EIO' });
  await worker.terminate();
});
