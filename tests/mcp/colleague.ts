// An agent that speaks through the official client of the Model Context Protocol, and the story that each of them lives.

import { Client, type Transport } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import { git } from '../support/git-repository.ts';
import type { Scene } from '../support/scene.ts';

/** The two eras of the protocol: with a handshake, and without any state. */
export const eras = { legacy: 'legacy', modern: { pin: '2026-07-28' } } as const;
export type Era = keyof typeof eras;

/** What a tool answered: the data, and whether it was refused. */
export interface Told {
  readonly refused: boolean;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers that they themselves judge
  readonly body: any;
}

/** A client that is connected. It checks every answer against the schema that the tool publishes. */
export class Colleague {
  readonly client: Client;

  private constructor(client: Client) {
    this.client = client;
  }

  static async connect(era: Era, transport: Transport): Promise<Colleague> {
    const client = new Client({ name: 'tests', version: '1' }, { versionNegotiation: { mode: eras[era] } });
    await client.connect(transport);
    // The client learns the tools' schemas here, and holds every later answer against them.
    await client.listTools();
    return new Colleague(client);
  }

  async call(name: string, input: Record<string, unknown> = {}): Promise<Told> {
    const result = await this.client.callTool({ name, arguments: input });
    const [text] = result.content as { type: string; text: string }[];
    expect(JSON.parse(text?.text ?? '')).toEqual(result.structuredContent);
    return { refused: result.isError === true, body: result.structuredContent };
  }

  /** Calls a tool that must not be refused. */
  async must(name: string, input: Record<string, unknown> = {}): Promise<Told['body']> {
    const { refused, body } = await this.call(name, input);
    if (refused) throw new Error(`${name} was refused: ${JSON.stringify(body)}`);
    expect(body.next).toMatch(/\w/);
    expect(body.notices).toBeInstanceOf(Array);
    return body;
  }

  /** Calls a tool that must be refused with this code; the error. */
  async refused(code: string, name: string, input: Record<string, unknown> = {}): Promise<Told['body']['error']> {
    const { refused, body } = await this.call(name, input);
    expect({ refused, code: body.error?.code }, JSON.stringify(body)).toEqual({ refused: true, code });
    expect(body.error.next).toMatch(/\w/);
    expect(body.error.hint).toMatch(/\w/);
    return body.error;
  }
}

/** The files that the story needs. */
export const storyFiles = {
  'README.md': '# Story\n',
  'src/greet.ts': 'export const greeting = "hello";\nexport const name = "world";\n',
  'src/use.ts': 'import { greeting } from "./greet.ts";\nconsole.log(greeting);\n',
  'logo.bin': '\0\u0001\u0002bytes',
};

/** Takes, reads, proposes, comes back because of another's landing, repairs, and lands; git is asked about it. */
export async function liveTheStory(agent: Colleague, scene: Scene): Promise<void> {
  const added = await agent.must('add_intent', { title: `Greet warmly ${scene.id}`, paths: ['src/greet.ts'] });
  const taken = await agent.must('take', { intent: added.intent });
  const { lease, base, intent } = taken;
  expect(intent).toMatchObject({ id: added.intent, title: `Greet warmly ${scene.id}` });
  const seen = await agent.must('read', { path: 'src/greet.ts' });
  expect(seen).toMatchObject({ commit: base.commit, content: storyFiles['src/greet.ts'], mode: '100644' });
  await agent.must('read', { path: 'README.md', lines: [1, 1] });

  await scene.land('Another greets', [
    { path: 'src/greet.ts', content: 'export const greeting = "hey";\nexport const name = "world";\n' },
  ]);
  const work = { lease: lease.id, epoch: lease.epoch };
  const sent = {
    ...work,
    base: base.commit,
    message: 'Warmer.',
    writes: [{ path: 'src/greet.ts', edits: [{ old: '"hello"', replacement: '"good evening"' }] }],
    waitMs: 60_000,
  };
  const returned = await agent.must('propose', sent);
  expect(returned).toMatchObject({ state: 'returned', brief: { writes: [{ path: 'src/greet.ts', kind: 'content' }] } });
  expect(returned.brief.writes[0].diff).toContain('+export const greeting = "hey";');
  expect(returned.next).toContain(`repair with proposal ${returned.proposal}`);
  expect(returned.notices).toMatchObject([
    { kind: 'heads-up', lease: lease.id, landings: [{ intent: { title: 'Another greets' } }] },
  ]);

  const status = await agent.must('status');
  expect(status.leases).toMatchObject([
    { lease: lease.id, epoch: lease.epoch, proposals: [{ proposal: returned.proposal, state: 'returned' }] },
  ]);
  expect(status.notices).toEqual([]);
  const mine = { ...work, proposal: returned.proposal };
  await agent.refused('confirm_needs_writes', 'repair', { ...mine, answer: 'confirm' });
  const theirs = await agent.must('read', { path: 'src/greet.ts', at: returned.brief.trunk });
  expect(theirs.content).toContain('"hey"');
  const landed = await agent.must('repair', {
    ...mine,
    answer: 'amend',
    writes: [{ path: 'src/greet.ts', edits: [{ old: '"hey"', replacement: '"good evening, hey"' }] }],
    waitMs: 60_000,
  });
  expect(landed).toMatchObject({ state: 'landed', repairOf: returned.proposal });
  expect(git(scene.repository, ['show', 'main:src/greet.ts'])).toContain('"good evening, hey"');
  const note = JSON.parse(git(scene.repository, ['notes', '--ref=firetrident', 'show', landed.commit]));
  expect(note.landings[0].reads).toContainEqual(expect.objectContaining({ path: 'README.md' }));
  expect(note.landings[0].returns).toMatchObject([{ proposal: returned.proposal }]);
  const why = await agent.must('why', { path: 'src/greet.ts', line: 1 });
  expect(why).toMatchObject({ commit: landed.commit, landing: { landing: landed.landing, intent: { id: intent.id } } });
  expect(await agent.must('status', { proposal: landed.proposal })).toMatchObject({
    leases: [],
    proposal: { state: 'landed' },
  });
}
