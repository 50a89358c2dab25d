// Fifty real command agents on one repository with a hot file: everybody's edit stands in the end.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CommandLineScene, commandLineScene } from './scene.ts';

const agents = 50;
const intents = 60;
/** Every so many intents one also writes the first line of the hot file, where they conflict. */
const intentsPerConflict = 5;

/** Line of the hot file that an intent has to itself; lines of others are not adjacent. */
const ownLine = (number: number) => number * 3;

const script = `number=\${FT_INTENT_TITLE#Edit }
sleep 0.5
sed -i "$((number * 3))s/.*/edit $number/" hot.txt
[ $((number % ${intentsPerConflict})) = 0 ] && sed -i "1s/$/ $number/" hot.txt
echo "$number" > "own-$number.txt"`;

const lines = Array.from({ length: ownLine(intents) + 2 }, (_, index) => `line ${index + 1}`);

let scene: CommandLineScene;
beforeEach(async () => {
  scene = await commandLineScene({ 'hot.txt': `${lines.join('\n')}\n` });
});
afterEach(() => scene.remove());

it('fifty agents and a hot file: heads-ups, merges and repairs, and no lost edit', { timeout: 300_000 }, async () => {
  await scene.run(0, ['init', '--id', 'hot']);
  const numbers = Array.from({ length: intents }, (_, index) => index + 1);
  const backlog = join(scene.directory, 'backlog.md');
  writeFileSync(backlog, numbers.map((number) => `- [ ] Edit ${number}\n`).join(''));
  await scene.run(0, ['intents', 'import', backlog]);
  const end = await scene.run(0, ['run', '--json', '--agents', String(agents), '--max-repairs', '50', '--', script]);
  const summary = JSON.parse(end.output);
  expect(summary).toMatchObject({ agents, landed: intents, failed: 0, unchanged: 0 });
  for (const figure of ['merged', 'returns', 'repaired', 'headsUps']) expect(summary[figure]).toBeGreaterThan(0);

  const conflicting = numbers.filter((number) => number % intentsPerConflict === 0);
  const found = scene.trunkFile('hot', 'hot.txt').split('\n');
  const [first = ''] = found;
  expect(
    first
      .split(' ')
      .slice(2)
      .map(Number)
      .sort((left, right) => left - right),
  ).toEqual(conflicting);
  const expected = lines.map((line, index) => {
    const number = (index + 1) / 3;
    return numbers.includes(number) ? `edit ${number}` : line;
  });
  expect(found.slice(1)).toEqual([...expected.slice(1), '']);
  for (const number of numbers) expect(scene.trunkFile('hot', `own-${number}.txt`)).toBe(`${number}\n`);
});
