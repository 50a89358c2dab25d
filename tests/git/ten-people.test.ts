// Ten people push at once, and each is told in words what became of it.

import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { GitPeople } from './git-people.ts';

// Stock git is a process for each step; a machine that is busy takes long to start them all.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let daemon: TestDaemon;
beforeAll(async () => {
  daemon = await startTestDaemon();
});
afterAll(() => daemon.stop());

test('of ten pushes at once the one that conflicts comes back, and nothing is lost', async () => {
  const people = await GitPeople.open(daemon, 'web', { 'hot.txt': 'one\ntwo\nthree\n' });
  const names = Array.from({ length: 10 }, (_, index) => `Person${index}`);
  const all = await Promise.all(names.map((name) => people.person(name)));
  // Two of the ten change the same line.
  const paths = all.map((_, index) => (index < 2 ? 'hot.txt' : `own/${index}.txt`));
  await Promise.all(
    all.map(({ clone }, index) =>
      clone.commit(`Change of ${clone.name}`, { [paths[index] as string]: `one\n${index}\nthree\n` }),
    ),
  );
  const endings = await Promise.all(all.map(({ clone }) => clone.push()));
  const returned = endings.filter(({ code }) => code !== 0);
  expect(returned).toHaveLength(1);
  expect(returned[0]?.said).toContain('hot.txt: you and someone else changed the same lines');
  for (const { code, said } of endings) if (code === 0) expect(said).toContain('landed on main');
  const { landings } = await people.scene.expect(200, 'GET', '/landings?limit=100');
  expect(landings).toHaveLength(9);
  expect(people.leftovers().pushes).toEqual([]);
});
