// Whether the main job came out right, asked of stock git and of the colony afterwards. Each verdict can fail.

import { runGit } from '@firetrident/agents';
import { countOf, oneLine } from '@firetrident/base';
import type { Client } from '@firetrident/client';
import type { ColonyResponse, WhyResponse } from '@firetrident/protocol';
import { checkNotes, fsck } from '../repository-checks.ts';

/** One thing that was checked. */
export interface Verdict {
  readonly what: string;
  readonly ok: boolean;
  readonly details: string;
}

/** What the verdicts are about. */
export interface VerdictSettings {
  readonly client: Client;
  readonly facts: ColonyResponse;
  readonly intents: number;
  /** What `git fsck --strict` said before the first landing: flaws of the history that came in. */
  readonly flawsBefore: string;
  readonly serialTree: string;
}

/** A line of trunk, and why it is as it is. */
export interface WhyExample {
  readonly place: string;
  readonly page: WhyResponse;
}

/** Every verdict, and the example of a line whose reason is known. */
export async function judge(settings: VerdictSettings): Promise<{ verdicts: Verdict[]; example: WhyExample | null }> {
  const { facts, intents, flawsBefore, serialTree } = settings;
  const { repository, trunk } = facts;
  const settled = (facts.intents.landed ?? 0) + (facts.intents.closed ?? 0);
  const checked = await fsck(repository, true);
  const notes = await checkNotes(repository, trunk.branch);
  const tree = (await runGit(repository, ['rev-parse', `${trunk.branch}^{tree}`])).toString('utf8').trim();
  const example = await whyExample(settings);
  const verdicts: Verdict[] = [
    {
      what: 'every intent is done',
      ok: settled === intents,
      details: `${settled} of ${intents}`,
    },
    {
      what: 'git fsck --strict',
      ok: checked.ok || checked.said === flawsBefore,
      details: checked.ok
        ? 'clean'
        : checked.said === flawsBefore
          ? 'only what the imported history had before'
          : oneLine(checked.said, 300),
    },
    {
      what: 'every landing has its commit and its note',
      ok: notes.landings === facts.landings && notes.missing.length === 0 && notes.landings > 0,
      details: `${countOf(facts.landings, 'landing')}, ${countOf(notes.landings, 'commit')}, ${notes.landings - notes.missing.length} with a note`,
    },
    {
      what: 'the same tree as one at a time',
      ok: tree === serialTree,
      details: tree === serialTree ? tree : `${tree}, one at a time ${serialTree}`,
    },
    {
      what: 'why answers for a changed line',
      ok: example !== null,
      details:
        example === null
          ? 'no line of trunk leads to its landing'
          : `${example.place}: ${example.page.landing?.landing}`,
    },
  ];
  return { verdicts, example };
}

/** A line that a landing wrote: the first line of a file of a late landing for which blame leads back to it. */
async function whyExample({ client, facts }: VerdictSettings): Promise<WhyExample | null> {
  const parts = { colony: facts.id };
  const { landings } = await client.call('listLandings', { parts, query: { limit: 20 } });
  for (const { landing } of landings) {
    const page = await client.call('readLanding', { parts: { ...parts, landing } });
    for (const { path, after, before } of page.writes.slice(0, 20)) {
      if (path === undefined || after === null || before === null || /\s/.test(path)) continue;
      for (const line of [1, 2]) {
        const why = await client.call('why', { parts, query: { path, line } });
        if (why.landing?.landing === landing) return { place: `${path}:${line}`, page: why };
      }
    }
  }
  return null;
}
