// What each harness's file looks like, and that what others wrote there stays.

import { describe, expect, test } from 'vitest';
import { harnesses } from './harnesses.ts';

const server = ['firetrident', 'mcp', '--colony', 'web'];

describe('[HN1] a file with other entries keeps them', () => {
  test('claude', () => {
    const before = '{ "mcpServers": { "other": { "command": "x" }, "firetrident": { "command": "old" } } }';
    expect(JSON.parse(harnesses.claude.written(before, server))).toEqual({
      mcpServers: {
        other: { command: 'x' },
        firetrident: { type: 'stdio', command: 'firetrident', args: ['mcp', '--colony', 'web'], alwaysLoad: true },
      },
    });
  });

  test('codex', () => {
    const before =
      'model = "m"\n\n[mcp_servers.firetrident]\ncommand = "old"\n[mcp_servers.firetrident.env]\nA = "b"\n\n[mcp_servers.other]\ncommand = "x"\n';
    const written = harnesses.codex.written(before, server);
    expect(written).toBe(
      'model = "m"\n\n[mcp_servers.other]\ncommand = "x"\n\n[mcp_servers.firetrident]\ncommand = "firetrident"\nargs = ["mcp", "--colony", "web"]\nrequired = true\nstartup_timeout_sec = 30\ntool_timeout_sec = 120\n',
    );
    expect(harnesses.codex.written(written, server)).toBe(written);
  });

  test('gemini', () => {
    expect(JSON.parse(harnesses.gemini.written('{"theme":"dark"}', server))).toEqual({
      theme: 'dark',
      mcpServers: { firetrident: { command: 'firetrident', args: ['mcp', '--colony', 'web'], timeout: 120_000 } },
    });
  });

  test('opencode, in the form of either version', () => {
    const local = { type: 'local', command: server };
    expect(JSON.parse(harnesses.opencode.written(null, server))).toEqual({
      $schema: 'https://opencode.ai/config.json',
      mcp: { firetrident: { ...local, enabled: true, timeout: 120_000 } },
    });
    const deeper = '{"mcp":{"servers":{"other":{"type":"local","command":["x"]}}}}';
    expect(JSON.parse(harnesses.opencode.written(deeper, server))).toEqual({
      mcp: { servers: { other: { type: 'local', command: ['x'] }, firetrident: local } },
    });
  });
});

test('[HN3] the harness is told to wait for the server, by its own command too where it has one', () => {
  const [name, ...words] = harnesses.claude.command(server) ?? [];
  expect([name, ...words.slice(0, -1)]).toEqual(['claude', 'mcp', 'add-json', '--scope', 'project', 'firetrident']);
  const entry = { type: 'stdio', command: 'firetrident', args: ['mcp', '--colony', 'web'], alwaysLoad: true };
  expect(JSON.parse(words.at(-1) ?? '')).toEqual(entry);
  expect(harnesses.codex.command(server)).toBeNull();
});

test('a file that is no plain JSON is refused, not spoilt', () => {
  expect(() => harnesses.claude.written('{ // comment\n}', server)).toThrow(/cannot be changed/);
  expect(() => harnesses.gemini.written('{"mcpServers":[]}', server)).toThrow(/not an object/);
});
