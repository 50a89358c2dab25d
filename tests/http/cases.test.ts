// Every landing story, through HTTP on a real daemon, one colony each.

import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { CaseRunner, type LandingCase } from './case-runner.ts';

const directory = new URL('../data/cases/', import.meta.url);
const stories = readdirSync(directory)
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(new URL(name, directory), 'utf8')) as LandingCase);

describe('landing stories', () => {
  let daemon: TestDaemon;
  beforeAll(async () => {
    daemon = await startTestDaemon();
  });
  afterAll(() => daemon.stop());

  for (const story of stories) {
    test(`${story.name}: ${story.why}`, () => new CaseRunner(daemon, story).play());
  }
});
