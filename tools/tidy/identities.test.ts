// The chain of ids: what counts as declared, what as cited, and where an id is unique.

import { describe, expect, it } from 'vitest';
import { projectOf } from './project.ts';
import { identityRules } from './rules/identities.ts';

/** Messages of the chain rule on a project of the given files. */
async function chain(files: Record<string, string>): Promise<string[]> {
  const rule = identityRules.find((candidate) => candidate.id === 'H20');
  return ((await rule?.check(projectOf(files))) ?? []).map((finding) => finding.message);
}

const specification = { 'packages/core/SPEC.md': '# Rules\n\n| V7 | A rule. |\n' };

describe('the chain of ids', () => {
  it('[H20] takes a name of a test for a citation', async () => {
    const test = { 'packages/core/src/a.test.ts': "it('[V7] holds', run);" };
    expect(await chain({ ...specification, ...test })).toEqual([]);
  });

  it('[H20] takes several ids in one pair of brackets', async () => {
    const header = '// What.\n//   QQ1. One.\n//   QQ2. Two.\n//   QQ3. Three.\nrun(); // (QQ1, QQ2 and QQ3)';
    expect(await chain({ 'packages/core/src/a.ts': header })).toEqual([]);
  });

  it('[H20] finds a citation of what nobody declared', async () => {
    expect(await chain({ 'packages/core/src/a.ts': 'run(); // (QQ1)' })).toEqual([
      'QQ1 is declared nowhere: declare it in a header or in SPEC.md',
    ]);
  });

  it('[H20] finds a rule of a document that nobody cites', async () => {
    expect(await chain(specification)).toHaveLength(1);
  });

  it('[H20] takes a header that repeats a rule of the specification for a citation', async () => {
    expect(await chain({ ...specification, 'packages/core/src/a.ts': '// What.\n//   V7. A rule.\n' })).toEqual([]);
  });

  it('[H20] lets the number of a family stand for its rules, but not one rule for another', async () => {
    const family = { 'packages/core/SPEC.md': '# Rules\n\n| V7a | A rule. |\n| V7b | Another. |\n' };
    expect(await chain({ ...family, 'packages/core/src/a.ts': 'run(); // (V7)' })).toEqual([]);
    expect(await chain({ ...family, 'packages/core/src/a.ts': 'run(); // (V7a)' })).toHaveLength(1);
  });

  it('[H20] refuses one id twice in a package, and allows it in two', async () => {
    const text = '// What.\n//   QQ1. One.\nrun(); // (QQ1)';
    const twice = { 'packages/core/src/a.ts': text, 'packages/core/src/b.ts': text };
    expect(await chain(twice)).toEqual(['QQ1 is declared in packages/core/src/a.ts:2 too: choose another id']);
    expect(await chain({ 'packages/core/src/a.ts': text, 'packages/trunk/src/a.ts': text })).toEqual([]);
  });

  it('[H20] is not confused by names of other standards or by text', async () => {
    const text = "// Uses a hash (SHA1) of text (UTF8).\nconst a = '(QQ1)';";
    expect(await chain({ 'packages/core/src/a.ts': text })).toEqual([]);
  });
});
