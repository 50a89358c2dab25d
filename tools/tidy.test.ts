// The house rules, run on this checkout, and the rules themselves, run on samples.

import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { type Exemptions, exemptionsPath, withoutExempted } from './tidy/exemptions.ts';
import { projectOf, readProject } from './tidy/project.ts';
import { findingText } from './tidy/rule.ts';
import { rules } from './tidy/rules.ts';
import { samples } from './tidy/samples.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const project = readProject(root);
const exemptions = JSON.parse(readFileSync(`${root}/${exemptionsPath}`, 'utf8')) as Exemptions;

describe('this checkout', () => {
  for (const rule of rules) {
    it(`[${rule.id}] ${rule.title}`, async () => {
      const remaining = withoutExempted(rule, await rule.check(project), exemptions);
      expect(remaining.map((finding) => findingText(rule, finding))).toEqual([]);
    });
  }

  it('has exemptions only from rules that exist', () => {
    const known = new Set<string>(rules.map((rule) => rule.id));
    expect(Object.keys(exemptions).filter((id) => !known.has(id))).toEqual([]);
  });
});

describe('every rule can fail', () => {
  // Freshness compares the checkout with the catalogues, which a sample cannot replace; an empty project has no page.
  const sampled = rules.filter((rule) => rule.id !== 'H27');

  it('has a number of its own, counted without gaps', () => {
    expect(rules.map((rule) => rule.id)).toEqual(rules.map((_, index) => `H${index + 1}`));
  });

  for (const rule of sampled) {
    it(`[${rule.id}] finds its bad sample and passes its good one`, async () => {
      const sample = samples[rule.id];
      expect(sample, `${rule.id} needs a sample in tidy/samples.ts`).toBeDefined();
      expect(await rule.check(projectOf(sample?.bad ?? {}))).not.toEqual([]);
      expect(await rule.check(projectOf(sample?.good ?? {}))).toEqual([]);
    });
  }

  it('[H27] finds a project without its generated pages', async () => {
    const rule = rules.find((candidate) => candidate.id === 'H27');
    expect(await rule?.check(projectOf({}))).not.toEqual([]);
  });
});

describe('exemptions', () => {
  const rule = rules[0];
  if (rule === undefined) throw new Error('there are no rules');
  const finding = { path: 'a.ts', line: 3, subject: 'a.ts#x', message: 'mend it' };

  it('take away the finding of their subject', () => {
    expect(withoutExempted(rule, [finding], { [rule.id]: ['a.ts#x'] })).toEqual([]);
  });

  it('become findings when they are no longer needed', () => {
    const remaining = withoutExempted(rule, [], { [rule.id]: ['a.ts#x'] });
    expect(remaining.map((one) => one.path)).toEqual([exemptionsPath]);
  });

  it('leave other subjects alone', () => {
    expect(withoutExempted(rule, [finding], { [rule.id]: ['a.ts#x'] })).toEqual([]);
    expect(withoutExempted(rule, [{ ...finding, subject: 'b.ts' }, finding], { [rule.id]: ['a.ts#x'] })).toHaveLength(
      1,
    );
  });
});
