// Settings: defaults, precedence, and refusals by name.

import { defaultPolicy } from '@firetrident/core';
import { policySettings } from '@firetrident/protocol';
import { describe, expect, test } from 'vitest';
import { type DaemonOptions, resolveConfiguration } from './config.ts';
import { foundingPolicy, policyBody } from './convert/policy.ts';

describe('daemon settings', () => {
  test('nothing set gives the documented defaults', () => {
    const resolved = resolveConfiguration({ data: '/srv/ft' }, {});
    expect(resolved).toEqual({
      ok: true,
      value: {
        data: '/srv/ft',
        port: { number: 7400, fallback: true },
        host: '127.0.0.1',
        origins: [],
        logLevel: 'info',
        shutdownMs: 10_000,
        gitReaders: 4,
      },
    });
    expect(resolved.ok && Object.isFrozen(resolved.value)).toBe(true);
  });

  test('[CF2] an option wins over the environment', () => {
    const environment = {
      FT_PORT: '8000',
      FT_HOST: '::1',
      FT_DATA: '/a',
      FT_ORIGINS: 'https://a.example, http://b.example:1',
    };
    expect(resolveConfiguration({ port: 0, data: '/b' }, environment)).toMatchObject({
      value: {
        data: '/b',
        port: { number: 0, fallback: false },
        host: '::1',
        origins: ['https://a.example', 'http://b.example:1'],
      },
    });
  });

  test.each<[string, DaemonOptions, Record<string, string>]>([
    ['port', { port: 70_000 }, {}],
    ['port', {}, { FT_PORT: '80a' }],
    ['port', { port: 1.5 }, {}],
    ['host', { host: 'not a host' }, {}],
    ['logLevel', {}, { FT_LOG_LEVEL: 'loud' }],
    ['origins', {}, { FT_ORIGINS: 'example.org' }],
    ['origins', {}, { FT_ORIGINS: 'https://example.org/path' }],
    ['shutdownMs', {}, { FT_SHUTDOWN_MS: '-1' }],
    ['data', { data: '' }, {}],
  ])('[CF1] a bad value of %s is refused', (key, options, environment) => {
    const resolved = resolveConfiguration(options, environment);
    expect(resolved).toMatchObject({ ok: false, error: { key } });
  });

  test('[CF1] unknown keys are refused by name', () => {
    expect(resolveConfiguration({}, { FT_PROT: '1' })).toMatchObject({ ok: false, error: { key: 'FT_PROT' } });
    const misspelt = { prot: 1 } as unknown as DaemonOptions;
    expect(resolveConfiguration(misspelt, {})).toMatchObject({ ok: false, error: { key: 'prot' } });
  });

  test('variables of other parts are none of ours', () => {
    const environment = { FT_URL: 'http://x', FT_TOKEN: 't', FT_INTENT_TITLE: 'x', PATH: '/bin' };
    expect(resolveConfiguration({ data: '/x' }, environment).ok).toBe(true);
  });
});

describe('policy', () => {
  test('the catalogue states the defaults that the core has', () => {
    const flat: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(policyBody(defaultPolicy))) {
      if (!['reads', 'landing', 'limits'].includes(name)) flat[name] = value;
      else for (const [inner, item] of Object.entries(value as object)) flat[`${name}.${inner}`] = item;
    }
    const stated = Object.fromEntries(
      Object.entries(policySettings).map(([name, { default: value }]) => [name, value]),
    );
    expect(stated).toEqual(flat);
  });

  test('what is not named keeps its value, inside reads and limits too', () => {
    const policy = foundingPolicy({ leaseMs: 5, reads: { default: 'file' }, limits: { agents: 7 }, setup: 'make' });
    expect(policy).toEqual({
      ...defaultPolicy,
      leaseMs: 5,
      reads: { default: 'file', paths: {} },
      limits: { ...defaultPolicy.limits, agents: 7 },
      setup: 'make',
    });
  });
});
