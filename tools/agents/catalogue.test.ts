import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agentPrograms, catalogue, cataloguedOn } from './catalogue.ts';

describe('the catalogue of agents', () => {
  it('names exact versions and the day of their choice', () => {
    expect(cataloguedOn).toMatch(/^20\d\d-\d\d-\d\d$/);
    for (const program of agentPrograms) expect(catalogue[program].version).toMatch(/^\d+\.\d+\.\d+$/);
  });

  it('[AG1] is a dependency of nothing here', () => {
    const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));
    const installed = Object.keys(lock.packages);
    for (const program of agentPrograms) expect(installed).not.toContain(`node_modules/${catalogue[program].package}`);
  });
});
