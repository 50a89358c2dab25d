// The sample of older commits, when many ask for it.

import { expect, test } from 'vitest';
import { type OlderCommits, sampleOf } from './advertise.ts';

test('[AV2] those who ask while git looks wait for the same look, and a failed one is not kept', async () => {
  const samples: OlderCommits = new Map();
  let looks = 0;
  const looking = Promise.withResolvers<readonly string[]>();
  const look = () => {
    looks += 1;
    return looking.promise;
  };
  const asked = [
    sampleOf(samples, 'web', 0, look),
    sampleOf(samples, 'web', 5, look),
    sampleOf(samples, 'other', 5, look),
  ];
  expect(looks).toBe(2);
  looking.resolve(['a']);
  expect(await Promise.all(asked)).toEqual([['a'], ['a'], ['a']]);
  const failed = sampleOf(samples, 'web', 60_000, () => Promise.reject(new Error('no git')));
  await expect(failed).rejects.toThrow('no git');
  expect(await sampleOf(samples, 'web', 60_001, async () => ['b'])).toEqual(['b']);
});
