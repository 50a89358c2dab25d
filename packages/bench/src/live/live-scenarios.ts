// Stories told to a live colony, each with what must hold.
//
//   LSC1. A story is judged by what happened and by ratios within its run, never by how fast the machine is.

import type { Client } from '@firetrident/client';
import { exactly, type LiveExpectation, type LiveScenarioResult, noLessThan, noMoreThan } from './expectation.ts';
import { benchHost } from './result.ts';
import { type AtWork, onScenarioColony, type ScenarioColony, type ScenarioPlace } from './scenario-colony.ts';

interface Told {
  readonly expectations: readonly LiveExpectation[];
  readonly measured: Readonly<Record<string, number>>;
}

type Story = (place: ScenarioPlace) => Promise<Told>;

const stories = {
  batchcost: {
    story: 'The same changes land one after the other, then all at once: a batch costs little more than one landing.',
    tell: batchCost,
  },
  hot: {
    story: 'Many agents change one file at once, each another place of it: all land side by side, nothing is lost.',
    tell: hotFile,
  },
  starve: {
    story: 'A long piece of work reads what short ones keep changing: it lands with its third return at the latest.',
    tell: longAmongShort,
  },
  'red-trunk': {
    story:
      'Somebody pauses trunk because it is broken: work goes on and waits, and when trunk goes on all of it lands at once.',
    tell: redTrunk,
  },
} as const satisfies Readonly<Record<string, { readonly story: string; readonly tell: Story }>>;

/** A story by name. */
export type LiveScenarioName = keyof typeof stories;
/** All stories. */
export const liveScenarioNames = Object.keys(stories) as readonly LiveScenarioName[];
/** What a story is about. */
export function liveScenarioStory(name: LiveScenarioName): string {
  return stories[name].story;
}

/** Tells a story to a colony of its own. Rejects when a call is refused. */
export async function runLiveScenario(name: LiveScenarioName, place: ScenarioPlace): Promise<LiveScenarioResult> {
  const startedAt = new Date().toISOString();
  const { story, tell } = stories[name];
  const { expectations, measured } = await tell(place);
  return { figures: 'MEASURED', scenario: name, story, startedAt, expectations, measured, host: benchHost() };
}

const batchSize = 64;
/** What a landing in a batch may cost at most, as a share of one on its own. */
const batchShare = 0.5;

async function batchCost(place: ScenarioPlace): Promise<Told> {
  return onScenarioColony(place, [{ path: 'README.md', content: 'batch\n' }], async (colony) => {
    const crew = await agents(colony, batchSize);
    const round = (name: string) =>
      Promise.all(
        crew.map((client, number) => colony.atWork(client, `${name} ${number}`, `out/${name}/f${number}.ts`)),
      );
    const land = (name: string, atWork: AtWork, number: number) =>
      colony.propose(atWork, [{ path: `out/${name}/f${number}.ts`, content: `export const f = ${number};\n` }]);
    const alone = await round('alone');
    place.progress?.(`${batchSize} changes, one after the other`);
    const [aloneMs, landedAlone] = await timed(async () => {
      let landed = 0;
      for (const [number, atWork] of alone.entries()) landed += landedOf([await land('alone', atWork, number)]);
      return landed;
    });
    const together = await round('together');
    place.progress?.(`${batchSize} changes at once`);
    const [togetherMs, landedTogether] = await timed(async () =>
      landedOf(await Promise.all(together.map((atWork, number) => land('together', atWork, number)))),
    );
    const { cycle } = await colony.admin.call('readColony', { parts: colony.parts });
    return {
      expectations: [
        exactly('landed one after the other', landedAlone, batchSize),
        exactly('landed at once', landedTogether, batchSize),
        noMoreThan('cost of a landing in the batch, as a share of one alone', togetherMs / aloneMs, batchShare), // (LSC1)
        noMoreThan('cycles for all of them', cycle.cycles, batchSize * 2 - 1),
      ],
      measured: { aloneMsPerLanding: aloneMs / batchSize, togetherMsPerLanding: togetherMs / batchSize },
    };
  });
}

const hotAgents = 50;
const hotPath = 'src/routes.ts';
/** Lines between two places, so that no two changes touch. */
const hotGap = 4;

/** The file with the places that are named changed. */
function hotText(changed: ReadonlySet<number>): string {
  const place = (number: number) => [
    `export const route${number} = '${changed.has(number) ? 'changed' : 'first'}';`,
    ...Array.from({ length: hotGap }, (_, line) => `// ${number}.${line}`),
  ];
  return `${Array.from({ length: hotAgents }, (_, number) => place(number).join('\n')).join('\n')}\n`;
}

async function hotFile(place: ScenarioPlace): Promise<Told> {
  return onScenarioColony(place, [{ path: hotPath, content: hotText(new Set()) }], async (colony) => {
    const crew = await agents(colony, hotAgents);
    const atWork = await Promise.all(crew.map((client, number) => colony.atWork(client, `route ${number}`, hotPath)));
    place.progress?.(`${hotAgents} agents change ${hotPath}`);
    const sent = await Promise.all(
      atWork.map((each, number) => colony.propose(each, [{ path: hotPath, content: hotText(new Set([number])) }])),
    );
    const { bytes } = await colony.admin.file(colony.id, hotPath);
    const lines = new TextDecoder().decode(bytes).split('\n');
    const kept = lines.filter((line) => line.endsWith("'changed';")).length;
    return {
      expectations: [
        exactly('landed, without a return', landedOf(sent), hotAgents),
        exactly('changes that trunk holds', kept, hotAgents),
      ],
      measured: { agents: hotAgents },
    };
  });
}

const busyFiles = 8;
const shortAgents = 4;
const longWorkMs = 2_000;
const returnsAtMost = 3;
const shortAtLeast = 20;

async function longAmongShort(place: ScenarioPlace): Promise<Told> {
  const busyPath = (file: number) => `busy/file-${file}.ts`;
  const files = Array.from({ length: busyFiles }, (_, file) => ({
    path: busyPath(file),
    content: 'export const n = 0;\n',
  }));
  return onScenarioColony(place, files, async (colony) => {
    const [long, ...short] = await agents(colony, 1 + shortAgents);
    const atWork = await colony.atWork(long as Client, 'the long piece of work', 'busy/long.ts');
    for (const { path } of files) await colony.read(atWork, path);
    let isOver = false;
    const landed = short.map(async (client, number) => {
      let count = 0;
      for (let version = 1; !isOver; version += 1) {
        const path = busyPath((number + version * shortAgents) % busyFiles);
        const each = await colony.atWork(client, `short ${number}.${version}`, path);
        count += landedOf([
          await colony.propose(each, [{ path, content: `export const n = ${number}.${version};\n` }]),
        ]);
      }
      return count;
    });
    const beganMs = performance.now();
    await pause(longWorkMs);
    let status = await colony.propose(atWork, [{ path: 'busy/long.ts', content: 'export const long = true;\n' }]);
    let returns = 0;
    while (status.state === 'returned' && returns < returnsAtMost * 3) {
      returns += 1;
      place.progress?.(`the long piece of work came back for the ${returns}. time`);
      await pause(longWorkMs);
      status = await colony.confirm(atWork, status.proposal);
    }
    const landedAfterMs = performance.now() - beganMs;
    isOver = true;
    const shortLanded = (await Promise.all(landed)).reduce((sum, count) => sum + count, 0);
    return {
      expectations: [
        exactly('the long piece of work landed', status.state === 'landed' ? 1 : 0, 1),
        noMoreThan('its returns', returns, returnsAtMost),
        noLessThan('short pieces of work that landed meanwhile', shortLanded, shortAtLeast),
      ],
      measured: { longLandedAfterMs: landedAfterMs, longWorkMs, returns, shortLanded },
    };
  });
}

const redAgents = 64;
const redMs = 2_000;
/** Cycles in which what waited may land: it is one queue, however long trunk stood still. */
const cyclesAfterRed = 4;

async function redTrunk(place: ScenarioPlace): Promise<Told> {
  return onScenarioColony(place, [{ path: 'README.md', content: 'red\n' }], async (colony) => {
    const { admin, parts } = colony;
    const setPaused = (paused: boolean) => admin.call('setTrunk', { parts, body: { paused } });
    const crew = await agents(colony, redAgents);
    const work = (name: string) =>
      Promise.all(crew.map((client, number) => colony.atWork(client, `${name} ${number}`, `${name}/f${number}.ts`)));
    const land = (atWork: readonly AtWork[], name: string) =>
      atWork.map((each, number) =>
        colony.propose(each, [{ path: `${name}/f${number}.ts`, content: `export const f = ${number};\n` }]),
      );
    const atWork = await work('red');
    await setPaused(true);
    place.progress?.(`trunk is paused, and ${redAgents} agents propose`);
    const sent = land(atWork, 'red');
    await pause(redMs);
    const red = await admin.call('readColony', { parts });
    await setPaused(false);
    place.progress?.('trunk goes on');
    const landed = landedOf(await Promise.all(sent));
    const green = await admin.call('readColony', { parts });
    const landedAfter = landedOf(await Promise.all(land(await work('green'), 'green')));
    return {
      expectations: [
        exactly('landed while trunk was paused', red.landings, 0),
        exactly('proposals that waited for it', red.queued, redAgents),
        exactly('landed when it went on, without a return', landed, redAgents),
        noMoreThan('cycles for all of them', green.cycle.cycles - red.cycle.cycles, cyclesAfterRed),
        exactly('landed afterwards', landedAfter, redAgents),
      ],
      measured: { agents: redAgents, pausedMs: redMs },
    };
  });
}

function agents(colony: ScenarioColony, count: number): Promise<Client[]> {
  return Promise.all(Array.from({ length: count }, (_, number) => colony.agent(`agent ${number}`)));
}

function landedOf(statuses: readonly { readonly state: string }[]): number {
  return statuses.filter(({ state }) => state === 'landed').length;
}

async function timed<T>(work: () => Promise<T>): Promise<readonly [number, T]> {
  const beganMs = performance.now();
  const result = await work();
  return [performance.now() - beganMs, result];
}

function pause(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}
