// What git may not do here, and that nothing of it stays.

import { request } from 'node:http';
import { constants, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startTestDaemon, type TestDaemon } from '../support/daemon.ts';
import { startGitClient } from '../support/git-client.ts';
import { GitPeople, type Person } from './git-people.ts';

// Stock git is a process for each step; a machine that is busy takes long to start them all.
vi.setConfig({ testTimeout: 240_000, hookTimeout: 120_000 });

let daemon: TestDaemon;
let people: GitPeople;
let ada: Person;
beforeAll(async () => {
  daemon = await startTestDaemon();
  people = await GitPeople.open(daemon, 'web', { 'README.md': '# Web\n' });
  ada = await people.person('Ada');
  await ada.clone.commit('A change', { 'change.txt': 'change\n' });
});
afterAll(() => daemon.stop());

function listed(token: string | null, colony = 'web') {
  return startGitClient(daemon.directory, ['ls-remote', people.address(token, colony)]).ended;
}

describe('refs', () => {
  test('other than refs/for/main are refused by name, and one refusal stops an atomic push', async () => {
    const before = await people.counts();
    const tip = people.scene.tip();
    const told = async (...refs: readonly string[]) => {
      const { code, said } = await ada.clone.run('push', 'origin', ...refs);
      expect(code).not.toBe(0);
      return said;
    };
    const many = await told(
      'HEAD:refs/heads/main',
      'HEAD:refs/heads/topic',
      'HEAD:refs/tags/v1',
      'HEAD:refs/for/other',
    );
    expect(many).toContain('HEAD -> main (main moves by landings only: push to refs/for/main)');
    expect(many).toContain('HEAD -> topic (this ref is not kept here: push changes to refs/for/main)');
    expect(many).toContain('HEAD -> v1 (tags are not kept here: push changes to refs/for/main)');
    expect(many).toContain('(the trunk of this colony is main: push to refs/for/main)');
    expect(await told('HEAD:refs/notes/firetrident')).toContain('notes are written by the colony');
    expect(await told(':refs/heads/main')).toContain('main moves by landings only');
    expect(await told('--atomic', 'HEAD:refs/for/main', 'HEAD:refs/tags/v1')).toContain(
      'another ref of this atomic push',
    );
    expect(await people.counts()).toEqual(before);
    expect(people.scene.tip()).toBe(tip);
    expect(people.leftovers().pushes).toEqual([]);
  });
});

describe('tokens', () => {
  test('that are missing, unknown, of another colony or of a stopped agent let nobody read or push', async () => {
    await GitPeople.open(daemon, 'other', { 'a.txt': 'a\n' });
    const stopped = await people.scene.agent('Stopped');
    await people.scene.expect(200, 'POST', `/agents/${stopped.id}/stop`, {});
    for (const token of [null, 'ft_agent_wrong', stopped.token]) {
      const { code, said } = await listed(token);
      expect(code).not.toBe(0);
      expect(said).toMatch(/Authentication failed|could not read Username/);
    }
    const elsewhere = await listed(ada.agent.token, 'other');
    expect(elsewhere.said).toContain('remote: forbidden: The token does not allow this call');
    const nowhere = await listed(daemon.adminToken, 'nowhere');
    expect(nowhere.said).toContain('remote: unknown_colony');
  });

  test('go as a bearer header too, and an administrator pushes as an agent of the name that it gives', async () => {
    const { directory } = ada.clone;
    const bearer = [
      '-c',
      `http.extraHeader=Authorization: Bearer ${ada.agent.token}`,
      'ls-remote',
      people.address(null),
    ];
    expect((await startGitClient(directory, bearer).ended).output).toContain('refs/heads/main');
    const named = people.address(daemon.adminToken).replace('someone:', 'grace:');
    const push = ['push', named, 'HEAD:refs/for/main'];
    expect((await startGitClient(directory, push).ended).code).toBe(0);
    const { agents } = await people.scene.expect(200, 'GET', '/agents');
    expect(agents.filter(({ name }: { name: string }) => name === 'grace')).toMatchObject([{ kind: 'git' }]);
  });

  test('of an administrator are one agent for each name, also when its first pushes come at once', async () => {
    const command = `${'1'.repeat(40)} ${'0'.repeat(40)} refs/heads/topic\0report-status\n`;
    const body = `${(command.length + 4).toString(16).padStart(4, '0')}${command}0000`;
    const push = async (name: string) => {
      const credentials = Buffer.from(`${name}:${daemon.adminToken}`).toString('base64');
      const response = await fetch(`${people.address(null)}/git-receive-pack`, {
        method: 'POST',
        headers: { authorization: `Basic ${credentials}` },
        body,
      });
      return response.text();
    };
    for (const said of await Promise.all(Array.from({ length: 8 }, () => push('heidi')))) {
      expect(said).toContain('ng refs/heads/topic');
    }
    const { agents } = await people.scene.expect(200, 'GET', '/agents');
    expect(agents.filter(({ name }: { name: string }) => name === 'heidi')).toHaveLength(1);
    expect(await push('x'.repeat(201))).toContain('The user name of the push');
    expect(await push('two\nlines')).toContain('must not hold control characters');
  });

  test('do not open the files of the repository', async () => {
    for (const path of ['/git/web/HEAD', '/git/web/objects/info/packs', '/git/web/info/refs', '/git/web/../web/HEAD']) {
      const { status } = await daemon.call('GET', path);
      expect([400, 404]).toContain(status);
    }
  });
});

/** Sends the first bytes of a push, and cuts the connection once `begun` is true. */
function cutOff(body: Buffer, begun: () => boolean, encoding: Record<string, string> = {}): Promise<void> {
  const url = new URL(people.address(null));
  return new Promise((resolve) => {
    const call = request({
      host: url.hostname,
      port: url.port,
      method: 'POST',
      path: '/git/web/git-receive-pack',
      headers: {
        authorization: `Bearer ${ada.agent.token}`,
        'content-type': 'application/x-git-receive-pack-request',
        'content-length': body.length * 2,
        ...encoding,
      },
    });
    call.on('error', () => resolve());
    call.on('close', () => resolve());
    const looks = setInterval(() => {
      if (!begun()) return;
      clearInterval(looks);
      call.destroy();
    }, 20);
    call.write(body);
  });
}

describe('a push that does not go well', () => {
  test('because it is cut off leaves nothing', async () => {
    const before = { ...(await people.counts()), ...people.leftovers() };
    const head = await ada.clone.git('rev-parse', 'HEAD');
    const command = `${'0'.repeat(40)} ${head} refs/for/main\0report-status side-band-64k\n`;
    const line = `${(command.length + 4).toString(16).padStart(4, '0')}${command}`;
    const body = Buffer.from(`${line}0000PACK\0\0\0\x02`);
    const isBegun = () => people.leftovers().pushes.length > 0;
    const untilGone = async () => {
      while (isBegun()) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await cutOff(body, isBegun);
    await untilGone();
    const packed = gzipSync(body, { finishFlush: constants.Z_SYNC_FLUSH });
    await cutOff(packed, isBegun, { 'content-encoding': 'gzip' });
    await untilGone();
    // Nothing begins before the commands are there.
    const sent = Date.now();
    await cutOff(Buffer.from(line.slice(0, 30)), () => Date.now() - sent > 50);
    expect({ ...(await people.counts()), ...people.leftovers() }).toEqual(before);
  });

  test('because its pack is broken, or a file too large, is told so and leaves nothing', async () => {
    await people.scene.expect(200, 'PATCH', '/policy', { limits: { blobBytes: 1_000 } });
    const { clone } = await people.person('Bob');
    await clone.commit('Too much', { 'large.txt': 'x'.repeat(2_000) });
    const before = { ...(await people.counts()), ...people.leftovers() };
    expect((await clone.push()).said).toContain('large.txt has 2000 bytes, and a file has 1000 at most');
    const head = await clone.git('rev-parse', 'HEAD');
    const command = `${'0'.repeat(40)} ${head} refs/for/main\0report-status\n`;
    const line = `${(command.length + 4).toString(16).padStart(4, '0')}${command}`;
    clone.write('large.txt', 'small');
    await clone.git('commit', '-q', '-a', '--amend', '-m', 'x'.repeat(1_001));
    expect((await clone.push()).said).toMatch(/the first line of \S+ has 1001 characters, and a title has 1000 at/);
    const response = await fetch(`${people.address(null)}/git-receive-pack`, {
      method: 'POST',
      headers: { authorization: `Bearer ${ada.agent.token}` },
      body: Buffer.from(`${line}0000PACKrubbish`),
    });
    expect(await response.text()).toContain('ng refs/for/main what was pushed cannot be read');
    expect({ ...(await people.counts()), ...people.leftovers() }).toEqual(before);
  });

  test('because its client is killed either landed as a whole or left nothing', async () => {
    const { clone } = await people.person('Cleo');
    await clone.commit('Killed', { 'killed.txt': 'killed\n' });
    const { child, ended } = startGitClient(clone.directory, ['push', 'origin', 'HEAD:refs/for/main'], 'Cleo');
    await new Promise((resolve) => setTimeout(resolve, 60));
    child.kill('SIGKILL');
    await ended;
    const { code, said } = await clone.push();
    expect(`${code} ${said}`).toMatch(/landed on main|main has all of this already/);
    const { landings } = await people.scene.expect(200, 'GET', '/landings?limit=100');
    expect(landings.filter(({ title }: { title: string }) => title === 'Killed')).toHaveLength(1);
    expect(people.leftovers().pushes).toEqual([]);
  });
});
